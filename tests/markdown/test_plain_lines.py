"""The plain form of each line of the published dialect."""

from __future__ import annotations

import random

import numpy as np
import pytest

from skord.html.charset.decode import decode
from skord.html.cleaning import clean_html
from skord.html.pandoc_dialect import fast_markdown
from skord.markdown.extraction import joined_lines
from skord.markdown.plain_lines import plain_lines, plain_markdown
from skord.sample_crawl.layouts import render_page
from skord.sample_crawl.page_source import bundled_pages
from tests.reference.plain_lines import defined_lines

CASES = {
    "items": (
        "<ul><li>a<ul><li>b<p>c</p></li></ul></li></ul>",
        "- a\n  - b\n\n    c\n",
    ),
    "numbers": ("<ol start=9><li>a<li>b<p>c</p></ol>", "9. a\n\n10. b\n\n    c\n"),
    "an item in an item": ("<ul><li><ul><li>a</li></ul></li></ul>", "- - a\n"),
    "an item whose text stands below its mark": (
        '<ul><li><a href="#"><div>a</div></a></li></ul>',
        "\n- a\n",
    ),
    "empty items and headings": ("<ul><li></li></ul><h2></h2><p>a</p>", "\n\n\na\n"),
    "two lists": ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n\n\n- b\n"),
    "a quotation": ("<blockquote>a<ul><li>b</ul></blockquote>", "> a\n>\n> - b\n"),
    "code": ("<p>a</p><pre>x = 1\n\n  y_z &amp; *</pre>b", "a\n```\nx = 1\n\n  y_z & *\n```\nb\n"),
    "code in an item": ("<ul><li>a<pre>x = 1\ny</pre></ul>b", "- a\n```\n  x = 1\n  y\n```\nb\n"),
    "code between fences": ("<p>a</p><pre> x  y\\!</pre>", "a\n\n```\n x  y\\!\n```\n"),
    "needless backslashes": (
        "<p>Nej! R&amp;D a#b c_d ~ _e_ # [f] *</p>",
        "Nej! R&D a#b c_d ~ \\_e\\_ \\# \\[f\\] \\*\n",
    ),
    "a number in a heading": ("<h2>1. a</h2>", "## 1. a\n"),
    "halves of marks": ("<p><b>a<br></b><i>b</i></p>", "a  \n*b*\n"),
    "marks of nothing": ("<p>a <b></b><i></i><b>b</b> c</p>", "a **b** c\n"),
    "marks in code and addresses": (
        '<p><code>**a</code> <img src="b**c"></p>',
        "`**a` ![](b**c)\n",
    ),
    "scripts": ("<p>1<sup>st</sup> H<sub>ab</sub></p>", "1st Hab\n"),
    "a rule": ("a<hr>b", "a\n\n---\n\nb\n"),
    "a table": (
        "<table><tr><th>aaa</th><th>b</th></tr><tr><td>c</td><td></td></tr></table>",
        "| aaa | b |\n|---|---|\n| c | |\n",
    ),
    "a table in HTML": (
        '<table><tr><td><h2>a &lt; "b"</h2><ul><li>c <b>d</b></li></ul><img src="e" alt="f">'
        "<div>1. g</div></td></tr></table>h",
        '\n\n\n\n\n\n## a < "b"\n\n- c **d**\n\n![f](e)\n\n1. g\n\n\n\n\n\nh\n',
    ),
    "a table in HTML in an item": (
        "<ul><li>x<table><tr><td>a<hr></td></tr></table></li></ul><p>y</p>",
        "- x\n\n\n\n\n\n\n  a\n\n\n\n\n\ny\n",
    ),
}


@pytest.mark.parametrize(("html", "plain"), CASES.values(), ids=CASES)
def test_each_line_has_its_plain_form(html, plain):
    assert plain_markdown(fast_markdown(clean_html(html))) == plain


def test_there_are_as_many_lines_as_there_were():
    for page in bundled_pages():
        markdown = fast_markdown(clean_html(decode(*render_page(page)).text))
        plain = plain_markdown(markdown)
        assert plain.count("\n") == markdown.count("\n")
        assert "<td" not in plain
        assert len(plain.splitlines()) == plain.count("\n")


@pytest.mark.parametrize("lines", [[], [""], ["    "], ["```"], ["<table>", "a"], ["> ", ">"]])
def test_odd_starts_are_answered(lines):
    assert len(plain_lines(lines)) == len(lines)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("line", ["*" * 100_000, "* " * 50_000, "`" * 5_000 + "a", "> " * 20_000])
