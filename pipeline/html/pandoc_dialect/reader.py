"""A block of code under way."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pipeline.html.link_spans import LINK_GOES_ON, LINK_START, marked_link
from pipeline.html.pandoc_dialect.inlines import image, unescape
from pipeline.html.pandoc_dialect.tables import TABLE_PARTS, TableUnderWay
from pipeline.html.pandoc_dialect.tree import (
    BREAK,
    Block,
    Code,
    Decline,
    DeclinedError,
    Definition,
    Image,
    Inline,
    Styled,
    add,
    add_link,
    as_inlines,
    trimmed,
    with_paragraphs,
)

_CLASS = re.compile(r' class="([^"]*)"')


class CodeUnderWay:
    """Takes the texts and tags inside `<pre>`; only breaks show of the tags.

    Args:
        attributes: of `<pre>`, as written; its class names a language.
    """

    def __init__(self, attributes: str) -> None:
        language = _CLASS.search(attributes)
        self._language = unescape(language[1]) if language else ""
        self._texts: list[str] = []

    def text(self, text: str) -> None:
        """Take a text."""
        self._texts.append(text)

    def line_break(self) -> None:
        """Take a `<br>`."""
        self._texts.append("\n")

    def block(self) -> Block:
        """The code, without a line break of its own at either end."""
        text = "".join(self._texts).removeprefix("\n").removesuffix("\n")
        return Block("code", text=text, name=self._language)


MAX_NESTING = 50
"""Lists, quotations and tables inside one another; each indents all lines within."""

MAX_INDENTED = 2_000_000
"""Blocks times the levels they stand in."""

HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_ENDS_HEADING = HEADINGS | {"dl", "ol", "ul", "table", "div", "p"}
"""Before any other block a heading is none, but plain text."""
_ENDS_PARAGRAPH = _ENDS_HEADING | {"blockquote", "hr", "pre"}


_NESTED = frozenset(["ul", "ol", "dl", "table", "blockquote"])


class Container:
    """What holds blocks: the page, an item, a quotation, a cell. `divs` are open in it now."""

    __slots__ = ("blocks", "divs")

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.divs = 0


class ListUnderWay:
    """The items of a list, or the terms of definitions, so far."""

    __slots__ = ("items", "number", "terms")

    def __init__(self, number: int | None) -> None:
        self.items: list[list[Block]] = []
        self.terms: list[Definition] = []
        self.number = number


class Open:
    """An open tag, and what its end, or its failure, has to know.

    `container` is where blocks went before it, `blocks` and `divs` how many there were; `place`
    is that of its tag in the markup; `what` a list or a table under way; `is_blank` whether a
    blank stands in it.
    """

    __slots__ = ("blocks", "container", "divs", "is_blank", "link_mark", "name", "place", "what")

    def __init__(self, name: str, place: int, container: Container, what: object = None) -> None:
        self.name = name
        self.place = place
        self.container = container
        self.blocks = len(container.blocks)
        self.divs = container.divs
        self.what = what
        self.is_blank = False
        self.link_mark = ""


class Flow:
    """The run of text under way, the container it will go to, and the tags that are open."""

    def __init__(self) -> None:
        self.root = self._container = Container()
        self._run = Run()
        self._stack = [Open("", -1, self.root)]
        self._context = ""
        self._cells = self._nesting = self._indented = self._at = 0
        self._link_mark = ""
        self._passed_over: set[int] = set()

    def end(self, before: str = "") -> None:
        """End the text under way: a paragraph, a heading, or text without a tag.

        Args:
            before: the block's tag that comes next; "" for an end tag.
        """
        if not self._context and self._run.is_empty:
            return
        context, self._context = self._context, ""
        inlines = self._run.take()
        if context in HEADINGS and (not before or before in _ENDS_HEADING):
            self._add(Block("heading", inlines, number=int(context[1])))
        elif inlines:
            is_whole = context == "p" and (not before or before in _ENDS_PARAGRAPH)
            self._add(Block("para" if is_whole else "plain", inlines))

    def _add(self, block: Block) -> None:
        container = self._container
        block.in_div = container.divs > 0
        container.blocks.append(block)
        self._indented += self._nesting
        if self._indented > MAX_INDENTED:
            raise DeclinedError(Decline.nesting)

    def _enter(self, container: Container) -> None:
        self._container = container
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise DeclinedError(Decline.nesting)

    def _leave(self, opened: Open) -> list[Block]:
        """Go back to where blocks went before a tag; return those that went into it."""
        blocks = self._container.blocks
        self._container = opened.container
        self._nesting -= 1
        return blocks

    def _push(self, name: str, what: object = None) -> Open:
        opened = Open(name, self._at, self._container, what)
        opened.link_mark = self._link_mark
        self._stack.append(opened)
        return opened

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


class Page(Holders):
    """Takes a page's tags and texts; `root` holds its blocks after `read`."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self._base = base
        self._code: CodeUnderWay | None = None
        self._no_figure_before = 0

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

    def _open_code(self, _name: str, attributes: str) -> None:
        self._code = CodeUnderWay(attributes)

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


