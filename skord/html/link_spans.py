r"""Which characters of a page's Markdown were the text of links.

Links are reduced to their text, and where they stood is kept aside. Until the Markdown is
whole, noncharacters (Unicode 15, section 23.7), which no text should hold, stand around the
text of each link; `clean_html` takes them out of pages that hold them all the same.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TypedDict

LINK_START = "\ufdd0"
LINK_GOES_ON = "\ufdd1"
"""Instead of LINK_START behind a tag within one link: one range with what is before the tag."""
LINK_END = "\ufdd2"

LOOK_AHEAD = 200
"""Words that one text may have and the other not, before both are in step again."""

_FEW = 8
_IN_STEP = 3
"""Words in a row that are equal where two texts are in step."""

_WORD = re.compile(r"[^\W_]+|[^\w\s\\*|#>~`\[\]()!-]")
"""Also signs that are no mark of Markdown."""
_IMAGE_START = re.compile(r"!\[(?:[^\[\]\\]|\\.)*\]\(")
_TARGET_END = re.compile(r"[\s)]")


class LinkSpan(TypedDict):
    """Half-open range of characters (code points) of a text."""

    start: int
    end: int


def without_marks(text: str) -> str:
    """The text alone."""
    for mark in (LINK_START, LINK_GOES_ON, LINK_END):
        text = text.replace(mark, "")
    return text


def carried_over(spans: Sequence[LinkSpan], text: str, other: str) -> list[LinkSpan]:
    r"""The same ranges in another Markdown of the same page.

    Both are read word by word; where they differ, each may have up to LOOK_AHEAD words more
    than the other. A range of which no word is found is left out.

    >>> carried_over([{"start": 3, "end": 12}], "Se hit [dit]!", "* Se  hit \\[dit\\]!")
    [{'start': 6, 'end': 17}]
    """
    if text == other:
        return list(spans)
    ours, theirs = (list(_WORD.finditer(_without_images(markdown))) for markdown in (text, other))
    partners = _partners([word[0] for word in ours], [word[0] for word in theirs])
    starts, ends = ([edge(word) for word in ours] for edge in (re.Match.start, re.Match.end))
    carried: list[LinkSpan] = []
    for span in spans:
        inside = range(bisect_right(ends, span["start"]), bisect_left(starts, span["end"]))
        kept = [(ours[at], theirs[there]) for at in inside if (there := partners[at]) is not None]
        if kept:
            carried.append(_range_there(text, other, span, kept))
    return carried


def _without_images(markdown: str) -> str:
    """Blanks in the place of images, whose words are nobody's link text; in one pass.

    Where a target has no end before the next blank, no target that begins up to there has one.

    >>> _without_images("a ![b c](d.png) ![e](f g)")
    'a               ![e](f g)'
    """
    pieces, written, at, endless = [], 0, 0, 0
    while found := _IMAGE_START.search(markdown, at):
        at = found.end() - 1
        if found.end() < endless:
            continue
        end = _TARGET_END.search(markdown, found.end())
        if end and end[0] == ")":
            at = end.end()
            pieces += [markdown[written : found.start()], " " * (at - found.start())]
            written = at
        else:
            endless = end.start() if end else len(markdown) + 1
    return "".join([*pieces, markdown[written:]])


def _range_there(
    text: str, other: str, span: LinkSpan, words: Sequence[tuple[re.Match[str], re.Match[str]]]
) -> LinkSpan:
    """A range in the other text, from the words in it and their equals there.

    It may begin or end within a word; signs at its ends belong to it as far as they are the
    same there.
    """
    (first, first_there), (last, last_there) = words[0], words[-1]
    start = first_there.start() + max(0, span["start"] - first.start())
    end = last_there.end() - max(0, last.end() - span["end"])
    for sign in reversed(text[span["start"] : first.start()].lstrip()):
        if other[start - 1 : start] != sign:
            break
        start -= 1
    for sign in text[last.end() : span["end"]].rstrip():
        at = end + (other[end : end + 1] == "\\" != sign)
        if other[at : at + 1] != sign:
            break
        end = at + 1
    return {"start": start, "end": end}


def _partners(words: Sequence[str], others: Sequence[str]) -> list[int | None]:
    """For each word the place of its equal in the other text, in rising order, or None."""
    partners: list[int | None] = [None] * len(words)
    at = other = 0
    while at < len(words) and other < len(others):
        if words[at] == others[other]:
            partners[at] = other
            skipped, others_skipped = 1, 1
        else:
            skipped, others_skipped = _to_step(words, others, at, other)
        at += skipped
        other += others_skipped
    return partners


def _to_step(words: Sequence[str], others: Sequence[str], at: int, other: int) -> tuple[int, int]:
    """How many words to pass over in each text until they are in step; few, if that will do."""
    for most in (_FEW, LOOK_AHEAD):
        ahead: dict[tuple[str, ...], int] = {}
        for step in range(min(most, len(others) - other)):
            ahead.setdefault(tuple(others[other + step : other + step + _IN_STEP]), step)
        steps = (
            (own, ahead[key])
            for own in range(min(most, len(words) - at))
            if (key := tuple(words[at + own : at + own + _IN_STEP])) in ahead
        )
        if nearest := min(steps, key=sum, default=None):
            return nearest
    return LOOK_AHEAD, LOOK_AHEAD
