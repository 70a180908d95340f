r"""Tokens of a text, and the ambiguity class of each: what the chunk grammar sees of words.

A word is known if the lexicon, a list of word forms or both halves of a compound say so. A
capitalised word that nobody knows is taken for a name, and does not count as known.
"""

from __future__ import annotations

import re
from collections.abc import Container
from enum import IntFlag

from pipeline.transforms.chunk_grammar import ChunkGrammar

_TOKEN = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*|\d[\d.,:]*|\n|[^\s\w]|_")

_LINKING = "se"
"""Letters between the halves of a Nordic compound."""

_LEAST_COMPOUND = 8
_LEAST_HALF = 4


class Flag(IntFlag):
    """What else counts of a word, besides its tags."""

    WORD = 1
    """It counts as a word: letters or digits."""
    KNOWN = 2
    """Somebody lists it."""
    CONTENT = 4
    """It is known and may mean something by itself; alone it makes a chunk of one."""
    GUESSED = 8
    """It is taken for a name, only because it is capitalised."""


_WORD, _KNOWN, _CONTENT = int(Flag.WORD), int(Flag.KNOWN), int(Flag.CONTENT)
_GUESSED = int(Flag.GUESSED)

BREAK = 0
"""The class of whatever no chunk goes across: punctuation, symbols, ends of lines."""


GUESSED_WEIGHT = 256
"""More than there are words in a chunk, so that a sum tells both numbers."""


def tokens(text: str) -> list[str]:
    r"""Words, numbers, signs and ends of lines, in order.

    >>> tokens("I-landet har 1,5 %.\nMåns’ båt")
    ['I-landet', 'har', '1,5', '%', '.', '\n', 'Måns', '’', 'båt']
    """
    return _TOKEN.findall(text)


def count_words(text: str) -> int:
    """How many words and numbers there are.

    >>> count_words("I-landet har 1,5 %.")
    3
    """
    return sum(token[0].isalnum() for token in tokens(text))


class WordClasses:
    """Classes of words, numbered as they turn up; `BREAK` is the first.

    Args:
        grammar: lexicon, suffixes and ambiguity classes.
        forms: word forms of the language, as dictionaries write them.

    Attributes:
        tags: for each class the tags a word of it may take.
        flags: for each class its `Flag`s, as a plain number.
        known: 1 for classes of known words, else 0.
        content: 1 for classes of words that may stand alone, else 0.
        weights: 1 for those, `GUESSED_WEIGHT` for guessed names, else 0.

    >>> from pipeline.transforms.chunk_grammar import TOY
    >>> classes = WordClasses(TOY, {"kund", "tjänst", "Malmö", "rast"})
    >>> for word in ("kundtjänster", "malmö", "Ystad", "xyzw", "7"):
    ...     number = classes.classify(word)
    ...     print(word, classes.tags[number], Flag(classes.flags[number]).name)
    kundtjänster () WORD
    malmö (0, 3, 6) WORD|KNOWN|CONTENT
    Ystad (5,) WORD|GUESSED
    xyzw () WORD
    7 (4,) WORD
    >>> classes.flags[classes.classify("kundrast")]
    7
    """

    def __init__(self, grammar: ChunkGrammar, forms: Container[str]) -> None:
        self._grammar = grammar
        self._forms = forms
        self._means = [grammar.is_content(number) for number in range(len(grammar.classes))]
        self._numbers: dict[tuple[tuple[int, ...], int], int] = {}
        self.tags: list[tuple[int, ...]] = []
        self.flags: list[int] = []
        self.known: list[int] = []
        self.content: list[int] = []
        self.weights: list[int] = []
        self._number(None, 0)

    def classify(self, token: str) -> int:
        """The number of the token's class.

        The first that holds: digits; no letters; in the lexicon; in the list of forms, as
        written, in lower case or capitalised; a compound of two known words; hyphenated with a
        known last part; capitalised; else a word that nobody knows.
        """
        first = token[0]
        if first.isdigit():
            return self._number(self._grammar.numbers, _WORD)
        if not first.isalpha():
            return BREAK
        return self._listed(token) or self._put_together(token) or self._unlisted(token)

    def _listed(self, word: str) -> int | None:
        lower = word.lower()
        number = self._grammar.lexicon.get(lower)
        if number is not None:
            content = _CONTENT if self._means[number] else 0
            return self._number(number, _WORD | _KNOWN | content)
        forms = self._forms
        if len(word) == 1:
            return None
        if lower in forms:
            return self._known(self._grammar.guess(lower))
        if word in forms or lower.capitalize() in forms:
            name = word[0].isupper()
            return self._known(self._grammar.names if name else self._grammar.guess(lower))
        return None

    def _put_together(self, word: str) -> int | None:
        lower = word.lower()
        if self._grammar.compounds and len(word) >= _LEAST_COMPOUND and self._compound(lower):
            return self._known(self._grammar.guess(lower))
        last = lower.rpartition("-")[2]
        if last != lower and self._lists(last):
            in_lexicon = self._grammar.lexicon.get(last)
            return self._known(self._grammar.guess(last) if in_lexicon is None else in_lexicon)
        return None

    def _unlisted(self, word: str) -> int:
        if word[0].isupper() and len(word) > 1:
            return self._number(self._grammar.names, _WORD | _GUESSED)
        return self._number(None, _WORD)

    def _compound(self, word: str) -> bool:
        """Whether some ending is a known word and what stands before it is one, too."""
        for at in range(len(word) - _LEAST_HALF, _LEAST_HALF - 1, -1):
            if self._lists(word[at:]):
                head = word[:at]
                if self._lists(head):
                    return True
                if head[-1] in _LINKING and len(head) > _LEAST_HALF and self._lists(head[:-1]):
                    return True
        return False

    def _lists(self, word: str) -> bool:
        return word in self._grammar.lexicon or word in self._forms

    def _known(self, number: int | None) -> int:
        return self._number(number, _WORD | _KNOWN | _CONTENT)

    def _number(self, ambiguity: int | None, flags: int) -> int:
        tags = () if ambiguity is None else self._grammar.classes[ambiguity]
        key = (tags, flags)
        number = self._numbers.setdefault(key, len(self.tags))
        if number == len(self.tags):
            self._append(tags, flags)
        return number

    def _append(self, tags: tuple[int, ...], flags: int) -> None:
        content, guessed = bool(flags & _CONTENT), bool(flags & _GUESSED)
        self.tags.append(tags)
        self.flags.append(flags)
        self.known.append(int(bool(flags & _KNOWN)))
        self.content.append(int(content))
        self.weights.append(content + GUESSED_WEIGHT * guessed)
