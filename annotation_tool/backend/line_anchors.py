r"""Anchors in an archived page, one for each line of its Markdown: both are read side by side.

The page runs no script, so what moves the frame to a line is its address: `#skord-line-7`
scrolls to the anchor of line 7 (from 0), and a style marks the element around it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from skord.markdown.plain_lines import plain_lines

PREFIX = "skord-line-"
_STYLE = (
    "<style>a[id^='skord-line-'] { scroll-margin: 30vh } "
    ":has(> a[id^='skord-line-']:target) { outline: 3px solid #2563c9 !important; "
    "outline-offset: 2px; background-image: linear-gradient(#2563c926, #2563c926) !important }"
    "</style>"
)
_WORD = re.compile(r"\w+")
_TEXTLESS = frozenset(["script", "style", "title", "textarea", "option", "select", "template"])
_COMPARED = 4
"""Words of a line's beginning by which it is found."""
_FAR = 400
"""Words of the page that a line of few words may pass over."""


def with_anchors(html: str, lines: Sequence[str]) -> str:
    r"""The page with an anchor before the text of each line.

    A line that the page does not hold, such as a blank one, shares the place of the line above.

    >>> with_anchors("<p>En bro", ["Meny", "# En bro"]).partition("<p>")[2]
    '<a id="skord-line-0"></a><a id="skord-line-1"></a>En bro</p></body></html>'
    """
    tree = LexborHTMLParser(html)
    texts = list(_texts(tree))
    words, owners = [], []
    for number, node in enumerate(texts):
        node_words = _WORD.findall((node.text_content or "").casefold())
        words += node_words
        owners += [number] * len(node_words)
    by_text: dict[int, list[int]] = defaultdict(list)
    for line, place in enumerate(_places(plain_lines(lines), words)):
        if owners:
            by_text[owners[place]].append(line)
    for number, numbers in by_text.items():
        for line in numbers:
            texts[number].insert_before(_anchor(line))
    return (tree.html or "").replace("</head>", f"{_STYLE}</head>", 1)


def _texts(tree: LexborHTMLParser) -> Iterator[LexborNode]:
    if tree.body is None:
        return
    for node in tree.body.traverse(include_text=True):
        if node.is_text_node and (node.parent is None or node.parent.tag not in _TEXTLESS):
            yield node


def _anchor(line: int) -> LexborNode:
    made = LexborHTMLParser(f'<a id="{PREFIX}{line}"></a>').css_first("a")
    assert made is not None
    return made


def _places(lines: Sequence[str], words: Sequence[str]) -> Iterator[int]:
    """For each line the place of its first word among the page's."""
    where: dict[str, list[int]] = defaultdict(list)
    for at, word in enumerate(words):
        where[word].append(at)
    place = behind = 0
    for line in lines:
        sought = _WORD.findall(line.casefold())
        positions = _found(sought, words, where, behind) if sought else None
        if positions is not None:
            place, behind = positions, positions + len(sought)
        yield place


def _found(
    sought: Sequence[str], words: Sequence[str], where: Mapping[str, list[int]], behind: int
) -> int | None:
    """Where a line begins, from where the last one ended; lines of many words anywhere."""
    beginning = list(islice(sought, _COMPARED))
    places = where.get(beginning[0], [])
    ahead = places[bisect_left(places, behind) :]
    if len(beginning) < _COMPARED:
        ahead = [place for place in ahead if place < behind + _FAR]
    else:
        ahead = [*ahead, *places]
    return next(
        (place for place in ahead if list(words[place : place + len(beginning)]) == beginning), None
    )
