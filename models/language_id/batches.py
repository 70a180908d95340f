"""The language identifier for many texts at once: the same model, several times as fast.

`LanguageModel` asks fastText for one text after another. Here `models.language_id.scores`
computes the same scores, up to the error of fastText's own float32 sums. Scores are given to
six decimals, and where a score is so near to half a percent that this error could decide its
rounding to two decimals, or which side of a limit of two decimals it is on, fastText itself
is asked and its score given as it is. So both agree in every rounded score and every decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.language_id.fasttext_file import END_OF_LINE, UnsupportedModelError, parse_fasttext
from models.language_id.lid176 import LanguageModel, bundled_model, load_language_model
from models.language_id.scores import FastTextScores

DECIMALS = 6
MAX_CHARS = 1 << 18
"""Longer texts go to fastText, which needs no memory for them."""

_ERROR = 1e-5
_ERROR_PER_CHAR = 5e-10
"""Some four times the largest differences seen: 2e-6 in pages, 1.2e-4 in 1.5 million characters."""

_HALF_PERCENT = 0.005


@lru_cache(maxsize=2)
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
        self._scores: FastTextScores | None = None
        try:
            model = parse_fasttext(path.read_bytes())
        except UnsupportedModelError:
            return
        self._scores = FastTextScores(model)
        self._labels = np.array(sorted(model.labels))
        self._columns = np.argsort(np.array(model.labels))

    def scores_of(self, texts: Sequence[str], minimum: float = 0.01) -> list[dict[str, float]]:
        """For each text every label scoring at least `minimum`, as `LanguageModel.scores` does.

        Best first, equal scores by label, empty for a text without a word.
        """
        all_scores: list[dict[str, float]] = [{} for _ in texts]
        plain = [place for place, text in enumerate(texts) if self._is_plain(text)]
        if self._scores is not None and plain:
            asked = [texts[place] for place in plain]
            scores = np.minimum(self._scores(asked, min(minimum, _HALF_PERCENT) / 2.5), 1.0)
            scores = scores[:, self._columns]
            chars = np.array([len(texts[place]) for place in plain])
            safe = ~_in_doubt(scores, chars)
            for place, row in zip(plain, self._listed(scores, minimum), strict=True):
                all_scores[place] = row
            plain = [place for place, is_safe in zip(plain, safe, strict=True) if is_safe]
        for place in sorted(set(range(len(texts))).difference(plain)):
            all_scores[place] = self.one_by_one.scores(texts[place], minimum)
        return all_scores

    def _is_plain(self, text: str) -> bool:
        """Whether the text is one that is not left to fastText."""
        return (
            self._scores is not None
            and len(text) <= MAX_CHARS
            and END_OF_LINE.decode() not in text
            and not text.isspace()
            and bool(text)
        )

    def _listed(self, scores: NDArray[np.float64], minimum: float) -> list[dict[str, float]]:
        rounded = scores.round(DECIMALS)
        texts, labels = np.nonzero(rounded >= minimum)
        order = np.lexsort((labels, -rounded[texts, labels], texts))
        texts, labels = texts[order], labels[order]
        names, values = self._labels[labels].tolist(), rounded[texts, labels].tolist()
        listed: list[dict[str, float]] = [{} for _ in scores]
        for text, name, value in zip(texts.tolist(), names, values, strict=True):
            listed[text][name] = value
        return listed


def _in_doubt(scores: NDArray[np.float64], chars: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which texts have a score whose second decimal may hang on an error; shape (texts,)."""
    steps = scores / _HALF_PERCENT
    distance = np.abs(steps - np.rint(steps)) * _HALF_PERCENT
    error = (_ERROR + _ERROR_PER_CHAR * chars)[:, np.newaxis]
    # below the least step no rounding hangs on anything, at 1 every score is cut
    counted = (scores > _HALF_PERCENT / 2) & (scores < 1)
    return np.asarray(((distance <= error) & counted).any(axis=1))
