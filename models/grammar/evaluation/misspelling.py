"""Sentences with a word misspelt, as people misspell them, for short texts to be told apart by."""

from __future__ import annotations

import random
from collections.abc import Sequence

from skord.models.grammar.evaluation.corruptions import (
    Sentences,
    Surroundings,
    is_word,
    joined_sentences,
)

LEAST_LETTERS = 3


def misspelt_sentences(sentences: Sentences, chance: random.Random, around: Surroundings) -> str:
    """The text with one word misspelt, if it has any that is long enough."""
    changed = [list(sentence) for sentence in sentences]
    long_enough = [
        (line, at)
        for line, sentence in enumerate(changed)
        for at, token in enumerate(sentence)
        if is_word(token) and len(token) >= LEAST_LETTERS
    ]
    if long_enough:
        line, at = chance.choice(long_enough)
        changed[line][at] = misspelt_word(changed[line][at], chance, around.words)
    return joined_sentences(changed)


def misspelt_word(word: str, chance: random.Random, words: Sequence[str]) -> str:
    """A letter left out, doubled, changed round with the one before it, or another in its place.

    >>> chance = random.Random(2)
    >>> [misspelt_word("kommun", chance, ["och", "att"]) for _ in range(5)]
    ['okmmun', 'kommmun', 'kommunn', 'komumn', 'kommnu']
    """
    at = chance.randrange(1, len(word))
    other = chance.choice(chance.choice(words)).lower()
    return chance.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :],
            word[:at] + other + word[at + 1 :],
        ]
    )
