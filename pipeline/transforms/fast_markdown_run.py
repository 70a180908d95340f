"""A run of text under way: words, styles, links and images up to the next block.

A style or link ends where a block begins in it, as pandoc ends it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.transforms.fast_markdown_decline import Decline, DeclinedError
from pipeline.transforms.fast_markdown_inlines import BREAK, code, escape, image, script

MAX_STYLES = 1_500
"""Open at once: each copies the text inside it."""

_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "s": "~~", "strike": "~~", "del": "~~"}
_ALL_MARKS = frozenset(_MARKS.values())
_CODE = frozenset(["code", "tt", "samp"])
_SCRIPTS = frozenset(["sup", "sub"])
_QUOTES = ("“{}”", "‘{}’")
_TWO_BREAKS = re.compile(rf"{BREAK} ?{BREAK}")
_BLANKS = " \n\xa0"
_EDGES = re.compile(r"([ \n]*)(.*?)([ \n]*)", re.DOTALL)

STYLES = frozenset([*_MARKS, *_CODE, *_SCRIPTS, "a", "q", "kbd", "dfn"])
"""The tags that a run holds, besides `<br>` and `<img>`."""


class Style(NamedTuple):
    """An open style or link, and the pieces of text before it."""

    name: str
    outer: list[str]


class Run:
    """Takes texts and tags one by one; `take` ends it.

    Args:
        base: the address that images are relative to; "" if the page names none.
    """

    def __init__(self, base: str) -> None:
        self._base = base
        self._pieces: list[str] = []
        self._styles: list[Style] = []
        self._links = self._codes = self._quotes = 0
        self.is_empty = True

    def text(self, text: str) -> None:
        """Take a text; blanks are folded already."""
        self.is_empty = False
        if self._codes and not self._links:
            after_break = self._pieces[-1:] == [BREAK]
            self._pieces.append(code(text.lstrip(" ") if after_break else text))
        else:
            self._pieces.append(escape(text))

    def blank(self) -> None:
        """Take a text of one blank; at the start it is nothing."""
        if not self.is_empty:
            self._pieces.append(code(" ") if self._codes and not self._links else " ")

    def line_break(self) -> None:
        """Take a `<br>`; inside a link it is a blank."""
        self.is_empty = False
        self._pieces.append(" " if self._links else BREAK)

    def image(self, attributes: str) -> None:
        """Take an `<img>`; one without an address shows nothing."""
        if " src=" not in attributes:
            return
        self.is_empty = False
        self._pieces.append(image(attributes, self._base))

    def open(self, name: str, attributes: str) -> Style:
        """Begin a style or a link; return what `close` is to be told."""
        if len(self._styles) >= MAX_STYLES:
            raise DeclinedError(Decline.nesting)
        is_link = name == "a" and bool(attributes)
        style = Style("link" if is_link else name, self._pieces)
        self._styles.append(style)
        self.is_empty = False
        self._pieces = []
        self._links += is_link
        self._codes += name in _CODE
        self._quotes += name == "q"
        return style

    def close(self, style: object) -> None:
        """End a style, unless a block in it has ended it already."""
        if not self._styles or self._styles[-1] is not style:
            return
        name, outer = self._styles.pop()
        content, self._pieces = _joined(self._pieces), outer
        self._links -= name == "link"
        self._codes -= name in _CODE
        self._quotes -= name == "q"
        if content:
            self._add_styled(name, content)

    def take(self) -> str:
        """End the run, styles and all, and return its text.

        Pieces of nothing but blanks at its start go: they were the room around an icon.
        """
        while self._styles:
            self.close(self._styles[-1])
        pieces, self._pieces = self._pieces, []
        self.is_empty = True
        if len(pieces) > 1:
            first = next((at for at, piece in enumerate(pieces) if piece.strip(_BLANKS)), 0)
            del pieces[:first]
        return _joined(pieces)

    def _add_styled(self, name: str, content: str) -> None:
        """What a style held, blanks at its ends outside of it, as Markdown wants them."""
        if name in _CODE:
            self._pieces.append(content)
            return
        inner = content.strip(" ")
        mark = "" if self._links else _MARKS.get(name, "")
        if name == "q":
            inner = _QUOTES[self._quotes % 2].format(inner)
        elif name in _SCRIPTS and not self._links:
            inner = script(inner, name)
        if content[0] == " ":
            self._pieces.append(" ")
        if mark and inner.strip(_BLANKS):
            self._add_marked(mark, inner)
        else:
            self._pieces.append(inner)
        if content[-1] == " ":
            self._pieces.append(" ")

    def _add_marked(self, mark: str, inner: str) -> None:
        """Text between marks; two neighbours of one style become one."""
        if self._pieces and self._pieces[-1] == mark:
            inner = self._pieces[-2] + inner
            del self._pieces[-3:]
        self._pieces += [mark, inner, mark]


def _joined(pieces: list[str]) -> str:
    """Pieces as one text. Between marks there is no break at an end, nor are there two in a row.

    Pandoc leaves a break at the end inside, and writes a mark that marks nothing.
    """
    text = "".join(pieces)
    if BREAK not in text:
        return text
    kept: list[str] = []
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        if piece in _ALL_MARKS:
            kept += _marked(piece, pieces[at + 1])
            at += 2
        else:
            kept.append(piece)
        at += 1
    return "".join(kept)


def _marked(mark: str, inner: str) -> list[str]:
    if _TWO_BREAKS.search(inner):
        return [inner]
    edges = _EDGES.fullmatch(inner)
    assert edges is not None
    return [edges[1], mark, edges[2], mark, edges[3]]
