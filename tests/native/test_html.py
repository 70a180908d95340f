"""HTML read in compiled code: the tree against another parser's, all else against Python."""

from __future__ import annotations

import gzip
import json
import random
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from skord.html.cleaning import read_page
from skord.html.line_context import context_of_words
from skord.html.page_facts import page_element
from skord.html.pandoc_dialect import DeclinedError, fast_markdown_with_links
from skord.native import (
    convert_html,
    element_words,
    html_nodes,
    html_tokens,
    is_clean_utf8,
    parsed_html,
    read_head,
    read_html,
)
from tests.reference.element_words import words_of_markup
from tests.reference.laid_words import context_of_markup
from tests.reference.page_cleaning import cleaned, html_lang, page_markup, page_title
from tests.reference.page_facts import page_facts

EVERY = 20
"""Of the pages that there are, one in so many."""

TREES = {
    "<p>a<p>b": "<p>a</p><p>b</p>",
    "<b>1<p>2</b>3</p>": "<b>1</b><p><b>2</b>3</p>",
    "<a x>1<div>2<a y>3": '<a x="">1</a><div><a x="">2</a><a y="">3</a></div>',
    "<table>x<tr><td>1<b>2</table>3": (
        "x<table><tbody><tr><td>1<b>2</b></td></tr></tbody></table>3"
    ),
    "<table><b><tr><td>1</table>2": (
        "<b></b><table><tbody><tr><td>1</td></tr></tbody></table><b>2</b>"
    ),
    "<table><col><td>1<caption>2": (
        "<table><colgroup><col></colgroup><tbody><tr><td>1</td></tr></tbody>"
        "<caption>2</caption></table>"
    ),
    "<table><image>": "<img><table></table>",
    "<svg><circle/><desc><b>1</b></desc>2<p>3": (
        "<svg><circle></circle><desc><b>1</b></desc>2</svg><p>3</p>"
    ),
    "<svg viewbox=1><foreignobject>1</foreignobject><![CDATA[<2>]]>": (
        '<svg viewBox="1"><foreignObject>1</foreignObject>&lt;2&gt;</svg>'
    ),
    "<svg><sup>1": "<svg></svg><sup>1</sup>",
    "<math><mi>a<b>c</b></mi><annotation-xml encoding=text/html><p>1": (
        '<math><mi>a<b>c</b></mi><annotation-xml encoding="text/html"><p>1</p>'
        "</annotation-xml></math>"
    ),
    "<template><tr><td>1</template>2": "<template><tr><td>1</td></tr></template>2",
    "<select><option>1<option>2<select>3": (
        "<select><option>1</option><option>2</option></select>3"
    ),
    "<select><div><p>1<hr><input>2": "<select><div><p>1</p><hr></div></select><input>2",
    "<ul><li>1<ul><li>2</ul><li>3": "<ul><li>1<ul><li>2</li></ul></li><li>3</li></ul>",
    "<dl><dt>1<dd>2<dt>3": "<dl><dt>1</dt><dd>2</dd><dt>3</dt></dl>",
    "<ruby>1<rt>2<rtc>3<rt>4": "<ruby>1<rt>2</rt><rtc>3<rt>4</rt></rtc></ruby>",
    "<pre>\n\n1</pre><textarea>\n2</textarea>": "<pre>\n1</pre><textarea>2</textarea>",
    "<xmp><b>&amp;</xmp>": "<xmp><b>&amp;</xmp>",
    "1<script><!--<script></script>--></script>2": "1<script><!--<script></script>--></script>2",
    "1<!-->2<!--->3<!--4--!>5<!--6-- -->7": "1<!---->2<!---->3<!--4-->5<!--6-- -->7",
    "1<?php 2 ?>3<?xml 4?>5</ 6>7</>8": "1<?php 2 ?>3<!--?xml 4?-->5<!-- 6-->78",
    "&eacute;&eacute&notit;&#x80;&#0;&#xD800;&#1114112;&": "éé¬it;€���&amp;",
    "<p title='&eacute=1&eacute;&copy'>": '<p title="&amp;eacute=1é©"></p>',
    "<p a=1 A=2 b=\"<>'&quot;\xa0\" =c d/e>": (
        "<p a=\"1\" b=\"&lt;&gt;'&quot;&nbsp;\" =c=\"\" d=\"\" e=\"\"></p>"
    ),
    "\0a<p>\0b\r\nc\rd": "a<p>b\nc\nd</p>",
    "<font>1<p>2<font>3<p>4": "<font>1<p>2<font>3</font></p><p><font>4</font></p></font>",
    "<p><nobr>1<nobr>2": "<p><nobr>1</nobr><nobr>2</nobr></p>",
    "<button>1<button>2": "<button>1</button><button>2</button>",
    "<h1>1<h2>2</h1>3": "<h1>1</h1><h2>2</h2>3",
    "<form>1<form>2</form>3": "<form>12</form>3",
    "</p>1</br>2": "<p></p>1<br>2",
}  # fmt: skip
"""What the standard makes of a body's markup."""


