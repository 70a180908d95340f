r"""Tokens of a text, and the ambiguity class of each: what the chunk grammar sees of words.

A word is known if the lexicon, a list of word forms or both halves of a compound say so. A
capitalised word that nobody knows is taken for a name, and does not count as known.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

from skord.models.grammar.grammar import ChunkGrammar

_TOKEN = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*|\d[\d.,:]*|\n|[^\s\w]|_")

_LINKING = "se"
"""Letters between the halves of a Nordic compound."""

_LEAST_COMPOUND = 8
_LEAST_HALF = 4
_MOST_COMPOUND = 128
"""Letters: no dictionary lists a word of half as many. Without a limit the cost of a page of a
million letters in a row would grow with their square."""


BREAK = 0
"""The class of whatever no chunk goes across: punctuation, symbols, ends of lines."""


@dataclass(frozen=True)
class WordClass:
    """What the grammar sees of a word.

    Attributes:
        tags: that it may take, ascending.
        content: it is known and may mean something by itself; alone it makes a chunk of one.
        guessed: it is taken for a name, only because it is capitalised.
    """

    tags: tuple[int, ...]
    known: bool = False
    content: bool = False
    guessed: bool = False


def word_tokens(text: str) -> list[str]:
    r"""Words, numbers, signs and ends of lines, in order.

    >>> word_tokens("I-landet har 1,5 %.\nMåns’ båt")
    ['I-landet', 'har', '1,5', '%', '.', '\n', 'Måns', '’', 'båt']
    """
    return _TOKEN.findall(text)


def count_words(text: str) -> int:
    """How many words and numbers there are.

    >>> count_words("I-landet har 1,5 %.")
    3
    """
    return sum(token[0].isalnum() for token in word_tokens(text))


class WordClasses:
    """Classes of words, numbered as they turn up; `BREAK` is the first.

    Args:
        grammar: lexicon, suffixes and ambiguity classes.
        forms: word forms of the language, as dictionaries write them.

    Attributes:
        listed: the classes, by their number.

    >>> from skord.models.grammar.grammar import TOY
    >>> classes = WordClasses(TOY, {"kund", "tjänst", "Malmö", "rast"})
    >>> for word in ("kundtjänster", "malmö", "Ystad", "xyzw", "7"):
    ...     listed = classes.listed[classes.classify(word)]
    ...     print(word, listed.tags, listed.known, listed.guessed)
    kundtjänster () False False
    malmö (0, 3, 6) True False
    Ystad (5,) False True
    xyzw () False False
    7 (4,) False False
    >>> classes.listed[classes.classify("kundrast")].content
    True
    """

    def __init__(self, grammar: ChunkGrammar, forms: Container[str]) -> None:
        self._grammar = grammar
        self._forms = forms
        self._means = [grammar.is_content(number) for number in range(len(grammar.classes))]
        self._numbers: dict[tuple[int | None, bool, bool, bool], int] = {}
        self.listed: list[WordClass] = [WordClass(())]

    def classify(self, token: str) -> int:
        """The number of the token's class.

        The first that holds: digits; no letters; in the lexicon; in the list of forms, as
        written, in lower case or capitalised; a compound of two known words; hyphenated with a
        known last part; capitalised; else a word that nobody knows.
        """
        first = token[0]
        if first.isdigit():
            return self._number(self._grammar.numbers)
        if not first.isalpha():
            return BREAK
        return self._listed(token) or self._put_together(token) or self._unlisted(token)

    def _listed(self, word: str) -> int | None:
        lower = word.lower()
        number = self._grammar.lexicon.get(lower)
        if number is not None:
            return self._number(number, known=True, content=self._means[number])
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
        fits = self._grammar.compounds and _LEAST_COMPOUND <= len(word) <= _MOST_COMPOUND
        if fits and self._compound(lower):
            return self._known(self._grammar.guess(lower))
        last = lower.rpartition("-")[2]
        if last != lower and self._lists(last):
            in_lexicon = self._grammar.lexicon.get(last)
            return self._known(self._grammar.guess(last) if in_lexicon is None else in_lexicon)
        return None

    def _unlisted(self, word: str) -> int:
        if word[0].isupper() and len(word) > 1:
            return self._number(self._grammar.names, guessed=True)
        return self._number(None)

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
        return self._number(number, known=True, content=True)

    def _number(
        self,
        ambiguity: int | None,
        *,
        known: bool = False,
        content: bool = False,
        guessed: bool = False,
    ) -> int:
        key = (ambiguity, known, content, guessed)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.listed)
            tags = () if ambiguity is None else self._grammar.classes[ambiguity]
            self.listed.append(WordClass(tags, known, content, guessed))
        return number
