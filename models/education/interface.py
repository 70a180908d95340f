"""Scores of texts, in standard deviations of the texts that the model was trained on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skord.models.hashed_text.features import Floats
from skord.models.hashed_text.linear import EMBEDDED, LinearModel

WEIGHTS = Path(__file__).parent / "weights.npz"


class EducationModel(LinearModel):
    """How much texts teach."""

    def scores(self, texts: Sequence[str]) -> Floats:
        """How much each text teaches, shape (texts,): 0 is usual; each text for itself."""
        return self.sums(texts)[:, 0]


def load_education(path: str) -> EducationModel:
    """The model: embedded, or a file of weights.

    Raises:
        ConfigError: the file holds none.
    """
    return EducationModel.load(WEIGHTS if path == EMBEDDED else Path(path), 1, "education")
