"""Danish and Swedish pages, built from Markdown that is known: its words must come through."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter

import pytest

from skord.html.converter import convert_page

PAGES = 30


@pytest.fixture(scope="module")
def pages(shared) -> list[dict]:
    """Pages of as many sites as there are, in the order of the file."""
    with gzip.open(shared / "data/extraction/sites.jsonl.gz", "rt") as lines:
        rows = [row for row in map(json.loads, lines) if row["lang"] in ("da", "sv")]
    seen: Counter[str] = Counter()
    turns = [(seen.update([row["split_key"]]), seen[row["split_key"]])[1] for row in rows]
    order = sorted(range(len(rows)), key=lambda i: (turns[i], i))
    return [rows[i] for i in order[:PAGES]]


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.replace("\\", "").lower()))


@pytest.mark.shared
def test_words_of_real_pages_come_through(pages):
    recovered = []
    for page in pages:
        wanted = words(page["gold_text"])
        actual = words(convert_page(page["html"])) & wanted
        recovered.append(actual.total() / wanted.total())

    assert len(recovered) == PAGES
    assert sum(recovered) / PAGES >= 0.95
    assert min(recovered) >= 0.9


@pytest.mark.shared
def test_markdown_of_real_pages_is_in_the_dialect(pages):
    code = re.compile(r"^([ >]*)(`{3,}).*?^\1\2$", re.MULTILINE | re.DOTALL)
    unwanted = re.compile(
        r"\[TABLE\]|&nbsp;|^[-*] |^=+$|(?<!\\)\\$|\n\n\n\n|\S {3}$|^<(?:div|span|p|a)\b",
        re.MULTILINE,
    )

    for page in pages:
        markdown = convert_page(page["html"])
        assert unwanted.findall(code.sub("code", markdown)) == [], page["id"]
        assert markdown.count("\n") == len(markdown.splitlines())
