"""The file of weights: an int8 for each bucket of n-grams and language."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skord.core.failures import ConfigError
from skord.models.array_file import unpack_arrays, write_arrays

LANGUAGES = ("sv", "da", "no", "nn", "is", "fo")
"""Labels as lid.176 names them, "no" being Bokmål, and Faroese."""

LANES = 8
"""Labels that the weights in memory have room for, so that a row is added at once."""


@dataclass(frozen=True, eq=False)
class Weights:
    """What was learnt.

    Attributes:
        steps: shape (buckets, LANES), a power of two of buckets; zeros after the last language.
        scale: the weight of a step.
        longest: letters of the longest n-gram.
        prior: how much the logarithm of lid.176's scores counts beside.
        name: start of the file's SHA-256.
    """

    steps: NDArray[np.int8]
    scale: float
    longest: int
    prior: float
    name: str = ""


def stepped_weights(table: NDArray[np.float32], longest: int, prior: float) -> Weights:
    """Weights of shape (buckets, languages) in steps of a 127th of the largest."""

    scale = float(np.abs(table).max() / 127)
    return Weights(_padded_rows(np.rint(table / scale).astype(np.int8)), scale, longest, prior)


def write_weights(path: Path, weights: Weights) -> None:
    """Write the file; the same weights give the same bytes."""

    write_arrays(
        path,
        {
            "steps": weights.steps[:, : len(LANGUAGES)],
            "scale": np.array(weights.scale, np.float64),
            "longest": np.array(weights.longest, np.int64),
            "prior": np.array(weights.prior, np.float64),
            "languages": np.array(LANGUAGES),
        },
    )


def _padded_rows(steps: NDArray[np.int8]) -> NDArray[np.int8]:

    padded = np.zeros((len(steps), LANES), np.int8)
    padded[:, : steps.shape[1]] = steps
    return padded


def read_weights(path: Path) -> Weights:
    """The weights in a file.

    Raises:
        ConfigError: there is none, or it holds something else.
    """

    try:
        content = path.read_bytes()
        weights = unpack_arrays(content)
        languages, steps = weights["languages"].tolist(), weights["steps"]
        scale, prior = float(weights["scale"]), float(weights["prior"])
        longest = int(weights["longest"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise ConfigError(
            f"cannot read the Scandinavian classifier {path}: {error}; name its weights, embedded or none"
        ) from error
    if languages != [*LANGUAGES]:
        raise ConfigError(f"{path} tells other languages apart: {languages}")
    buckets = steps.shape[0] if steps.shape[1:] == (len(LANGUAGES),) else 0
    if steps.dtype != np.int8 or not buckets or buckets & (buckets - 1):
        raise ConfigError(f"{path} holds a Scandinavian classifier of an impossible shape")
    digest = hashlib.sha256(content).hexdigest()[:12]
    return Weights(_padded_rows(steps), scale, longest, prior, digest)
