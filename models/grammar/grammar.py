"""A chunk grammar: which words take which tags, and which tag sequences are constituents.

It knows no words beyond its lexicon: everything rarer goes through the ambiguity class of its
longest known suffix. `skord.models.grammar.induce` makes one out of treebanks; here it is data, and
its written form is one JSON object.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

LONGEST_CHUNK = 5
"""Words of a sub-sentence at most (Dzerins and Dzonsons, "Harvesting National Language Text
Corpora from the Web": longer ones made their parser too slow; here they would add nothing)."""

LONGEST_SUFFIX = 5
"""Letters that the suffix table goes by at most."""

CONTENT = frozenset({"NOUN", "VERB", "ADJ", "ADV", "PROPN", "INTJ"})
"""Parts of speech of words that mean something by themselves (Universal Dependencies)."""


@dataclass(frozen=True)
class ChunkGrammar:
    """Everything the grader knows of one language, a list of word forms apart.

    Attributes:
        language: code, such as `lv`.
        tags: part of speech and a few features, such as `NOUN|Gen|Plur`.
        classes: ambiguity classes, each ascending numbers of `tags`.
        lexicon: word in lower case to the number of its class; frequent words come first.
        suffixes: ending (up to `LONGEST_SUFFIX` letters; "" for any) to the number of a class.
        chunks: constituents of two to five words, as numbers of `tags`, ascending.
        names: number of the class of names, that of capitalised words that nobody lists.
        numbers: number of the class of numbers written in digits.
        compounds: whether words are written together freely, as in the Nordic languages.
        head: what it was made from; `calibration` in it is that of `grammaticality`.
    """

    language: str
    tags: Sequence[str]
    classes: Sequence[tuple[int, ...]]
    lexicon: Mapping[str, int]
    suffixes: Mapping[str, int]
    chunks: Sequence[tuple[int, ...]]
    names: int
    numbers: int
    compounds: bool
    head: Mapping[str, Any] = field(default_factory=dict)

    def guess(self, word: str) -> int | None:
        """The class of a word by its longest known suffix; None if there is not even "".

        >>> TOY.guess("tanter"), TOY.guess("x")
        (0, 1)
        """
        for length in range(min(LONGEST_SUFFIX, len(word) - 1), -1, -1):
            word_class = self.suffixes.get(word[len(word) - length :])
            if word_class is not None:
                return word_class
        return None

    def is_content(self, number: int) -> bool:
        """Whether a word of that class may mean something by itself."""
        return any(self.tags[tag].partition("|")[0] in CONTENT for tag in self.classes[number])


def dump_grammar(grammar: ChunkGrammar) -> str:
    """The written form; equal grammars have equal ones."""
    whole = {
        "head": dict(grammar.head),
        "language": grammar.language,
        "tags": list(grammar.tags),
        "classes": [" ".join(map(str, numbers)) for numbers in grammar.classes],
        "names": grammar.names,
        "numbers": grammar.numbers,
        "compounds": grammar.compounds,
        "lexicon": _dump_words(grammar.lexicon),
        "suffixes": _dump_words(grammar.suffixes),
        "chunks": "\n".join(" ".join(map(str, chunk)) for chunk in grammar.chunks),
    }
    return json.dumps(whole, ensure_ascii=False, sort_keys=True)


def parse_grammar(text: str) -> ChunkGrammar:
    """The grammar out of its written form.

    Raises:
        ValueError: the text is something else.

    >>> parse_grammar(dump_grammar(TOY)) == TOY
    True
    """
    try:
        whole = json.loads(text)
        grammar = ChunkGrammar(
            language=whole["language"],
            tags=whole["tags"],
            classes=[_line_numbers(line) for line in whole["classes"]],
            lexicon=_parse_words(whole["lexicon"]),
            suffixes=_parse_words(whole["suffixes"]),
            chunks=[_line_numbers(line) for line in whole["chunks"].split("\n") if line],
            names=whole["names"],
            numbers=whole["numbers"],
            compounds=whole["compounds"],
            head=whole["head"],
        )
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise ValueError(f"this is no chunk grammar: {error!r}") from error
    _check_numbers(grammar)
    return grammar


def _check_numbers(grammar: ChunkGrammar) -> None:
    """Raise ValueError unless every number is that of a tag or class that there is."""
    tags, classes = range(len(grammar.tags)), range(len(grammar.classes))
    of_tags = (*chain.from_iterable(grammar.classes), *chain.from_iterable(grammar.chunks))
    named = (grammar.names, grammar.numbers)
    of_classes = (*grammar.lexicon.values(), *grammar.suffixes.values(), *named)
    are_right = (
        isinstance(grammar.tags, list)
        and all(isinstance(tag, str) for tag in grammar.tags)
        and all(number in tags for number in set(of_tags))
        and all(number in classes for number in set(of_classes))
        and all(0 < len(chunk) <= LONGEST_CHUNK for chunk in grammar.chunks)
        and isinstance(grammar.language, str)
        and isinstance(grammar.head, dict)
    )
    if not are_right:
        raise ValueError("this is no chunk grammar: a number is that of no tag or class")


def _line_numbers(line: str) -> tuple[int, ...]:
    return tuple(map(int, line.split()))


def _dump_words(words: Mapping[str, int]) -> str:
    return "\n".join(f"{word} {number}" for word, number in words.items())


def _parse_words(lines: str) -> dict[str, int]:
    pairs = (line.rpartition(" ") for line in lines.split("\n") if line)
    return {word: int(number) for word, _, number in pairs}


TOY = ChunkGrammar(
    language="sv",
    tags=["ADJ", "ADP", "DET", "NOUN", "NUM", "PROPN", "VERB"],
    classes=[(3,), (0, 3, 6), (2,), (6,), (5,), (4,), (1,)],
    lexicon={"en": 2, "i": 6, "ser": 3},
    suffixes={"er": 0, "": 1},
    chunks=[(1, 3), (2, 0, 3), (2, 3)],
    names=4,
    numbers=5,
    compounds=True,
)
"""A grammar of three words, for examples."""
