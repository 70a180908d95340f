"""What of a paragraph is compared: its normalised form, as a 64-bit key.

The form and the key are CCNet's (Wenzek et al. 2020, section 3.1, and facebookresearch/cc_net,
`text_normalizer` and `dedup`).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]

REMOVED_PUNCTUATION = "«´»–—’“”„…∶━►、。〈〉《》「」【】！％（），．：；？～"
"""The typographic and CJK marks that CCNet deletes. ASCII punctuation and ‘ stay.

Its list also names the full-width digit １, which has become 0 before the list is read.
"""


class Normalisation(StrEnum):
    """Which spellings of a paragraph count as the same."""

    PUBLISHED = "published"
    """What cc_net's code does: accents count."""
    PAPER = "paper"
    """What its paper says: accents do not count either, so that å is a."""


class _Rows(dict[str, int]):
    """Numbers lines in the order in which they are first asked for."""

    def __missing__(self, line: str) -> int:
        row = self[line] = len(self)
        return row


class ParagraphKeys:
    """Keys of many paragraphs, those of lines met lately from memory.

    Half and more of a crawl's lines are menus and footers that stood on the page before, and
    to look such a line up costs a fraction of what its key costs.

    Args:
        normalisation: a `Normalisation` or its value.
        max_lines: when more lines than these are remembered, all are forgotten; a line costs
            some 250 bytes.

    >>> ParagraphKeys()(["Hello", "Läs mer", "Hello"]).tolist() == [
    ...     paragraph_key("Hello"), paragraph_key("Läs mer"), paragraph_key("Hello")]
    True
    """

    def __init__(
        self, normalisation: str = Normalisation.PUBLISHED, max_lines: int = 1 << 17
    ) -> None:
        self._normalisation = Normalisation(normalisation)
        self._max_lines = max_lines
        self._rows = _Rows()
        self._keys: Keys = np.empty(0, np.uint64)

    def __call__(self, lines: Sequence[str]) -> Keys:
        """Keys of `lines`, shape (len(lines),)."""
        rows = np.fromiter(map(self._rows.__getitem__, lines), np.int64, len(lines))
        new = list(islice(self._rows, len(self._keys), None))
        if new:
            self._keys = np.concatenate((self._keys, paragraph_keys(new, self._normalisation)))
        found = self._keys[rows]
        if len(self._keys) > self._max_lines:
            self._rows.clear()
            self._keys = self._keys[:0]
        return found


def normalize_paragraph(line: str, normalisation: str = Normalisation.PUBLISHED) -> str:
    """The form of `line` that is compared: small spelling differences are gone.

    Outer white space is stripped, letters are lowered, every decimal digit of Unicode
    becomes 0, and `REMOVED_PUNCTUATION` and the control characters are deleted, in this
    order, as in CCNet's code. Inner spaces stay, and nothing is stripped a second time.
    Accents stay too, unless the paper's normalisation is asked for: then letters are taken
    apart (NFD) after they were lowered, and their marks are deleted.

    >>> normalize_paragraph("  Publicerad 2024-06-11 kl. 14:05 ")
    'publicerad 0000-00-00 kl. 00:00'
    >>> normalize_paragraph("»Läs mer…«"), normalize_paragraph("»Läs mer…«", "paper")
    ('läs mer', 'las mer')
    """
    return _normalized(line, normalisation).decode("utf-8", "surrogatepass")


def paragraph_key(line: str, normalisation: str = Normalisation.PUBLISHED) -> int:
    """Key of one paragraph: the first 8 bytes of its SHA-1, read as a little-endian number.

    >>> hex(paragraph_key("Hello"))
    '0xa2e8c5dc1dc6f4aa'
    """
    return int.from_bytes(_sha1(_normalized(line, normalisation))[:8], "little")


def paragraph_keys(lines: Sequence[str], normalisation: str = Normalisation.PUBLISHED) -> Keys:
    """Keys of many lines, shape (len(lines),); the same values as `paragraph_key`.

    All lines are normalised as one text, which is faster than one by one. That is safe
    because no step looks across a line break: even the Greek final sigma, the one letter
    whose lower case depends on its neighbours, ends its context there, and so do the marks
    that NFD sorts.

    >>> paragraph_keys(["Hello", "Läs mer"]).tolist() == [
    ...     paragraph_key("Hello"), paragraph_key("Läs mer")]
    True
    """
    text = "\n".join([line.strip() for line in lines]).lower()
    parts = _mapped(text, normalisation, _CONTROL_BYTES.replace(b"\n", b"")).split(b"\n")
    if len(parts) != len(lines):  # no lines at all, or a line break inside one of them
        return np.array([paragraph_key(line, normalisation) for line in lines], dtype=np.uint64)
    digests = b"".join([_sha1(part) for part in parts])
    first_eight = np.frombuffer(digests, dtype=np.uint8).reshape(-1, 20)[:, :8]
    return np.ascontiguousarray(first_eight).view("<u8").reshape(-1).astype(np.uint64, copy=False)


@lru_cache(maxsize=2)
def _wide_pattern(normalisation: str) -> re.Pattern[str]:
    """Matches what the rule changes outside ASCII, and every character beyond the BMP.

    Naming the hundreds of digits beyond the BMP one by one makes the search ten times
    slower; such characters are rare, so `_replaced` looks at each that occurs.
    """
    changed = "".join(
        char
        for char in map(chr, range(0x80, 0x10000))
        if char.isdecimal()
        or (normalisation == Normalisation.PAPER and unicodedata.category(char) == "Mn")
    )
    return re.compile(f"[\x80-\x9f{REMOVED_PUNCTUATION}{changed}\U00010000-\U0010ffff]")


def _replaced(match: re.Match[str]) -> str:
    char = match[0]
    if char.isdecimal():
        return "0"
    return char if char > "\uffff" else ""


def _replaced_too(match: re.Match[str]) -> str:
    return "" if unicodedata.category(match[0]) == "Mn" else _replaced(match)


_BYTE_TABLE = bytes(0x30 if 0x30 <= byte <= 0x39 else byte for byte in range(256))
_CONTROL_BYTES = bytes([*range(0x20), 0x7F])


def _mapped(text: str, normalisation: str, deleted: bytes = _CONTROL_BYTES) -> bytes:
    """Digits to 0, punctuation and `deleted` away, as UTF-8.

    A lone surrogate, which no decoder of ours makes, still gives a key.
    """
    if not text.isascii():
        paper = normalisation == Normalisation.PAPER
        text = unicodedata.normalize("NFD", text) if paper else text
        text = _wide_pattern(normalisation).sub(_replaced_too if paper else _replaced, text)
    return text.encode("utf-8", "surrogatepass").translate(_BYTE_TABLE, deleted)


def _normalized(line: str, normalisation: str) -> bytes:
    return _mapped(line.strip().lower(), Normalisation(normalisation))


def _sha1(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()
