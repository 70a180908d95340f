"""What is left of blocks whose words or pictures were set aside."""

import re
from collections.abc import Iterator

from pipeline.markdown.fences import fenced_blocks

_UNSEEN = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
"""Soft hyphen, joiners, marks of direction."""
_NO_TEXT = re.compile(rf"[\s{_UNSEEN}]*")
_NO_CELLS = re.compile(rf"[-:|\s{_UNSEEN}]*")


def emptied_spans(text: str) -> Iterator[tuple[int, int]]:
    r"""Where a text holds lines that say nothing, in order: first character, and the one after.

    They are tables without a word, lines of characters that nobody sees, and headings that repeat
    the heading before them, on whatever level. Code is not looked at.

    >>> text = "# Hej\n\n# Hej\n\n| |\n|---|\n| |\n\n\u200d\n\nOrd.\n"
    >>> [text[start:end] for start, end in emptied_spans(text)]
    ['# Hej\n', '| |\n|---|\n| |\n', '\u200d\n']
    """
    titles = [line.lstrip("#") for line in text.split("\n") if line[:1] == "#"]
    # Most texts have none of these, and to go through lines costs time.
    if (
        "|" in text
        or any(map(text.__contains__, _UNSEEN))
        or any(map(str.__eq__, titles, titles[1:]))
    ):
        yield from _spans(text)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    lines = text.split("\n")
    code = {number for start, end in fenced_blocks(lines) for number in range(start, end)}
    at, heading = 0, ""
    table = -1  # where the one that is being read began
    is_empty = False
    for number, line in enumerate(lines):
        if line.lstrip()[:1] == "|" and number not in code:
            if table < 0:
                table, is_empty = at, True
            is_empty = is_empty and bool(_NO_CELLS.fullmatch(line))
        else:
            if table >= 0 and is_empty:
                yield table, at
            elif table >= 0:
                heading = ""
            table = -1
            title = line.lstrip("#") if line[:1] == "#" and number not in code else ""
            if (line and line.strip() and _NO_TEXT.fullmatch(line)) or (title and title == heading):
                yield at, min(at + len(line) + 1, len(text))
            elif line and not line.isspace():
                heading = title
        at += len(line) + 1
    if table >= 0 and is_empty:
        yield table, len(text)
