"""Where the text and the blocks of a page under way go."""

from __future__ import annotations

from pipeline.transforms.fast_markdown_decline import Decline, DeclinedError
from pipeline.transforms.fast_markdown_run import Run
from pipeline.transforms.fast_markdown_tree import Block, Definition

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