def test_a_long_line_takes_no_time(line):
    assert len(plain_lines([line, line])) == 2


PIECES = (
    "- ", "* ", "+ ", "1.  ", "12) ", "1234567890. ", "٣. ", "²) ", "å. ", "  ", "    ", " ", "> ",
    ">", "```", "~~~", "`", "```py", "<table>", "<table ", "</table>", "<td>", "</strong>", "<em>",
    "<del>", "<h2 id=a>", "<h7>", "<li>", "<B>", '<img src="a" alt="<i>">', '<img src="a" alt="b',
    '<video src="a">', '<embed src="', "&amp;", "| a  | b |", "|", "| --- |", "|:-:|", "**", "*",
    "~~", "\\!", "\\&", "\\", "^(2)", "\\_(a)", "## ", "#", "-", "-----", "<!-- end list -->",
    "(", "x^(a)", "\\~\\~", "***", "****", " ** ", "](", "](a**b)", "``", "\\`", "\\#", "\\_", "_",
    "&lt;", "&nbsp;", "&#x41;", "&copy", "&amp;lt;", "|---|", "\\[", "######", "²", "å",
    "ord", "日本", "7", "\xa0", "\u2003", "\u2028", "\x85", "\t", "\r", "\ud83d", "\U0001f600",
)  # fmt: skip
EDGES = (
    "> ", ">", "> > ", "> \n> ", "> a\n>", "- \n  a", "- \n- \n    a", "> - \n>   a", "1.  \n    a",
    "10000000) \n          a", "٣. \n    a", "- > \n  > a", "-", "1.", "-\n  a", "  - a\n\n    b",
    "- ```\n  a\n  ```\nb", "```\na\n``` b\n````  \nc", "~~~`\n~~~", "```a`", "    a\n\n    b\nc",
    "\n    a\n    b\n", "a\n    b\n", "> \n>     a\n> ",
    "<table>\n<table>\n</table>\n- a\n</table>",
    "<tablea></table>\n- a", "<td\n<td a<b>\n<table>\n<td a<b>\n</td ", "|", "||", "|a", "\xa0",
    "a \xa0", "a\xa0  ", "\xa0 a  ", "#######", "----", "---", "-", "<!-- a -->",
    "\ud800", "  \ud800",
)  # fmt: skip


@pytest.mark.parametrize("page", EDGES)
def test_edges_are_as_they_are_defined(page):
    for text in (page, f"{page}\n", f"- x\n  {page}\n", f"> {page}"):
        assert plain_lines(text.split("\n")) == defined_lines(text.split("\n"))


def test_random_lines_are_as_they_are_defined():
    chance = random.Random(3)
    changed = 0
    for _ in range(8000):
        held = chance.choice(["", "  ", "    ", "> ", "  > "])
        count = chance.randrange(1, 12)
        lines = ["".join(chance.choices(PIECES, k=chance.randrange(6))) for _ in range(count)]
        lines[1:] = [held * chance.randrange(3) + line for line in lines[1:]]
        plain = plain_lines(lines)
        assert plain == defined_lines(lines), lines
        changed += sum(one != other for one, other in zip(plain, lines, strict=True))
    assert changed > 10_000


def test_every_line_of_the_rehearsal_is_as_it_is_defined():
    for page in bundled_pages():
        lines = fast_markdown(clean_html(decode(*render_page(page)).text)).split("\n")
        assert plain_lines(lines) == defined_lines(lines)


def test_every_decimal_digit_numbers_an_item():
    digits = [chr(code) for code in range(0x10000) if chr(code).isdecimal()]
    others = [chr(code) for code in range(0x80, 0x3000) if not chr(code).isdecimal()]
    lines = [f"{digit}.  a" for digit in digits + others]
    assert plain_lines(lines) == defined_lines(lines)
    assert plain_lines([f"{digits[-1]}.  a"]) == [f"{digits[-1]}. a"]


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_escapes_in_code_between_fences_stay(fence):
    lines = ["a \\* b", fence, "c \\* d", fence, "e \\* f"]
    kept = np.ones(len(lines), bool)

    joined = joined_lines("".join(f"{line}\n" for line in lines).encode(), kept)

    assert joined.decode().split("\n") == ["a * b", fence, "c \\* d", fence, "e * f", ""]
