"""What is left of blocks whose words or pictures were set aside."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from pipeline.markdown.fences import code_lines

_UNSEEN = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
"""Soft hyphen, joiners, marks of direction."""
_NO_TEXT = re.compile(rf"[\s{_UNSEEN}]*")
_NO_CELLS = re.compile(rf"[-:|\s{_UNSEEN}]*")


def without_emptied(text: str, places: Sequence[int]) -> tuple[str, list[int]]:
    r"""The text without its `emptied_spans`, and where places in it come to lie.

    A place in one of them moves to where it stood. Time is linear: a page can hold very many.

    >>> without_emptied("# Hej\n\u200d\nOrd.\n", [2, 7, 8])
    ('# Hej\nOrd.\n', [2, 6, 6])
    """
    spans = list(emptied_spans(text))
    starts = [start for start, _ in spans]
    gone = [0, *accumulate(end - start for start, end in spans)]

    def moved(place: int) -> int:
        before = bisect_right(starts, place)
        beyond = place - spans[before - 1][1] if before else 0
        return place - gone[before] - min(beyond, 0)

    ends = [0, *(end for _, end in spans)]
    left = "".join(text[end:start] for end, start in zip(ends, [*starts, len(text)], strict=True))
    return left, [moved(place) for place in places]


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
    code = code_lines(lines)
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
