"""Rows of a page's frame: of buttons and options, of links side by side, and trails."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.line_classifier.array_types import Floats, Ints

LONGEST_CONTROLS = 25
"""A line of so many words is text, whatever it does when it is pressed."""
LEAST_CONTROLLED = 0.5
LEAST_LINKED = 0.8
LEAST_SIGNS = 2
LEAST_TRAIL = 0.25
"""Share of links in a trail, whose end may be the page's own name."""
# Of 18,600 such lines on the training pages 398 are main text by their gold, which keeps filters of
# shops and buttons for code, too; of 360 rows of links none is.
_UNFOLDING = re.compile(r"(?:[ >]|[-*+] |\d+[.)] )*(?:#+ |\|)|.*\?\W*$", re.DOTALL)
_PARTING = re.compile(r" [|›»/→>](?= )")
# Of 31 such lines on 28 sites none is main text.
_HOME = re.compile(
    r"(?:[-*+>] |\d+[.)] )*(?:home|hem|hjem|heim|forside|forsiden|forsíða|startsida|startside)"
    r" ?[|›»/→>] ?\S",
    re.IGNORECASE,
)


def framing_rows(
    lines: Sequence[str], visible: Ints, words: Ints, links: Floats, controls: Floats
) -> NDArray[np.bool_]:
    """For each visible line whether it is a row of controls, of links and signs, or a trail.

    Headings, questions and tables are none: they unfold what stands under them.

    Args:
        lines: of the page, in plain form.
        visible: numbers of the visible ones; shape [n].
        words: how many each of these has; shape [n].
        links, controls: share of these in links, and in buttons, labels and options; shape [n].

    >>> def is_row(line, linked, controlled):
    ...     shares = np.array([[linked], [controlled]], np.float32)
    ...     return framing_rows([line], np.array([0]), np.array([4]), *shares).item()
    >>> is_row("Storlek S M Köp", 0, 0.75), is_row("Vad kostar det då?", 0, 1)
    (True, False)
    >>> is_row("Hem | Nyheter | Sport", 1, 0), is_row("Nyheter | Sport i dag", 1, 0)
    (True, False)
    >>> is_row("Hem » Sport » Ny bro i Lund", 0.33, 0), is_row("Hem / Sport", 0, 0)
    (True, False)
    """
    rows: NDArray[np.bool_] = (controls >= LEAST_CONTROLLED) & (words < LONGEST_CONTROLS)
    for at in np.flatnonzero(rows).tolist():
        rows[at] = not _UNFOLDING.match(lines[visible[at]])
    for at in np.flatnonzero(~rows & (links >= LEAST_LINKED)).tolist():
        line = lines[visible[at]]
        rows[at] = len(_PARTING.findall(line)) >= LEAST_SIGNS and not _UNFOLDING.match(line)
    for at in np.flatnonzero(~rows & (links >= LEAST_TRAIL) & (words < LONGEST_CONTROLS)).tolist():
        rows[at] = _HOME.match(lines[visible[at]]) is not None
    return rows
