"""Scores of texts, in standard deviations of the texts that taught the model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from models.hashed_text.features import Floats
from models.hashed_text.linear import Weights, read_weights, sums

EMBEDDED = "embedded"
WEIGHTS = Path(__file__).parent / "weights.npz"


class EducationModel:
    """A linear model over hashed words, pairs of words and runs of characters.

    Attributes:
        name: "education-" and the start of the weights' SHA-256, for fingerprints.
    """

    def __init__(self, weights: Weights, name: str) -> None:
        self._weights = weights
        self.name = f"education-{name}"

    def scores(self, texts: Sequence[str]) -> Floats:
        """How much each text teaches, shape (texts,): 0 is usual; each text for itself."""
        return sums(texts, self._weights)[:, 0]


@lru_cache(maxsize=2)
def load_education(path: str) -> EducationModel:
    """The model: embedded, or a file of weights.

    Raises:
        ConfigError: the file holds none.
    """
    file = WEIGHTS if path == EMBEDDED else Path(path)
    return EducationModel(*read_weights(file, 1, "education"))
