"""HTML read in compiled code: the tree against another parser's."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from skord.native import (
    convert_html,
    html_nodes,
    html_tokens,
    is_clean_utf8,
    read_head,
    read_html,
)

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


VOID = """
    area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr
"""
RAW = {"iframe", "noembed", "noframes", "plaintext", "script", "style", "xmp"}


def parsed_html(html: str) -> str:
    """A page's markup as its tree is written again (WHATWG HTML 13.3)."""
    written: list[str] = []
    opened: list[str] = []
    for depth, kind, text, attributes in html_nodes(html):
        while len(opened) > depth:
            written.append(opened.pop())
        parent = opened[-1].strip("</>") if opened else ""
        if kind in ("html", "svg", "math"):
            values = "".join(f' {name}="{escaped(value)}"' for name, value in attributes)
            written.append(f"<{text}{values}>")
            opened.append("" if kind == "html" and text in VOID.split() else f"</{text}>")
        elif kind == "text":
            written.append(text if parent in RAW else escaped(text, quote=False))
        else:
            form = {"comment": "<!--{}-->", "doctype": "<!DOCTYPE {}>", "instruction": "<?{}?>"}
            written.append(form[kind].format(text))
    return "".join(written + opened[::-1])


def escaped(text: str, *, quote: bool = True) -> str:
    escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\u00a0": "&nbsp;"}
    return text.translate(str.maketrans(escapes | ({'"': "&quot;"} if quote else {})))


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
        ("<head><noscript><img></noscript><link>",
         "<html><head><noscript></noscript></head><body><img><link></body></html>"),
        ("<frameset><frame></frameset><noframes>a",
         "<html><head></head><frameset><frame></frameset><noframes>a</noframes></html>"),
        ("<body><p>1</body>2<!--3--></html>4<!--5-->",
         "<html><head></head><body><p>12<!--3-->4<!--5--></p></body></html>"),
        ("<body>1</body> <!--2--></html> <!--3-->",
         "<html><head></head><body>1  </body><!--2--></html><!--3-->"),
        ("<html a=1><html a=2 b=3><body c=4><body c=5 d=6>",
         '<html a="1" b="3"><head></head><body c="4" d="6"></body></html>'),
        ("<!doctype html public '-//W3C//DTD HTML 3.2//EN'><p><table>",
         "<!DOCTYPE html><html><head></head><body><p><table></table></p></body></html>"),
    ],
)  # fmt: skip
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


def test_markdown_alone_is_the_same_without_markup_and_links():
    html = b"<title>A</title><p>Se <a href=/>hit</a>"
    whole, alone = (convert_html(html, 100, 100, choice) for choice in (False, True))

    assert (alone[0], alone[5]) == ("", [])
    assert whole[0]
    assert whole[5]
    assert (*alone[1:3], alone[4], alone[6]) == (*whole[1:3], whole[4], whole[6])


@pytest.mark.timeout(1800)
@pytest.mark.slow
def test_real_pages_have_the_other_parsers_tree(shared):
    pages = 0
    for html in real_pages(shared):
        pages += 1
        assert parsed_html(html) == other_tree(html)
    assert pages > 100


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
    answer = read_html(html.encode(), 10**8, 10**8, False)
    return answer[1] if len(answer) == 2 else ""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", DEEP)
def test_what_would_take_the_square_of_its_size_is_read_or_refused(name):
    said = refusal(DEEP[name])

    if name in ("tags", "items"):
        assert said == "more than 5000 open tags"
    else:
        assert said in (
            "",
            "more than 1500 open tags of text style",
            "its tags take too long to be sorted",
        )


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
            lambda body: convert_html(body, 100, 100, False),
        ):
            with pytest.raises(ValueError, match="not in UTF-8"):
                read(body)
