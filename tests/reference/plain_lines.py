"""What `plain_lines.plain_lines` says of each line, in Python alone: a definition for the tests."""

from __future__ import annotations

import html as html_entities
import re
from collections.abc import Sequence

from pipeline.markdown.plain_lines import _BLANK_EDGE, _prose, _row

_MARK = re.compile(r"(?:(  )?([-*+])|(\d{1,9}[.)]))(?: +|$)")
_CODE_INDENT = "    "
_FENCE = re.compile(r"(`{3,})(?=[^`]*$)|(~{3,})")
_TABLE_TAG = re.compile(r"<table[ >]|</table>")
_TABLE_ROW = re.compile(r"\|.*\|")
_IMAGE = re.compile(r"<(?:img|embed|video) src=\"([^\"]*)\"(?: alt=\"([^\"]*)\")?[^>]*>")
_START_MARKS = {"li": "- ", "dt": "- "} | {f"h{level}": "#" * level + " " for level in range(1, 7)}
_STYLE_TAGS = {"strong": "**", "em": "*", "del": "~~"}
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)((?: [^<>]*)?)>")


def defined_lines(lines: Sequence[str]) -> list[str]:
    """Plain forms of a page's lines, one for each."""
    reader = _Reader()
    plain = [reader.line(line) for line in lines]
    for start, end in reader.code:
        if start and end + 1 < len(lines) and not (plain[start - 1] + plain[end]).strip("> "):
            plain[start - 1] += "```"
            plain[end] += "```"
    return plain


class _Reader:
    """Takes the lines of a page; what holds a line is known from those before it.

    `_holders` are the quotations ("> ") and items around the present line: what stands before
    its text in the published dialect, and in the plain one.
    """

    def __init__(self) -> None:
        self._holders: list[tuple[str, str]] = []
        self._fence = ""
        self._tables = 0
        self._is_code = False
        self._waiting = ""
        self._number = -1
        self.code: list[tuple[int, int]] = []
        """Blocks of code without fences: first line, line after the last."""

    def line(self, line: str) -> str:
        """The plain form of the next line."""
        self._number += 1
        if not line:
            return line
        before, text = self._within(line)
        if self._fence:
            if text.strip().startswith(self._fence) and not text.strip().strip(self._fence[0]):
                self._fence = ""
            return (before + text).rstrip()
        if not text.strip(" "):
            return before.rstrip()
        if not self._tables and text.startswith(_CODE_INDENT):
            self._add_code()
            return before + text[4:].rstrip()
        self._is_code = False
        before = self._with_mark(before)
        if not self._tables:
            marks, text = self._marks(text)
            before += marks
            if not text.strip(" ") and marks[-1:] == " " and marks != "> ":
                self._waiting = marks.split("> ")[-1]
                return ""
        return self._plain(before, text)

    def _with_mark(self, before: str) -> str:
        """What stands before a line, with the mark of an item that has begun without text."""
        mark, self._waiting = self._waiting, ""
        if not mark:
            return before
        indent = before[len(before.rstrip(" ")) :]
        width = min(len(indent), max(len(mark), 4) if mark[0].isdigit() else len(mark))
        return before[: len(before) - width] + mark if width else before

    def _add_code(self) -> None:
        if self._is_code:
            self.code[-1] = (self.code[-1][0], self._number + 1)
        else:
            self.code.append((self._number, self._number + 1))
        self._is_code = True

    def _plain(self, before: str, text: str) -> str:
        if self._tables or text.startswith("<table"):
            found = _TABLE_TAG.findall(text)
            self._tables += sum(1 if tag[1] == "t" else -1 for tag in found)
            plain = _without_tags(text)
        elif text[:1] in "`~" and (fence := _FENCE.match(text)):
            self._fence = fence[1] or fence[2]
            plain = text.rstrip()
        elif text[:1] == "|" and _TABLE_ROW.fullmatch(text):
            plain = _row(text)
        else:
            plain = _prose(text)
        return before + plain if plain else before.rstrip(" ") if before.strip() == ">" else ""

    def _within(self, line: str) -> tuple[str, str]:
        """What stands before a line's text in the plain dialect, and the text."""
        at, before = 0, ""
        for depth, (published, plain) in enumerate(self._holders):
            if line.startswith(published, at):
                at += len(published)
            elif published == "> " and line[at:] == ">":
                at += 1
            elif line[at:].strip(" "):
                if not self._fence and not self._tables:
                    del self._holders[depth:]
                break
            else:
                return before.rstrip(), ""
            before += plain
        return before, line[at:]

    def _marks(self, text: str) -> tuple[str, str]:
        """Marks of items and quotations that begin here, in the plain dialect, and the rest."""
        before = ""
        while True:
            if text.startswith("> ") or text == ">":
                before, text = before + "> ", text[2:]
                self._holders.append(("> ", "> "))
                continue
            found = None if text[:1].isalpha() else _MARK.match(text)
            if not found:
                return before, text
            lead, sign, number = found.groups()
            width = len(lead or "") + 2 if sign else max(4, len(found[0]))
            mark = f"{sign or number} "
            indent = 2 if sign else max(4, len(mark))
            self._holders.append((" " * width, " " * indent))
            before, text = before + mark, text[found.end() :]


def _without_tags(text: str) -> str:
    """A line of a table in HTML."""
    if "<" in text:
        text = _IMAGE.sub(lambda image: f"![{image[2] or ''}]({image[1]})", text)
        text = _TAG.sub(_tag, text)
    return html_entities.unescape(text).strip(_BLANK_EDGE) if text else text


def _tag(tag: re.Match[str]) -> str:
    closing, name, _ = tag.groups()
    if name in _STYLE_TAGS:
        return _STYLE_TAGS[name]
    return "" if closing else _START_MARKS.get(name, "")
