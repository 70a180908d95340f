"""Small pages of every kind that outsiders found altered, and what has to come out of them."""

import re
import tomllib
from pathlib import Path

import pytest

import skord
from skord.core.failures import DocumentError
from skord.crawl.urls import canonical_url
from skord.html.failures import ConversionFailure
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
        return case["input"].encode()
    before, after = ARTICLES.get(case["page"], ARTICLES["sv"])
    return (
        f'<!DOCTYPE html><html lang="{case["page"]}"><head><meta charset="utf-8">'
        f'<title>Kvarnen</title></head><body><nav><a href="/">Hem</a></nav><main><article>{before}'
        f"{case['input']}{after}</article></main><footer><p>© Hembygd i Vrå. Vi använder kakor.</p>"
        "</footer></body></html>"
    ).encode()


def text_of(case):
    try:
        return skord.extract(page_of(case))
    except DocumentError as error:
        if error.code != ConversionFailure.empty_page:
            raise
        return ""


def encoded(case):
    """The input in its charset, with the bytes for which signs stand."""
    raw = case.get("raw", {})
    parts = re.split(f"([{''.join(raw) or '◆'}])", case["input"])
    return b"".join(
        bytes.fromhex(raw[part]) if part in raw else part.encode(case["charset"]) for part in parts
    )


def refused_agents(case):
    url = case.get("url", "https://ex.se/a/b")
    statements = site_statements(SiteFiles(robots=case["input"]), tuple(case["agents"]))
    return " ".join(sorted(one.agent for one in statements.reservations(url))) or "(none)"


def refused_words(case):
    said = page_reservations([], case["input"].encode(), ("GPTBot",))
    return " ".join(one.words for one in said) or "(none)"


def compared_addresses(case):
    wanted = canonical_url(case["input"])
    assert {canonical_url(one) for one in case["same"]} == {wanted}
    assert wanted not in map(canonical_url, case.get("other", []))
    return wanted


def without_personal_data(case):
    kinds = ["phone_numbers", "ibans", "personal_numbers"]
    text = pseudonymise(case["input"], kinds, case["language"]).text
    for stand_in, sign in ((PHONE, "T"), (IBAN, "K"), (PERSONAL_NUMBER, "X")):
        text = text.replace(stand_in, sign)
    return text


ANSWERS = {
    "extract": text_of,
    "plain": lambda case: skord.extract(page_of(case), format="plain"),
    "markdown": lambda case: skord.to_markdown(page_of(case)),
    "title": lambda case: skord.extract_page(page_of(case)).title or "",
    "date": lambda case: str(skord.extract_page(page_of(case)).date),
    "decode": lambda case: skord.decode(encoded(case), case.get("header")).text,
    "language": lambda case: str(skord.identify_language(case["input"]).code),
    "robots": refused_agents,
    "signals": refused_words,
    "removal": compared_addresses,
    "personal": without_personal_data,
}


CASES = tomllib.loads((HERE / "cases.toml").read_text())["case"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_what_is_written_is_kept(case):
    got = ANSWERS[case.get("entry", "extract")](case)
    for wanted in case.get("must", []):
        assert wanted in got
    for unwanted in case.get("must_not", []):
        assert unwanted not in got
    for wanted in case.get("once", []):
        assert got.count(wanted) == 1, got
