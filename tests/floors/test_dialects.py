"""The line classifier reads both converters' Markdown alike."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from skord.html.converter import convert_page, find_pandoc
from skord.markdown.extraction import extracted
from skord.models.line_classifier.features.words import overlap
from skord.models.line_classifier.load import load_line_classifier

PAGES = 120
SITE_PAGES = 3
MOST_APART = 0.005


@pytest.fixture(scope="module")
def pages(shared) -> list[dict]:
    """Pages with the text that a person would keep, of as many sites as there are."""
    taken: Counter[str] = Counter()
    kept = []
    with gzip.open(shared / "data/extraction/sites.jsonl.gz", "rt") as lines:
        for page in map(json.loads, lines):
            taken[page["split_key"]] += 1
            if page.get("html") and taken[page["split_key"]] <= SITE_PAGES:
                kept.append(page)
    return kept[:PAGES]


def mean_f1(pages: list[dict], pandoc: Path | None) -> float:
    """Of the extracted text, as the graph cuts it, in 4-grams of words."""
    markdown = [convert_page(page["html"], pandoc=pandoc) for page in pages]
    logits = load_line_classifier("embedded").logits(markdown)
    texts = [
        str(extracted(page, actual)["text"]) for page, actual in zip(markdown, logits, strict=True)
    ]
    actual = [overlap(text, page["gold_text"])[2] for text, page in zip(texts, pages, strict=True)]
    return sum(actual) / len(actual)


@pytest.mark.shared
@pytest.mark.slow
def test_extraction_is_as_good_whichever_converter_wrote_the_markdown(pages):
    fast, pandoc = (mean_f1(pages, pandoc) for pandoc in (None, find_pandoc()))

    assert len(pages) >= 60
    assert fast > 0.6
    assert fast >= pandoc - MOST_APART
