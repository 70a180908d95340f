"""The charset of a page as its language's own letters tell it, where nobody else can be trusted.

Baltic and Nordic charsets share bytes: `ā` of windows-1257 is `â` of windows-1252, and servers
declare the latter for everything. The rules are in `letter_rules`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from skord.html.charset.decoders import read
from skord.html.charset.letter_rules import RULES, Evidence, LetterRule, foreign_letters

ENOUGH = (Evidence(weight=1.5, number=1, different=1),)

FEW_WORDS = 40
"""So few words may hold none of the list by chance; then the letters must make up for it."""

ENOUGH_OF_FEW = (
    Evidence(weight=2.5, number=3, different=2),
    Evidence(weight=3.5, number=2, different=1),
    Evidence(weight=2.2, number=10, different=5),
)

ENOUGH_FOR_OLDER = (Evidence(weight=1.5, number=3, different=3),)
"""The quotes of windows-1252 are letters on DOS and the Macintosh."""

LOOKED_AT_BYTES = 60_000
"""Of a page: far more than is needed."""

_MARKUP = re.compile(
    r"<(?:script|style)\b.*?(?:</(?:script|style)\s*>|\Z)|<!--.*?(?:-->|\Z)|<[^>]*>",
    re.IGNORECASE | re.DOTALL,
)
_ENTITY = re.compile(r"&#?\w+;")
_AMID_ASCII = re.compile(rb"([\x00-\x7f])[\x00-\x7f]+([\x00-\x7f])")
"""What stands beside no letter beyond ASCII."""
_LETTERS = bytes(range(ord("a"), ord("z") + 1)) + bytes(range(0x80, 0x100))
_BETWEEN_WORDS = bytes(byte if byte in _LETTERS else ord(" ") for byte in range(0x100))


def charset_by_letters(body: bytes, rules: Sequence[LetterRule] = RULES) -> str | None:
    """Return the charset in which a page reads as one of the languages; None if in none.

    Args:
        body: of a page that is not in UTF-8.
        rules: the languages to ask for.

    >>> text = "Tas ir jautājums, uz kuru šodien nav atbildes, un tā būs arī rīt."
    >>> charset_by_letters(text.encode("cp1257")), charset_by_letters(text.encode("iso8859-4"))
    ('windows-1257', 'iso-8859-4')
    >>> charset_by_letters("Où est la bibliothèque, s'il vous plaît ?".encode("cp1252"))
    """
    prose = _ENTITY.sub(" ", visible_text(body[:LOOKED_AT_BYTES].decode("latin-1")))
    words = words_of(prose)
    total = words.total()
    seen = _AMID_ASCII.sub(rb"\1\2", prose.encode("latin-1"))
    letters = cache(lambda charset: foreign_letters(read(seen, charset, "replace")))
    candidates = [
        (evidence.weight, -at, charset)
        for rule in rules
        for at, (charset, least) in enumerate(_tried(rule, words, total))
        for evidence in (rule.evidence(letters(charset)),)
        if any(evidence.reaches(enough) for enough in least)
    ]
    return max(candidates)[2] if candidates else None


def visible_text(page: str) -> str:
    """Return HTML without tags, scripts, styles and comments; entities stay."""
    return _MARKUP.sub(" ", page)


def words_of(text: str) -> Counter[str]:
    """Count the words of a text in lower case; all that is beyond ASCII counts as a letter."""
    letters = text.lower().encode("latin-1", "replace").translate(_BETWEEN_WORDS)
    return Counter(
        b" ".join(letters.split()).decode("latin-1").split(" ") if letters.strip() else ()
    )


def _tried(
    rule: LetterRule, words: Counter[str], total: int
) -> Iterator[tuple[str, tuple[Evidence, ...]]]:
    """Yield the charsets to try, and what the letters must amount to, given the other words."""
    known = rule.knows(words, total)
    if known or total < FEW_WORDS:
        for charset in rule.charsets:
            yield charset, ENOUGH if known else ENOUGH_OF_FEW
    if known:
        for charset in rule.older:
            yield charset, ENOUGH_FOR_OLDER
