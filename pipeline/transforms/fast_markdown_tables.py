"""Tables: which stay tables, and which are a layout whose cells come one by one.

As the filter of `pipeline/io/pandoc_worker.lua` decides it for pandoc: a table of at least two
columns whose cells hold one short line each stays.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pipeline.transforms.fast_markdown_blocks import Block, Container
from pipeline.transforms.fast_markdown_inlines import BREAK, one_line, shown_length

MAX_CELL_CHARS = 300
"""In a table that stays one."""

MAX_COLUMNS = 1_000
"""As far as browsers follow `colspan` (WHATWG HTML, section 4.9.11)."""

MAX_FIELDS = 200_000
"""Columns times rows of one table, empty fields included."""

TABLE_PARTS = {
    "table": frozenset(["caption", "colgroup", "col", "thead", "tr"]),
    "thead": frozenset(["tr"]),
    "tr": frozenset(["td", "th"]),
    "colgroup": frozenset(["col"]),
}
"""What each part of a table may hold; with anything else in it, it is none to pandoc."""

_SPAN = re.compile(r' (colspan|rowspan)="\s*(\d{1,9})')


@dataclass(slots=True)
class Cell:
    """One cell, and the columns and rows that it takes."""

    container: Container
    columns: int
    rows: int
    is_head: bool


@dataclass(slots=True)
class Row:
    """One row, and whether it stands in `<thead>`."""

    in_head: bool
    cells: list[Cell] = field(default_factory=list)


class TableUnderWay:
    """Takes a table's parts in their order, and gives its blocks."""

    def __init__(self) -> None:
        self.outside = Container()
        self.caption = Container()
        self.rows: list[Row] = []
        self.is_broken = False
        self._in_head = self._caption_is_last = False
        self._declared_columns = 0

    def open(self, name: str, attributes: str) -> Container | None:
        """Begin a part; return where its blocks go, if it can hold any."""
        if name == "caption":
            self._caption_is_last = bool(self.rows)
            self.is_broken |= self._caption_is_last
            return self.caption
        if name == "col":
            self._declared_columns += 1
        elif name == "thead":
            self.is_broken = self.is_broken or bool(self.rows)
            self._in_head = True
        elif name == "tr":
            self.rows.append(Row(self._in_head))
        elif name in ("td", "th"):
            return self._open_cell(name, attributes)
        return None

    def close(self, name: str) -> None:
        """End a part."""
        if name == "thead":
            self._in_head = False

    @property
    def is_too_wide(self) -> bool:
        """Whether it declares other columns than it has, or has too many."""
        width = max((sum(cell.columns for cell in row.cells) for row in self.rows), default=0)
        is_odd = self._declared_columns not in (0, width)
        return is_odd or width > MAX_COLUMNS or width * len(self.rows) > MAX_FIELDS

    @property
    def is_none(self) -> bool:
        """Whether pandoc takes it for no table at all, and so none of the tables around it."""
        cells = [cell.container for row in self.rows for cell in row.cells]
        is_spoilt = any(cell.spoils_table for cell in cells)
        return self.is_broken or bool(self.outside.blocks) or not cells or is_spoilt

    def blocks(self) -> list[Block]:
        """The table as one block and its caption, or all that it holds as blocks."""
        cells = [cell.container for row in self.rows for cell in row.cells]
        if not self.is_none and all(_is_short(cell.blocks) for cell in cells):
            written = _written(self.rows)
            if written:
                return [Block("lines", content=written), *self.caption.blocks]
        flat = list(self.outside.blocks)
        parts = [*cells, self.caption] if self._caption_is_last else [self.caption, *cells]
        for part in parts:
            flat += part.blocks
        if not self.is_none:
            for block in flat:
                block.all_paragraphs = True
        return flat

    def _open_cell(self, name: str, attributes: str) -> Container:
        if not self.rows:
            self.rows.append(Row(self._in_head))
        spans = {key: max(1, int(number)) for key, number in _SPAN.findall(attributes)}
        container = Container()
        cell = Cell(container, spans.get("colspan", 1), spans.get("rowspan", 1), name == "th")
        self.rows[-1].cells.append(cell)
        return container


def _is_short(blocks: list[Block]) -> bool:
    if not blocks:
        return True
    text, kind = blocks[0].text, blocks[0].kind
    if len(blocks) > 1 or blocks[0].in_div or kind not in ("plain", "para"):
        return False
    is_short = len(text) <= MAX_CELL_CHARS or shown_length(text) <= MAX_CELL_CHARS
    return is_short and text.count(BREAK) <= 1


def _written(rows: list[Row]) -> list[str]:
    """The lines of a table; none if it has one column only."""
    width = max(sum(cell.columns for cell in row.cells) for row in rows)
    grid = _grid(rows, width)
    width = max(width, *(len(row) - _empty_at_end(row) for row in grid))
    if width < 2:
        return []
    texts = [row[:width] + [""] * (width - len(row)) for row in grid]
    first = next(row for row in rows if row.cells)
    if not first.in_head and not all(cell.is_head for cell in first.cells):
        texts.insert(0, [""] * width)
    lines = ["|" + "".join(f" {text} |" if text else " |" for text in row) for row in texts]
    return [lines[0], "|" + "---|" * width, *lines[1:]]


def _empty_at_end(row: list[str]) -> int:
    return next((at for at, text in enumerate(reversed(row)) if text), len(row))


def _grid(rows: list[Row], width: int) -> list[list[str]]:
    """The text of each column of each row; a cell's further columns and rows are empty.

    Cells beyond `width` take one row, or each could push all later ones further out.
    """
    grid: list[list[str]] = []
    taken: dict[int, int] = {}
    for row in rows:
        if not row.cells and not grid:
            continue
        texts: list[str] = []
        left = {column: rows_left - 1 for column, rows_left in taken.items() if rows_left > 1}
        for cell in row.cells:
            while len(texts) in taken:
                texts.append("")
            if cell.rows > 1 and len(texts) < width:
                columns = range(len(texts), len(texts) + cell.columns)
                left |= dict.fromkeys(columns, cell.rows - 1)
            blocks = cell.container.blocks
            texts.append(one_line(blocks[0].text) if blocks else "")
            texts += [""] * (cell.columns - 1)
        grid.append(texts)
        taken = left
    return grid
