"""Odd yields of real runs: warned of at the end of a task, an error under --strict, in the report."""

import json

import pytest

from tests.graph.bench import DUMP
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
    status, said = skord(bench, "run", "Deduplicate", "--dump", "mine", *words)

    assert status == 0, said
    assert "FilterDocuments mine looks odd: none of 1 document of da goes on, such as" in said
    assert "https://kommune.dk/ (ratio_alphanumeric_chars" in said
    assert " near-duplicates" in said.partition("Deduplicate mine looks odd: ")[2]

    again = ("run", "Deduplicate", "--dump", "mine", "--strict")
    status, said = skord(bench, *again)
    assert status == 1
    assert "FilterDocuments mine looks odd: none of 1 document of da" in said.splitlines()[-1]

    limits = ("--FilterDocuments-limits", '{"num_words": [0, 5]}', "--replace")
    status, said = skord(bench, *again[:-1], *limits[:2], "--replace", "--strict")
    assert status == 1
    assert "the filter num_words stops 100 % of 91 documents" in said
    assert store(bench, "mine").manifest("FilterDocuments") is None

    status, said = skord(bench, *again[:-1], *limits)
    assert status == 0, said
    assert store(bench, "mine").manifest("Deduplicate")["counts"]["kept"] == 0


def test_the_sample_crawl_has_nothing_odd(whole, tmp_path):
    out = tmp_path / "report.html"

    status, said = skord(whole, "report", "--dumps", DUMP, "--out", str(out))

    assert status == 0, said
    assert json.loads(out.with_suffix(".json").read_text())[0]["alarms"] == []
    assert '<h2 id="odd">What looks odd</h2>' in out.read_text()
