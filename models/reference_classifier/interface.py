"""What a reference classifier is, and the one that a setting names.

None is shipped: which pages are cited depends on the Wikipedia of the language, and what
stands against them on the dump. `train.py` makes one from both (CARD.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from skord.models.hashed_text.features import MAX_CHARS, Floats
from skord.models.hashed_text.linear import LinearModel, read_weights

BUCKETS = 1 << 15
"""Of each block of features."""


class ReferenceClassifier:
    """How likely pages are of the kind that Wikipedia cites, by their text alone.

    Attributes:
        name: "reference-" and the start of the weights' SHA-256; two classifiers of one name
            give the same scores. Part of the fingerprint of what is made with it.
    """

    def __init__(self, model: LinearModel, name: str) -> None:
        self._model = model
        self.name = name

    def scores(self, texts: Sequence[str]) -> Floats:
        """The probability for each text that it is of a cited page, from 0 to 1; shape [n].

        Calibrated for as many cited pages as others were trained on, which is far more than
        a crawl holds: to rank and to cut, not to count. 0 for a text without a word. A text's
        score does not depend on the other texts.
        """
        logits = np.clip(self._model.sums(texts)[:, 0], -30, 30)
        has_word = np.array([any(map(str.isalnum, text[:MAX_CHARS])) for text in texts], bool)
        return np.asarray(has_word / (1 + np.exp(-logits)), np.float32)


@cache
def load_reference_classifier(path: str) -> ReferenceClassifier | None:
    """The classifier of a weights file, read once per process; None for the path "".

    Raises:
        ConfigError: the file is missing, damaged, or no reference classifier.
    """
    if not path:
        return None
    weights, digest = read_weights(Path(path), 1, "a reference classifier")
    return ReferenceClassifier(LinearModel(weights), f"reference-{digest}")
