"""Logits drawn towards those of like lines: what an author set alike is kept or removed alike.

Shares by cross-validation over the training sites (CARD.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.line_classifier.array_types import Floats, Ints
from models.line_classifier.features.context import ContextFeatures
from models.line_classifier.features.lines import PageFeatures
from models.line_classifier.network import rounded

Doubles = NDArray[np.float64]

SIBLINGS = 0.4
"""Share of the mean over lines whose elements are called alike and stand in the same element."""
NAMESAKES = 0.3
"""Share of the mean over those whose elements, and what these stand in, are called alike."""
BLOCK = 0.6
"""Where the HTML is not known, share of the mean over the block's lines."""
SUREST = 8.0
"""Logits beyond it count as it, so that one line does not decide for all."""


def smoothed(logits: Floats, page: PageFeatures, context: ContextFeatures | None) -> Floats:
    """Each visible line's logit, in part replaced by means over lines like it; shape [n].

    A line counts in a mean by the square root of its words.

    Args:
        logits: of the network.
        page: of n visible lines.
        context: of the same lines, where it is known.
    """
    if context is None:
        # A gap in the numbers of visible lines is a blank one, with which another block begins.
        parts = [(BLOCK, np.cumsum(np.diff(page.lines, prepend=-1) > 1, dtype=np.int64))]
    else:
        siblings, namesakes = context.kin[:, context.leaves]
        parts = [(SIBLINGS, siblings), (NAMESAKES, namesakes)]
    # In double precision and rounded at the end, so that the order of adding does not show.
    own = np.clip(logits.astype(np.float64), -SUREST, SUREST)
    # One more, so that lines without words count too; `group_means` asks for at least 1.
    weights = np.sqrt(page.words + 1.0)
    mixed = own * (1 - sum(share for share, _ in parts))
    for share, group in parts:
        mixed += share * group_means(own, weights, group)
    return rounded(mixed.astype(np.float32))


def group_means(values: Doubles, weights: Doubles, group: Ints) -> Doubles:
    """For each value the mean of its group, by weights that are at least 1.

    >>> group_means(np.array([1.0, 4, 8]), np.array([1.0, 2, 1]), np.array([2, 2, 0])).tolist()
    [3.0, 3.0, 8.0]
    """
    total = np.bincount(group, values * weights)
    means: Doubles = (total / np.maximum(np.bincount(group, weights), 1))[group]
    return means
