"""Which characters were links: by our own converter, and carried over to pandoc's Markdown."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from skord.html.charset.decode import decode
from skord.html.cleaning import clean_html
from skord.html.converter import Markdown, read_page_and_convert
from skord.html.link_spans import (
    LINK_END,
    LINK_GOES_ON,
    LINK_START,
    LOOK_AHEAD,
    carried_over,
    without_marks,
)
from skord.html.pandoc_dialect import DeclinedError, fast_markdown, fast_markdown_with_links
from skord.sample_crawl.layouts import render_page
from skord.sample_crawl.page_source import bundled_pages

CASES = {
    "a link in a sentence": ("<p>Se <a href=x>hit och dit</a>, tack.</p>", ["hit och dit"]),
    "two links": ("<a href=x>hit</a> <a href=y>dit</a>", ["hit", "dit"]),
    "a part of a word": ("<p>mot<a href=x>or</a>väg</p>", ["or"]),
    "blanks at its ends": ("<p>a<a href=x> &nbsp;b\n </a>c</p>", ["b"]),
    "styles in a link": ("<p><a href=x>a <b>b</b> c</a></p>", ["a b c"]),
    "a link in styles": ("<p><b>a <a href=x>b</a></b></p>", ["b"]),
    "a picture in a link": (
        '<p><a href=x><img src="i.png" alt="bild"> a</a><a href=y><img src="j.png"></a></p>',
        ["a"],
    ),
    "text on both sides of a picture": ('<p><a href=x>a <img src="i.png" alt="bild"> b</a></p>',
     ["a", "b"]),
    "blocks in a link": ("<a href=x><h3>a b</h3><p>c</p></a><p>d</p>", ["a b", "c"]),
    "a break in a link": ("<p><a href=x>a<br>b</a></p>", ["a b"]),
    "an anchor without an address": ("<p><a name=x>a</a> <a href=x>b</a></p>", ["b"]),
    "a heading": ("<h2><a href=x>1. a</a></h2>", ["1\\. a"]),
    "an item": ("<ul><li><a href=x>a</a></li><li>b</li></ul>", ["a"]),
    "a mark of a list": ("<p><a href=x>1. a</a></p>", ["1\\. a"]),
    "a mark of a list before a link": ("<p>1<a href=x>. a</a></p>", ["\\. a"]),
    "a dash": ("<p><a href=x>- a</a></p>", ["\\- a"]),
    "signs with backslashes": ("<p>_<a href=x>_a_</a>_ [<a href=x>[1]</a>]</p>", None),
    "a raised number": ("<p>a<sup><a href=x>2</a></sup></p>", ["²"]),
    "a padded row": ("<table><tr><td>lång<td>c</tr><tr><td><a href=x>a</a><td>b</table>", ["a"]),
    "a row": ("<table><tr><td><a href=x>a</a></td><td>b</td></tr></table>", ["a"]),
    "a cell that is a box": ("<table><tr><td><a href=x>a &amp; b</a><hr></td></tr></table>",
     ["a & b"]),
    "a definition": ("<dl><dt><a href=x>a</a></dt><dd>b</dd></dl>", ["a"]),
    "code": ("<p><code>a <a href=x>b</a></code></p>", ["b"]),
    "a block of code": ("<pre>a <a href=x>b</a>\n<a href=x><i>c</i></a></pre>", ["b", "c"]),
    "a quotation": ("<blockquote><a href=x>a</a></blockquote>", ["a"]),
    "signs of two bytes and four": ("<p>å🎈 <a href=x>ö🎈</a></p>", ["ö🎈"]),
    "a formula": ("<p><math><mi>x</mi></math> <a href=x>a</a> b <a href=x><b>c</b></a></p>",
     ["a", "c"]),
    "noncharacters of the page": (f"<p>a{LINK_START}b{LINK_GOES_ON}c{LINK_END}</p>", []),
    "no link": ("<p>a</p>", []),
    "an empty link": ("<p>a <a href=x> </a><a href=x></a></p>", []),
}  # fmt: skip


def converted(html: str, pandoc: Path | None) -> Markdown:
    return read_page_and_convert(html, pandoc=pandoc).markdown


def texts(markdown: Markdown) -> list[str]:
    return [markdown.content[span["start"] : span["end"]] for span in markdown.link_spans]


@pytest.mark.parametrize(("html", "links"), CASES.values(), ids=CASES)
def test_spans_hold_the_text_of_links(html, links):
    spans = converted(html, None)

    if links is not None:
        assert [re.sub(r"^\\", "", text) for text in texts(spans)] == [
            re.sub(r"^\\", "", text) for text in links
        ]
    assert without_marks(spans.content) == spans.content


@pytest.mark.parametrize("html", [html for html, _ in CASES.values()], ids=CASES)
def test_marks_leave_no_trace_in_the_markdown(html):
    try:
        plain = fast_markdown(clean_html(html))
    except DeclinedError:
        return

    assert fast_markdown_with_links(clean_html(html, mark_links=True))[0] == plain


@pytest.fixture(scope="module")
def sample_pages():
    return [decode(*render_page(page)).text for page in list(bundled_pages())[::3]]


def words_of_links(html: str) -> list[str]:
    """By the tree of the cleaned page, without any mark."""
    source = clean_html(re.sub("</a>", "<i></i></a>", html, flags=re.IGNORECASE))  # so they stay
    links = LexborHTMLParser(source).css("a[href]")
    return re.findall(r"\w+", " ".join(link.text(separator=" ") for link in links))


def test_every_word_of_every_link_of_the_sample_crawl_is_in_a_span(sample_pages):
    total = 0
    for html in sample_pages:
        content, spans = fast_markdown_with_links(clean_html(html, mark_links=True))
        actual = " ".join(texts(Markdown(content, spans)))
        assert re.findall(r"\w+", actual) == words_of_links(html)
        assert all(one["end"] <= two["start"] for one, two in pairwise(spans))
        total += len(spans)

    assert total > 500


def test_links_are_carried_over_to_what_pandoc_writes(sample_pages, pandoc):
    for html in sample_pages[::16]:
        own, other = texts(converted(html, None)), texts(converted(html, pandoc))

        assert len(set(own) & set(other)) >= 0.95 * len(set(own))


def test_links_are_carried_over_words_that_one_text_lacks():
    text = "a b " + "x " * (LOOK_AHEAD - 1) + "c d e f"
    span = {"start": text.index("c d"), "end": text.index(" e f")}

    (spans,) = carried_over([span], text, "# a b\n\nc *d* e f")

    assert "# a b\n\nc *d* e f"[spans["start"] : spans["end"]] == "c *d"
    assert carried_over([{"start": 4, "end": 5}], text, "a b c d e f") == []


@pytest.mark.parametrize("more", [1, 7, 8, LOOK_AHEAD - 1])
def test_links_are_carried_over_words_that_the_other_text_has_more(more):
    other = "a b " + "x " * more + "*c* d e f"

    (spans,) = carried_over([{"start": 4, "end": 7}], "a b c d e f", other)

    assert other[spans["start"] : spans["end"]] == "c* d"


@pytest.mark.timeout(600)
def test_texts_that_have_nothing_in_common_are_given_up_soon():
    one, other = "a b " * 50_000, "c d " * 50_000

    assert carried_over([{"start": 0, "end": 3}], one, other) == []
