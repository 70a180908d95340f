"""Where the text and the blocks of a page under way go."""

from __future__ import annotations

from pipeline.transforms.fast_markdown_blocks import Block, Container, make_paragraphs
from pipeline.transforms.fast_markdown_decline import Decline, DeclinedError
from pipeline.transforms.fast_markdown_inlines import one_line, paragraph, trimmed
from pipeline.transforms.fast_markdown_run import Run

MAX_NESTING = 50
"""Lists, quotations and tables inside one another; each indents all lines within."""

MAX_INDENTED = 2_000_000
"""Blocks times the levels they stand in."""

HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])


class Open:
    """An open tag, and what its end has to know.

    `container` is where blocks went before it; `blocks` how many there were; `what` a style, a
    table, a cell or a block under way.
    """

    __slots__ = ("blocks", "captions", "container", "is_broken", "name", "what")

    def __init__(self, name: str, container: Container, what: object = None) -> None:
        self.name = name
        self.container = container
        self.blocks = len(container.blocks)
        self.what = what
        self.captions: list[Block] = []
        self.is_broken = False


class Flow:
    """The run of text under way, the container it will go to, and the tags that are open.

    Args:
        base: the address that images are relative to; "" if the page names none.
    """

    def __init__(self, base: str) -> None:
        self.root = self._container = Container()
        self._run = Run(base)
        self._stack = [Open("", self.root)]
        self._context = ""
        self._nesting = self._indented = 0

    def end(self) -> None:
        """End the text under way: a paragraph, a heading, a term, or text without a tag."""
        context, self._context = self._context, ""
        if self._run.is_empty:
            return
        if context == "p":
            self._mark_paragraph()
        whole = self._run.take()
        text = trimmed(whole)
        if not text:
            return
        if context in HEADINGS:
            self._add(
                Block("lines", content=[f"{'#' * int(context[1])} {one_line(text).rstrip()}"])
            )
        elif context == "dt":
            self._add(Block("term", paragraph(text)))
        else:
            self._add(Block("para" if context == "p" else "plain", paragraph(text)))

    def _add(self, block: Block) -> None:
        container = self._container
        block.in_div = container.divs > 0
        container.blocks.append(block)
        self._indented += self._nesting
        if self._indented > MAX_INDENTED:
            raise DeclinedError(Decline.nesting)

    def _mark_paragraph(self) -> None:
        if not self._container.divs:
            self._container.has_paragraph = True

    def _enter(self, container: Container) -> None:
        self._container = container
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise DeclinedError(Decline.nesting)

    def _leave(self, opened: Open) -> None:
        self._container = opened.container
        self._nesting -= 1

    def _open_text(self, opened: Open, _attributes: str) -> None:
        self._context = opened.name
        if opened.name in HEADINGS:
            self._mark_paragraph()

    def _open_div(self, opened: Open, _attributes: str) -> None:
        opened.container.divs += 1

    def _close_div(self, opened: Open) -> None:
        container = opened.container
        container.divs -= 1
        if opened.captions:
            container.blocks += opened.captions
        if len(container.blocks) > opened.blocks:
            container.blocks[-1].ends_div = True

    def _open_quote(self, _opened: Open, _attributes: str) -> None:
        self._mark_paragraph()
        quote = Block("quote", parts=[Container(is_quote=True)])
        self._add(quote)
        self._enter(quote.parts[0])

    def _close_quote(self, opened: Open) -> None:
        make_paragraphs(self._container)
        self._leave(opened)
