"""A page under way: tags and texts in, in their order, blocks out.

Every tag is met once, and what it opens stands on a stack of our own, so that depth costs
nothing. Which block ends which, and where a text without a tag of its own belongs, are the rules
of pandoc's HTML reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pipeline.transforms.fast_markdown_blocks import Block, Container, make_paragraphs
from pipeline.transforms.fast_markdown_code import CodeUnderWay
from pipeline.transforms.fast_markdown_decline import Decline, DeclinedError
from pipeline.transforms.fast_markdown_flow import HEADINGS, Flow, Open
from pipeline.transforms.fast_markdown_inlines import unescape
from pipeline.transforms.fast_markdown_run import STYLES
from pipeline.transforms.fast_markdown_tables import MAX_FIELDS, TABLE_PARTS, TableUnderWay
from pipeline.transforms.link_spans import LINK_GOES_ON, LINK_START, marked_link

_VOID = frozenset(["br", "img", "hr", "col"])
_START = re.compile(r' start="\s*(-?\d{1,9})\s*"')


class Page(Flow):
    """Takes a page's tags and texts one by one; `root` holds its blocks after `end`."""

    def __init__(self, base: str) -> None:
        super().__init__(base)
        self._code: CodeUnderWay | None = None
        self._link_mark = ""

    @property
    def is_open(self) -> bool:
        """Whether some tag has not been closed."""
        return len(self._stack) > 1

    def text(self, text: str) -> None:
        """Take a text, blanks folded, entities as in markup."""
        if text == " " and self._code is None:
            self._run.blank()
            return
        text = unescape(text)
        if self._link_mark:
            text, self._link_mark = marked_link(text, self._link_mark), LINK_GOES_ON
        if self._code is not None:
            self._code.text(text)
        else:
            self._run.text(text.replace("\n", " "))

    def open(self, name: str, attributes: str) -> None:
        """Take a start tag."""
        if name == "a" and attributes:
            self._link_mark = LINK_START
        if self._code is not None:
            self._code.open(name, attributes)
            if name not in _VOID:
                self._stack.append(Open(name, self._container))
        elif name == "br":
            self._run.line_break()
        elif name == "img":
            self._run.image(attributes)
        elif name in STYLES:
            opened = Open(name, self._container, self._run.open(name, attributes))
            self._stack.append(opened)
        else:
            self._open_block(name, attributes)

    def close(self, name: str) -> None:
        """Take an end tag."""
        opened = self._stack.pop()
        if opened.name != name:
            raise DeclinedError(Decline.unbalanced)
        if name == "a":
            self._link_mark = ""
        if self._code is not None:
            if opened.what is self._code:
                self._add(self._code.block())
                self._code = None
        elif name in STYLES:
            self._run.close(opened.what)
        else:
            self.end()
            if closing := _CLOSING.get(name):
                closing(self, opened)

    def _open_block(self, name: str, attributes: str) -> None:
        if self._context == "dt":
            self._break_definitions()
        self.end()
        parent = self._stack[-1]
        if parent.name in TABLE_PARTS and name not in TABLE_PARTS[parent.name]:
            self._break_table()
        opened = Open(name, self._container)
        opening = _OPENING.get(name)
        if opening:
            opening(self, opened, attributes)
        elif name == "math":
            raise DeclinedError(Decline.mathematics)
        if name not in _VOID:
            self._stack.append(opened)

    def _open_caption(self, _opened: Open, _attributes: str) -> None:
        """A picture's caption comes after what else is in the figure."""
        if self._stack[-1].name == "figure":
            self._container = Container(divs=1)

    def _close_caption(self, opened: Open) -> None:
        if self._container is not opened.container:
            self._stack[-1].captions += self._container.blocks
            self._container = opened.container

    def _rule(self, _opened: Open, _attributes: str) -> None:
        self._add(Block("rule"))

    def _open_list(self, opened: Open, attributes: str) -> None:
        if self._container.is_quote:
            self._mark_paragraph()
        block = Block("list", parts=[Container()])
        if opened.name == "ol":
            start = _START.search(attributes)
            block.first_number = int(start[1]) if start else 1
        opened.what = block
        self._add(block)
        self._enter(block.parts[0])

    def _close_list(self, opened: Open) -> None:
        block = opened.what
        assert isinstance(block, Block)
        for item in block.parts:
            make_paragraphs(item)
        if not any(item.blocks for item in block.parts):
            opened.container.blocks.pop()
        self._leave(opened)

    def _open_item(self, _opened: Open, _attributes: str) -> None:
        block = self._stack[-1].what
        if isinstance(block, Block) and block.kind == "list":
            item = Container()
            block.parts.append(item)
            self._container = item

    def _open_definitions(self, opened: Open, attributes: str) -> None:
        if self._container.is_quote:
            self._mark_paragraph()
        self._open_div(opened, attributes)
        self._enter(self._container)

    def _close_definitions(self, opened: Open) -> None:
        if opened.is_broken or opened.what == "dt":
            for block in opened.container.blocks[opened.blocks :]:
                if block.kind == "term":
                    block.kind = "para"
        self._leave(opened)
        self._close_div(opened)

    def _definitions(self) -> Open | None:
        """The list of definitions that the innermost tag, or a `<div>` around it, stands in."""
        near = self._stack[-1] if self._stack[-1].name == "dl" else self._stack[-2:][0]
        return near if near.name == "dl" else None

    def _open_definition(self, opened: Open, _attributes: str) -> None:
        """A list of definitions is terms and what they mean in turn, and nothing else."""
        if definitions := self._definitions():
            definitions.is_broken |= opened.name == "dd" and definitions.what is None
            definitions.what = opened.name
            self._context = "dt" if opened.name == "dt" else ""

    def _break_definitions(self) -> None:
        """A term with a block in it makes plain text of the whole list."""
        self._context = ""
        for opened in self._stack[-3:]:
            opened.is_broken = opened.is_broken or opened.name == "dl"

    def _close_definition(self, opened: Open) -> None:
        if self._definitions():
            for block in opened.container.blocks[opened.blocks :]:
                block.ends_div = block.kind != "term"

    def _open_code(self, opened: Open, attributes: str) -> None:
        self._mark_paragraph()
        self._code = opened.what = CodeUnderWay(attributes)

    def _open_table(self, opened: Open, _attributes: str) -> None:
        opened.what = table = TableUnderWay()
        self._enter(table.outside)

    def _break_table(self) -> None:
        table = self._stack[-1].what
        if isinstance(table, TableUnderWay):
            table.is_broken = True

    def _open_table_part(self, opened: Open, attributes: str) -> None:
        table = self._stack[-1].what
        if isinstance(table, TableUnderWay):
            opened.what = table
            container = table.open(opened.name, attributes)
            if len(table.rows) > MAX_FIELDS:
                raise DeclinedError(Decline.columns)
            self._container = container or self._container

    def _close_table_part(self, opened: Open) -> None:
        if isinstance(opened.what, TableUnderWay):
            opened.what.close(opened.name)
            self._container = opened.container

    def _close_table(self, opened: Open) -> None:
        table = opened.what
        assert isinstance(table, TableUnderWay)
        self._leave(opened)
        if table.is_too_wide:
            raise DeclinedError(Decline.columns)
        inside = self._container.divs > 0
        if table.is_none:
            self._container.spoils_table = True
        for block in table.blocks():
            block.in_div = block.in_div or inside
            self._container.blocks.append(block)


_OPENING: dict[str, Callable[[Page, Open, str], None]] = {
    **dict.fromkeys(["p", *HEADINGS], Page._open_text),
    **dict.fromkeys(["div", "figure"], Page._open_div),
    **dict.fromkeys(["ul", "ol"], Page._open_list),
    **dict.fromkeys(
        ["caption", "colgroup", "col", "thead", "tr", "td", "th"], Page._open_table_part
    ),
    "blockquote": Page._open_quote,
    "dl": Page._open_definitions,
    **dict.fromkeys(["dt", "dd"], Page._open_definition),
    "figcaption": Page._open_caption,
    "hr": Page._rule,
    "li": Page._open_item,
    "pre": Page._open_code,
    "table": Page._open_table,
}
_CLOSING: dict[str, Callable[[Page, Open], None]] = {
    **dict.fromkeys(["div", "figure"], Page._close_div),
    **dict.fromkeys(["ul", "ol"], Page._close_list),
    **dict.fromkeys(["caption", "colgroup", "thead", "tr", "td", "th"], Page._close_table_part),
    "blockquote": Page._close_quote,
    "dd": Page._close_definition,
    "dl": Page._close_definitions,
    "figcaption": Page._close_caption,
    "table": Page._close_table,
}
