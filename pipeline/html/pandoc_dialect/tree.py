"""What the converter leaves to pandoc."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Decline(StrEnum):
    """Why a page is left to pandoc."""

    mathematics = "mathematics"
    """Formulas: pandoc turns MathML into TeX."""
    columns = "columns"
    """A table with more columns or fields than any reader could follow."""
    nesting = "nesting"
    """Lists, quotations, tables or styles deeper in one another than any reader could follow."""


class DeclinedError(Exception):
    """This page is for pandoc.

    Args:
        reason: why.
    """

    def __init__(self, reason: Decline) -> None:
        super().__init__(reason.value)
        self.reason = reason


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


@dataclass(slots=True, eq=False)
class Block:
    """One block.

    `kind` is "plain" (text without a paragraph of its own), "para", "heading", "code", "rule",
    "quote", "list", "definitions", "table", "div" (within tables only) or "nothing" (an empty
    `<div>` elsewhere).
    """

    kind: str
    inlines: Sequence[Inline] = ()
    blocks: Sequence[Block] = ()
    items: Sequence[Sequence[Block]] = ()
    """Of a list."""
    text: str = ""
    """Of code."""
    name: str = ""
    """Language of code."""
    number: int | None = None
    """Level of a heading; first number of a list, None for one without numbers."""
    terms: Sequence[Definition] = ()
    table: Table | None = None
    in_div: bool = False


class Definition(NamedTuple):
    """Terms, with breaks between them, and what they mean."""

    terms: list[Inline]
    meanings: list[list[Block]]


class Table(NamedTuple):
    """Rows of as many cells each; the head is empty where there is none."""

    caption: list[Inline]
    head: list[list[Block]]
    rows: list[list[list[Block]]]
    width: int
    is_sized: bool
    """Whether pandoc gives the columns widths: where a cell holds more than a line."""


_PARAGRAPH_LIKE = frozenset(["para", "code", "heading", "quote"])
_LISTS = frozenset(["list", "definitions"])


def with_paragraphs(blocks: list[Block], in_list: bool = False) -> list[Block]:
    """Blocks whose plain texts are paragraphs if another block calls for that."""
    called_for = _PARAGRAPH_LIKE if in_list else _PARAGRAPH_LIKE | _LISTS
    if any(block.kind in called_for and not block.in_div for block in blocks):
        for block in blocks:
            if block.kind == "plain" and not block.in_div:
                block.kind = "para"
    return blocks


def is_tight(items: Iterable[Sequence[Block]]) -> bool:
    """Whether all items begin with plain text or are empty: no empty lines part them then."""
    return all(not item or (item[0].kind == "plain" and not item[0].in_div) for item in items)


def items_of(block: Block) -> Sequence[Sequence[Block]]:
    """A list's items; of definitions, terms and what they mean, a break between."""
    if block.kind == "list":
        return block.items
    items: list[Sequence[Block]] = []
    for terms, meanings in block.terms:
        rest = [part for meaning in meanings for part in meaning]
        first = rest[0] if meanings[0] else None
        if first and first.kind in ("plain", "para") and not first.in_div:
            begun = Block(first.kind, [*terms, BREAK, *first.inlines])
            items.append([begun, *rest[1:]])
        else:
            items.append([Block("para", terms), *rest])
    return items


def is_simple(cell: Sequence[Block]) -> bool:
    """Whether a cell holds one line at most, and so fits into a row of Markdown."""
    if not cell:
        return True
    block = cell[0]
    is_text = block.kind in ("plain", "para") and not block.in_div
    return len(cell) == 1 and is_text and not has_break(block.inlines)


def as_inlines(blocks: Sequence[Block]) -> list[Inline]:
    """Blocks as one text, a pilcrow between them: what a figure says of its picture."""
    found: list[Inline] = []
    for at, block in enumerate(blocks):
        if at:
            add(found, " ¶ ")
        for piece in _inlines_of(block):
            add(found, piece)
    return found


def _inlines_of(block: Block) -> list[Inline]:
    if block.kind == "code":
        return [Code(block.text)]
    if block.kind == "list":
        return [piece for item in block.items for piece in as_inlines(item)]
    if block.kind == "definitions":
        return [
            piece
            for terms, meanings in block.terms
            for part in (terms, *map(as_inlines, meanings))
            for piece in part
        ]
    if block.table:
        rows = [block.table.head, *block.table.rows]
        return [piece for row in rows for cell in row for piece in as_inlines(cell)]
    return [*block.inlines, *as_inlines(block.blocks)]
