"""A table under way: what pandoc 2.9.2.1 takes for one, and what it makes of it."""

from __future__ import annotations

import re

from pipeline.html.pandoc_dialect.tree import (
    Block,
    Decline,
    DeclinedError,
    Inline,
    Table,
    has_break,
    is_simple,
)

MAX_COLUMNS = 1_000
"""As far as browsers follow a row (WHATWG HTML, section 4.9.11)."""

MAX_FIELDS = 200_000
"""Columns times rows of one table, empty fields included."""

TABLE_PARTS = {
    "table": frozenset(["caption", "colgroup", "col", "thead", "tr"]),
    "thead": frozenset(["tr"]),
    "tr": frozenset(["td", "th"]),
    "colgroup": frozenset(["col"]),
}
"""What each part of a table may hold; with anything else in it, it is none to pandoc."""

_SPAN = re.compile(r' (?:colspan|rowspan)="(?!1?")')


class TableUnderWay:
    """Takes a table's parts in their order, and gives its block.

    A table with a cell that spans others, with a head of more rows than one, or with a part out
    of its place is none: then its cells are blocks among the blocks around it.
    """

    def __init__(self) -> None:
        self._caption: list[Inline] = []
        self._rows: list[list[list[Block]]] = []
        self._head: list[list[Block]] = []
        self._begun = self._in_head = self._had_head = False
        self._columns = self._heads = 0
        self._head_rows = 2

    def open(self, name: str, attributes: str) -> bool:
        """Begin a part; False if it cannot stand here."""
        if name == "caption":
            can_stand = not self._begun and not self._columns
        elif name in ("col", "colgroup"):
            can_stand = not self._rows and not self._had_head
            self._columns += name == "col"
        elif name == "thead":
            can_stand = not self._rows and not self._had_head
            self._had_head = self._in_head = True
        elif name == "tr":
            can_stand = not (self._in_head and self._rows)
            self._rows.append([])
            self._heads = 0
        else:
            can_stand = not _SPAN.search(attributes)
            self._heads += name == "th"
        self._begun = True
        return can_stand

    def close(self, name: str) -> None:
        """End a part."""
        if name == "thead":
            self._in_head = False
            if self._rows:
                self._head = self._rows.pop()
            self._head_rows = 0 if self._head else 1
        elif name == "tr" and self._head_rows and not self._in_head:
            self._head_rows -= 1
            if self._heads == len(self._rows[0]):
                self._head = self._rows.pop()
            if self._head or self._rows:
                self._head_rows = 0
        if len(self._rows) > MAX_FIELDS:
            raise DeclinedError(Decline.columns)

    @property
    def has_cell(self) -> bool:
        """Whether the last row has one."""
        return bool(self._rows[-1])

    def add_caption(self, inlines: list[Inline]) -> None:
        """Take the caption."""
        self._caption = inlines

    def add_cell(self, blocks: list[Block]) -> None:
        """Take a cell of the last row."""
        self._rows[-1].append(blocks)

    def block(self) -> Block | None:
        """The table; None if it has no cell, or no row at all."""
        head = self._head
        if not head and not any(self._rows):
            return None
        width = len(head) or max(map(len, self._rows))
        width = min(width, self._columns or width)
        if width > MAX_COLUMNS or width * len(self._rows) > MAX_FIELDS:
            raise DeclinedError(Decline.columns)
        is_sized = not self._columns and not all(
            is_simple(cell) and not (cell and has_break(cell[0].inlines, in_links=True))
            for row in (head, *self._rows)
            for cell in row
        )
        head = _padded(head, width) if any(head) else []
        rows = [_padded(row, width) for row in self._rows]
        return Block("table", table=Table(self._caption, head, rows, width, is_sized))


def _padded(row: list[list[Block]], width: int) -> list[list[Block]]:
    return row[:width] + [[] for _ in range(width - len(row))]
