"""What a reference classifier is, and the one that a setting names.

None is shipped: which pages are cited depends on the Wikipedia of the language, and what
stands against them on the dump. `train.py` makes one from both (CARD.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from skord.models.hashed_text.features import MAX_CHARS, Floats
from skord.models.hashed_text.linear import LinearModel

BUCKETS = 1 << 15
"""Of each block of features."""


class ReferenceClassifier(LinearModel):
    """How likely pages are of the kind that Wikipedia cites, by their text alone."""

    def scores(self, texts: Sequence[str]) -> Floats:
        """The probability for each text that it is of a cited page, from 0 to 1; shape [n].

        Calibrated for as many cited pages as others were trained on, which is far more than
        a crawl holds: to rank and to cut, not to count. 0 for a text without a word. A text's
        score does not depend on the other texts.
        """
        logits = np.clip(self.sums(texts)[:, 0], -30, 30)
        has_word = np.array([any(map(str.isalnum, text[:MAX_CHARS])) for text in texts], bool)
        return np.asarray(has_word / (1 + np.exp(-logits)), np.float32)


def load_reference_classifier(path: str) -> ReferenceClassifier | None:
    """The classifier of a weights file; None for the path "".

    Raises:
        ConfigError: the file is missing, damaged, or no reference classifier.
    """
    return ReferenceClassifier.load(Path(path), 1, "reference") if path else None
