"""Which sub-sentences of a text are its chunks: the definition.

`skord.native.count_chunks` does the same, remembers, and is what grades; the
tests compare the two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product

from skord.models.grammar.grammar import LONGEST_CHUNK
from skord.models.grammar.word_classes import WordClass

Span = tuple[int, int]
"""Number of the first token, and how many there are."""


def select_chunks(words: Sequence[WordClass], chunks: Collection[tuple[int, ...]]) -> list[Span]:
    """The chunks of a text: the longest first, equally long ones from left to right.

    A span of two to five words is taken if its words may take the tags of a chunk, none of them
    is in one already, one of them is known and means something by itself, and no more of them are
    guessed names than such words. Every known content word that is left over is a chunk of one.

    Args:
        words: the class of each token; breaks have no tags.
        chunks: tag sequences of a grammar.

    >>> noun, verb = WordClass((3,), known=True, content=True), WordClass((6,), True, True)
    >>> select_chunks([verb, noun, verb], {(3, 6)})
    [(1, 2), (0, 1)]
    """
    taken: set[int] = set()
    spans: list[Span] = []
    for length in range(LONGEST_CHUNK, 0, -1):
        for at in range(len(words) - length + 1):
            span = range(at, at + length)
            if taken.isdisjoint(span) and _is_chunk(words[at : at + length], chunks):
                taken.update(span)
                spans.append((at, length))
    return spans


def _is_chunk(words: Sequence[WordClass], chunks: Collection[tuple[int, ...]]) -> bool:
    content = sum(word.content for word in words)
    if not content or sum(word.guessed for word in words) > content:
        return False
    return len(words) == 1 or any(reading in chunks for reading in _readings(words))


def _readings(words: Sequence[WordClass]) -> Iterator[tuple[int, ...]]:
    """Every sequence of tags that the words may take."""
    return product(*(word.tags for word in words))
