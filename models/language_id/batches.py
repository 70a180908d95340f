"""The language identifier for many texts at once: the same model, several times as fast.

`LanguageModel` asks fastText for one text after another. Here `FastTextScores`
computes the same scores, up to the error of fastText's own float32 sums. Scores are given to
six decimals, and where a score is so near to half a percent that this error could decide its
rounding to two decimals, or which side of a limit of two decimals it is on, fastText itself
is asked and its score given as it is. So both agree in every rounded score and every decision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skord.models.language_id.fasttext_file import FastTextModel, read_fasttext
from skord.models.language_id.lid176 import LanguageModel, bundled_model, load_language_model
from skord.native import label_columns, word_scores
from skord.text.languages import in_small_letters, labels_of
from skord.text.words import TextColumn


class FastTextScores:
    """Scores of texts by a classifier.

    fastText reads a text word by word and looks up the vector of every character n-gram of every
    word. What they add up to is the same each time the word comes, so here it is remembered.

    Args:
        model: from `read_fasttext`, whose labels are a tree.
        max_words: how many different words are remembered; 160 bytes each.
    """

    def __init__(self, model: FastTextModel, max_words: int = 1 << 18) -> None:
        lefts, rights = _huffman_tree(model.label_counts)
        self.labels = list(model.labels)
        sizes = (model.shortest, model.longest, model.vectors.shape[1])
        rows = np.ascontiguousarray(model.row_of_bucket, np.int32)
        vectors = np.ascontiguousarray(model.vectors, np.float32)
        nodes = np.ascontiguousarray(model.node_vectors, np.float32)
        parts = (*sizes, list(model.words), rows, vectors, nodes, lefts, rights)
        self._scores = word_scores(parts, max_words)

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
        """Labels and scores of each text that is wanted, see `skord.native.label_columns`."""
        columns = label_columns(
            self._scores, *texts, wanted, glued, self.labels, least, minimum, max_chars
        )
        kinds = (np.int64, np.int32, np.float64, np.int64)
        return tuple(
            np.frombuffer(column, kind) for column, kind in zip(columns, kinds, strict=True)
        )


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


MAX_CHARS = 1 << 18
"""Longer texts go to fastText, which needs no memory for them."""

_HALF_PERCENT = 0.005


class ScoreColumns(NamedTuple):
    """The labels of many texts, best first, one text after another.

    Args:
        counts: how many each text has, shape (texts,).
        labels: numbers of all in `names`.
        scores: of all.
    """

    names: Sequence[str]
    counts: NDArray[np.int64]
    labels: NDArray[np.int32]
    scores: NDArray[np.float64]

    def part(self, texts: NDArray[np.int64]) -> ScoreColumns:
        """Those of some texts, by their numbers, ascending."""
        wanted = np.zeros(len(self.counts), np.bool_)
        wanted[texts] = True
        taken = np.repeat(wanted, self.counts)
        return ScoreColumns(self.names, self.counts[texts], self.labels[taken], self.scores[taken])

    def of_language(self, code: str) -> NDArray[np.float64]:
        """The score of a language, by any of its labels, for each text."""
        text_of = np.repeat(np.arange(len(self.counts)), self.counts)
        found = np.zeros(len(self.counts))
        for label in reversed(labels_of(code)):  # its own label goes before that of another
            if label in self.names:
                is_it = self.labels == self.names.index(label)
                found[text_of[is_it]] = self.scores[is_it]
        return found

    def of_texts(self, texts: NDArray[np.int64]) -> list[dict[str, float]]:
        """Names and scores of some texts, by their numbers."""
        ends = np.cumsum(self.counts)[texts]
        spans = zip((ends - self.counts[texts]).tolist(), ends.tolist(), strict=True)
        return [
            {
                self.names[label]: score
                for label, score in zip(
                    self.labels[first:end].tolist(), self.scores[first:end].tolist(), strict=True
                )
            }
            for first, end in spans
        ]


@cache
def load_language_batches(path: str | None = None) -> LanguageBatches:
    """The model at `path`, or lid.176.ftz; read once per process.

    Raises:
        ConfigError: there is no such file, or fastText cannot read it.
    """
    return LanguageBatches(Path(path) if path else bundled_model())


class LanguageBatches:
    """Scores of many texts for every language of one fastText model.

    Attributes:
        one_by_one: the same model as fastText runs it; has its labels and its name.
    """

    def __init__(self, path: Path) -> None:
        self.one_by_one: LanguageModel = load_language_model(str(path))
        model = read_fasttext(path.read_bytes())
        self._scores = FastTextScores(model) if model.is_tree_of_words else None

    def scores_of(
        self, texts: Sequence[str | bytes], minimum: float = 0.01
    ) -> list[dict[str, float]]:
        """For each text every label scoring at least `minimum`, as `LanguageModel.scores` does.

        Of a text with more capitals than small letters they are those of its small letters. Best
        first, equal scores by label, empty for a text without a word.

        Args:
            texts: in any language; UTF-8, if bytes. A lone surrogate, which fastText does not take,
                becomes `?`.
        """
        column = TextColumn.of(
            text if isinstance(text, bytes) else text.encode("utf-8", "replace") for text in texts
        )
        scores = self.columns_of(column, np.ones(len(texts), np.bool_), minimum)
        return scores.of_texts(np.arange(len(texts)))

    def _scores_of_left(self, text: str, minimum: float) -> dict[str, float]:
        """Of a text that compiled code leaves: one in capitals is asked about in small letters."""
        small = in_small_letters(text)
        if small == text:
            return self.one_by_one.scores(text, minimum)
        return self.scores_of([small], minimum)[0]

    def columns_of(
        self,
        texts: TextColumn,
        wanted: NDArray[np.bool_],
        minimum: float = 0.01,
        *,
        glued: bool = False,
        settles: Callable[[ScoreColumns], NDArray[np.bool_]] | None = None,
    ) -> ScoreColumns:
        """What `scores_of` gives, column by column.

        Args:
            wanted: which of them are asked about; the others get no label.
            glued: leave out line feeds, and ask about capitals as they are: the published rule.
            settles: which texts need scores that are as exact as that; of the others they may
                differ in the sixth decimal.
        """
        if self._scores is None:
            names: Sequence[str] = self.one_by_one.labels
            counts, labels = np.zeros(len(wanted), np.int64), np.empty(0, np.int32)
            scores = np.empty(0)
            left = np.flatnonzero(wanted)
        else:
            names = self._scores.labels
            limits = (min(minimum, _HALF_PERCENT) / 2.5, minimum, MAX_CHARS)
            counts, labels, scores, left = self._scores.label_columns(
                texts, wanted, *limits, glued=glued
            )
        if settles is not None and len(left):
            needed = settles(ScoreColumns(names, counts, labels, scores))
            left = left[needed[left] | (counts[left] == 0)]
        if len(left):
            number_of = {name: number for number, name in enumerate(names)}
            asked = [texts.text(at) for at in left.tolist()]
            asked = [text.replace("\n", "") for text in asked] if glued else asked
            of_text = self.one_by_one.scores if glued else self._scores_of_left
            answers = [of_text(text, minimum) for text in asked]
            other = np.ones(len(wanted), np.bool_)
            other[left] = False
            others = np.repeat(other, counts)
            sizes = [len(each) for each in answers]
            places = np.repeat(np.cumsum(counts * other)[left], sizes)
            counts = counts * other
            counts[left] = sizes
            found = [number_of[name] for each in answers for name in each]
            labels = np.insert(labels[others], places, found)
            values = [score for each in answers for score in each.values()]
            scores = np.insert(scores[others], places, values)
        return ScoreColumns(names, counts, labels, scores)
