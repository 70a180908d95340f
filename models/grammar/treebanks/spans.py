"""Constituents of a tree: spans of words that hang together and miss none of their small words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skord.models.grammar.grammar import LONGEST_CHUNK
from skord.models.grammar.treebanks.conllu import Token
from skord.models.grammar.treebanks.tags import PUNCT

CLINGING = frozenset(
    {"case", "det", "aux", "cop", "mark", "cc", "fixed", "flat", "compound"}
    | {"auxpass", "neg", "name", "mwe"}
)
"""Relations of words that must come along: without them what is left is no constituent.

The last four are those of version 1 of Universal Dependencies.
"""


def constituent_spans(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Start and end of every constituent of two to five words without punctuation.

    One word of the span hangs on something outside (or is the root), all others inside; and no
    word outside clings to one inside.

    >>> tree = [Token(*cells) for cells in (("på", "ADP", "_", 2, "case"), ("ett", "DET", "_", 2,
    ...         "det"), ("tak", "NOUN", "_", 3, "obl"), ("sitter", "VERB", "_", -1, "root"))]
    >>> sorted(constituent_spans(tree))
    [(0, 3), (0, 4)]
    """
    reach = _subtree_reach(tokens)
    for start in range(len(tokens)):
        for end in range(start + 1, min(len(tokens), start + LONGEST_CHUNK) + 1):
            if tokens[end - 1].part == PUNCT:
                break
            if end - start > 1 and _hangs_together(tokens, reach, start, end):
                yield start, end


def _hangs_together(
    tokens: Sequence[Token], reach: Sequence[tuple[int, int]], start: int, end: int
) -> bool:
    outside = sum(not start <= tokens[at].head < end for at in range(start, end))
    return outside == 1 and all(
        start <= reach[at][0] and reach[at][1] < end for at in range(start, end)
    )


def _subtree_reach(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """For each word, the leftmost and rightmost of it and what clings to it."""
    reach = [(at, at) for at in range(len(tokens))]
    for at, token in enumerate(tokens):
        if token.head >= 0 and token.relation in CLINGING:
            low, high = reach[token.head]
            reach[token.head] = (min(low, at), max(high, at))
    return reach
