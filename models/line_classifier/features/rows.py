"""Rows of a page's frame: of buttons and options, of links side by side, and trails."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.line_classifier.array_types import Floats, Ints
from pipeline.native import framing_rows as compiled_rows

LONGEST_CONTROLS = 25
"""A line of so many words is text, whatever it does when it is pressed."""
LEAST_CONTROLLED = 0.5
LEAST_LINKED = 0.8
LEAST_SIGNS = 2
LEAST_TRAIL = 0.25
"""Share of links in a trail, whose end may be the page's own name."""
# Of 18,600 rows of controls on the training pages 398 are main text by their gold, which keeps
# filters of shops and buttons for code, too; of 360 rows of links none is, and of 31 trails on 28
# sites none.
_LIMITS = (LONGEST_CONTROLS, LEAST_CONTROLLED, LEAST_LINKED, LEAST_SIGNS, LEAST_TRAIL)


def framing_rows(
    plain: bytes, visible: Ints, words: Ints, links: Floats, controls: Floats
) -> NDArray[np.bool_]:
    r"""For each visible line whether it is a row of controls, of links and signs, or a trail.

    Headings, questions and tables are none: they unfold what stands under them. Between links
    stands one of "|›»/→>" with blanks around it. A trail begins with the name of a front page and
    such a sign.

    Args:
        plain: the page, as `plain_page` gives it.
        visible: numbers of the visible lines; shape [n].
        words: how many each of these has; shape [n].
        links, controls: share of these in links, and in buttons, labels and options; shape [n].

    >>> def is_row(line, linked, controlled):
    ...     shares = np.array([[linked], [controlled]], np.float32)
    ...     return framing_rows(line.encode(), np.array([0]), np.array([4]), *shares).item()
    >>> is_row("Storlek S M Köp", 0, 0.75), is_row("Vad kostar det då?", 0, 1)
    (True, False)
    >>> is_row("Hem | Nyheter | Sport", 1, 0), is_row("Nyheter | Sport i dag", 1, 0)
    (True, False)
    >>> is_row("Hem » Sport » Ny bro i Lund", 0.33, 0), is_row("Hem / Sport", 0, 0)
    (True, False)
    """
    lines = (visible, words, np.ascontiguousarray(links), np.ascontiguousarray(controls))
    return np.frombuffer(compiled_rows(plain, lines, _LIMITS), np.bool_)
