"""How far two annotators agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np


class Agreement(NamedTuple):
    """Two annotators' labels of the same lines, compared.

    Attributes:
        pages: on which both have labels.
        lines: visible lines of these pages.
        differing: lines on which the labels differ.
        kappa: Cohen's, over all lines together; None where it is not defined.
    """

    pages: int
    lines: int
    differing: int
    kappa: float | None


def cohens_kappa(first: Sequence[int], second: Sequence[int]) -> float | None:
    """Agreement of two raters beyond what chance would give.

    (p_o - p_e) / (1 - p_e), where p_o is the share of equal labels and p_e that expected of
    two independent raters with these shares of each label. Cohen, "A coefficient of agreement
    for nominal scales", Educational and Psychological Measurement 20 (1960).

    Returns:
        1 for full agreement, 0 for none beyond chance; None without labels, or where both
        give one and the same label throughout, which leaves nothing to agree on.

    The example of 50 proposals read by two readers, 20 times both yes, 15 times both no:

    >>> first = [1] * 20 + [1] * 5 + [0] * 10 + [0] * 15
    >>> second = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    >>> round(cohens_kappa(first, second), 3)
    0.4
    >>> cohens_kappa([1, 0], [0, 1])
    -1.0
    >>> cohens_kappa([1, 1], [1, 1]) is None
    True

    Raises:
        ValueError: the raters have not labelled equally many lines.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} labels beside {len(second)}")
    a, b = np.asarray(first), np.asarray(second)
    if not a.size:
        return None
    equal = float((a == b).mean())
    expected = sum(float((a == label).mean() * (b == label).mean()) for label in {*first, *second})
    return None if expected == 1 else (equal - expected) / (1 - expected)


def agreement(pages: Iterable[tuple[Sequence[int], Sequence[int]]]) -> Agreement:
    """Over all lines of some pages; each page's labels are of its visible lines.

    >>> agreement([([1, 0], [1, 0]), ([1, 1], [1, 0])])
    Agreement(pages=2, lines=4, differing=1, kappa=0.5)
    """
    pairs = list(pages)
    first = [label for labels, _ in pairs for label in labels]
    second = [label for _, labels in pairs for label in labels]
    differing = sum(a != b for a, b in zip(first, second, strict=True))
    return Agreement(len(pairs), len(first), differing, cohens_kappa(first, second))