MAX_STYLES = 100
"""Open at once: each is written inside the one around it."""

_STYLES = {"b": "b", "strong": "b", "i": "i", "em": "i", "s": "s", "strike": "s", "del": "s"}
_CODE = frozenset(["code", "tt", "samp"])
_SPANS = frozenset(["kbd", "dfn"])
"""They keep the blanks at their ends."""

STYLES = frozenset([*_STYLES, *_CODE, "sup", "sub", "a", "q", "kbd", "dfn"])
"""The tags that a run holds, besides `<br>` and `<img>`."""


class _Open(NamedTuple):
    """An open style or link, and the pieces of text before it."""

    tag: str
    style: str
    outer: list[Inline]


class Run:
    """Takes texts and tags one by one; `take` ends it."""

    def __init__(self) -> None:
        self._pieces: list[Inline] = []
        self._open: list[_Open] = []
        self._code: list[str] | None = None
        self._quotes = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing has begun, so that a blank would be at its start."""
        return not self._pieces and not self._open

    def text(self, text: str) -> None:
        """Take a text; blanks are folded already."""
        if self._code is not None:
            self._code.append(text)
        elif self._pieces:
            add(self._pieces, text)
        else:
            self._pieces.append(text)

    def line_break(self) -> None:
        """Take a `<br>`."""
        if self._code is None:
            add(self._pieces, BREAK)

    def image(self, image: Image) -> None:
        """Take an image; in code it is nothing."""
        if self._code is None:
            self._pieces.append(image)

    def open(self, name: str, attributes: str) -> None:
        """Begin a style or a link; within code there are none."""
        if self._code is not None:
            return
        if len(self._open) >= MAX_STYLES:
            raise DeclinedError(Decline.nesting)
        style = _STYLES.get(name, name)
        if name == "a":
            style = "a" if attributes else "span"
        elif name == "q":
            style = "qq" if self._quotes % 2 else "q"
            self._quotes += 1
        elif name in _CODE:
            self._code = []
        self._open.append(_Open(name, style, self._pieces))
        self._pieces = []

    def close(self, name: str) -> None:
        """End a style, unless a block in it has ended it already."""
        if self._open and self._open[-1].tag == name:
            self._close()

    def take(self, *, is_whole: bool = False) -> list[Inline]:
        """End the run, styles and all, and return its text, with the blanks around if `whole`."""
        if not self._pieces and not self._open:
            return []
        while self._open:
            self._close()
        pieces, self._pieces = self._pieces, []
        return trimmed(pieces) if pieces and not is_whole else pieces

    def _close(self) -> None:
        tag, style, outer = self._open.pop()
        content, self._pieces = self._pieces, outer
        if self._code is not None:
            add(outer, Code(" ".join("".join(self._code).split("\n"))))
            self._code = None
            return
        self._quotes -= tag == "q"
        if style in _SPANS:
            add(outer, Styled(style, content))
            return
        before, after = _edges(content)
        if before:
            add(outer, " ")
        if style == "a":
            add_link(outer, trimmed(content))
        else:
            add(outer, Styled(style, trimmed(content)))
        if after:
            add(outer, " ")


def _edges(content: list[Inline]) -> tuple[bool, bool]:
    """Whether a text begins, and ends, with a blank; it stands outside of the style."""
    if not content:
        return False, False
    first, last = content[0], content[-1]
    return (
        isinstance(first, str) and first[:1] == " ",
        isinstance(last, str) and last[-1:] == " ",
    )