def other_tree(html: str) -> str:
    return LexborHTMLParser(html).html or ""


@pytest.mark.parametrize(("html", "body"), TREES.items(), ids=TREES)
def test_trees_of_the_standard(html, body):
    tree = f"<!DOCTYPE html><html><head></head><body>{body}</body></html>"
    assert parsed_html("<!doctype html><body>" + html) == tree


@pytest.mark.parametrize(
    ("html", "tree"),
    [
        ("", "<html><head></head><body></body></html>"),
        ("<title>a</title>b", "<html><head><title>a</title></head><body>b</body></html>"),
        (
            "<head><noscript><img></noscript><link>",
            "<html><head><noscript></noscript></head><body><img><link></body></html>",
        ),
        (
            "<frameset><frame></frameset><noframes>a",
            "<html><head></head><frameset><frame></frameset><noframes>a</noframes></html>",
        ),
        (
            "<body><p>1</body>2<!--3--></html>4<!--5-->",
            "<html><head></head><body><p>12<!--3-->4<!--5--></p></body></html>",
        ),
        (
            "<body>1</body> <!--2--></html> <!--3-->",
            "<html><head></head><body>1  </body><!--2--></html><!--3-->",
        ),
        (
            "<html a=1><html a=2 b=3><body c=4><body c=5 d=6>",
            '<html a="1" b="3"><head></head><body c="4" d="6"></body></html>',
        ),
        (
            "<!doctype html public '-//W3C//DTD HTML 3.2//EN'><p><table>",
            "<!DOCTYPE html><html><head></head><body><p><table></table></p></body></html>",
        ),
    ],
)
def test_trees_of_whole_pages(html, tree):
    assert parsed_html(html) == tree


def test_nodes_are_listed_with_their_depth():
    assert html_nodes("<!doctype html><!--c--><p a=1 b>x<svg viewbox=0>")[0:2] == [
        (0, "doctype", "html", []),
        (0, "comment", "c", []),
    ]
    assert html_nodes("<!doctype html><p a=1 b>x<svg viewbox=0></svg>y")[3:] == [
        (1, "html", "body", []),
        (2, "html", "p", [("a", "1"), ("b", "")]),
        (3, "text", "x", []),
        (3, "svg", "svg", [("viewBox", "0")]),
        (3, "text", "y", []),
    ]


def test_tokens_are_listed_from_the_content_asked_for():
    assert html_tokens("<!doctype x><br a/>&lt;<!--b--></br>", 0, "", False) == [
        ("doctype", "x", [], True),
        ("start", "br", [("a", "")], True),
        ("text", "<", [], False),
        ("comment", "b", [], False),
        ("end", "br", [], False),
    ]
    assert html_tokens("<b>&lt;</title>", 1, "title", False) == [
        ("text", "<b><", [], False),
        ("end", "title", [], False),
    ]
    assert html_tokens("<![CDATA[a]]>", 0, "", True) == [("text", "a", [], False)]


