"""The text within blocks: strings, code, pictures and styles, and how they join."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

BREAK = "\n"
"""A `<br>` as a piece of its own; no text holds this character, since blanks are folded."""


class Code(NamedTuple):
    """Code within a line."""

    text: str


class Formula(NamedTuple):
    """TeX, with the signs that mark it as such."""

    text: str


class Image(NamedTuple):
    """A picture; `alt` is said of it. In a figure that may be any inline text, else one text."""

    source: str
    alt: list[Inline]
    is_figure: bool = False


class Styled(NamedTuple):
    """Text in a style: "b", "i", "s", "sup", "sub", "q" or "qq" (quoted in a quote), a tag,
    "" for none, or "br" for none in a link that held breaks, which have become blanks."""

    style: str
    content: list[Inline]


EMPTY = Styled("", [])
"""A link without text; it begins a line all the same."""

Inline = str | Code | Formula | Image | Styled
"""A piece of text: a string, with BREAK as one of its own, or what has a form."""


def has_break(inlines: Iterable[Inline], *, in_links: bool = False) -> bool:
    """Whether a text holds a break, at whatever depth; or held one in a link."""
    for piece in inlines:
        if isinstance(piece, str):
            if piece == BREAK:
                return True
        elif isinstance(piece, Styled):
            if (in_links and piece.style == "br") or has_break(piece.content, in_links=in_links):
                return True
        elif isinstance(piece, Image) and has_break(piece.alt):
            return True
    return False


def add(items: list[Inline], piece: Inline) -> None:
    """Append to a text: blanks fold, and neighbours of one style are one.

    >>> text = ["a "]
    >>> add(text, " b"); add(text, Styled("b", ["c"])); add(text, Styled("b", ["d"])); text
    ['a b', Styled(style='b', content=['c', 'd'])]
    """
    last = items[-1] if items else None
    if isinstance(piece, str):
        _add_text(items, last, piece)
    elif (
        isinstance(piece, Styled)
        and isinstance(last, Styled)
        and last.style == piece.style in _JOINED
    ):
        last.content.extend(piece.content)
    else:
        items.append(piece)


_JOINED = frozenset(["b", "i", "s", "sup", "sub"])


def _add_text(items: list[Inline], last: Inline | None, text: str) -> None:
    if not isinstance(last, str):
        items.append(text)
    elif text == BREAK:
        if last != " ":
            items[-1] = last.rstrip(" ") if last != BREAK else last
            items.append(BREAK)
        else:
            items[-1] = BREAK
    elif last == BREAK:
        if text := text.lstrip(" "):
            items.append(text)
    else:
        items[-1] = last + (text.lstrip(" ") if last.endswith(" ") else text)


def trimmed(items: list[Inline]) -> list[Inline]:
    """A text without blanks at its ends; breaks stay."""
    if items and isinstance(items[0], str) and items[0][:1] == " ":
        items[:1] = [stripped] if (stripped := items[0].lstrip(" ")) else []
    if items and isinstance(items[-1], str) and items[-1][-1:] == " ":
        items[-1:] = [stripped] if (stripped := items[-1].rstrip(" ")) else []
    return items


_QUOTES = {"q": "“{}”", "qq": "‘{}’"}


def plain_text(items: Iterable[Inline]) -> str:
    """The text alone, breaks as blanks; pictures by what is said of them.

    >>> plain_text(["a", BREAK, Styled("q", ["b"]), Code("c")])
    'a “b”c'
    """
    texts = []
    for item in items:
        if isinstance(item, str):
            texts.append(" " if item == BREAK else item)
        elif isinstance(item, Styled):
            texts.append(_QUOTES.get(item.style, "{}").format(plain_text(item.content)))
        else:
            texts.append(plain_text(item.alt) if isinstance(item, Image) else item.text)
    return "".join(texts)


def add_link(outer: list[Inline], content: list[Inline]) -> None:
    """A link that holds an image leaves what it holds, any other its text without styles."""
    if any(isinstance(piece, Image) for piece in content):
        for piece in content:
            add(outer, piece)
    else:
        text = plain_text(content)
        if has_break(content):
            add(outer, Styled("br", [text]))
        elif text[:1] == " " or text[-1:] == " ":  # beside an icon; it does not fold
            add(outer, Styled("", [text]))
        else:
            add(outer, text or EMPTY)
