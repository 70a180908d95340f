"""What of a paragraph is compared: its normalised form, as a 64-bit key.

The form and the key are CCNet's (Wenzek et al. 2020, section 3.1, and facebookresearch/cc_net,
`text_normalizer` and `dedup`).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from skord.ccnet.choices import Normalisation
from skord.native import CharTable, line_keys
from skord.text.char_tables import build_char_table

Keys = NDArray[np.uint64]

REMOVED_PUNCTUATION = "«´»–—’“”„…∶━►、。〈〉《》「」【】！％（），．：；？～"
"""The typographic and CJK marks that CCNet deletes. ASCII punctuation and ‘ stay.

Its list also names the full-width digit １, which has become 0 before the list is read.
"""


def normalize_paragraph(line: str, normalisation: str = Normalisation.PUBLISHED) -> str:
    """The form of `line` that is compared: small spelling differences are gone.

    Outer white space is stripped, letters are lowered, every decimal digit of Unicode
    becomes 0, and `REMOVED_PUNCTUATION` and the control characters are deleted, in this
    order, as in CCNet's code. Inner spaces stay, and nothing is stripped a second time.
    Accents and other punctuation stay, unless the paper's normalisation is asked for: then
    letters are taken apart (NFD) after they were lowered, and their marks and all characters that
    Unicode calls punctuation (categories Mn and P) are deleted.

    >>> normalize_paragraph("  Publicerad 2024-06-11 kl. 14:05 ")
    'publicerad 0000-00-00 kl. 00:00'
    >>> normalize_paragraph("»Läs mer!…«"), normalize_paragraph("»Läs mer!…«", "paper")
    ('läs mer!', 'las mer')
    """
    return _normalized(line, normalisation).decode("utf-8", "surrogatepass")


def paragraph_key(line: str, normalisation: str = Normalisation.PUBLISHED) -> int:
    """Key of one paragraph: the first 8 bytes of its SHA-1, read as a little-endian number.

    >>> hex(paragraph_key("Hello"))
    '0xa2e8c5dc1dc6f4aa'
    """
    digest = hashlib.sha1(_normalized(line, normalisation), usedforsecurity=False).digest()
    return int.from_bytes(digest[:8], "little")


def paragraph_keys(lines: Sequence[str], normalisation: str = Normalisation.PUBLISHED) -> Keys:
    """Keys of many lines, shape (len(lines),); the same values as `paragraph_key`.

    >>> paragraph_keys(["Hello", "Läs mer"]).tolist() == [
    ...     paragraph_key("Hello"), paragraph_key("Läs mer")]
    True
    """
    try:
        bodies = [line.strip().encode() for line in lines]
    except UnicodeEncodeError:  # a lone surrogate, which no decoder of ours makes
        bodies = [b"\n"]
    if any(b"\n" in body for body in bodies):  # a line break inside a line
        return np.array([paragraph_key(line, normalisation) for line in lines], np.uint64)
    return body_keys(bodies, normalisation)


def body_keys(bodies: Sequence[bytes], normalisation: str = Normalisation.PUBLISHED) -> Keys:
    r"""Keys of all lines of all bodies, one after another; the same values as `paragraph_key`.

    Args:
        bodies: of pages that have lines, from `text_pages.TextBody`: stripped, as UTF-8, "\n"
            between each two.
        normalisation: a `Normalisation` or its value.

    >>> body_keys([b"Hem\nOm oss", b""]).tolist() == [
    ...     paragraph_key("Hem"), paragraph_key("Om oss"), paragraph_key("")]
    True
    """
    line_hashes, in_context = line_keys(key_table(Normalisation(normalisation)), list(bodies))
    keys = np.frombuffer(bytearray(line_hashes), np.uint64)
    if in_context:
        lines = [line for body in bodies for line in body.split(b"\n")]
        for place in in_context:
            line = lines[place].decode("utf-8", "surrogatepass")
            keys[place] = paragraph_key(line, normalisation)
    return keys


@cache
def key_table(normalisation: Normalisation) -> CharTable:
    """What each character is compared as."""

    def write_text(text: str) -> str:
        return _mapped(text.lower(), normalisation).decode("utf-8", "surrogatepass")

    def write_char(char: str) -> str | None:
        apart = unicodedata.normalize("NFD", char.lower())
        moves = normalisation is Normalisation.PAPER and any(
            unicodedata.combining(part) and unicodedata.category(part) != "Mn" for part in apart
        )
        return None if moves or char == _SIGMA else write_text(char)

    return build_char_table(write_text, write_char)


_SIGMA = "Σ"
"""The one letter whose lower case depends on its neighbours."""


@cache
def _wide_pattern(normalisation: str) -> re.Pattern[str]:
    """Matches what the rule changes outside ASCII, and every character beyond the BMP.

    Naming the hundreds of marks beyond the BMP one by one makes the search ten times slower;
    such characters are rare, so `_replaced` looks at each that occurs.
    """
    marks = ""
    if normalisation == Normalisation.PAPER:
        marks = "".join(filter(_is_mark, map(chr, range(0x80, 0x10000))))
    return re.compile(f"[\x80-\x9f{REMOVED_PUNCTUATION}{marks}\\d\U00010000-\U0010ffff]")


def _replaced(match: re.Match[str]) -> str:
    char = match[0]
    if char.isdecimal():
        return "0"
    return char if char > "\uffff" else ""


def _replaced_too(match: re.Match[str]) -> str:
    return "" if _is_mark(match[0]) else _replaced(match)


def _is_mark(char: str) -> bool:
    """Whether it is an accent or punctuation, which the paper's normalisation removes."""
    category = unicodedata.category(char)
    return category == "Mn" or category.startswith("P")


_BYTE_TABLE = bytes(0x30 if 0x30 <= byte <= 0x39 else byte for byte in range(256))
_CONTROL_BYTES = bytes([*range(0x20), 0x7F])
_ASCII_MARKS = bytes(byte for byte in range(0x80) if _is_mark(chr(byte)))


def _mapped(text: str, normalisation: str) -> bytes:
    """Digits to 0, punctuation and control characters away, as UTF-8.

    A lone surrogate, which no decoder of ours makes, still gives a key.
    """
    paper = normalisation == Normalisation.PAPER
    if not text.isascii():
        text = unicodedata.normalize("NFD", text) if paper else text
        text = _wide_pattern(normalisation).sub(_replaced_too if paper else _replaced, text)
    deleted = _CONTROL_BYTES + (_ASCII_MARKS if paper else b"")
    return text.encode("utf-8", "surrogatepass").translate(_BYTE_TABLE, deleted)


def _normalized(line: str, normalisation: str) -> bytes:
    return _mapped(line.strip().lower(), Normalisation(normalisation))
