"""The converter without pandoc, against literal Markdown and against pandoc itself."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from difflib import SequenceMatcher

import pytest

from pipeline.core.failures import DocumentError
from pipeline.rehearsal.layouts import render_page
from pipeline.rehearsal.page_source import bundled_pages
from pipeline.transforms.charset import decode
from pipeline.transforms.fast_markdown import Decline, DeclinedError, fast_markdown
from pipeline.transforms.html_cleaning import clean_html
from pipeline.transforms.markdown import tidy_markdown

TABLE = "<tr><td>a</td><td>b</td></tr>"

ALIKE = {
    "headings": ("<h1>a</h1><h6>1. <b>b</b></h6><h2> </h2>", "# a\n\n###### 1. **b**\n"),
    "text without a tag": ("a<div>b</div> c <p>d</p>", "a\n\nb\n\nc\n\nd\n"),
    "breaks": ("<p>a<br> b<br><br>c<br></p>", "a  \nb\n\nc\n"),
    "a break before a rule of signs": ("a<br>===", "a  \n\\===\n"),
    "nothing but blanks": ("<p>&nbsp;</p> <div> <b> </b></div>", ""),
    "styles": (
        "<b>a</b> <i>b</i> <del>c</del><strong><em>d</em></strong>",
        "**a** *b* ~~c~~***d***\n",
    ),
    "blanks leave styles": ("a<b> b </b>c<i> </i>d", "a **b** c d\n"),
    "neighbours of one style": ("<b>a</b><strong>b</strong>", "**ab**\n"),
    "styles over paragraphs": ("<b>a<br><br>b</b>", "a\n\nb\n"),
    "a style ends at a block": ("a<b>b<p>c</p>d</b>e", "a**b**\n\nc\n\nde\n"),
    "links": ('<p>a <a href="#"><b>b</b> <q>c</q></a><a>d</a></p>', "a b “c”d\n"),
    "a break in a link": ('<a href="#">a<br>b</a>', "a b\n"),
    "quotes": ("<q>a <q>b</q></q>", "“a ‘b’”\n"),
    "scripts": ("m<sup>2</sup> H<sub>2</sub>O 1<sup>st</sup>", "m² H₂O 1st\n"),
    "code": ("<code>a*</code> <tt>b`c</tt>", "`a*` `` b`c ``\n"),
    "code over lines": ("<code>a<br> b</code>", "`a`  \n`b`\n"),
    "images": (
        '<img src="a b(c[.png" alt="x [y]"><img src="q" alt="q">',
        "![x \\[y\\]](a%20b%28c%5B.png)![](q)\n",
    ),
    "an icon before text": ('&nbsp;<a href="#"><b>a</b></a>', "a\n"),
    "marks": (
        "<p># a *b* _c_ d_e [f] &lt;g&gt; ![h] ~~i 1|2 &amp;amp; j#</p>",
        "\\# a \\*b\\* \\_c\\_ d_e \\[f\\] \\<g\\> \\![h\\] \\~~i 1\\|2 &amp; j#\n",
    ),
    "backslashes": ("a\\#b \\(c\\)", "a\\\\\\#b \\\\(c\\\\)\n"),
    "marks of lists": (
        "<p>1. a</p><p>- b</p><p>(c) d</p><p>iv) e</p><p>A. f</p><p>1.5 g</p><p>-h</p>",
        "1\\. a\n\n\\- b\n\n\\(c\\) d\n\niv\\) e\n\nA. f\n\n1.5 g\n\n-h\n",
    ),
    "a tight list": (
        "<ul><li>a<br>b</li> <li>c<ul><li>d</li></ul></li></ul>",
        "- a  \n  b\n- c\n  - d\n",
    ),
    "a loose list": ("<ul><li>a</li><li><p>b</p>c</li></ul>", "- a\n\n- b\n\n  c\n"),
    "a list of boxes": ("<ul><li>a<div>b</div>c</li><li>d</li></ul>", "- a\n  b\n\n  c\n- d\n"),
    "a list of nothing but boxes": (
        "<ul><li><div>a</div></li><li>b</li></ul>",
        "- a\n\n- b\n",
    ),
    "a list of lists": ("<ul><li><ol><li>a</li></ol></li><li>b</li></ul>", "- 1. a\n- b\n"),
    "numbers": ('<ol start="9"><li>a</li><li>b<p>c</p></li></ol>', "9. a\n\n10. b\n\n    c\n"),
    "empty items": ("<ul><li></li><li>a</li></ul><ul><li> </li></ul>", "- a\n"),
    "text between items": ("<ul>a<li>b</li>c<div>d</div></ul>", "- a\n- b\n  c\n  d\n"),
    "a rule in a list": ("<ul><li>a<hr></li><li>b</li></ul>", "- a\n\n  ---\n- b\n"),
    "quotations": ("<blockquote>a<ul><li>b</li></ul></blockquote>c", "> a\n>\n> - b\n\nc\n"),
    "a quotation in a list": ("<ul><li>a<blockquote>b</blockquote></li></ul>", "- a\n\n  > b\n"),
    "definitions": (
        "<dl><dt>a</dt><dd>b</dd><dd>c</dd><dt>d</dt><dt>e</dt><dd><p>f</p></dd></dl>",
        "a  \nb\n\nc\n\nd  \ne  \nf\n",
    ),
    "terms alone": ("<dl><dt>a</dt><dt>b</dt></dl>c", "a\n\nb\n\nc\n"),
    "a block of code": (
        '<ul><li>a</li></ul><pre><code class="js">a  *\n\n b<br>&lt;</code></pre>',
        "- a\n\n``` js\na  *\n\n b\n<\n```\n",
    ),
    "code with a fence": ("<pre>```\n\n</pre>", "````\n```\n````\n"),
    "a rule": ("a<hr>-----", "a\n\n---\n\n---\n"),
    "a figure": (
        '<figure><figcaption>a</figcaption><img src="b" alt="c"></figure>',
        "![c](b)\n\na\n",
    ),
    "a table": (
        f"<table><tr><th>A</th><th><p>B<br>C</p></th></tr>{TABLE}</table>",
        "| A | B C |\n|---|---|\n| a | b |\n",
    ),
    "a table without a head": (
        f"<table>{TABLE}<tr><td>1|2</td></tr></table>",
        "| | |\n|---|---|\n| a | b |\n| 1\\|2 | |\n",
    ),
    "spans": (
        '<table><tr><td colspan="2">x</td></tr><tr><td rowspan="2">y</td><td>z</td></tr>'
        f"<tr><td>w</td></tr>{TABLE}</table>",
        "| | |\n|---|---|\n| x | |\n| y | z |\n| | w |\n| a | b |\n",
    ),
    "a caption": (
        f"<table><caption>c</caption>{TABLE}</table>",
        "| | |\n|---|---|\n| a | b |\n\nc\n",
    ),
    "a column": ("<table><tr><td>a</td></tr><tr><td>b<br>c</td></tr></table>", "a\n\nb  \nc\n"),
    "a layout": (
        "<table><tr><td><ul><li>a</li><li>b</li></ul></td><td>c</td></tr></table>",
        "- a\n\n- b\n\nc\n",
    ),
    "a table in a table": (
        f"<table><tr><td>x</td><td><table>{TABLE}</table></td></tr></table>",
        "x\n\n| | |\n|---|---|\n| a | b |\n",
    ),
    "a long cell": (
        f"<table><tr><td>{'x ' * 151}</td><td>b</td></tr></table>",
        ("x " * 151).strip() + "\n\nb\n",
    ),
    "a box in a table": (f"<table><div></div>{TABLE}</table>", "a\n\nb\n"),
    "an empty table in a table": (
        "<table><tr><td>a</td><td><table></table></td></tr></table>",
        "a\n",
    ),
    "a base address": (
        '<head><base href="http://x.y/z/"></head><img src="a" alt="">',
        "![](http://x.y/z/a)\n",
    ),
    "other ends of lines": ("<p>a\u2028b</p>", "a b\n"),
}

UNLIKE = {
    "a break at the end of a style": ("<b>a<br></b>b", "**a**  \nb\n", "**a\\**\nb\n"),
    "a style around a no-break space": ("a <b>&nbsp;</b> b", "a \xa0 b\n", "a **\xa0** b\n"),
    "an icon before a number": ("<i></i>1. May", "1\\. May\n", "1. May\n"),
    "an icon before an item": ("<ul><li><figure> </figure>a</li></ul>", "- a\n", "-\n\n  a\n"),
    "text among terms": ("<dl>a<dt>b</dt><dd>c</dd></dl>", "a\n\nb  \nc\n", "b  \nc\n"),
}
"""Where pandoc's Markdown is not what the page says: HTML, ours, pandoc's."""

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


@pytest.mark.parametrize(("html", "markdown"), ALIKE.values(), ids=ALIKE)
def test_each_construct_is_written_in_the_dialect_that_pandoc_writes(html, markdown, worker):
    assert fast_markdown(html) == markdown
    assert tidy_markdown(worker.convert(html)) == markdown


@pytest.mark.parametrize(("html", "ours", "pandocs"), UNLIKE.values(), ids=UNLIKE)
def test_what_pandoc_gets_wrong_is_written_as_the_page_has_it(html, ours, pandocs, worker):
    assert fast_markdown(html) == ours
    assert tidy_markdown(worker.convert(html)) == pandocs


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
        (f"<table><col>{TABLE}</table>", Decline.columns),
        ('<table><tr><td colspan="1001">a</td></tr></table>', Decline.columns),
        ("<ul><li>" * 51 + "</li></ul>" * 51, Decline.nesting),
        ("<b>" * 1_501 + "</b>" * 1_501, Decline.nesting),
        ("<p>a", Decline.unbalanced),
        ("a</p>", Decline.unbalanced),
    ],
)
def test_what_is_declined(html, reason):
    with pytest.raises(DeclinedError) as caught:
        fast_markdown(html)

    assert caught.value.reason is reason


@pytest.mark.parametrize(
    "html", ["<div>" * 4_000 + "x", "<ul><li>" * 49 + "x", "<b>" * 1_000 + "x"]
)
def test_what_is_just_within_the_limits_is_answered(html):
    assert "x" in fast_markdown(clean_html(html))


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


def folded(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.split("\n") if line.strip()]


def test_the_rehearsal_pages_agree_with_pandoc(worker):
    lines = same = 0
    for page in bundled_pages():
        body, content_type = render_page(page)
        cleaned = clean_html(decode(body, content_type).text)
        markdown, oracle = fast_markdown(cleaned), tidy_markdown(worker.convert(cleaned))
        matcher = SequenceMatcher(None, folded(oracle), folded(markdown), autojunk=False)
        same += sum(block.size for block in matcher.get_matching_blocks())
        lines += max(len(folded(oracle)), len(folded(markdown)))
        assert words(markdown) == words(oracle), page.slug
        assert tidy_markdown(markdown) == markdown, page.slug
        assert len(markdown.splitlines()) == markdown.count("\n")

    assert lines > 5_000
    assert same / lines >= 0.997
