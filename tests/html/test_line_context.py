from __future__ import annotations

import pyarrow as pa
import pytest

from skord.html.cleaning import clean_html
from skord.html.line_context import line_context, line_context_type
from skord.html.pandoc_dialect import fast_markdown

MAX_DEPTH = 64
"""Elements deeper than this count as the one that holds them: paths stay short."""

PAGE = """<html><body>
<nav id="top"><ul><li><a href="/">Hem</a><li><a href="/k">Kontakt</a></ul></nav>
<main><article class="post wide"><h1>Bron &amp; ån</h1><p>En <b>ny</b> bro byggs, säger
<a href="/i">ingenjören</a>. Kontakt med kommunen.</p>
<figure><figcaption>Bron från norr.</figcaption><img src="b.png" alt="bro"></figure>
<pre><code>x = 1
y = 2</code></pre><table><tr><td>a_b<td>*c*</table></article></main>
<footer style="display:none"><p>Kontakt</p></footer></body></html>"""


def owners(html: str, markdown: str) -> list[str | None]:
    context = line_context(html, markdown)
    return [context["elements"][at] if at >= 0 else None for at in context["lines"]]


def around(html: str, markdown: str, line: int) -> list[str]:
    context = line_context(html, markdown)
    path, at = [], context["lines"][line]
    while at >= 0:
        path.append(context["elements"][at])
        at = context["parents"][at]
    return path


def test_each_line_finds_its_element():
    markdown = fast_markdown(clean_html(PAGE))
    lines = markdown.split("\n")[:-1]
    actual = dict(zip(lines, owners(PAGE, markdown), strict=True))
    assert actual["  - Hem"] == "li"
    assert actual["# Bron & ån"] == "h1"
    assert actual["Bron från norr."] == "figcaption"
    assert actual["![bro](b.png)"] is None
    assert actual["y = 2"] == "pre"
    row = next(line for line in lines if line.startswith("| a"))
    assert actual[row] == "td"
    assert actual[""] is None


def test_the_way_up_holds_what_encloses_a_line():
    markdown = fast_markdown(clean_html(PAGE))
    last = len(markdown.split("\n")) - 2
    assert around(PAGE, markdown, 0) == ["li", "ul", "nav #top"]
    assert around(PAGE, markdown, last)[:3] == ["td", "tr", "table"]  # the footer is not seen
    title = markdown.split("\n").index("# Bron & ån")
    assert around(PAGE, markdown, title) == ["h1", "article .post .wide", "main"]


def test_tags_in_a_line_are_no_words_of_it():
    html = "<table><tr><td class=t>ett<hr></td></tr></table><p class=late>td två</p>"
    markdown = fast_markdown(clean_html(html))
    actual = dict(zip(markdown.split("\n"), owners(html, markdown), strict=False))
    assert actual["ett"] == "td .t"
    assert actual["td två"] == "p .late"


def test_a_word_that_comes_again_is_not_mistaken_for_its_first_place():
    html = '<div id="a">ett två</div><div id="b">ett tre</div><div id="c">ett</div>'
    assert owners(html, "ett två\n\nett tre\n\nett\n")[::2] == ["div #a", "div #b", "div #c"]


def test_a_line_that_another_converter_moved_is_found_where_it_stands():
    html = "<p class=a>Ett stycke med några ord.</p><p class=b>Och en bildtext om en bro.</p>"
    markdown = "Och en bildtext om en bro.\n\nEtt stycke med några ord.\n"
    assert owners(html, markdown) == ["p .b", None, "p .a"]


def test_a_line_that_the_page_does_not_hold_has_no_element():
    assert owners("<p>Ett stycke.</p>", "Något helt annat här.\n\nEtt stycke.\n")[0] is None


def test_links_are_shares_of_words():
    context = line_context(
        '<p>Se <a href="/x">hit och dit</a></p><p><a name=x>mål</a>', "Se hit och dit\n\nmål\n"
    )
    assert list(context["links"]) == [round(255 * 3 / 4), 0, 0]


def test_controls_are_shares_of_words():
    html = "<p>Storlek <label>S</label> <select><optgroup><option>M<option>L</select> <i>cm</i></p>"
    html += "<div><button>Lägg i <b>korgen</b></button></div><p>Efter</p></button><p>sist"
    markdown = "Storlek S M L cm\n\nLägg i korgen\n\nEfter\n\nsist\n"
    assert list(line_context(html, markdown)["controls"]) == [153, 0, 255, 0, 0, 0, 0]


@pytest.mark.parametrize("markdown", ["", "\n", "utan radslut", "a\u2028b\x85c\n\x0c\n\r\n"])
def test_there_is_one_entry_for_each_line_feed(markdown):
    context = line_context("<p>a b c</p>", markdown)
    assert len(context["lines"]) == len(context["links"]) == markdown.count("\n")


def test_a_column_holds_it():
    context = line_context(PAGE, fast_markdown(clean_html(PAGE)))
    assert pa.array([context, None], line_context_type()).to_pylist() == [context, None]


def test_deep_pages_have_short_ways():
    context = line_context(
        "<div>" * 300 + "<p>ord</p>" + "</div>" * 300 + "<p>efter", "ord\n\nefter\n"
    )
    assert len(context["elements"]) == MAX_DEPTH + 1
    assert context["parents"][context["lines"][2]] == -1


def test_text_outside_of_all_elements_has_no_element():
    assert owners("bara text", "bara text\n") == [None]


@pytest.mark.timeout(600)
def test_a_page_of_one_word_over_and_over_takes_linear_time():
    html, markdown = "<p>ord</p>" * 20_000, "annat\n\nord x\n\n" * 10_000
    line_context(html, markdown)
