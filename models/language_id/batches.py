"""The language identifier for many texts at once: the same model, several times as fast.

`LanguageModel` asks fastText for one text after another. Here `models.language_id.scores`
computes the same scores, up to the error of fastText's own float32 sums. Scores are given to
six decimals, and where a score is so near to half a percent that this error could decide its
rounding to two decimals, or which side of a limit of two decimals it is on, fastText itself
is asked and its score given as it is. So both agree in every rounded score and every decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from models.language_id.fasttext_file import UnsupportedModelError, parse_fasttext
from models.language_id.lid176 import LanguageModel, bundled_model, load_language_model
from models.language_id.scores import FastTextScores

MAX_CHARS = 1 << 18
"""Longer texts go to fastText, which needs no memory for them."""

_HALF_PERCENT = 0.005


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
        self._scores: FastTextScores | None = None
        with suppress(UnsupportedModelError):
            self._scores = FastTextScores(parse_fasttext(path.read_bytes()))

    def scores_of(
        self, texts: Sequence[str | bytes], minimum: float = 0.01
    ) -> list[dict[str, float]]:
        """For each text every label scoring at least `minimum`, as `LanguageModel.scores` does.

        Best first, equal scores by label, empty for a text without a word.

        Args:
            texts: in any language; UTF-8, if bytes.
            minimum: see there.
        """
        told: Sequence[dict[str, float] | None] = [None] * len(texts)
        if self._scores is not None:
            least = min(minimum, _HALF_PERCENT) / 2.5
            told = self._scores.best_labels(texts, least, minimum, MAX_CHARS)
        return [
            self.one_by_one.scores(_as_str(text), minimum) if scores is None else scores
            for text, scores in zip(texts, told, strict=True)
        ]


def _as_str(text: str | bytes) -> str:
    return text.decode() if isinstance(text, bytes) else text
