"""A run of text under way: words, styles, links and images up to the next block.

A style or link ends where a block begins in it, as pandoc ends it.
"""

from __future__ import annotations

from typing import NamedTuple

from pipeline.transforms.fast_markdown_decline import Decline, DeclinedError
from pipeline.transforms.fast_markdown_text import (
    BREAK,
    Code,
    Image,
    Inline,
    Styled,
    add,
    add_link,
    trimmed,
)

MAX_STYLES = 100
"""Open at once: each is written inside the one around it."""

_STYLES = {"b": "b", "strong": "b", "i": "i", "em": "i", "s": "s", "strike": "s", "del": "s"}
_CODE = frozenset(["code", "tt", "samp"])
_SPANS = frozenset(["kbd", "dfn"])
"""They keep the blanks at their ends."""

STYLES = frozenset([*_STYLES, *_CODE, "sup", "sub", "a", "q", "kbd", "dfn"])
"""The tags that a run holds, besides `<br>` and `<img>`."""


class _Open(NamedTuple):
    """An open style or link, and the pieces of text before it."""

    tag: str
    style: str
    outer: list[Inline]


class Run:
    """Takes texts and tags one by one; `take` ends it."""

    def __init__(self) -> None:
        self._pieces: list[Inline] = []
        self._open: list[_Open] = []
        self._code: list[str] | None = None
        self._quotes = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing has begun, so that a blank would be at its start."""
        return not self._pieces and not self._open

    def text(self, text: str) -> None:
        """Take a text; blanks are folded already."""
        if self._code is not None:
            self._code.append(text)
        elif self._pieces:
            add(self._pieces, text)
        else:
            self._pieces.append(text)

    def line_break(self) -> None:
        """Take a `<br>`."""
        if self._code is None:
            add(self._pieces, BREAK)

    def image(self, image: Image) -> None:
        """Take an image; in code it is nothing."""
        if self._code is None:
            self._pieces.append(image)

    def open(self, name: str, attributes: str) -> None:
        """Begin a style or a link; within code there are none."""
        if self._code is not None:
            return
        if len(self._open) >= MAX_STYLES:
            raise DeclinedError(Decline.nesting)
        style = _STYLES.get(name, name)
        if name == "a":
            style = "a" if attributes else "span"
        elif name == "q":
            style = "qq" if self._quotes % 2 else "q"
            self._quotes += 1
        elif name in _CODE:
            self._code = []
        self._open.append(_Open(name, style, self._pieces))
        self._pieces = []

    def close(self, name: str) -> None:
        """End a style, unless a block in it has ended it already."""
        if self._open and self._open[-1].tag == name:
            self._close()

    def take(self, *, is_whole: bool = False) -> list[Inline]:
        """End the run, styles and all, and return its text, with the blanks around if `whole`."""
        if not self._pieces and not self._open:
            return []
        while self._open:
            self._close()
        pieces, self._pieces = self._pieces, []
        return trimmed(pieces) if pieces and not is_whole else pieces

    def _close(self) -> None:
        tag, style, outer = self._open.pop()
        content, self._pieces = self._pieces, outer
        if self._code is not None:
            add(outer, Code(" ".join("".join(self._code).split("\n"))))
            self._code = None
            return
        self._quotes -= tag == "q"
        if style in _SPANS:
            add(outer, Styled(style, content))
            return
        before, after = _edges(content)
        if before:
            add(outer, " ")
        if style == "a":
            add_link(outer, trimmed(content))
        else:
            add(outer, Styled(style, trimmed(content)))
        if after:
            add(outer, " ")


def _edges(content: list[Inline]) -> tuple[bool, bool]:
    """Whether a text begins, and ends, with a blank; it stands outside of the style."""
    if not content:
        return False, False
    first, last = content[0], content[-1]
    return (
        isinstance(first, str) and first[:1] == " ",
        isinstance(last, str) and last[-1:] == " ",
    )
