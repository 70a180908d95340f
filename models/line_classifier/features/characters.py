"""What each character counts as, for the features of a line.

One table over all code points turns a page into group numbers at once, so that a page's
features are array operations and not a loop over its lines.
"""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

# Groups of a character; the first ones by Unicode category, the others by listing.
OTHER, LOWER, UPPER, LETTER, ALONE, DIGIT, SPACE, PUNCTUATION, SYMBOL = range(9)
LISTED = (
    ".!?…。！？",
    ",;、，；",
    ":：",
    "-–—",
    "\"'”“„’‘»«",
    "()",
    "[]{}",
    "|",
    "*_",
    "#",
    ">›→",
    "/",
    "\\",
    "@",
    "·•●",
    "©®™",
    "%€$£",
    "&+=",
    "`~",
)
GROUPS = SYMBOL + 1 + len(LISTED)
ENDING = SYMBOL + 1  # the group of characters that end a sentence

# Thai to Lao, Burmese, Khmer, kana, CJK ideographs: written without spaces, so that each
# letter counts as a word.
STANDING_ALONE = (
    range(0x0E00, 0x0F00),
    range(0x1000, 0x10A0),
    range(0x1780, 0x1800),
    range(0x3040, 0x3100),
    range(0x3400, 0xA000),
    range(0xF900, 0xFB00),
)

# Code points at and above this are rare ideographs and private use: letters.
TABLE_SIZE = 0x20000
_BLOCK = 0x100
_BY_CATEGORY = {"Ll": LOWER, "Lu": UPPER, "Lt": UPPER, "Nd": DIGIT, "Cc": SPACE, "Cf": SPACE}
_BY_MAJOR = {
    "L": LETTER, "M": LETTER, "N": DIGIT, "Z": SPACE, "P": PUNCTUATION, "S": SYMBOL,
}  # fmt: skip


@cache
def group_table() -> NDArray[np.uint8]:
    r"""Group of each code point below TABLE_SIZE; the last entry stands for all above.

    >>> [int(group_table()[ord(c)]) for c in "aÅא日7\u2028!"] == [
    ...     LOWER, UPPER, LETTER, ALONE, DIGIT, SPACE, ENDING]
    True
    """
    groups = list(map(_Groups().__getitem__, map(unicodedata.category, _every_character())))
    for number, characters in enumerate(LISTED, start=ENDING):
        for character in characters:
            groups[ord(character)] = number
    for span in STANDING_ALONE:
        groups[span.start : span.stop] = [
            ALONE if group == LETTER else group for group in groups[span.start : span.stop]
        ]
    groups[-1] = ALONE
    return np.array(groups, np.uint8)


@cache
def lower_table() -> NDArray[np.uint32]:
    """Lower case of each code point below TABLE_SIZE, 0 for every decimal digit.

    Digits become one so that "2019" and "2024" are one word. Letters whose lower case is
    more than one code point stay as they are.
    """
    table = np.arange(TABLE_SIZE, dtype=np.uint32)
    every = _every_character()
    for start in range(0, TABLE_SIZE, _BLOCK):
        block = every[start : start + _BLOCK]
        if block.lower() == block:  # as nearly all are
            continue
        for code, char in enumerate(block, start):
            small = char.lower()
            if len(small) == 1:
                table[code] = ord(small)
    table[group_table() == DIGIT] = ord("0")
    return table


def _every_character() -> str:
    return np.arange(TABLE_SIZE, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")


class _Groups(dict[str, int]):
    """Of each category, when it first comes."""

    def __missing__(self, category: str) -> int:
        self[category] = _BY_CATEGORY.get(category, _BY_MAJOR.get(category[0], OTHER))
        return self[category]
