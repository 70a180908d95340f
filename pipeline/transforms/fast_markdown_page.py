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
from pipeline.transforms.fast_markdown_flow import HEADINGS, Open
from pipeline.transforms.fast_markdown_holders import Holders
from pipeline.transforms.fast_markdown_inlines import image, unescape
from pipeline.transforms.fast_markdown_run import STYLES
from pipeline.transforms.fast_markdown_tables import TABLE_PARTS
from pipeline.transforms.fast_markdown_text import Image, Inline
from pipeline.transforms.fast_markdown_tree import Block, as_inlines
from pipeline.transforms.link_spans import LINK_GOES_ON, LINK_START, marked_link

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
