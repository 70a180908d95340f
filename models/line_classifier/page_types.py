"""Kinds of pages, which the network tells apart as a second output, and how sure it may be on each.

The kinds are those of the web content extraction benchmark (WCXB, arXiv 2605.21097), whose pages
say theirs. What a page is conditions its lines; and gold agrees on what belongs to an article, less
on what belongs to a shop's page, so logits are divided by more there (CARD.md).
"""

from __future__ import annotations

import numpy as np

from skord.models.line_classifier.array_types import Floats

PAGE_TYPES = (
    "article",
    "documentation",
    "service",
    "forum",
    "product",
    "collection",
    "listing",
)
"""A company's or office's page is a service; a shop's department a collection."""

TEMPERATURES = np.array([1.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0], np.float32)
"""By which a page's logits are divided, by its type; by cross-validation over sites."""


def type_temperature(types: Floats) -> float:
    """By what the logits of a page are divided whose types have these shares.

    >>> type_temperature(np.array([0.5, 0.5, 0, 0, 0, 0, 0], np.float32))
    2.0
    """
    return float(types @ TEMPERATURES)
