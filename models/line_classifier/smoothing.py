"""Logits drawn towards those of like lines: what an author set alike is kept or removed alike.

Shares by cross-validation over the training sites (CARD.md).
"""

from __future__ import annotations

import numpy as np

from skord.models.line_classifier.array_types import Floats
from skord.models.line_classifier.features.context import ContextFeatures
from skord.models.line_classifier.features.lines import PageFeatures
from skord.models.line_classifier.network import LOGIT_STEP
from skord.native import smoothed_logits

SIBLINGS = 0.4
"""Share of the mean over lines whose elements are called alike and stand in the same element."""
NAMESAKES = 0.4
"""Share of the mean over those whose elements, and what these stand in, are called alike."""
BLOCK = 0.6
"""Where the HTML is not known, share of the mean over the block's lines."""
SUREST = 8.0
"""Logits beyond it count as it, so that one line does not decide for all."""


def smooth_logits(logits: Floats, page: PageFeatures, context: ContextFeatures | None) -> Floats:
    """Each visible line's logit, in part replaced by means over lines like it; shape [n].

    A line counts in a mean by the square root of its words.

    Args:
        logits: of the network.
        page: of n visible lines.
        context: of the same lines, where it is known.
    """
    if context is None:
        # A gap in the numbers of visible lines is a blank one, with which another block begins.
        shares = [BLOCK]
        groups = np.cumsum(np.diff(page.lines, prepend=page.lines[:1]) > 1, dtype=np.int64)
    else:
        shares, groups = [SIBLINGS, NAMESAKES], context.kin.take(context.leaves, 1)
    rest, parts = 1 - sum(shares), np.array(shares)
    mixed = smoothed_logits(
        np.ascontiguousarray(logits), page.words, groups, parts, rest, SUREST, LOGIT_STEP
    )
    return np.frombuffer(mixed, np.float32).copy()
