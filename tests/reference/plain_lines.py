"""What `plain_lines.plain_lines` says of each line, in Python alone: a definition for the tests."""

from __future__ import annotations

import html as html_entities
import re
from collections.abc import Sequence

_MARK = re.compile(r"(?:(  )?([-*+])|(\d{1,9}[.)]))(?: +|$)")
_CODE_INDENT = "    "
_FENCE = re.compile(r"(`{3,})(?=[^`]*$)|(~{3,})")
_TABLE_TAG = re.compile(r"<table[ >]|</table>")
_TABLE_ROW = re.compile(r"\|.*\|")
_IMAGE = re.compile(r"<(?:img|embed|video) src=\"([^\"]*)\"(?: alt=\"([^\"]*)\")?[^>]*>")
_START_MARKS = {"li": "- ", "dt": "- "} | {f"h{level}": "#" * level + " " for level in range(1, 7)}
_STYLE_TAGS = {"strong": "**", "em": "*", "del": "~~"}
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)((?: [^<>]*)?)>")

_TABLE_RULE = re.compile(r"\|(?: *:?-+:? *\|)+")
_RULE = re.compile(r"-{4,}")
_EMPTY_HEADING = re.compile(r"#{1,6}")
_END_OF_LIST = "<!-- end list -->"
_NEAR = 1_000
"""Characters behind a mark in which its partner is looked for."""
_BLANKS = re.compile(" {2,}")
_GAP = re.compile(r"(?<=\S) {2,}(?=\S)")

_BACKSLASH = re.compile(r"\\([!-/:-@\[-`{-~])")
# Each kind begins with a sign of its own, so that `re` passes over the letters between them.
_STAR_OR_CODE = re.compile(r"`(?<!\\`)(`*)(?!`).*?(?<!`)`\1(?!`)|\\.|\]\([^\s)]*|\*\**|~~")
_SCRIPT = re.compile(r"(?:\^|(?<=\w)\\_)\(([^()]*)\)")
_BLANK_EDGE = " \xa0"


def defined_lines(lines: Sequence[str]) -> list[str]:
    """Plain forms of a page's lines, one for each."""
    reader = _Reader()
    plain = [reader.line(line) for line in lines]
    for start, end in reader.code:
        if start and end + 1 < len(lines) and not (plain[start - 1] + plain[end]).strip("> "):
            fence = _fence_around(plain[start:end])
            plain[start - 1] += fence
            plain[end] += fence
    return plain


def _fence_around(code: Sequence[str]) -> str:
    """One longer than those that the code itself holds."""
    inner = (line.lstrip("> ") for line in code)
    runs = (len(line) - len(line.lstrip("`")) for line in inner)
    return "`" * max(3, max(runs, default=0) + 1)


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
            matches = _TABLE_TAG.findall(text)
            self._tables += sum(1 if tag[1] == "t" else -1 for tag in matches)
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
            actual = None if text[:1].isalpha() else _MARK.match(text)
            if not actual:
                return before, text
            lead, sign, number = actual.groups()
            width = len(lead or "") + 2 if sign else max(4, len(actual[0]))
            mark = f"{sign or number} "
            indent = 2 if sign else max(4, len(mark))
            self._holders.append((" " * width, " " * indent))
            before, text = before + mark, text[actual.end() :]


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


def _row(text: str) -> str:
    """A row of a table, or the rule below its head."""
    if _TABLE_RULE.fullmatch(text):
        return "|" + "---|" * (text.count("|") - 1)
    return _GAP.sub(" ", _prose(text))


def _prose(text: str) -> str:
    """A line of running text, a heading, a rule."""
    is_break = text.endswith("  ")
    text = text.strip(_BLANK_EDGE)
    if "\\" in text:
        text = _BACKSLASH.sub(_needed, text)
    if "(" in text and ("^(" in text or "_(" in text):
        text = _SCRIPT.sub(r"\1", text)
    if "*" in text or "~~" in text:
        text = _paired(text)
    if text == _END_OF_LIST or (text[:1] == "#" and _EMPTY_HEADING.fullmatch(text)):
        return ""
    if text[:1] == "-" and _RULE.fullmatch(text):
        return "---"
    return text + "  " if is_break and text else text


def _needed(escape: re.Match[str]) -> str:
    """A backslash and its sign, or the sign alone where that means nothing."""
    sign, text, end = escape[1], escape.string, escape.end()
    before, after = text[: escape.start()][-1:], text[end : end + 1]
    if sign in "&=" or (sign == "." and text[0] == "#"):
        return sign
    if sign == "!":
        return sign if text[end : end + 2] != "\\[" else escape[0]
    if sign == "~":
        is_half = text[end : end + 2] == "\\~" or text[: escape.start()][-2:] == "\\~"
        return escape[0] if is_half else sign
    if sign == "#":
        return escape[0] if not before.strip() else sign
    if sign == "_":
        return sign if before.isalnum() and after.isalnum() else escape[0]
    return escape[0]


def _paired(text: str) -> str:
    r"""A text without marks that mark nothing, and without halves of pairs.

    >>> _paired("**a** ** ** *b"), _paired("****c"), _paired("***d***")
    ('**a** b', 'c', '***d***')
    """
    pieces: list[str] = []
    opened: list[int] = []
    done = 0
    for actual in _STAR_OR_CODE.finditer(text):
        mark = actual[0]
        if mark[0] not in "*~":
            continue
        pieces += [text[done : actual.start()], mark]
        done = actual.end()
        at = len(pieces) - 1
        if len(mark) > 3:  # some that mark nothing, and perhaps one that begins after them
            begins = text[done : done + 1].strip() and text.count("**", done, done + _NEAR) % 2
            pieces[at] = "**" if begins else ""
            opened += [at] if begins else []
        elif opened and _is_one_of_three(pieces[opened[-1]], mark):
            start = opened.pop()
            pieces[start] = pieces[at] = min(pieces[start], mark)
        elif opened and pieces[opened[-1]] == mark:
            start = opened.pop()
            if not "".join(pieces[start + 1 : at]).strip(_BLANK_EDGE):
                pieces[start] = pieces[at] = ""
        else:
            opened.append(at)
    for at in opened:
        pieces[at] = ""
    plain = "".join([*pieces, text[done:]])
    return text if plain == text else _BLANKS.sub(" ", plain).strip(" ")


def _is_one_of_three(one: str, other: str) -> bool:
    """Whether one mark stands for two styles and the other for one of them."""
    return "***" in (one, other) and one != other and "~~" not in (one, other)
