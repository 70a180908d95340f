"""What each character is written as, as a table that the compiled loops read.

The rules are Python's own Unicode data, asked once for each block of characters that texts hold:
to ask for all of them takes longer than reading a thousand pages.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from skord.native import CharTable, char_table

BLOCK = 256
MAX_BYTES = 7
"""Of what one character becomes, as UTF-8."""

_SURROGATES = range(0xD8, 0xE0)
_IN_CONTEXT = (1 << 64) - 1


def build_char_table(
    write_text: Callable[[str], str], write_char: Callable[[str], str | None]
) -> CharTable:
    """A table that writes each character of a text as `write_char` does.

    Args:
        write_text: the rule for a whole text; a block of characters that it leaves alone is
            not looked at one by one.
        write_char: the rule for one character; None where its neighbours matter.
    """
    return char_table(partial(_block_entries, write_text, write_char))


def _block_entries(
    write_text: Callable[[str], str], write_char: Callable[[str], str | None], block: int
) -> bytes:
    """What the characters of one block become, uint64 each; nothing where all stay."""

    text = "".join(map(chr, range(block * BLOCK, (block + 1) * BLOCK)))
    if block in _SURROGATES or (block and write_text(text) == text):
        return b""
    return np.array([_packed_entry(write_char(char)) for char in text], np.uint64).tobytes()


def _packed_entry(written: str | None) -> int:
    """The bytes, the first lowest, and their number in the top byte."""
    data = b"" if written is None else written.encode("utf-8")
    if written is None or len(data) > MAX_BYTES:
        return _IN_CONTEXT
    return len(data) << 56 | int.from_bytes(data, "little")
