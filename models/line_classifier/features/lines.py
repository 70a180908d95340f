r"""Features of a page's lines, computed by compiled code for all lines of a page at once.

Only lines with a visible character have features; the others are ruled on afterwards from
their neighbours (`embedded`). "\n" alone ends a line: U+2028, U+0085, \f and \r are spaces.

A line's features, in their order; logarithms are of 1 more than the number, but for the last,
a block is what stands between blank lines, and a long line has 20 words:

| features | what they are |
|---|---|
| 4 | logarithms of length, words; that of letters beside the page's greatest; share of the page |
| GROUPS - 1 | share of each group of characters (`characters`) but the first |
| 3 | logarithms of signs that end and that part a sentence; share of capitals among letters |
| 10 + 2 | which of #-*+>|![`\ is the first character; whether an item; level of a heading |
| 1 | indentation in fours, at most 4 |
| 5 + 5 + 6 | group of the first character, of the last, the last again if it is listed |
| 1 | whether from "!" to "]" |
| 4 | place in the page: share, logarithms from both ends, share of characters |
| 4 | whether after, before a blank line; logarithms of the block's lines, and of those before |
| 4 | logarithms of the page's lines and words; share of these in long lines; share of its most |
| 2 | logarithms of lines on and back to a long one; of all lines where there is none |
| 3 | of the section: logarithm of lines from the heading, its level, logarithm of its words |
| 4 | its share of words; whether a title came, whether there is one; logarithm of headings before |
| 2 + 2 | share of words with a capital, and in small; whether without words, whether all capital |
| 2 | logarithm of how often the words, as a set, are a line here; whether more than once |
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from skord.markdown.plain_lines import utf8_of
from skord.models.line_classifier.array_types import Floats, Ints
from skord.models.line_classifier.features import characters as ch
from skord.native import PageReader, page_reader, read_page

WORD_BUCKETS = 1 << 14
MAX_LINE_WORDS = 48  # words of a line that are looked up; the rest only count
DENSE = 4 + (ch.GROUPS - 1) + 3 + (12 + 1 + 16 + 1) + 14 + 7 + 4 + 2


class PageFeatures(NamedTuple):
    """Features of one page.

    Attributes:
        line_count: how many "\n" the page has.
        lines: numbers of the lines with a visible character, ascending; shape [n].
        dense: one row for each of those lines; shape [n, DENSE].
        buckets: hashed words of all lines, one after the other; values below WORD_BUCKETS. A word
            is a run of letters and digits, of which the first 64 are hashed, or one letter of a
            script that is written without spaces.
        word_starts: where each line's words start in `buckets`, and the end; shape [n + 1].
        words: how many each of these lines has; shape [n].
    """

    line_count: int
    lines: Ints
    dense: Floats
    buckets: Ints
    word_starts: Ints
    words: Ints


def page_features(markdown: str) -> PageFeatures:
    r"""Features of every line of a page that has a visible character.

    A remainder after the last line break is not looked at: it is no line.

    >>> features = page_features("Ett ord\n\n- två\nrest")
    >>> features.lines.tolist(), features.dense.shape == (2, DENSE), features.words.tolist()
    ([0, 2], True, [2, 1])
    """
    return plain_features(utf8_of(markdown))


def plain_features(plain: bytes) -> PageFeatures:
    """The same of a page as `plain_page` gives it."""
    lines, dense, buckets, starts, words = read_page(_reader(), plain)
    return PageFeatures(
        plain.count(b"\n"),
        np.frombuffer(lines, np.int64),
        np.frombuffer(dense, np.float32).reshape(-1, DENSE),
        np.frombuffer(buckets, np.int64),
        np.frombuffer(starts, np.int64),
        np.frombuffer(words, np.int64),
    )


@cache
def _reader() -> PageReader:
    """Groups and lower case of all characters."""
    return page_reader(ch.group_table(), ch.lower_table(), ch.GROUPS, WORD_BUCKETS, MAX_LINE_WORDS)
