"""Registers of texts: how much each is of each, and which ones it counts as."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from models.hashed_text.features import Floats
from models.hashed_text.linear import EMBEDDED, LinearModel
from models.registers.labels import REGISTERS

WEIGHTS = Path(__file__).parent / "weights.npz"


class RegisterModel(LinearModel):
    """Which registers texts are of."""

    def scores(self, texts: Sequence[str]) -> Floats:
        """Estimates in [0, 1] of the probability of each register, shape (texts, registers).

        A text's scores do not depend on the others.
        """
        return np.clip(self.sums(texts), 0, 1)

    def registers(self, scores: Floats) -> list[str]:
        """The registers that a text with these scores counts as, most likely first."""
        limits = self._weights.limits.tolist()
        order = np.argsort(-scores, kind="stable").tolist()
        return [REGISTERS[place] for place in order if scores[place] >= limits[place]]


def load_registers(path: str) -> RegisterModel:
    """The model: embedded, or a file of weights.

    Raises:
        ConfigError: the file holds none.
    """
    file = WEIGHTS if path == EMBEDDED else Path(path)
    return RegisterModel.load(file, len(REGISTERS), "registers")
