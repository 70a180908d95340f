"""Logits drawn towards those of like lines: what an author set alike is kept or removed alike.

Shares by cross-validation over the training sites (CARD.md).
"""

from __future__ import annotations

import numpy as np

from skord.models.line_classifier.array_types import Floats, Ints
from skord.models.line_classifier.features.context import ContextFeatures
from skord.models.line_classifier.features.lines import PageFeatures
from skord.models.line_classifier.network import LOGIT_STEP
from skord.models.line_classifier.page_types import PAGE_TYPES
from skord.native import drawn_to_headings, smoothed_logits

_HEADED_KINDS = ("documentation", "service", "collection")
SIBLINGS = 0.4
"""Share of the mean over lines whose elements are called alike and stand in the same element."""
NAMESAKES = 0.4
"""Share of the mean over those whose elements, and what these stand in, are called alike."""
BLOCK = 0.6
"""Where the HTML is not known, share of the mean over the block's lines."""
SUREST = 8.0
"""Logits beyond it count as it, so that one line does not decide for all."""
HEADED = 0.5
"""Share by which a line is drawn to its heading, on a page that is of the types in HEADED_TYPES."""
HEADED_TYPES = np.array([kind in _HEADED_KINDS for kind in PAGE_TYPES], np.float32)
LEAST_DRAWN = -3.0
"""What rules or the networks put below stays there."""
FARTHEST_DRAWN = 3.0
"""A heading's logit counts as at most so much above a line's."""
MOST_LINKED = 0.5
"""Share of links from which on a line leads elsewhere and is not drawn."""
LEAST_SHARE = 0.02
"""Where hardly anything would be drawn, nothing is."""


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
        np.ascontiguousarray(logits), page.words, groups, (parts, rest, SUREST, LOGIT_STEP)
    )
    return np.frombuffer(mixed, np.float32).copy()


def draw_to_headings(
    logits: Floats, plain: bytes, visible: Ints, links: Floats, types: Floats
) -> Floats:
    r"""Each visible line's logit, drawn up to that of its heading where this is more; shape [n].

    What stands under a heading that is kept (a list of goods, of helplines, of rooms) hardly has
    words by which it could be known. A heading is drawn to the one above its level.

    Args:
        logits: of n visible lines, after `smooth_logits` and rules.
        plain: the page, as `plain_page` gives it.
        visible: their numbers.
        links: share of these in each.
        types: the share of each type that the page may have.

    >>> likely, none = np.array([2, -2, -2, -8], np.float32), np.zeros(4, np.float32)
    >>> types = np.array([kind == "service" for kind in PAGE_TYPES], np.float32)
    >>> page = "## Våra rum\nEtt\nTvå\nTre\n".encode()
    >>> draw_to_headings(likely, page, np.arange(4), none, types).tolist()
    [2.0, -0.5, -0.5, -8.0]
    """
    share = HEADED * float(types @ HEADED_TYPES)
    if share < LEAST_SHARE:
        return logits
    limits = (share, LEAST_DRAWN, FARTHEST_DRAWN, MOST_LINKED, LOGIT_STEP)
    drawn = drawn_to_headings(plain, visible, logits, np.ascontiguousarray(links), limits)
    return np.frombuffer(drawn, np.float32)
