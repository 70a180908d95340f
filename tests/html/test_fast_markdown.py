"""The converter without pandoc, against literal Markdown and against pandoc itself."""

from __future__ import annotations

import gzip
import json
from contextlib import suppress
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from pipeline.core.failures import DocumentError
from pipeline.html.charset.decode import decode
from pipeline.html.cleaning import clean_html
from pipeline.html.pandoc_dialect.convert import Decline, DeclinedError, fast_markdown
from pipeline.sample_crawl.layouts import render_page
from pipeline.sample_crawl.page_source import bundled_pages

STORED = Path(__file__).with_name("published.json.gz")
"""What pandoc 2.9.2.1 writes for every fourth page of the rehearsal, by slug."""

TABLE = "<tr><td>a</td><td>b</td></tr>"

MANY = 100_000
HARD = {
    "a megabyte of boxes": "<div>" * MANY + "x" + "</div>" * MANY,
    "5,000 lists": "<ul><li>" * 5_000 + "x" + "</li></ul>" * 5_000,
    "5,000 definitions": "<dl><dt>x</dt><dd>" * 5_000 + "</dd></dl>" * 5_000,
    "5,000 tables": "<table><tr><td>" * 5_000 + "x" + "</td></tr></table>" * 5_000,
    "5,000 styles": "<b>" * 5_000 + "x" + "</b>" * 5_000,
    "quotations of paragraphs": "<blockquote>" * 49 + "<p>x</p>" * MANY + "</blockquote>" * 49,
    "a million rows": "<table>" + "<tr><td>a</td></tr>" * 1_000_000 + "</table>",
    "staggered rows": "<table>" + '<tr><td rowspan="99999999">a</td></tr>' * 20_000 + "</table>",
    "a billion columns": '<table><tr><td colspan="999999999">a</td></tr></table>',
    "broken tables": "<table><tr><td>" + "<table></table>" * MANY + "</td></tr></table>",
    "parentheses": f'<img src="{"(" * MANY}{")" * MANY}" alt="x">',
    "open images": "![" * MANY + f'<img src="x" alt="{"![[" * MANY}">',
    "marks": "*_`#~" * MANY + f"<pre>{'`' * MANY}</pre>",
    "breaks": "<b>" + "<br>" * MANY + "</b>",
    "no-break spaces": "&nbsp; " * MANY + "x" + "&nbsp;" * MANY,
    "neighbours": "<b>x</b>" * MANY,
    "less-than signs": "<" * MANY,
    "open attributes": '<img src="a' * MANY,
    "NULs": "a\0<p>b\0</p>\0",
    "broken entities": "&bogus; &amp &#x110000; &#128; &lt",
}


def test_each_construct_is_written_as_pandoc_2_9_2_1_writes_it(construct_case, worker):
    """`newer` is what comes of it where a newer pandoc reads it otherwise."""
    html, markdown = construct_case["html"], construct_case["markdown"]

    assert fast_markdown(html) == markdown
    assert worker.convert(html) == construct_case.get("newer", markdown)


def test_the_rehearsals_pages_are_what_pandoc_2_9_2_1_wrote():
    stored = json.loads(gzip.decompress(STORED.read_bytes()))
    for page in bundled_pages():
        if page.slug in stored:
            cleaned = clean_html(decode(*render_page(page)).text)
            assert fast_markdown(cleaned).rstrip() == stored[page.slug].rstrip(), page.slug

    assert len(stored) > 20


def test_pages_through_the_converter(page_case, to_markdown):
    assert to_markdown(page_case["html"]) == page_case["markdown"]


def test_pages(page_case):
    assert fast_markdown(clean_html(page_case["html"])) == page_case["markdown"]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("html", HARD.values(), ids=HARD)
def test_hard_pages_are_answered_or_declined_soon(html):
    with suppress(DeclinedError):
        markdown = fast_markdown(html)
        assert markdown == "" or markdown.endswith("\n")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("html", HARD.values(), ids=HARD)
def test_hard_pages_are_so_after_cleaning_too(html):
    with suppress(DeclinedError, DocumentError):
        markdown = fast_markdown(clean_html(html))
        assert markdown == "" or markdown.endswith("\n")


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<p><math><mi>x</mi></math></p>", Decline.mathematics),
        ("<table><tr>" + "<td>a</td>" * 1_001 + "</tr></table>", Decline.columns),
        ("<ul><li>" * 51 + "</li></ul>" * 51, Decline.nesting),
        ("<b>" * 101 + "</b>" * 101, Decline.nesting),
    ],
)
def test_what_is_declined(html, reason):
    with pytest.raises(DeclinedError) as caught:
        fast_markdown(html)

    assert caught.value.reason is reason


@pytest.mark.parametrize("html", ["<div>" * 4_000 + "x", "<ul><li>" * 49 + "x", "<b>" * 99 + "x"])
def test_what_is_just_within_the_limits_is_answered(html):
    assert "x" in fast_markdown(clean_html(html))


def folded(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.split("\n") if line.strip()]


def test_both_converters_agree_on_the_rehearsals_pages(worker):
    lines = same = 0
    for page in list(bundled_pages())[::3]:
        cleaned = clean_html(decode(*render_page(page)).text)
        fast, pandoc = fast_markdown(cleaned), worker.convert(cleaned)
        matcher = SequenceMatcher(None, folded(pandoc), folded(fast), autojunk=False)
        same += sum(block.size for block in matcher.get_matching_blocks())
        lines += max(len(folded(pandoc)), len(folded(fast)))
        assert len(fast.splitlines()) == fast.count("\n")
        assert len(pandoc.splitlines()) == pandoc.count("\n")

    assert lines > 1_500
    assert same / lines >= 0.99
