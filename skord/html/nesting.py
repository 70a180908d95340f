"""How deep and how wide a page's markup is, counted before anything parses it.

An HTML5 parser takes time, and in one case memory, with the square of what is counted here.
The counts are rough: they read the source and not the tree, so limits on them need ample room.
"""

from __future__ import annotations

import re
from collections import Counter

from skord.core.failures import DocumentError
from skord.html.failures import ConversionFailure

MAX_OPEN_TAGS = 5_000
"""Tags open at once. The deepest of 3,256 real pages had 1,533; 100,000 take lexbor 8 s."""

MAX_OPEN_STYLES = 1_500
"""Unclosed `<b>`, `<font>`, … are repeated in every later paragraph (WHATWG HTML, 13.2.4.3),
so n of them in n paragraphs make n² elements: 0.4 GB at this limit."""

MAX_ATTRIBUTES = 20_000
"""In one tag: lexbor compares each with all others, 0.5 s at this number."""

MANY_OPTIONS = 2_000
"""Lexbor takes time with the square of a menu's options, 1 s at 20,000 and 100 s at 150,000,
unless several can be chosen at once."""

_VOID = "area base br col embed hr img input link meta param source track wbr"
_CLOSED_BY_THE_NEXT = (
    "a body colgroup dd dt head html li nobr optgroup option p rp rt tbody td tfoot th thead tr"
)
_NEVER_PILED_UP = frozenset(_VOID.split() + _CLOSED_BY_THE_NEXT.split())
_STYLES = frozenset(
    ["b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u"]
)
"""WHATWG HTML, 13.2.4.3, without those that close each other: what is left open is opened
again in every paragraph that follows."""

_SCRIPT = re.compile(r"<script\b.*?(?:</script|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)([^<>]*)")
_STYLE = re.compile(rf"<(?:{'|'.join(sorted(_STYLES))})(?![^\s/>])", re.IGNORECASE)
_LONG_TAG = re.compile(r"<[a-zA-Z][^>]{10000,}")
_SELECT = re.compile(r"<select\b", re.IGNORECASE)
_VALUE = re.compile(r"=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]*)")


def _may_pile_up(html: str) -> bool:
    """Whether there are as many start tags as the limits allow to stand open, of either kind."""
    if html.count("<") - html.count("</") > MAX_OPEN_TAGS:
        return True
    return html.count("<") > MAX_OPEN_STYLES and len(_STYLE.findall(html)) > MAX_OPEN_STYLES


def most_open_tags(html: str) -> tuple[int, int]:
    """Return the most tags, and the most tags of text style, that stand open at one place.

    Scripts do not count: `i<n` is no tag.

    >>> most_open_tags("<div><b>a</b><p>b<p>c<br><i>d<i/></div><div>")
    (3, 2)
    """
    opened: Counter[str] = Counter()
    tags = styles = most_tags = most_styles = 0
    for closing, written, rest in _TAG.findall(_SCRIPT.sub("", html)):
        name = written.lower()
        step = -bool(opened[name]) if closing else _stays_open(name, rest)
        opened[name] += step
        tags += step
        most_tags = max(most_tags, tags)
        if name in _STYLES:
            styles += step
            most_styles = max(most_styles, styles)
    return most_tags, most_styles


def most_attributes(html: str) -> int:
    """Return how many attributes the fullest tag has; 0 where no tag is 10,000 characters long.

    >>> most_attributes("<p " + "a=1 b " * 5_000 + ">")
    10000
    >>> most_attributes('<p class="x"><img src="data:' + "x y " * 5_000 + '">')
    1
    """
    long_tags = (tag[0] for tag in _LONG_TAG.finditer(html))
    return max(
        (len(_VALUE.sub(" ", tag).replace("/", " ").split()) - 1 for tag in long_tags), default=0
    )


def _stays_open(name: str, rest: str) -> bool:
    """HTML passes over the slash of `<b/>`; SVG, where most of them stand, does not."""
    return name not in _NEVER_PILED_UP and (name in _STYLES or not rest.endswith("/"))


def refuse_parser_bombs(html: str) -> None:
    """Raise DocumentError for a page that would take a parser seconds or gigabytes."""
    if (attributes := most_attributes(html)) > MAX_ATTRIBUTES:
        raise DocumentError(ConversionFailure.too_large, f"{attributes} attributes in one tag")
    if _may_pile_up(html):
        tags, styles = most_open_tags(html)
        if tags > MAX_OPEN_TAGS or styles > MAX_OPEN_STYLES:
            raise DocumentError(ConversionFailure.too_deep, f"{tags} open tags, {styles} styles")


def with_easy_menus(html: str) -> str:
    """Keep long `<select>` menus from taking minutes; what they show is the same.

    >>> with_easy_menus("<select><option>a</select>")
    '<select><option>a</select>'
    """
    if html.count("<option") + html.count("<OPTION") <= MANY_OPTIONS:
        return html
    return _SELECT.sub(r"\g<0> multiple", html)
