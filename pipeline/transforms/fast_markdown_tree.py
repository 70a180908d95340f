"""What a page is made of before it is written: blocks, and the text within them.

The shapes are those of pandoc's document model, as far as HTML can reach them: how a list, a
table or a paragraph is written depends on what stands in it and beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pipeline.transforms.fast_markdown_text import BREAK, Code, Inline, add, has_break


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
