"""Weights over hashed features, in a file of plain arrays, and what they make of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from skord.core.failures import ConfigError
from skord.models.array_file import digest_of, unpack_arrays
from skord.models.hashed_text.features import BLOCKS, Floats, normalised_buckets, text_features

EMBEDDED = "embedded"
"""In place of a file: the weights that are shipped."""
STEPS = 1024
"""Sums are rounded to one part of so many, so that the last bits of a machine do not show."""


class Weights(NamedTuple):
    """A linear model.

    Attributes:
        rarity: inverse document frequency of each bucket, shape (BLOCKS * buckets,); float32.
        weights: shape (BLOCKS * buckets, outputs); float32.
        shares: added to the sums, shape (outputs,).
        limits: of an output, from which on it counts, shape (outputs,).
    """

    rarity: Floats
    weights: Floats
    shares: Floats
    limits: Floats


class LinearModel:
    """A linear model over hashed words, pairs of words and runs of characters.

    Attributes:
        name: what it scores, and the start of the weights' SHA-256, for fingerprints; models of
            one name give the same numbers.
    """

    def __init__(self, weights: Weights, name: str = "") -> None:
        self._weights = weights
        self.name = name

    @classmethod
    @lru_cache(maxsize=4)
    def load(cls, path: Path, outputs: int, what: str) -> Self:
        """Weights in a file, of so many outputs.

        Raises:
            ConfigError: it holds none.
        """
        arrays, digest = read_arrays(path, Weights._fields, what)
        return cls(weights_of(arrays, outputs, path), f"{what}-{digest}")

    def sums(self, texts: Sequence[str]) -> Floats:
        """What the model makes of each text, shape (texts, outputs); of each alone."""
        return linear_scores(texts, self._weights)


def linear_scores(texts: Sequence[str], weights: Weights) -> Floats:
    """What the model makes of each text, shape (texts, outputs); of each alone."""
    rows = np.zeros((len(texts), weights.weights.shape[1]), np.float32)
    features = text_features(texts, len(weights.rarity) // BLOCKS)
    for row, text in zip(rows, features, strict=True):
        values = normalised_buckets(text, weights.rarity)
        row[:] = values @ weights.weights.take(text.buckets, 0) + weights.shares
    return rounded_to_steps(rows)


def rounded_to_steps(numbers: Floats) -> Floats:
    """Rounded to parts of which `STEPS` are one."""
    return np.asarray(np.round(numbers * STEPS) / STEPS, np.float32)


def weights_of(arrays: Mapping[str, Floats], outputs: int, path: Path) -> Weights:
    """Those of a linear model, among a file's arrays.

    Raises:
        ConfigError: they are not of so many outputs.
    """
    weights = Weights(*(arrays[name] for name in Weights._fields))
    size = weights.rarity.size
    shapes = [(size,), (size, outputs), (outputs,)]
    if [array.shape for array in weights[:3]] != shapes or size % BLOCKS or not size:
        raise ConfigError(f"{path} holds weights of another shape: train them again")
    return weights


def read_arrays(path: Path, names: Sequence[str], what: str) -> tuple[dict[str, Floats], str]:
    """Named arrays of the .npz that holds what a model was trained to, and what names the file.

    `weights` may be bytes, in units of the array `unit`, one for each output.

    Raises:
        ConfigError: it lacks one.
    """
    try:
        raw = path.read_bytes()
        held = unpack_arrays(raw)
        arrays = {name: held[name].astype(np.float32) for name in names}
        if "weights" in arrays and "unit" in held:
            arrays["weights"] *= held["unit"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} holds no {what} weights ({error})") from error
    return arrays, digest_of(raw)


def write_weights(path: Path, weights: Weights) -> None:
    """In 16 bits a number."""
    half = {name: value.astype(np.float16) for name, value in weights._asdict().items()}
    np.savez_compressed(path, **half)


def in_bytes(weights: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Weights in 8 bits each, and the unit of each output: the largest is 127 of it.

    Most are of one unit or two; cutting the largest for finer ones loses more than it gains.
    """
    unit = np.asarray(np.maximum(np.abs(weights).max(axis=0), 1e-12) / 127, np.float32)
    return np.round(weights / unit).astype(np.int8), unit
