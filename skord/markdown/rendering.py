"""A text in Markdown as plain text, and as HTML, by markdown-it (CommonMark and GitHub's tables)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

_FORMULA = re.compile(r"\$\$(?:[^$\\]|\\.)+\$\$|\$(?![\s$])(?:[^$\\]|\\.)*?(?<!\s)\$(?!\d)")
_FORMULA_TOKEN = "formula"
_INDENT = "  "
CELL_SEPARATOR = "\t"


def plain_text(markdown: str) -> str:
    r"""The text without markup.

    Headings are lines, list items begin with "- " or their number, table cells stand apart by tabs,
    code is without fences, links are their text, formulas stay. Blank lines stay where they are.

    Args:
        markdown: such as the column `text` of ProcessMarkdown.

    >>> plain_text("# Vår\n\n- *ett*\n  1. `två`\n\n| a | b |\n|---|---|\n| c | d |")
    'Vår\n\n- ett\n  1. två\n\na\tb\nc\td'
    >>> plain_text("17. mai og [her](http://a.no): $a_i*b_i*$\n\n```\nx\n```")
    '17. mai og her: $a_i*b_i*$\n\nx'
    """
    return _PlainWriter(markdown).text()


def simple_html(markdown: str) -> str:
    r"""The text as HTML: headings, paragraphs, lists, tables, emphasis, code; no other elements.

    Args:
        markdown: with every escape that a Markdown source needs.

    >>> simple_html("# Vår\n\n17\\. mai <b>")
    '<h1>Vår</h1>\n<p>17. mai &lt;b&gt;</p>\n'
    """
    return str(_parser().render(markdown))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True})
    parser.enable(["table", "strikethrough"])
    # What no text of ours holds, and indented items, whose parent was not kept, are no code.
    parser.disable(["code", "lheading", "reference", "html_block", "html_inline", "entity"])
    parser.inline.ruler.before("escape", _FORMULA_TOKEN, _read_formula)
    return parser


def _read_formula(state: StateInline, silent: bool) -> bool:
    found = _FORMULA.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("text", "", 0).content = found[0]
    state.pos = found.end()
    return True


class _PlainWriter:
    """Writes the tokens of a text one after another."""

    def __init__(self, markdown: str) -> None:
        self._source = markdown.split("\n")
        self._tokens = _parser().parse(markdown)
        self._lines: list[str] = []
        self._marks: list[str] = []  # of the items that are open, "" once written
        self._end = 0  # line of the source behind the last block

    def text(self) -> str:
        row: list[str] = []
        is_cell = False
        for token in self._tokens:
            if token.type == "list_item_open":
                self._marks.append(f"{token.info}{token.markup} ")
            elif token.type == "list_item_close":
                self._marks.pop()
            elif token.type == "tr_open":
                row = []
                self._leave_blank(token)
            elif token.type == "tr_close":
                self._write([CELL_SEPARATOR.join(row)])
            elif token.type == "inline" and is_cell:
                row.append(_inline_text(token.children or ()))
            elif token.type == "inline":
                self._leave_blank(token)
                self._write(_inline_text(token.children or ()).split("\n"))
            elif token.type == "fence":
                self._leave_blank(token)
                self._write(token.content.removesuffix("\n").split("\n"))
            is_cell = token.type in ("th_open", "td_open")
        return "\n".join(self._lines).strip("\n")

    def _leave_blank(self, token: Token) -> None:
        """One blank line where the source has one before this block."""
        start, end = token.map or (self._end, self._end)
        blank = any(not line.strip(" >") for line in self._source[self._end : start])
        if blank and self._lines:
            self._lines.append("")
        self._end = max(end, self._end)

    def _write(self, lines: Sequence[str]) -> None:
        for line in lines:
            done = next((at for at, mark in enumerate(self._marks) if mark), len(self._marks))
            marks = "".join(self._marks[done:])
            self._marks[done:] = [""] * (len(self._marks) - done)
            self._lines.append(f"{_INDENT * done}{marks}{line}".rstrip())


def _inline_text(tokens: Sequence[Token]) -> str:
    breaks = ("softbreak", "hardbreak")
    return "".join("\n" if one.type in breaks else one.content for one in tokens)
