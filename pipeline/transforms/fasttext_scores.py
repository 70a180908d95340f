"""Scores of many texts at once, as a fastText classifier gives them.

fastText takes every word of a text apart into n-grams and adds up their vectors. Here the sum
of each word is remembered: a text is then one look-up a word, done for many texts together
in numpy. Sums are of float64 where fastText's are of float32, so that scores differ from its
own by that error: some 1e-6 in a page, more in a text of a million words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pipeline.transforms.fasttext_model import END_OF_LINE, FastTextModel
from pipeline.transforms.fasttext_words import Rows, Sums, Tokenizer, Tokens, WordTable, word_sums

BATCH_BYTES = 1 << 18
"""Texts are taken together up to this size, so that what is computed of each byte stays near."""

_NOT_ZERO = 1e-5
"""fastText adds this before it takes a logarithm."""


class FastTextScores:
    """Scores of texts by a classifier, many at a time.

    Args:
        model: from `parse_fasttext`.
        max_words: how many different words are remembered; 160 bytes each.
    """

    def __init__(self, model: FastTextModel, max_words: int = 1 << 18) -> None:
        self._model = model
        self._tokens = Tokenizer()
        self._num_words = 0
        self._reserve(max_words)
        self._levels = list(_tree_levels(model.label_counts))
        self._end_of_line = word_sums(model, [END_OF_LINE])[0]

    def __call__(self, texts: Sequence[str]) -> Sums:
        """Probability of each label, shape (texts, labels), in the order of the model's labels.

        A line break in a text is white space. The token "</s>", at which fastText stops
        reading, is not looked for.
        """
        parts = [self._probabilities(self._hidden(batch)) for batch in _batches(texts)]
        return np.concatenate([np.empty((0, len(self._model.labels))), *parts])

    def _hidden(self, texts: Sequence[str]) -> Sums:
        tokens = self._tokens(texts)
        rows = self._rows_of(tokens)
        sums = np.zeros((len(texts), len(self._end_of_line)))
        spoken = np.flatnonzero(np.diff(tokens.of_text))
        if len(spoken):
            sums[spoken] = np.add.reduceat(
                self._sums.take(rows, axis=0), tokens.of_text[spoken], axis=0
            )
        sums += self._end_of_line
        return sums[:, :-1] / np.maximum(sums[:, -1:], 1)

    def _rows_of(self, tokens: Tokens) -> Rows:
        rows, known = self._table.find(tokens.hashes)
        if known.all():
            return rows
        new, where = np.unique(tokens.hashes[~known], return_index=True)
        if self._num_words + len(new) > len(self._sums):
            self._forget(len(tokens.hashes))
            return self._rows_of(tokens)
        at = np.flatnonzero(~known)[where]
        spans = zip(tokens.start[at].tolist(), tokens.end[at].tolist(), strict=True)
        words = [tokens.data[start:end] for start, end in spans]
        last = self._num_words + len(new)
        self._sums[self._num_words : last] = word_sums(self._model, words)
        self._hashes[self._num_words : last] = new
        self._table.insert(new, self._num_words)
        self._num_words = last
        return self._table.find(tokens.hashes)[0]

    def _forget(self, room: int) -> None:
        """Keep the half that came first, in which the frequent words are."""
        kept = min(self._num_words, len(self._sums) // 2)
        if kept + room > len(self._sums):  # a text of more words than are remembered
            kept = 0
            self._reserve(max(room, len(self._sums)))
        self._num_words = kept
        self._table.clear()
        self._table.insert(self._hashes[:kept], 0)

    def _reserve(self, max_words: int) -> None:
        self._table = WordTable(max_words)
        self._hashes = np.zeros(max_words, np.uint64)
        self._sums = np.zeros((max_words, self._model.vectors.shape[1] + 1))
        self._num_words = 0

    def _probabilities(self, hidden: Sums) -> Sums:
        """Down the tree: at each inner node a share goes to the right, the rest to the left."""
        right = np.zeros((len(hidden), len(self._model.labels)))
        for column, weights in zip(hidden.T, self._model.node_vectors.T, strict=True):
            right += np.multiply.outer(column, weights.astype(np.float64))
        right = 1 / (1 + np.exp(-right))
        to_left, to_right = np.log(1 - right + _NOT_ZERO), np.log(right + _NOT_ZERO)
        num_labels = right.shape[1]
        score = np.zeros((len(hidden), 2 * num_labels - 1))
        for parents, lefts, rights in self._levels:
            score[:, lefts] = score[:, parents] + to_left[:, parents - num_labels]
            score[:, rights] = score[:, parents] + to_right[:, parents - num_labels]
        return np.exp(score[:, :num_labels])


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    first, size = 0, 0
    for number, text in enumerate(texts):
        size += len(text)
        if size > BATCH_BYTES:
            yield texts[first : number + 1]
            first, size = number + 1, 0
    if first < len(texts):
        yield texts[first:]


def _tree_levels(counts: Sequence[int]) -> Iterator[tuple[Rows, Rows, Rows]]:
    """The labels' Huffman tree, level by level from its root: nodes and their two children.

    Nodes below `len(counts)` are labels. Built as fastText builds it, from counts in falling
    order: of the rarest label and the oldest node not yet joined, the rarer goes first.
    """
    size = len(counts)
    weight = [*counts, *[10**15] * (size - 1)]
    children: dict[int, list[int]] = {}
    leaf, joined = size - 1, size
    for node in range(size, 2 * size - 1):
        pair = children.setdefault(node, [])
        for _ in range(2):
            if leaf >= 0 and weight[leaf] < weight[joined]:
                pair.append(leaf)
                leaf -= 1
            else:
                pair.append(joined)
                joined += 1
        weight[node] = weight[pair[0]] + weight[pair[1]]
    level = [2 * size - 2]
    while parents := [node for node in level if node >= size]:
        lefts, rights = zip(*(children[node] for node in parents), strict=True)
        yield np.array(parents), np.array(lefts), np.array(rights)
        level = [*lefts, *rights]