def real_pages(shared: Path) -> Iterator[str]:
    number = 0
    for path in sorted((shared / "data" / "extraction").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                number += 1
                if number % EVERY == 0:
                    html = json.loads(line).get("html") or ""
                    yield html.encode("utf-8", "ignore").decode()


def as_defined(html: str) -> tuple[object, ...]:
    """Everything of a page as Python over another parser's tree finds it."""
    page = page_markup(html)
    marked = cleaned(page, mark_links=True)
    words = words_of_markup(page.text)
    markdown = markdown_of(marked)
    context = context_of_markup(page.text, markdown)
    told = page_element(*page_facts(html))
    if told:
        context["elements"].append(told)
        context["parents"].append(-1)
    return marked, page_title(html), html_lang(html), words, context


def markdown_of(marked: str) -> str:
    try:
        return fast_markdown_with_links(marked)[0]
    except DeclinedError:
        return re.sub("<[^>]*>", "\n", marked) + "\n"


def as_read(html: str) -> tuple[object, ...]:
    page = read_page(html)
    *texts, linked, controlled = element_words(page.words)
    actual = (*texts, *([bool(sign) for sign in signs] for signs in (linked, controlled)))
    context = context_of_words(page.words, markdown_of(page.cleaned))
    return page.cleaned, page.title, page.language, actual, context


def test_markdown_alone_is_the_same_without_markup_and_links():
    html = b"<title>A</title><p>Se <a href=/>hit</a>"
    whole, alone = (convert_html(html, 100, 100, choice) for choice in (False, True))

    assert (alone[0], alone[5]) == ("", [])
    assert whole[0]
    assert whole[5]
    assert (*alone[1:3], alone[4], alone[6]) == (*whole[1:3], whole[4], whole[6])


def test_a_page_that_is_declined_comes_with_its_markup():
    formula = b"<p>a<math><mi>x</mi></math> <script type='math/tex'>x</script>"
    whole, alone = (convert_html(formula, 500, 500, choice) for choice in (False, True))

    assert alone[6] == whole[6] != ""
    assert alone[0] == whole[0] != ""


@pytest.mark.timeout(1800)
@pytest.mark.slow
def test_real_pages_are_read_as_defined(shared):
    pages = 0
    for html in real_pages(shared):
        pages += 1
        assert parsed_html(html) == other_tree(html)
        assert as_read(html) == as_defined(html)
    assert pages > 100


ODD = [
    "<p>a&shy;b\u200bc<b>d</b>e<!-- f -->g<br>h_i 1\u0660\u4e2d\u6587 \u0e01\u0e32 \u0130x \u00c5",
    "\u039f\u0394\u039f\u03a3 \u03a3 \u0391\u03a3. \u03a3\u0391",
    '<p title="a id="b">c<form action="x class=" d">e',
    '<a href="x" \xa0target="y &amp; z">f</a><div \xa0id=g>h</div>',
    '<p ="x>a<p>b',
    "<a href=x>a</a><a href=y> b&nbsp;</a><a>c</a><a href=z>d<i>e</i></a><a href=q> </a>",
    "<h2>a<br>b<div>c</div> <i>d</i></h2><h1>" + "x" * 1_001 + "<br>y</h1>",
    "<pre class='x language-py'><code>a\tb\n</code>\tc</pre> <listing>\td</listing>",
    "<base href=' https://a.se/?b&c '><img data-src=x width=1><img src=' y ' alt=' z '>",
    "<xmp><b>a</b></xmp>b<math><xmp><mi>c</mi></xmp></math><plaintext><i>d",
    "<div class='a b c d e f g h i' id='j k' role=l itemprop='m/n o' style='display : NONE'>p",
    "<div aria-hidden=true hidden>a</div><g:plus \u200bclass=x>b</g:plus>",
    "<select><option>a<option>b</select><label>c</label><button>d</button><optgroup>e",
    "<html><head><noscript><title>a</title></noscript><title>b</title></head><body>c",
    "<head><script>'<noscript>'</script><title>b</title><noscript><img></noscript><body>c",
    "<head><script>'</noscript>'</script><noscript><p>'<script>'</noscript><body>c</script>d",
    "a<noscript><iframe></iframe>b<iframe src=c /></noscript>d<iframe>e</iframe>f",
    "<ul>a<ol start=2><b>c</b></ol><ul><i> </i></ul></ul><ul ='x>a</ul>",
    "<menu><ul>b<li>c</ul>d</menu>",
    "<a href=x><ul>a</ul></a><ul><a href=y>b</a></ul><a href=z>c</a><dir><div><li>d</div></dir>",
    "a<iframe>b<noscript>c</iframe>d<noscript><iframe>e<iframe>f</noscript>g",
    "<script>'<body '</script><title>a</title><body><html lang=sv>b",
    "<title>a<body >b</title><body>c",
    "<template><title>a</title><base href=http://b></template><svg><title>c<b>d</b></title></svg>",
    "a<?php if (b < c) ?>d<!DOCTYPE e>f&lt;g&gt;",
    "a\r\nb\rc<title>d\r\ne</title>\r<body\r>f",
]


@pytest.mark.parametrize("html", ODD)
def test_odd_markup_is_read_as_defined(html):
    assert as_read(html) == as_defined(html)


NAMES = """
    a b i p div table tr td th tbody select option optgroup svg math mi foreignobject title desc
    template button li ul dd dt font nobr html body head caption colgroup col br h1 h2 span hr
    input ruby rt rtc pre script style noscript xmp applet marquee object x-y annotation-xml
"""
PIECES = [
    *("a", " ", "\n", "&amp;", "&notin", "&#x80;", "\0", "<!--b-->", "<!-- c--!>", "<![CDATA[d]]>"),
    *("<?php e?>", "</>", "<", "</", "&", "\r", "é", "\u00a0", "--", "<!--", "-->", "]]>"),
]
ATTRIBUTES = ["", "", " a", " class=b", " type=hidden", " color=c", "/", " href='d&e;&eacute=1'"]


def made_markup(dice: random.Random) -> str:
    names = dice.sample(NAMES.split(), 8)
    pieces = ["<!doctype html>"] * dice.randrange(2)
    for _ in range(dice.randrange(3, 60)):
        kind, name = dice.random(), dice.choice(names)
        if kind < 0.5:
            pieces.append(f"<{name}{dice.choice(ATTRIBUTES)}>")
        else:
            pieces.append(f"</{name}>" if kind < 0.75 else dice.choice(PIECES))
    return "".join(pieces)


@pytest.mark.parametrize("seed", range(8))
def test_made_markup_has_the_other_parsers_tree(seed):
    dice = random.Random(seed)
    for _ in range(250):
        html = made_markup(dice)
        assert parsed_html(html) == other_tree(html), html


DEEP = {
    "tags": "<div>" * 6_000,
    "items": "<rt>" * 6_000,
    "styles": "".join(f"<p><font size={n}>" for n in range(2_000)),
    "far away": "<p><object>" + "<span>" * 4_000 + "<li>" * 300_000,
    "copies": "".join(f"<b a={n}>" for n in range(1_400)) + "<p>x" * 100_000,
    "adopted": "<a>" + "<div>" * 4_000 + "<a>x</a>" * 100_000,
    "attributes of one element": "".join(f"<html a{n}>" for n in range(100_000)),
}


def refusal(html: str) -> str:
    try:
        parsed_html(html)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("html", DEEP.values(), ids=DEEP)
def test_what_would_take_the_square_of_its_size_is_read_or_refused(html):
    assert refusal(html) in (
        "",
        "more than 5000 open tags",
        "more than 1500 open tags of text style",
        "its tags take too long to be sorted",
    )


@pytest.mark.parametrize("html", ["<div>" * 6_000, "<rt>" * 6_000], ids=["div", "rt"])
def test_thousands_of_open_tags_are_refused(html):
    with pytest.raises(ValueError, match="more than 5000 open tags"):
        parsed_html(html)


@pytest.mark.skipif(unicodedata.unidata_version != "14.0.0", reason="Python knows another Unicode")
def test_every_letter_is_lowered_and_parted_as_python_does():
    letters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    for start in range(0, len(letters), 10_000):
        html = " ".join(letters[start : start + 10_000]).replace("&", "").replace("<", "")
        words = element_words(read_page(f"<p>{html}").words)[2]
        assert words == words_of_markup(page_markup(f"<p>{html}").text).words


@pytest.mark.parametrize("around", ["", "a" * 15, "å" * 40])
def test_controls_and_marks_make_utf8_unclean(around):
    controls = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")
    for code in [*range(0x180), 0x2028, 0xFEFF, 0x1F600]:
        page = around + chr(code) + around
        is_marked = page.startswith("\ufeff")
        assert is_clean_utf8(page.encode()) != (bool(controls.search(page)) or is_marked)


def test_what_is_no_utf8_is_refused():
    for page in (b"\xff", "å".encode()[:1], "a" * 40 + "\udc80"):
        body = page if isinstance(page, bytes) else page.encode("utf-8", "surrogatepass")
        assert not is_clean_utf8(body)
        for read in (
            read_head,
            lambda body: read_html(body, 100, 100, True),
            lambda body: convert_html(body, 100, 100),
        ):
            with pytest.raises(ValueError, match="not in UTF-8"):
                read(body)
