"""Latvian chat put back into Latvian letters: "shodien edam" to "šodien ēdam".

Who had no Latvian keyboard left the accents out, or wrote pairs of letters for them. Of the words
that what was written can stand for, the most frequent one in the lexicon is taken, else one of
the list of forms. It errs on a few words in a hundred of clean text, so it is for texts of which
a grade says that most words are not known as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Protocol

from skord.models.grammar.grader import Grade
from skord.models.grammar.grammar import ChunkGrammar

RESTORED = frozenset({"lv"})
"""Languages it is made for."""

LEAST_KNOWN = 0.75
"""Share of known words under which a text lacks its accents; good text has .96."""

LEAST_PAIRS = 0.02
"""Words with `PAIRS` in them, as a share, from which a text is taken for transliterated."""

ACCENTS: Mapping[str, str] = {
    "a": "ā",
    "c": "č",
    "e": "ē",
    "g": "ģ",
    "i": "ī",
    "k": "ķ",
    "l": "ļ",
    "n": "ņ",
    "s": "š",
    "u": "ū",
    "z": "ž",
}
PAIRS: Mapping[str, str] = {
    "aa": "ā",
    "ch": "č",
    "ee": "ē",
    "gj": "ģ",
    "ii": "ī",
    "kj": "ķ",
    "lj": "ļ",
    "nj": "ņ",
    "sh": "š",
    "uu": "ū",
    "zh": "ž",
}
_TELLING = re.compile(r"aa|ii|uu|ee|sh|zh", re.IGNORECASE)
"""Pairs that Latvian itself hardly has."""

_WORD = re.compile(r"\]\([^()\n]*\)|(?:https?://|www\.)\S+|\S{1,256}@\S+|([^\W\d_]+)")
"""What stands before the at sign of an address has at most 64 bytes (RFC 5321, 4.5.3.1.1), with
what clings to it a few more. Without a limit a long run of signs is looked through from each of
its words."""


class WordForms(Protocol):
    """A list of word forms that can also be walked letter by letter."""

    def __contains__(self, word: object) -> bool:
        """Whether it has the word."""
        ...

    def has_keys_with_prefix(self, prefix: str) -> bool:
        """Whether some word of it begins like that."""
        ...


class AccentRestorer:
    """Puts accents back by a lexicon and a list of forms.

    Args:
        grammar: its lexicon, in which frequent words come first.
    """

    def __init__(self, grammar: ChunkGrammar, forms: WordForms) -> None:
        self._rank = {word: at for at, word in enumerate(grammar.lexicon)}
        self._beginnings = {word[:end] for word in self._rank for end in range(1, len(word) + 1)}
        self._forms = forms
        self._found: dict[tuple[str, bool], str] = {}

    def lacks(self, grade: Grade) -> bool:
        """Whether a text so graded is one to restore."""
        return grade.words > 0 and grade.known < LEAST_KNOWN * grade.words

    def restored(self, text: str) -> str:
        """The text with its accents; addresses stay as they are."""
        words = [match for match in _WORD.findall(text) if match]
        pairs = sum(1 for word in words if _TELLING.search(word))
        in_pairs = bool(words) and pairs >= LEAST_PAIRS * len(words)
        return _WORD.sub(
            lambda match: self.word(match[1], in_pairs=in_pairs) if match[1] else match[0], text
        )

    def word(self, word: str, *, in_pairs: bool) -> str:
        """The word that the letters stand for; itself if they stand for none.

        Args:
            in_pairs: pairs of letters stand for accented ones, single letters for themselves.
        """
        lower = word.lower()
        key = (lower, in_pairs)
        if key not in self._found:
            self._found[key] = self._best(lower, in_pairs=in_pairs)
        return _with_case(self._found[key], word)

    def _best(self, word: str, *, in_pairs: bool) -> str:
        readings = PAIRS if in_pairs else ACCENTS
        candidates = list(self._walk(word, "", readings))
        last = len(self._rank)
        return min(
            candidates,
            key=lambda one: (self._rank.get(one, last), -len(one) if in_pairs else len(word), one),
            default=_pairs_spelled(word) if in_pairs else word,
        )

    def _walk(self, rest: str, begun: str, readings: Mapping[str, str]) -> Iterator[str]:
        """Words of the lists that the letters may stand for, by going on letter by letter."""
        if begun and begun not in self._beginnings and not self._forms.has_keys_with_prefix(begun):
            return
        if not rest:
            if begun in self._rank or begun in self._forms:
                yield begun
            return
        yield from self._walk(rest[1:], begun + rest[0], readings)
        for width in (1, 2):
            accented = readings.get(rest[:width]) if len(rest) >= width else None
            if accented:
                yield from self._walk(rest[width:], begun + accented, readings)


def _pairs_spelled(word: str) -> str:
    """Pairs of letters to single ones, whatever word comes of it."""
    for pair, letter in PAIRS.items():
        word = word.replace(pair, letter)
    return word


def _with_case(lower: str, like: str) -> str:
    """Capitals as in the word it stands for.

    >>> _with_case("šodien", "Shodien"), _with_case("ēst", "EEST"), _with_case("ir", "ir")
    ('Šodien', 'ĒST', 'ir')
    """
    if like.isupper() and len(like) > 1:
        return lower.upper()
    return lower.capitalize() if like[0].isupper() else lower
