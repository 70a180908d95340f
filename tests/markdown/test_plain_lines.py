"""The plain form of each line of the published dialect."""

from __future__ import annotations

import numpy as np
import pytest

from skord.html.charset.decode import decode
from skord.html.cleaning import clean_html
from skord.html.pandoc_dialect import fast_markdown
from skord.markdown.extraction import joined_lines
from skord.markdown.plain_lines import plain_lines, plain_markdown
from skord.sample_crawl.layouts import render_page
from skord.sample_crawl.page_source import bundled_pages

CASES = {
    "items": ("<ul><li>a<ul><li>b<p>c</p></li></ul></li></ul>", "- a\n  - b\n\n    c\n"),
    "numbers": ("<ol start=9><li>a<li>b<p>c</p></ol>", "9. a\n\n10. b\n\n    c\n"),
    "an item in an item": ("<ul><li><ul><li>a</li></ul></li></ul>", "- - a\n"),
    "an item whose text stands below its mark": ('<ul><li><a href="#"><div>a</div></a></li></ul>',
     "\n- a\n"),
    "empty items and headings": ("<ul><li></li></ul><h2></h2><p>a</p>", "\n\n\na\n"),
    "two lists": ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n\n\n- b\n"),
    "a quotation": ("<blockquote>a<ul><li>b</ul></blockquote>", "> a\n>\n> - b\n"),
    "code": ("<p>a</p><pre>x = 1\n\n  y_z &amp; *</pre>b",
     "a\n\n```\nx = 1\n\n  y_z & *\n```\n\nb\n"),
    "code in an item": ("<ul><li>a<pre>x = 1\ny</pre></ul>b",
     "- a\n\n  ```\n  x = 1\n  y\n  ```\n\nb\n"),
    "code between fences": ("<p>a</p><pre> x  y\\!</pre>", "a\n\n```\n x  y\\!\n```\n"),
    "needless backslashes": ("<p>Nej! R&amp;D a#b c_d ~ _e_ # [f] *</p>",
     "Nej! R&D a#b c_d ~ \\_e\\_ \\# \\[f\\] \\*\n"),
    "a number in a heading": ("<h2>1. a</h2>", "## 1. a\n"),
    "halves of marks": ("<p><b>a<br></b><i>b</i></p>", "a  \n*b*\n"),
    "marks of nothing": ("<p>a <b></b><i></i><b>b</b> c</p>", "a **b** c\n"),
    "marks in code and addresses": ('<p><code>**a</code> <img src="b**c"></p>',
     "`**a` ![](b**c)\n"),
    "scripts": ("<p>1<sup>st</sup> H<sub>ab</sub></p>", "1st H\\_(ab)\n"),
    "a rule": ("a<hr>b", "a\n\n---\n\nb\n"),
    "a table": ("<table><tr><th>aaa</th><th>b</th></tr><tr><td>c</td><td></td></tr></table>",
     "| aaa | b |\n|---|---|\n| c | |\n"),
    "a table in HTML": (
        '<table><tr><td><h2>a &lt; "b"</h2><ul><li>c <b>d</b></li></ul><img src="e" alt="f">'
        "<div>1. g</div></td></tr></table>h",
        '## a \\< "b"\n\n- c **d**\n\n![f](e)\n\n1\\. g\n\nh\n',
    ),
    "a table in HTML in an item": (
        "<ul><li>x<table><tr><td>a<hr></td></tr></table></li></ul><p>y</p>",
        "- x\n  a\n  ---\n\ny\n",
    ),
}  # fmt: skip


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


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_escapes_in_code_between_fences_stay(fence):
    lines = ["a \\* b", fence, "c \\* d", fence, "e \\* f"]
    kept = np.ones(len(lines), bool)

    joined = joined_lines("".join(f"{line}\n" for line in lines).encode(), kept)

    assert joined.decode().split("\n") == ["a * b", fence, "c \\* d", fence, "e * f", ""]
