"""What a newer pandoc read, as the blocks that version 2.9.2.1 would have read.

A newer pandoc gives its document as JSON (`pandoc-types` 1.23). Its reader knows figures,
cells that span others and heads of many rows; the older one did not, and its writer decides the
dialect. So these become what they were to it, and `pandoc_dialect.writer` writes the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from pipeline.html.pandoc_dialect.reader import STYLES
from pipeline.html.pandoc_dialect.tables import MAX_FIELDS
from pipeline.html.pandoc_dialect.tree import (
    BREAK,
    Block,
    Code,
    Definition,
    Formula,
    Image,
    Inline,
    Styled,
    Table,
    add,
    add_link,
    as_inlines,
    has_break,
    is_simple,
    with_paragraphs,
)
from pipeline.html.pandoc_dialect.writer import markdown_of

_STYLES = {
    "Strong": "b",
    "Emph": "i",
    "Strikeout": "s",
    "Superscript": "sup",
    "Subscript": "sub",
}
_FORMULAS = {"InlineMath": r"\({}\)", "DisplayMath": r"\[{}\]"}
_OTHER_LINE_BREAKS = re.compile("[\x0b\x0c\r\x1c-\x1e\x85\u2028\u2029]")
MAX_DEPTH = 60
"""Lists, quotations, cells and styles in one another, where the reader of JSON gave up."""

_DEEP = "ul ol li blockquote dl dt dd table thead tr td th caption figure figcaption"
_TAG = re.compile(rf"<(/?)({'|'.join([*_DEEP.split(), *sorted(STYLES)])})(?: [^>]*)?>")
Json = dict[str, Any]


def markdown_of_document(document: str) -> str:
    r"""The Markdown of a document that pandoc gives as JSON.

    Raises:
        RecursionError: it is too deep for any reader.

    >>> plain = '{"t": "Plain", "c": [{"t": "Str", "c": "a!"}, {"t": "Space"}]}'
    >>> markdown_of_document('{"blocks": [{"t": "BulletList", "c": [[' + plain + ']]}]}')
    '  - a\\!\n'
    """
    blocks = _Reader().blocks(json.loads(document)["blocks"])
    return _OTHER_LINE_BREAKS.sub(" ", markdown_of(with_paragraphs(blocks)))


def less_deep(cleaned_html: str) -> str:
    """A page without what stands deeper than any reader could follow; all text stays.

    >>> less_deep("<ul><li>" * 31 + "x")[-19:]
    '<ul><li><div><div>x'
    """
    depth = 0

    def shallow(tag: re.Match[str]) -> str:
        nonlocal depth
        depth -= bool(tag[1])
        is_deep = depth >= MAX_DEPTH
        depth += not tag[1]
        return tag[0] if not is_deep else "" if tag[2] in STYLES else f"<{tag[1]}div>"

    return _TAG.sub(shallow, cleaned_html)


class _Reader:
    """Takes a document's blocks.

    `cells` are around the present block; `spoilt` tells that a table in one of them is none, and
    so neither is the one around it.
    """

    def __init__(self) -> None:
        self._cells = 0
        self._spoilt = False

    def blocks(self, blocks: Iterable[Json]) -> list[Block]:
        """Blocks of one container."""
        return [block for found in blocks for block in self._block(found)]

    def _block(self, block: Json) -> list[Block]:
        kind: str = block["t"]
        content: Any = block.get("c")
        if kind in ("Plain", "Para"):
            return [Block(kind.lower(), _inlines(content))]
        if kind == "Header":
            return [Block("heading", _inlines(content[2]), number=content[0])]
        if kind == "CodeBlock":
            return [Block("code", text=content[1], name=" ".join(content[0][1]))]
        if kind == "BlockQuote":
            return [Block("quote", blocks=self.blocks(content))]
        if kind == "Div":
            return self._div(self.blocks(content[1]))
        return self._other(kind, content)

    def _other(self, kind: str, content: Any) -> list[Block]:
        if kind == "BulletList":
            return [Block("list", items=[self.blocks(item) for item in content])]
        if kind == "OrderedList":
            items = [self.blocks(item) for item in content[1]]
            return [Block("list", items=items, number=content[0][0])]
        if kind == "DefinitionList":
            terms = [Definition(_inlines(t), [self.blocks(m) for m in ms]) for t, ms in content]
            return [Block("definitions", terms=terms)]
        if kind == "Table":
            return self._table(content)
        if kind == "Figure":
            return self._figure(content)
        return [Block("rule")] if kind == "HorizontalRule" else []

    def _div(self, blocks: list[Block]) -> list[Block]:
        if self._cells:
            return [Block("div", blocks=blocks)]
        for block in blocks:
            block.in_div = True
        return blocks or [Block("nothing", in_div=True)]

    def _figure(self, content: Any) -> list[Block]:
        """A picture, and what is said of it; without one what it holds."""
        found, caption = self.blocks(content[2]), self.blocks(content[1][1])
        image = next(_images(found), None)
        if image is None:
            return [*found, *caption]
        return [Block("para", [image._replace(alt=as_inlines(caption), is_figure=True)])]

    def _table(self, content: Any) -> list[Block]:
        """A table; what its cells hold, where the older reader takes it for none."""
        caption, columns, head, bodies, foot = content[1:]
        heads = [row[1] for row in head[1]]
        rows = [row[1] for body in bodies for part in (body[2], body[3]) for row in part]
        rows += [row[1] for row in foot[1]]
        was_spoilt, self._spoilt = self._spoilt, False
        self._cells += 1
        cells = [[self.blocks(cell[4]) for cell in row] for row in [*heads, *rows]]
        self._cells -= 1
        said = self.blocks(caption[1])
        spans = any(cell[2:4] != [1, 1] for row in [*heads, *rows] for cell in row)
        is_none = self._spoilt or spans or len(heads) > 1 or not any(cells)
        self._spoilt = was_spoilt or (is_none and self._cells > 0)
        width = len(columns)
        if is_none or width * len(cells) > MAX_FIELDS:
            return [*said, *(block for row in cells for cell in row for block in cell)]
        is_sized = not all(
            is_simple(cell) and not (cell and has_break(cell[0].inlines, in_links=True))
            for row in cells
            for cell in row
        )
        has_head = bool(heads) and any(cells[0])
        first = cells[0] if has_head else []
        table = Table(as_inlines(said), first, cells[len(heads) :], width, is_sized)
        return [Block("table", table=table)]


def _inlines(content: Iterable[Json]) -> list[Inline]:
    found: list[Inline] = []
    for piece in content:
        kind: str = piece["t"]
        inner: Any = piece.get("c")
        if kind == "Str":
            add(found, inner)
        elif kind in ("Space", "SoftBreak"):
            add(found, " ")
        elif kind == "LineBreak":
            add(found, BREAK)
        elif kind == "Code":
            add(found, Code(inner[1]))
        elif kind == "Math":
            add(found, Formula(_FORMULAS[inner[0]["t"]].format(inner[1])))
        elif kind == "Image":
            add(found, Image(inner[2][0], _inlines(inner[1])))
        elif kind == "Link":
            add_link(found, _inlines(inner[1]))
        elif kind == "Quoted":
            add(found, Styled("q" if inner[0]["t"] == "DoubleQuote" else "qq", _inlines(inner[1])))
        elif kind in _STYLES:
            found.append(Styled(_STYLES[kind], _inlines(inner)))
        elif kind == "Span":
            add(found, Styled((inner[0][1] or ["span"])[0], _inlines(inner[1])))
    return found


def _images(blocks: Iterable[Block]) -> Iterator[Image]:
    """Pictures in blocks, in their order."""
    for block in blocks:
        yield from _images_in(block.inlines)
        yield from _images(block.blocks)
        for item in block.items:
            yield from _images(item)


def _images_in(inlines: Iterable[Inline]) -> Iterator[Image]:
    for piece in inlines:
        if isinstance(piece, Image):
            yield piece
        elif isinstance(piece, Styled):
            yield from _images_in(piece.content)
