"""Registers of texts: how much each is of each, and which ones it counts as."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from models.hashed_text.features import Floats
from models.hashed_text.linear import Weights, read_weights, sums
from models.registers.labels import REGISTERS

EMBEDDED = "embedded"
WEIGHTS = Path(__file__).parent / "weights.npz"


class RegisterModel:
    """A linear model over hashed words, pairs of words and runs of characters.

    Attributes:
        name: "registers-" and the start of the weights' SHA-256, for fingerprints.
    """

    def __init__(self, weights: Weights, name: str) -> None:
        self._weights = weights
        self.name = f"registers-{name}"

    def scores(self, texts: Sequence[str]) -> Floats:
        """Estimates in [0, 1] of the probability of each register, shape (texts, registers).

        A text's scores do not depend on the others.
        """
        return np.clip(sums(texts, self._weights), 0, 1)

    def registers(self, scores: Floats) -> list[str]:
        """The registers that a text with these scores counts as, most likely first."""
        limits = self._weights.limits.tolist()
        order = np.argsort(-scores, kind="stable").tolist()
        return [REGISTERS[place] for place in order if scores[place] >= limits[place]]


@lru_cache(maxsize=2)
def load_registers(path: str) -> RegisterModel:
    """The model: embedded, or a file of weights.

    Raises:
        ConfigError: the file holds none.
    """
    file = WEIGHTS if path == EMBEDDED else Path(path)
    return RegisterModel(*read_weights(file, len(REGISTERS), "registers"))
