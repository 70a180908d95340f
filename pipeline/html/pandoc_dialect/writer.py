"""Rows of a table as Markdown has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipeline.html.link_spans import has_marks, without_marks
from pipeline.html.pandoc_dialect.html_tables import HtmlWriter
from pipeline.html.pandoc_dialect.inlines import (
    address,
    code,
    escape,
    escape_start,
    fence,
    script,
)
from pipeline.html.pandoc_dialect.tree import (
    BREAK,
    Block,
    Code,
    Formula,
    Image,
    Inline,
    Styled,
    Table,
    is_simple,
    is_tight,
    items_of,
)


def pipe_table(rows: Sequence[Sequence[str]]) -> str:
    r"""Rows padded to columns of one width; the first is the head.

    >>> pipe_table([["a", ""], ["bc", "d"]])
    '| a  |   |\n| -- | - |\n| bc | d |'
    """
    lengths = [[_length(text) for text in row] for row in rows]
    widths = [max(column) for column in zip(*lengths, strict=True)]
    lines = [
        "| "
        + " | ".join(
            text + " " * (width - length)
            for text, length, width in zip(row, found, widths, strict=True)
        )
        + " |"
        for row, found in zip(rows, lengths, strict=True)
    ]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines)


def _length(text: str) -> int:
    return len(without_marks(text)) if has_marks(text) else len(text)


_MARKS = {
    "b": ("**", "**"),
    "i": ("*", "*"),
    "s": ("~~", "~~"),
    "q": ("“", "”"),
    "qq": ("‘", "’"),
}
_SCRIPTS = {"sup": "^(", "sub": r"\_("}
_INDENTABLE = re.compile(r"(?!\s)(?=.{3})(?!.*\s\s\Z).*", re.DOTALL | re.ASCII)
"""Code that needs no fence: of three bytes at least, no blank first, no two blanks last."""
_BULLET = "  - "


def markdown_of(blocks: Sequence[Block]) -> str:
    r"""The Markdown of a page; it ends in one line break, or is empty.

    >>> markdown_of([Block("heading", ["A"], number=1), Block("plain", ["b"])])
    '# A\n\nb\n'
    """
    writer = _Writer(HtmlWriter(blocks))
    writer.blocks(blocks, is_tight=False)
    text = writer.text().rstrip()
    return text + "\n" if text else ""


class _Writer:
    """Takes blocks in their order.

    `_needed` line ends, two for an empty line, come before the next text; `_begins_line` that
    the indentation has not been written, `_begins_content` that a text now could be read as the
    mark of a list.
    """

    def __init__(self, html: HtmlWriter) -> None:
        self._html = html
        self._pieces: list[str] = []
        self._prefix = ""
        self._needed = self._ends = 0
        self._begins_line = self._begins_content = True
        self._is_tight = False

    def text(self) -> str:
        """All that has been written."""
        return "".join(self._pieces)

    def blocks(self, blocks: Sequence[Block], *, is_tight: bool, in_item: bool = False) -> None:
        """Write blocks of one item, quotation or page; no empty lines in a tight list."""
        for at, block in enumerate(blocks):
            self._is_tight = is_tight
            if block.kind in ("plain", "para"):
                self._inlines(block.inlines)
                self._needed = 2
            elif block.kind == "heading":
                self._out("#" * (block.number or 1) + " ")
                self._begins_content = True
                self._inlines(block.inlines)
                self._needed = 2
            elif block.kind in ("list", "definitions"):
                following = next((b.kind for b in blocks[at + 1 :] if b.kind != "nothing"), "")
                self._list(block, is_tight, following)
            else:
                self._other(block, is_first=in_item and at == 0)

    def _other(self, block: Block, is_first: bool) -> None:
        if block.kind == "quote":
            self._out("> ")
            self._begins_content = True
            self._prefix += "> "
            self.blocks(block.blocks, is_tight=False)
            self._prefix = self._prefix[:-2]
            self._needed = 2
        elif block.kind == "code":
            self._code(block, is_first)
        elif block.kind == "rule":
            self._needed = 2
            self._out("-----")
            self._needed = 2
        elif block.table:
            self._table(block)
        elif block.kind == "div":
            self.blocks(block.blocks, is_tight=self._is_tight)

    def _out(self, text: str) -> None:
        """Write text without line ends."""
        if self._needed:
            self._end_lines()
        if not text:
            return
        if self._begins_line:
            self._pieces.append(self._prefix)
            self._begins_line = False
        self._pieces.append(text)
        self._ends = 0
        self._begins_content = False

    def _end_lines(self) -> None:
        """The line ends that are needed and not there yet."""
        needed = min(self._needed, 1) if self._is_tight else self._needed
        if self._pieces:
            missing = needed - self._ends
            if missing == 2:
                self._pieces += ["\n", self._prefix, "\n"]
                self._ends = 1 if self._prefix else 2
            elif missing == 1:
                self._pieces.append("\n")
                self._ends += 1
        self._needed = 0
        self._begins_line = self._begins_content = True

    def _literal(self, text: str) -> None:
        """Write text of several lines as it is."""
        first, *more = text.split("\n")
        self._out(first)
        for line in more:
            self._pieces.append(self._prefix + "\n" if self._begins_line else "\n")
            self._ends += 1
            self._begins_line = self._begins_content = True
            if line:
                self._pieces += [self._prefix, line]
                self._ends = 0
                self._begins_line = False

    def _inlines(self, inlines: Iterable[Inline]) -> None:
        for piece in inlines:
            if isinstance(piece, str):
                self._piece(piece)
            elif isinstance(piece, Code):
                self._out(code(piece.text))
            elif isinstance(piece, Formula):
                self._out(piece.text)
            elif isinstance(piece, Image):
                self._out("![")
                self._inlines(piece.alt)
                self._out(f"]({address(piece.source)})")
            elif piece.style in _SCRIPTS:
                self._script(piece.style, piece.content)
            elif piece.style in _MARKS:
                self._styled(piece.style, piece.content)
            elif piece.content:
                self._inlines(piece.content)
            else:
                self._out("")
                self._begins_content = False

    def _piece(self, text: str) -> None:
        if text == BREAK:
            self._out("  ")
            self._needed = max(self._needed, 1)
            return
        if self._needed:
            self._end_lines()
        escaped = escape(text)
        if self._begins_content:
            escaped = escape_start(escaped)
            is_number = text.isdigit()
            self._out(escaped)
            self._begins_content = is_number
        else:
            self._out(escaped)

    def _styled(self, style: str, content: Sequence[Inline]) -> None:
        start, end = _MARKS[style]
        if style == "i" and len(content) == 1 and getattr(content[0], "style", "") == "i":
            inner = content[0]
            assert isinstance(inner, Styled)
            self._out("*_")
            self._inlines(inner.content)
            self._out("_*")
            return
        self._out(start)
        self._inlines(content)
        self._out(end)

    def _script(self, style: str, content: Sequence[Inline]) -> None:
        texts = [piece for piece in content if isinstance(piece, str)]
        raised = [text if text == BREAK else script(text, style) for text in texts]
        if None in raised or len(texts) < len(content):
            self._out(_SCRIPTS[style])
            self._inlines(content)
            self._out(")")
        else:
            self._inlines(text for text in raised if text)

    def _list(self, block: Block, is_tight_here: bool, following: str) -> None:
        items = items_of(block)
        tight = is_tight(items)
        for at, item in enumerate(items):
            self._is_tight = tight if at else is_tight_here
            mark = _BULLET if block.number is None else _number(block.number + at)
            self._out(mark)
            self._begins_content = True
            outer, self._prefix = self._prefix, self._prefix + " " * len(mark)
            self.blocks(item, is_tight=tight, in_item=True)
            self._is_tight = tight
            self._prefix = outer
            self._needed = max(self._needed, 1)
        self._is_tight = is_tight_here
        if following in ("list", "definitions", "code"):
            self._needed = max(self._needed, 1)
            self._out("<!-- end list -->")
            self._needed = 2

    def _code(self, block: Block, is_first: bool) -> None:
        text = block.text
        if not is_first:
            self._needed = 2
        if not block.name and not is_first and _INDENTABLE.fullmatch(text):
            self._out("    ")
            self._prefix += "    "
            self._literal(text)
            self._prefix = self._prefix[:-4]
            self._needed = 2
            return
        mark = fence(text)
        self._out(f"{mark} {block.name}")
        self._needed = 1
        self._literal(text)
        self._needed = 1
        self._out(mark)
        self._needed = 2

    def _table(self, block: Block) -> None:
        table = block.table
        assert table is not None
        self._needed = 2
        rows = _simple_rows(table, self._html)
        if rows is None:
            self._literal(self._html.table(table))
            self._needed = 2
            return
        self._literal(pipe_table(rows))
        self._needed = 2
        self._out("")
        self._needed = 2
        if table.caption:
            self._inlines(table.caption)
            self._needed = 2


def _number(number: int) -> str:
    return f"{number}.  " if number < 10 else f"{number}. "


def _simple_rows(table: Table, html: HtmlWriter) -> list[list[str]] | None:
    """The texts of a table's cells, the head's first; None if one holds more than a line."""
    rows = [table.head or [[]] * table.width, *table.rows]
    if not all(is_simple(cell) for row in rows for cell in row):
        return None
    return [[_cell_text(cell, html) for cell in row] for row in rows]


def _cell_text(cell: Sequence[Block], html: HtmlWriter) -> str:
    if not cell:
        return ""
    writer = _CellWriter(html)
    writer.blocks(cell, is_tight=False)
    return writer.text().strip()


class _CellWriter(_Writer):
    """Writes one cell of a table of pipes, in whose code a pipe gets a backslash."""

    def _inlines(self, inlines: Iterable[Inline]) -> None:
        super()._inlines(
            (
                Code(piece.text.replace("|", "\\|")) if isinstance(piece, Code) else piece
                for piece in inlines
            ),
        )
