"""A fastText classifier for many texts at once.

fastText reads a text word by word and looks up the vector of every character n-gram of every
word. What they add up to is the same each time the word comes, and a crawl's words come again and
again, so here it is remembered (`skord.native`, word_scores).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skord.models.language_id.fasttext_file import FastTextModel
from skord.native import best_labels, label_columns, score_words, word_scores
from skord.text.words import TextColumn

Probabilities = NDArray[np.float64]


class FastTextScores:
    """Scores of texts by a classifier.

    Args:
        model: from `parse_fasttext`.
        max_words: how many different words are remembered; 160 bytes each.
    """

    def __init__(self, model: FastTextModel, max_words: int = 1 << 18) -> None:
        lefts, rights = _huffman_tree(model.label_counts)
        self.labels = list(model.labels)
        self._scores = word_scores(
            model.shortest,
            model.longest,
            model.vectors.shape[1],
            list(model.words),
            np.ascontiguousarray(model.row_of_bucket, np.int32),
            np.ascontiguousarray(model.vectors, np.float32),
            np.ascontiguousarray(model.node_vectors, np.float32),
            lefts,
            rights,
            max_words,
        )

    def __call__(self, texts: Sequence[str], least: float = 0.0) -> Probabilities:
        """Probability of each label, shape (texts, labels), in the order of the model's labels.

        A line break in a text is white space. The token "</s>", at which fastText stops
        reading, is not looked for. A lone surrogate, which fastText does not take, becomes `?`.

        Args:
            texts: in any language.
            least: what is less probable may be given 0, which takes less time.
        """
        try:
            probabilities = score_words(self._scores, list(texts), least)
        except UnicodeEncodeError:
            probabilities = score_words(self._scores, [_clean_line(text) for text in texts], least)
        return np.frombuffer(probabilities, np.float64).reshape(-1, len(self.labels))

    def best_labels(
        self, texts: Sequence[str | bytes], least: float, minimum: float, max_chars: int
    ) -> list[dict[str, float] | None]:
        """Of each text the labels that are told, see `skord.native.best_labels`."""
        limits = (self.labels, least, minimum, max_chars)
        try:
            return best_labels(self._scores, list(texts), *limits)
        except UnicodeEncodeError:
            return best_labels(self._scores, [_clean_line(str(text)) for text in texts], *limits)

    def label_columns(
        self,
        texts: TextColumn,
        wanted: NDArray[np.bool_],
        least: float,
        minimum: float,
        max_chars: int,
        *,
        glued: bool,
    ) -> tuple[NDArray[Any], ...]:
        """Of each text that is wanted the same, see `skord.native.label_columns`."""
        told = label_columns(
            self._scores, *texts, wanted, glued, self.labels, least, minimum, max_chars
        )
        kinds = (np.int64, np.int32, np.float64, np.int64)
        return tuple(np.frombuffer(column, kind) for column, kind in zip(told, kinds, strict=True))


def _clean_line(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _huffman_tree(counts: Sequence[int]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The labels' Huffman tree: of each inner node the two children, shape (labels - 1,) each.

    Nodes below `len(counts)` are labels. Built as fastText builds it, from counts in falling
    order: of the rarest label and the oldest node not yet joined, the rarer goes first.
    """
    size = len(counts)
    weight = [*counts, *[10**15] * (size - 1)]
    pairs: list[list[int]] = []
    leaf, joined = size - 1, size
    for node in range(size, 2 * size - 1):
        pair: list[int] = []
        for _ in range(2):
            if leaf >= 0 and weight[leaf] < weight[joined]:
                pair.append(leaf)
                leaf -= 1
            else:
                pair.append(joined)
                joined += 1
        weight[node] = weight[pair[0]] + weight[pair[1]]
        pairs.append(pair)
    children = np.array(pairs, np.int32).reshape(-1, 2)
    return np.ascontiguousarray(children[:, 0]), np.ascontiguousarray(children[:, 1])
