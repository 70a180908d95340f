r"""A page's Markdown line by line as plain as it can be said.

The published dialect is what annotations and models speak of; a reader of text, and a classifier
that was taught plainer lines, want less of it: no tags, no padding, no needless backslashes. So
each line has a plain form, and there are as many of these as lines: what is decided of the one
holds for the other.
"""

from __future__ import annotations

import html as html_entities
import re
from collections.abc import Sequence

from pipeline.native import plain_page

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


def plain_markdown(markdown: str) -> str:
    r"""The same Markdown in plain lines, as many as it has.

    >>> plain_markdown("  - a\\!\n    \n      - b\n\n<!-- end list -->\n\n1.  **c  \n**\n")
    '- a!\n\n  - b\n\n\n\n1. c  \n\n'
    >>> plain_markdown('<table>\n<tr class="odd">\n<td><p>a &amp; <em>b</em></p></td>\n</tr>\n')
    '\n\na & *b*\n\n'
    >>> plain_markdown("| a   | b |\n| --- | - |\n")
    '| a | b |\n|---|---|\n'
    """
    return "\n".join(_plain(markdown))


def plain_lines(lines: Sequence[str]) -> list[str]:
    """Plain forms of a page's lines, one for each."""
    return _plain("\n".join(lines)) if lines else []


def _plain(markdown: str) -> list[str]:
    """Compiled code tells what holds each line, and finishes those without marks in the text."""
    plain, unfinished, code = plain_page(markdown.encode("utf-8", "surrogatepass"))
    for number, before, text, rest in unfinished:
        line = _REST[rest](text)
        plain[number] = before + line if line else _alone(before)
    for start, end in code:
        if start and end + 1 < len(plain) and not (plain[start - 1] + plain[end]).strip("> "):
            plain[start - 1] += "```"
            plain[end] += "```"
    return plain


def _alone(before: str) -> str:
    """What is left of a line without text: the mark of a quotation."""
    return before.rstrip(" ") if before.strip() == ">" else ""


def _without_entities(text: str) -> str:
    """A line of a table in HTML, whose tags are gone."""
    return html_entities.unescape(text).strip(_BLANK_EDGE)


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
    for found in _STAR_OR_CODE.finditer(text):
        mark = found[0]
        if mark[0] not in "*~":
            continue
        pieces += [text[done : found.start()], mark]
        done = found.end()
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


_REST = (_prose, _row, _without_entities)
"""What is left to do of a line that compiled code does not finish, as it numbers it."""
