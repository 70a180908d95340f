"""Registers of texts: how much each is of each, and which ones it counts as."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skord.core.failures import ConfigError
from skord.models.hashed_text.features import Floats
from skord.models.hashed_text.linear import (
    EMBEDDED,
    Weights,
    in_bytes,
    linear_scores,
    read_arrays,
    rounded_to_steps,
    weights_of,
)

REGISTERS = ("narrative", "information", "opinion", "persuasion", "discussion", "how_to")
"""Labels, in the order of the weights' columns."""

CODES = ("NA", "IN", "OP", "IP", "ID", "HI")
"""CORE's, in the same order."""


WEIGHTS = Path(__file__).parent / "weights.npz"
BUCKETS = 1 << 17
"""Of each block of features: fewer mix up words that distinguish registers."""
USUAL = 0.35
"""From which on a first score counts double in the second stage."""


class RegisterWeights(NamedTuple):
    """A linear model of each register, and one over all of their scores.

    Attributes:
        first: over words and characters; its limits are those of the second scores.
        second: shape (inputs, registers), of `second_inputs`.
        least: the highest score of a text counts from here on, shape (1,).
    """

    first: Weights
    second: Floats
    least: Floats


def second_inputs(first: NDArray[np.floating]) -> NDArray[np.floating]:
    """What the second stage reads of first scores: shape (texts, 4 * registers + 1).

    The scores, their squares, how far each is below the highest, what is above `USUAL`, and 1: so
    registers that go together or exclude one another are known.
    """
    ones = np.ones((len(first), 1), first.dtype)
    below = first - first.max(axis=1, keepdims=True, initial=-9)
    return np.hstack([first, first**2, below, np.maximum(first - USUAL, 0), ones])


def apply_limits(
    scores: NDArray[np.floating], limits: NDArray[np.floating], least: float
) -> NDArray[np.bool_]:
    """Which registers texts count as, shape (texts, registers).

    All that reach their limit, and the highest of a text from `least` on: most texts are of one.

    >>> apply_limits(np.array([[0.5, 0.4], [0.3, 0.1], [0.1, 0.0]]), np.array([0.35, 0.35]), 0.2)
    array([[ True,  True],
           [ True, False],
           [False, False]])
    """
    highest = scores >= scores.max(axis=1, keepdims=True, initial=-9)
    return np.asarray((scores >= limits) | (highest & (scores >= least)))


class RegisterModel:
    """Which registers texts are of.

    Attributes:
        name: what it scores, and the start of the weights' SHA-256, for fingerprints.
    """

    def __init__(self, weights: RegisterWeights, name: str = "") -> None:
        self._weights = weights
        self.name = name

    def scores(self, texts: Sequence[str]) -> Floats:
        """Estimates in [0, 1] of the probability of each register, shape (texts, registers).

        A text's scores do not depend on the others.
        """
        inputs = second_inputs(linear_scores(texts, self._weights.first))
        estimates = (inputs[:, :, None] * self._weights.second).sum(axis=1)
        return np.clip(rounded_to_steps(estimates), 0, 1)

    def registers(self, scores: Floats) -> list[str]:
        """The registers that a text with these scores counts as, most likely first."""
        counts = apply_limits(
            scores[None], self._weights.first.limits, float(self._weights.least[0])
        )
        order = np.argsort(-scores, kind="stable").tolist()
        return [REGISTERS[place] for place in order if counts[0, place]]


@cache
def load_registers(path: str) -> RegisterModel:
    """The model: embedded, or a file of weights.

    Raises:
        ConfigError: the file holds none.
    """
    file = WEIGHTS if path == EMBEDDED else Path(path)
    arrays, digest = read_arrays(file, (*Weights._fields, "second", "least"), "registers")
    first = weights_of(arrays, len(REGISTERS), file)
    weights = RegisterWeights(first, arrays["second"], arrays["least"])
    size = len(REGISTERS)
    if weights.second.shape != (4 * size + 1, size) or weights.least.shape != (1,):
        raise ConfigError(f"{file} holds weights of another shape: train them again")
    return RegisterModel(weights, f"registers-{digest}")


def write_registers(path: Path, weights: RegisterWeights) -> None:
    """In 8 bits a weight of the first stage."""
    first = weights.first
    held, unit = in_bytes(first.weights)
    np.savez_compressed(
        path,
        rarity=first.rarity.astype(np.float16),
        weights=held,
        unit=unit,
        shares=first.shares,
        limits=first.limits,
        second=weights.second,
        least=weights.least,
    )
