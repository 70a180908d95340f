"""Small pages of every kind that outsiders found altered, and what has to come out of them."""

import re
import tomllib
from functools import reduce
from pathlib import Path

import pytest

import skord
from skord.crawl.urls import canonical_url
from skord.publishing.pseudonyms import IBAN, PERSONAL_NUMBER, PHONE, pseudonymise
from skord.rights.page_signals import page_reservations
from skord.rights.site_signals import SiteFiles, site_statements

HERE = Path(__file__).parent

ARTICLES = {
    "sv": (
        "<h1>Lärkbäckens kvarn är hel igen</h1><p>I lördags snurrade stenarna i Lärkbäckens kvarn för "
        "första gången på fyrtio år. Ett trettiotal medlemmar hade samlats på gården för att se när "
        "dammluckan öppnades och vattnet rann ner i rännan.</p><p>Arbetet började för sex år sedan, när "
        "taket läckte och en av bjälkarna under golvet hade ruttnat. Pengarna kom från kommunen.</p>",
        "<p>Nästa helg visas kvarnen för allmänheten. Den som vill kan köpa mjöl från säsongens första "
        "malning, och barnen får prova att sikta det själva i den gamla boden.</p>",
    ),
    "ja": (
        "<h1>新しい橋が開通した</h1><p>昨日、川に新しい橋が開通した。工事には四年かかり、近くに住む人たちが"
        "大勢集まって祝った。</p>",
        "<p>橋の上からは山がよく見え、週末には市場も開かれる予定だという。</p>",
    ),
}


def page_of(case):
    if "page" not in case:
        return case["input"]
    before, after = ARTICLES.get(case["page"], ARTICLES["sv"])
    return (
        f'<!DOCTYPE html><html lang="{case["page"]}"><head><meta charset="utf-8"><title>Kvarnen</title></head>'
        f'<body><nav><a href="/">Hem</a></nav><main><article>{before}{case["input"]}{after}</article></main>'
        "<footer><p>© Hembygd i Vrå. Vi använder kakor.</p></footer></body></html>"
    )


def encoded(case):
    """The input in its charset, with the bytes for which signs stand."""
    parts = re.split(f"([{''.join(case.get('raw', '◆'))}])", case["input"])
    return b"".join(
        bytes.fromhex(case["raw"][part]) if part in case.get("raw", ()) else part.encode(case["charset"])
        for part in parts
    )


def answer(case):
    page, text = page_of(case), case["input"]
    match case.get("entry", "extract"):
        case "extract":
            return skord.extract(page.encode())
        case "plain":
            return skord.extract(page.encode(), format="plain")
        case "markdown":
            return skord.to_markdown(page.encode())
        case "title":
            return skord.extract_page(page.encode()).title or ""
        case "decode":
            return skord.decode(encoded(case), case.get("header")).text
        case "date":
            return str(skord.extract_page(page.encode()).date)
        case "robots":
            agents, url = tuple(case["agents"]), case.get("url", "https://ex.se/a/b")
            said = site_statements(SiteFiles(robots=text), agents).reservations(url)
            return " ".join(sorted(one.agent for one in said)) or "(none)"
        case "signals":
            said = page_reservations([], text.encode(), ("GPTBot",))
            return " ".join(one.words for one in said) or "(none)"
        case "removal":
            wanted = canonical_url(text)
            assert {canonical_url(one) for one in case["same"]} == {wanted}
            assert wanted not in map(canonical_url, case.get("other", []))
            return ""
        case "personal":
            marks = {PHONE: "T", IBAN: "K", PERSONAL_NUMBER: "X"}
            found = pseudonymise(text, ["phone_numbers", "ibans", "personal_numbers"], case["language"]).text
            return reduce(lambda text, mark: text.replace(*mark), marks.items(), found)
        case "language":
            return str(skord.identify_language(text).code)
    raise AssertionError(case["entry"])


def cases(name):
    for case in tomllib.loads((HERE / name).read_text())["case"]:
        yield pytest.param(case, id=case["id"])


@pytest.mark.parametrize("case", cases("cases.toml"))
def test_pages_keep_what_is_written(case):
    got = answer(case)
    for wanted in case.get("must", []):
        assert wanted in got
    for unwanted in case.get("must_not", []):
        assert unwanted not in got
    for wanted in case.get("once", []):
        assert got.count(wanted) == 1, got
