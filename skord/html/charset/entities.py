"""Letters that an editor wrote as entities of the wrong charset, put right.

Netscape Composer and others wrote the bytes of a Baltic charset as entities of Latin-1, so that
`rīts` became `r&icirc;ts`: no decoding can mend that. Here each letter is read as the byte that it
was, in the charset that was meant: no table has to be kept.
"""

from __future__ import annotations

import html.entities
import re
from functools import cache
from typing import NamedTuple

from skord.html.charset.decoders import read
from skord.html.charset.letter_rules import RULES, LetterRule, foreign_letters
from skord.html.charset.letters import (
    ENOUGH,
    LOOKED_AT_BYTES,
    visible_text,
    words_of,
)
from skord.text.entities import unescape_html

_LATIN1 = re.compile(r"[\xa0-\xff]|&(?:#\d+|#[xX][0-9A-Fa-f]+|[A-Za-z]+);")


class Mended(NamedTuple):
    """A page with its true letters, and the charset whose bytes they had been."""

    text: str
    charset: str


def with_letters_mended(page: str) -> Mended | None:
    """Return a page whose letters were taken for Latin-1 with its true ones.

    Returns:
        None if nothing is to be mended: the language is another, or its letters are there.

    >>> with_letters_mended("<p>T&acirc; nav m&acirc;ja, un tas ir viss, ko j&ucirc;s var.").text
    '<p>Tā nav māja, un tas ir viss, ko jūs var.'
    >>> with_letters_mended("<p>Ce n'est pas une t&acirc;che pour toi.")
    """
    for rule in RULES:
        likely = [
            charset
            for charset in rule.as_latin1
            if any(sign in page for sign in _telltales(rule, charset))
        ]
        mended = _mended(page, rule, likely) if likely else None
        if mended is not None:
            return mended
    return None


def may_need_mending(body: bytes) -> bool:
    """Tell within microseconds whether a page holds entities that could be misread letters.

    >>> may_need_mending(b"m&acirc;ja"), may_need_mending(b"<a href=/?x=1&amp;y=2>")
    (True, False)
    """
    return _telltale_entities().search(body, 0, LOOKED_AT_BYTES) is not None


@cache
def _telltales(rule: LetterRule, charset: str) -> tuple[str, ...]:
    """The ways in which a rule's commonest letter is written where it was taken for Latin-1."""
    common = max(rule.letters, key=lambda letter: rule.letters[letter])
    meant = _letters_meant(charset)
    taken = next((latin1 for latin1, true in meant.items() if true == common), None)
    if taken is None:
        return ()
    return taken, f"&{html.entities.codepoint2name[ord(taken)]};", f"&#{ord(taken)};"


@cache
def _telltale_entities() -> re.Pattern[bytes]:
    """Their first three bytes."""
    signs = (
        sign
        for rule in RULES
        for charset in rule.as_latin1
        for sign in _telltales(rule, charset)
        if sign[0] == "&"
    )
    return re.compile(b"|".join(sorted({sign[:3].encode("ascii") for sign in signs})))


def _mended(page: str, rule: LetterRule, charsets: list[str]) -> Mended | None:
    """The page by the charset whose letters are most like the language's."""
    prose = unescape_html(visible_text(page[:LOOKED_AT_BYTES]))
    if any(letter in prose for letter in rule.letters if letter > "\xff"):
        return None
    words = words_of(prose)
    if not rule.knows(words, words.total()):
        return None
    evidence = {
        charset: rule.evidence(foreign_letters(prose.translate(_codes_meant(charset))))
        for charset in charsets
    }
    best = max(charsets, key=lambda charset: evidence[charset].weight)
    if not any(evidence[best].reaches(enough) for enough in ENOUGH):
        return None
    meant = _letters_meant(best)
    return Mended(_LATIN1.sub(lambda sign: meant.get(unescape_html(sign[0]), sign[0]), page), best)


@cache
def _codes_meant(charset: str) -> dict[int, str]:
    return str.maketrans(_letters_meant(charset))


@cache
def _letters_meant(charset: str) -> dict[str, str]:
    """What a byte from 0xA0 up is in Latin-1 -> what it is in the charset."""
    high = bytes(range(0xA0, 0x100))
    taken = zip(
        high.decode("latin-1"),
        (read(bytes([byte]), charset, "ignore") for byte in high),
        strict=True,
    )
    return {latin1: true for latin1, true in taken if true and true != latin1}
