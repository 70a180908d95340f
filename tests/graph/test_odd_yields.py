"""Odd yields of real runs: warned of at the end of a task, an error under --strict, in the report."""

import json
import random

import pytest

from skord.sample_crawl.at_scale.pages import bundled_sentences
from skord.sample_crawl.builder import build_crawl
from skord.sample_crawl.faults import NO_FAULTS
from skord.sample_crawl.page_source import PageSource
from skord.sample_crawl.server import CrawlServer
from tests.graph.bench import DUMP, Bench
from tests.graph.test_sources import skord, store

TOPICS = ["skogen", "havet", "staden", "bergen", "ängen", "sjön", "byn", "gården", "ön", "fältet"]
DANISH = (
    "Kommunen har besluttet at bygge en ny skole ved stationen, og arbejdet begynder til foråret. "
    "Borgmesteren siger, at børnene får bedre plads, og at forældrene har ventet længe på det."
)


def text_of(number):
    """Nearly the same text, in which no paragraph is twice."""
    words = f"{TOPICS[number % 10]} och {TOPICS[number // 10 % 10]}"
    return "\n\n".join(
        f"{line} Det hände vid {words} under året." for line in (
            "Vi har samlat frågor och svar om hur man söker bygglov i kommunen inför sommaren.",
            "Handläggaren läser ansökan, ringer den sökande och skriver sedan ett beslut.",
            "Beslutet går att överklaga inom tre veckor från den dag då man fick läsa det.",
            "Avgiften beror på hur stort huset är och på vilken mark som det ska stå.",
        )
    )  # fmt: skip


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """90 texts that are nearly equal, 60 of them of one site, and a Danish one with a symbol salad."""
    path = tmp_path_factory.mktemp("own") / "texts.jsonl"
    hosts = ["mall.se", "mall.se", "a.se", "b.se", "mall.se", "mall.se"]
    rows = [
        {"url": f"https://{hosts[n % 6]}/{n}", "text": text_of(n)} for n in range(90)
    ] + [{"url": "https://kommune.dk/", "text": DANISH + "\n\n" + "{}[]()<>=+*/#%&$ " * 60}]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_wrongs_of_a_run_are_warned_of_and_strict_refuses_them(bench, source):
    words = ("--source", str(source), "--kind", "texts")
    status, output = skord(bench, "run", "Deduplicate", "--dump", "mine", *words)

    assert status == 0, output
    assert "FilterDocuments mine looks odd: none of 1 document of da goes on, such as" in output
    assert "https://kommune.dk/ (ratio_alphanumeric_chars" in output
    assert " near-duplicates" in output.partition("Deduplicate mine looks odd: ")[2]

    again = ("run", "Deduplicate", "--dump", "mine", "--strict")
    status, output = skord(bench, *again)
    assert status == 1
    assert "FilterDocuments mine looks odd: none of 1 document of da" in output.splitlines()[-1]

    limits = ("--FilterDocuments-limits", '{"num_words": [0, 5]}', "--replace")
    status, output = skord(bench, *again[:-1], *limits[:2], "--replace", "--strict")
    assert status == 1
    assert "the filter num_words stops 100 % of 91 documents" in output
    assert store(bench, "mine").manifest("FilterDocuments") is None

    status, output = skord(bench, *again[:-1], *limits)
    assert status == 0, output
    assert store(bench, "mine").manifest("Deduplicate")["counts"]["kept"] == 0


def test_the_sample_crawl_has_nothing_odd(whole, tmp_path):
    out = tmp_path / "report.html"

    status, output = skord(whole, "report", "--dumps", DUMP, "--out", str(out))

    assert status == 0, output
    assert json.loads(out.with_suffix(".json").read_text())[0]["alarms"] == []
    assert '<h2 id="odd">What looks odd</h2>' in out.read_text()


EARLIER = "2023-50"


def page(language, number, text, **said):
    written = {
        "host": f"site{number % 40}.example",
        "year": 2019,
        "title": f"Nummer {number}",
        **said,
    }
    return PageSource(
        lang=language, slug=f"{language}{number}", layout="news" if text else "service",
        title=written["title"],
        url=f"https://{written['host']}/{language}/{number}", charset=said.get("charset", "utf-8"),
        published=f"{written['year']}-05-01", text=text, kind="page" if text else "thin",
    )  # fmt: skip


def sentences(language, seed, paragraphs, size=4):
    dice = random.Random(f"{language} {seed}")
    pool = bundled_sentences(language)
    return "\n\n".join(" ".join(dice.sample(pool, size)) for _ in range(paragraphs))


def earlier_pages():
    """Nearly the same text everywhere, half of it in an old charset and of another year."""
    for number in range(120):
        old = {"charset": "windows-1252", "year": 2016} if number % 2 else {}
        yield page("sv", number, text_of(number), **old)


def pages():
    """Long Swedish texts, most of one site; ruined Danish ones; titles of Norwegian ones."""
    for number in range(180):
        where = {"host": "mall.example"} if number % 3 else {}
        year = (2019, 2021)[number % 2]
        yield page("sv", number, sentences("sv", number, 24), year=year, **where)
    for number in range(70):
        salad = "\n\n" + "{}[]()=+*/#%&$ " * 200 if number % 8 else ""
        yield page("da", number, sentences("da", number, 4) + salad)
        yield page("nb", number, "", title=sentences("nb", number, 1, 8))


PLANTED = {
    f"Deduplicate {EARLIER}": ["documents are near-duplicates"],
    f"CCNet {DUMP}": [
        "no page of fi among 320 pages is selected, no page was refused of it either"
    ],
    f"FetchHTMLDocuments {DUMP}": ["holds nothing but failures: "],
    f"ConvertToMarkdown {DUMP}": ["no page is of 2020, though ",
     "no page has the charset windows-1252, in earlier dumps 50 % do",
     "no page has the year 2016, in earlier dumps 50 % do"],
    f"ProcessMarkdown {DUMP}": ["of no have a text of one line or none"],
    f"FilterDocuments {DUMP}": ["of no goes on, such as https://", "of da go on, of all ",
     "sv: characters of a document: "],
    f"Deduplicate {DUMP}": ["mall.example is "],
}  # fmt: skip


def test_each_planted_wrong_is_warned_of_by_its_task(tmp_path):
    build_crawl(earlier_pages(), tmp_path / "crawl", dump=EARLIER, files=1, with_extras=False)
    build_crawl(pages(), tmp_path / "crawl", dump=DUMP, files=6, with_extras=False)
    broken = sorted((tmp_path / "crawl").glob(f"crawl-data/CC-MAIN-{DUMP}/*/*/warc/*.warc.gz"))[3]
    broken.write_bytes(bytes(broken.stat().st_size))

    with CrawlServer(tmp_path / "crawl", NO_FAULTS) as server:
        bench = Bench(tmp_path / "bench", server.url, num_shards=6)
        words = ("--CCNet-languages", "sv,da,no,fi", "--FetchHTMLDocuments-max-failure-share", "1")
        runs = [
            skord(bench, "run", "Deduplicate", "--dump", dump, *words) for dump in (EARLIER, DUMP)
        ]

    assert [status for status, _ in runs] == [0, 0], runs
    warned = [line for _, said in runs for line in said.splitlines() if " looks odd: " in line]
    missing = [
        (task, wrong)
        for task, wrongs in PLANTED.items()
        for wrong in wrongs
        if not any(line.startswith(f"{task} looks odd: ") and wrong in line for line in warned)
    ]
    assert missing == [], "\n".join(warned)
