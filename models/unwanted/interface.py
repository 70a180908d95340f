"""From measures of a text to the probability that nobody wrote it to be read."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skord.core.failures import ConfigError

WEIGHTS = Path(__file__).parent / "weights.json"
MACHINE_MADE = WEIGHTS.with_name("machine_made.json")
"""Weights of `skord.extras.unwanted.machine_made`: templates and translated offers."""
TRAINED_LANGUAGES = ("sv", "da", "nb", "nn", "is")
"""Languages of the texts that the weights were trained on; in others lists of goods read like spam."""
Matrix = NDArray[np.float64]
DECIMALS = 3
"""Of a probability: the last bits of a machine's logarithms do not show."""


class UnwantedModel(NamedTuple):
    """A logistic regression.

    Attributes:
        name: "unwanted-" and the start of the file's SHA-256, for fingerprints.
        measures: what each weight is of, in order.
        weights: shape (measures,).
        limit: from which probability on a text is better left out.
    """

    name: str
    measures: tuple[str, ...]
    weights: Matrix
    bias: float
    limit: float

    def probabilities(self, rows: Matrix) -> Matrix:
        """Of each row of measures, shape (texts, measures)."""
        sums = (rows * self.weights).sum(axis=1) + self.bias
        return np.asarray(np.round(1 / (1 + np.exp(-np.clip(sums, -30, 30))), DECIMALS))


TOO_MUCH = (OverflowError, RecursionError)
"""What JSON of endless numbers or depths raises."""


@cache
def load_unwanted(path: Path = WEIGHTS) -> UnwantedModel:
    """The model out of a JSON file: `bias`, `limit` and a mapping of measures to `weights`.

    Raises:
        ConfigError: it holds none.
    """
    try:
        raw = path.read_bytes()
        content = json.loads(raw)
        weights = {str(name): float(value) for name, value in content["weights"].items()}
        bias, limit = float(content["bias"]), float(content["limit"])
    except (OSError, ValueError, KeyError, AttributeError, TypeError, *TOO_MUCH) as error:
        raise ConfigError(f"{path} holds no weights of unwanted texts ({error})") from error
    if not np.isfinite([*weights.values(), bias, limit]).all():
        raise ConfigError(f"{path} holds no weights of unwanted texts (a number is not finite)")
    name = f"unwanted-{hashlib.sha256(raw).hexdigest()[:12]}"
    return UnwantedModel(name, tuple(weights), np.array(list(weights.values())), bias, limit)
