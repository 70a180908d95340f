"""A page under way: tags and texts in, in their order, blocks out.

Every tag is met once, and what it opens stands on a stack of our own, so that depth costs
nothing. Which block ends which, and where a text without a tag of its own belongs, are the rules
of pandoc 2.9.2.1's HTML reader. It looks ahead: a list or a table that turns out to be none is
read once more, without its tag. So does this, from the tag on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pipeline.transforms.fast_markdown_code import CodeUnderWay
from pipeline.transforms.fast_markdown_decline import Decline, DeclinedError
from pipeline.transforms.fast_markdown_flow import (
    HEADINGS,
    Container,
    Flow,
    ListUnderWay,
    Open,
)
from pipeline.transforms.fast_markdown_inlines import image, unescape
from pipeline.transforms.fast_markdown_run import STYLES
from pipeline.transforms.fast_markdown_tables import TABLE_PARTS, TableUnderWay
from pipeline.transforms.fast_markdown_tree import (
    BREAK,
    Block,
    Definition,
    Image,
    Inline,
    add,
    as_inlines,
    with_paragraphs,
)
from pipeline.transforms.link_spans import LINK_GOES_ON, LINK_START, marked_link

_START = re.compile(r' start="\s*(-?\d{1,9})\s*"')
_BLANKS = re.compile("[ \n]+")
_LISTS = frozenset(["ul", "ol", "dl"])
_HELD = {
    "ul": frozenset(["li", "ul", "ol", "dl"]),
    "ol": frozenset(["li", "ul", "ol", "dl"]),
    "dl": frozenset(["dt", "dd"]),
}
"""Tags that a list looks at; between its items all else is passed over."""
_OWN_TEXT = frozenset([*TABLE_PARTS, "dt", "caption"])
"""What takes its text itself, or none."""
_MAY_FAIL = _LISTS | {"table"}
_ENDED_BY_START = {
    "li": {"li"},
    "td": {"td", "th"},
    "th": {"td", "th"},
    "tr": {"td", "th", "tr"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
}
"""What a start tag ends, where the tags around do not match."""
_ENDED_BY_END = {"ul": {"li"}, "ol": {"li"}, "dl": {"dd"}, "table": {"td", "th", "tr"}}
_ENDED_BY_CELL = frozenset(["li", "dd", "div", "blockquote", "td", "th", "tr"])


class Page(Flow):
    """Takes a page's tags and texts; `root` holds its blocks after `read`."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self._base = base
        self._code: CodeUnderWay | None = None
        self._parts: Sequence[str] = ()
        self._no_figure_before = 0
        self._link_mark = ""
        self._at = 0
        self._passed_over: set[int] = set()

    def read(self, parts: Sequence[str]) -> None:
        """Take a text, and then tag, attributes and text in turn, entities as in markup."""
        self._parts = parts
        if parts[0]:
            self._text(parts[0])
        self._at = 1
        self._read_on(parts)
        while self._code is not None or len(self._stack) > 1:
            self._close_at_end()
            self._read_on(parts)
        self.end()

    def _read_on(self, parts: Sequence[str]) -> None:
        """Read from the present place to the end; a failure sets it back."""
        at = self._at
        while at < len(parts):
            name = parts[at]
            if name[0] == "/":
                self._close(name[1:])
            else:
                self._open(name, parts[at + 1])
            if self._at == at:
                if text := parts[at + 2]:
                    self._text(text)
                if self._at == at:
                    self._at += 3
            at = self._at

    def _text(self, text: str) -> None:
        name = self._stack[-1].name
        if text == " " and name != "tr" and self._code is None and self._run.is_empty:
            return
        if self._code is None and (name in _LISTS or name in TABLE_PARTS):
            if name in TABLE_PARTS and text.strip(" \n"):
                self._fail("table")
            elif name == "tr":
                self._stack[-1].is_blank = True
            return
        text = unescape(text)
        if self._link_mark:
            text, self._link_mark = marked_link(text, self._link_mark), LINK_GOES_ON
        if self._code is not None:
            self._code.text(text)
            return
        if "\n" in text or "  " in text:
            text = _BLANKS.sub(" ", text)
        self._run.text(text)

    def _open(self, name: str, attributes: str) -> None:
        if name == "a" and attributes:
            self._link_mark = LINK_START
        if self._code is not None:
            if name == "br":
                self._code.line_break()
        elif name in STYLES or name in ("br", "img"):
            self._open_inline(name, attributes)
        else:
            self._open_block(name, attributes)

    def _open_inline(self, name: str, attributes: str) -> None:
        top = self._stack[-1].name
        if top in TABLE_PARTS:
            self._fail("table")
        elif name == "img":
            self._open_image(attributes)
        elif top in _LISTS:
            pass
        elif name == "br":
            self._run.line_break()
        else:
            self._run.open(name, attributes)

    def _open_image(self, attributes: str) -> None:
        if " src=" not in attributes:
            return
        if self._stack[-1].name not in _LISTS:
            self._run.image(image(attributes, self._base))

    def _close(self, name: str) -> None:
        if name == "a":
            self._link_mark = ""
        top = self._stack[-1]
        if self._code is not None:
            if name == "pre":
                self._add(self._code.block())
                self._code = None
        elif name in STYLES:
            self._run.close(name)
        elif name == self._context:
            self.end()
        elif top.name == name:
            self._close_block(top)
        elif top.name not in _LISTS:
            self._close_stray(name)

    def _close_block(self, opened: Open) -> None:
        if closing := _CLOSING.get(opened.name):
            closing(self, opened)

    def _close_stray(self, name: str) -> None:
        """An end tag that is not the innermost one's: of text, or of what is no list or table."""
        top = self._stack[-1]
        if top.name in TABLE_PARTS and name != "table":
            self._fail("table")
        elif top.name == "dt" and name != "dd":
            self._fail("dl")
        elif top.name in _ENDED_BY_END.get(name, ()) or (
            name in ("td", "th") and top.name in _ENDED_BY_CELL
        ):
            self._close_block(top)
            self._close(name)
        else:
            self.end()

    def _close_at_end(self) -> None:
        """At the end of the markup what is open ends too, but for lists and tables."""
        top = self._stack[-1]
        if self._code is not None:
            self._close("pre")
        elif top.name in _MAY_FAIL or top.name in TABLE_PARTS or top.name == "dt":
            self._fail("dl" if top.name == "dt" else "table" if top.name in TABLE_PARTS else "")
        else:
            self._close_block(top)

    def _fail(self, name: str = "") -> None:
        """Read what the innermost list or table of a name has held once more, without it."""
        stack = self._stack
        while name and stack[-1].name != name:
            self._forget(stack.pop())
        opened = stack.pop()
        self._forget(opened)
        self._run.take()
        self._context = ""
        del opened.container.blocks[opened.blocks :]
        opened.container.divs = opened.divs
        self._link_mark = opened.link_mark
        self._passed_over.add(opened.place)
        self._at = opened.place

    def _forget(self, opened: Open) -> None:
        is_nested = opened.name == "div" and self._container is not opened.container
        self._nesting -= is_nested or opened.name in _NESTED
        self._container = opened.container
        self._cells -= opened.name in ("td", "th")

    def _push(self, name: str, what: object = None) -> Open:
        opened = Open(name, self._at, self._container, what)
        opened.link_mark = self._link_mark
        self._stack.append(opened)
        return opened

    def _open_block(self, name: str, attributes: str) -> None:
        top = self._stack[-1].name
        if top in _LISTS:
            if name not in _HELD[top]:
                return
            if name in _LISTS:
                self._fail()
                return
        if top not in _OWN_TEXT:
            self.end(name)
        if self._at in self._passed_over:
            return
        if ended := _ENDED_BY_START.get(name):
            while top in ended:
                self._close_block(self._stack[-1])
                top = self._stack[-1].name
        if top == "dt":
            self._fail("dl")
        elif top == "caption" or (top in TABLE_PARTS and name not in TABLE_PARTS[top]):
            self._fail("table")
        elif opening := _OPENING.get(name):
            opening(self, name, attributes)

    def _open_text(self, name: str, _attributes: str) -> None:
        self._context = name

    def _mathematics(self, _name: str, _attributes: str) -> None:
        raise DeclinedError(Decline.mathematics)

    def _rule(self, _name: str, _attributes: str) -> None:
        self._add(Block("rule"))

    def _open_code(self, _name: str, attributes: str) -> None:
        self._code = CodeUnderWay(attributes)

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

    def _open_figure(self, _name: str, _attributes: str) -> None:
        """A figure with a picture is that, and what is said of it; else it is passed over."""
        if self._at < self._no_figure_before:
            return
        parts, at = self._parts, self._at + 3
        found: Image | None = None
        caption: tuple[int, int] | None = None
        while at < len(parts) and parts[at] != "/figure":
            if parts[at] == "img" and found is None and " src=" in parts[at + 1]:
                found = image(parts[at + 1], self._base)
            elif parts[at] == "figcaption":
                start = at
                while at < len(parts) - 3 and parts[at] != "/figcaption":
                    at += 3
                caption = caption or (start, at)
            at += 3
        if found is None or at >= len(parts):
            self._no_figure_before = at
            return
        alt = self._caption(*caption) if caption else []
        self._add(Block("para", [found._replace(alt=alt, is_figure=True)]))
        self._at = at

    def _caption(self, start: int, end: int) -> list[Inline]:
        page = Page(self._base)
        page.read(self._parts[start + 2 : end])
        return as_inlines(page.root.blocks)

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


_NESTED = frozenset(["ul", "ol", "dl", "table", "blockquote"])
_OPENING: dict[str, Callable[[Page, str, str], None]] = {
    **dict.fromkeys(["p", *HEADINGS], Page._open_text),
    **dict.fromkeys(_LISTS, Page._open_list),
    **dict.fromkeys(
        ["caption", "colgroup", "col", "thead", "tr", "td", "th"], Page._open_table_part
    ),
    **dict.fromkeys(["dt", "dd"], Page._open_definition),
    "blockquote": Page._open_quote,
    "div": Page._open_div,
    "figure": Page._open_figure,
    "hr": Page._rule,
    "li": Page._open_item,
    "math": Page._mathematics,
    "pre": Page._open_code,
    "table": Page._open_table,
}
_CLOSING: dict[str, Callable[[Page, Open], None]] = {
    **dict.fromkeys(_LISTS, Page._close_list),
    **dict.fromkeys(["caption", "colgroup", "thead", "tr", "td", "th"], Page._close_table_part),
    **dict.fromkeys(["li", "dd"], Page._close_item),
    "blockquote": Page._close_quote,
    "div": Page._close_div,
    "dt": Page._close_term,
    "table": Page._close_table,
}
