"""Registers of texts: how much each is of each, and which ones it counts as."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from models.registers.features import REGISTERS, Floats, Text, Weights, read_weights, text_features

EMBEDDED = "embedded"
WEIGHTS = Path(__file__).parent / "weights.npz"


class RegisterModel:
    """A linear model over hashed words and runs of characters.

    Attributes:
        name: "registers-" and the start of the weights' SHA-256, for fingerprints.
    """

    def __init__(self, weights: Weights, name: str) -> None:
        self._weights = weights
        self.name = f"registers-{name}"

    def scores(self, texts: Sequence[str]) -> Floats:
        """Estimates in [0, 1] of the probability of each register, shape (texts, registers).

        A text's scores do not depend on the others; rounded to 1/1024, so that the last bits of
        a machine's sums do not show.
        """
        rows = [score(text, self._weights) for text in text_features(texts)]
        return np.stack(rows) if rows else np.zeros((0, len(REGISTERS)), np.float32)

    def registers(self, scores: Floats) -> list[str]:
        """The registers that a text with these scores counts as, most likely first."""
        limit = float(self._weights.limits[0])
        order = np.argsort(-scores, kind="stable").tolist()
        return [REGISTERS[place] for place in order if scores[place] >= limit]


def score(text: Text, weights: Weights) -> Floats:
    """The scores of one text."""
    values = text.values * weights.rarity[text.buckets]
    length = float(np.sqrt(np.sum(values * values, dtype=np.float64)))
    sums = (values / max(length, 1e-9)) @ weights.weights[text.buckets] + weights.shares
    rounded: Floats = (np.round(np.clip(sums, 0, 1) * 1024) / 1024).astype(np.float32)
    return rounded


@lru_cache(maxsize=2)
def load_registers(path: str) -> RegisterModel:
    """The model: embedded, or a file of weights.

    Raises:
        ConfigError: the file holds none.
    """
    return RegisterModel(*read_weights(WEIGHTS if path == EMBEDDED else Path(path)))
