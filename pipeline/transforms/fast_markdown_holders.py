"""What holds blocks, under way: boxes, quotations, lists, definitions and tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.transforms.fast_markdown_flow import Container, Flow, ListUnderWay, Open
from pipeline.transforms.fast_markdown_tables import TABLE_PARTS, TableUnderWay
from pipeline.transforms.fast_markdown_text import BREAK, add
from pipeline.transforms.fast_markdown_tree import Block, Definition, with_paragraphs

_START = re.compile(r' start="\s*(-?\d{1,9})\s*"')


class Holders(Flow):
    """Opens and closes what holds blocks."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: Sequence[str] = ()

    def _rule(self, _name: str, _attributes: str) -> None:
        self._add(Block("rule"))

    def _open_div(self, name: str, _attributes: str) -> None:
        self._push(name)
        if self._cells:
            self._enter(Container())
        else:
            self._container.divs += 1

    def _close_div(self, opened: Open) -> None:
        self.end()
        self._stack.pop()
        if self._container is not opened.container:
            self._add(Block("div", blocks=self._leave(opened)))
            return
        if len(opened.container.blocks) == opened.blocks:
            self._add(Block("nothing"))
        opened.container.divs -= 1

    def _open_quote(self, name: str, _attributes: str) -> None:
        self._push(name)
        self._enter(Container())

    def _close_quote(self, opened: Open) -> None:
        self.end()
        self._stack.pop()
        self._add(Block("quote", blocks=with_paragraphs(self._leave(opened))))

    def _open_list(self, name: str, attributes: str) -> None:
        number = None
        if name == "ol":
            start = _START.search(attributes)
            number = int(start[1]) if start else 1
        self._push(name, ListUnderWay(number))
        self._enter(self._container)

    def _close_list(self, opened: Open) -> None:
        found = opened.what
        assert isinstance(found, ListUnderWay)
        if opened.name == "dl":
            is_bare = opened.place + 3 == self._at and not self._parts[opened.place + 2]
            if not (found.terms[-1].meanings if found.terms else is_bare):
                self._fail()
                return
            block = Block("definitions", terms=found.terms)
        else:
            block = Block("list", items=found.items, number=found.number)
        self._stack.pop()
        self._leave(opened)
        self._add(block)

    def _open_item(self, name: str, _attributes: str) -> None:
        if self._stack[-1].name in ("ul", "ol"):
            self._push(name)
            self._container = Container()

    def _close_item(self, opened: Open) -> None:
        self.end()
        self._stack.pop()
        blocks = with_paragraphs(self._container.blocks, in_list=True)
        self._container = opened.container
        found = self._stack[-1].what
        assert isinstance(found, ListUnderWay)
        if opened.name == "dd":
            found.terms[-1].meanings.append(blocks)
        else:
            found.items.append(blocks)

    def _open_definition(self, name: str, _attributes: str) -> None:
        top = self._stack[-1]
        if top.name != "dl":
            return
        found = top.what
        assert isinstance(found, ListUnderWay)
        if name == "dd" and not found.terms:
            self._fail()
            return
        self._push(name)
        if name == "dd":
            self._container = Container()

    def _close_term(self, _opened: Open) -> None:
        self._stack.pop()
        term = self._run.take()
        found = self._stack[-1].what
        assert isinstance(found, ListUnderWay)
        if found.terms and not found.terms[-1].meanings:
            for piece in (BREAK, *term):
                add(found.terms[-1].terms, piece)
        else:
            found.terms.append(Definition(term, []))

    def _open_table(self, name: str, _attributes: str) -> None:
        self._push(name, TableUnderWay())
        self._enter(self._container)

    def _open_table_part(self, name: str, attributes: str) -> None:
        top = self._stack[-1]
        if top.name not in TABLE_PARTS:
            return
        table = top.what
        assert isinstance(table, TableUnderWay)
        if not table.open(name, attributes):
            self._fail("table")
            return
        if name != "col":
            self._push(name, table)
        if name in ("td", "th"):
            self._container = Container()
            self._cells += 1

    def _close_table_part(self, opened: Open) -> None:
        table = opened.what
        assert isinstance(table, TableUnderWay)
        if opened.name == "tr" and opened.is_blank and not table.has_cell:
            self._fail("table")
            return
        if opened.name == "caption":
            table.add_caption(self._run.take(is_whole=True))
        elif opened.name in ("td", "th"):
            self.end()
            table.add_cell(self._container.blocks)
            self._container = opened.container
            self._cells -= 1
        self._stack.pop()
        table.close(opened.name)

    def _close_table(self, opened: Open) -> None:
        table = opened.what
        assert isinstance(table, TableUnderWay)
        block = table.block()
        if block is None:
            self._fail()
            return
        self._stack.pop()
        self._leave(opened)
        self._add(block)
