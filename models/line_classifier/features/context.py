"""Features of a page's lines from the HTML elements that they stood in.

What an element says of itself (tag, classes) and what its lines say of it (how much text, how
much of it links) are combined along the way from each line's element up to the outermost, by
compiled code. Elements that hold several lines are computed once: most arrays here have a row
for each of the *leaves*, the innermost elements that hold a line themselves. A line whose element
is not known counts to that of the line before, and the first to the first element.

| features of a leaf | what they are |
|---|---|
| UP × 6 | of each of the nearest elements: logarithm of 1 more than its words, share of these in \
links, its share of the page's running text, logarithm of 1 more than its lines, share of running \
text among its words, its share of the page's words; zeros beyond the outermost |
| UP_FLAGS × FLAGS | between them: flags (`elements`) of the nearest |
| FLAGS | flags of all up to the outermost |

| features of a line | what they are |
|---|---|
| 3 | whether its element is not known; share of its words in links; elements around it, in tens |
| 5 for each of MAIN_SHARES | of the innermost element that holds such a share of the page's \
running text, or the first element: whether the line is inside; logarithms of 1 more than the \
steps up and down between the two; whether it comes before, after all that is inside |
| 2 | whether the next line, the one before has the same leaf |
"""

from __future__ import annotations

from array import array
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skord.html.line_context import LineContext
from skord.html.page_facts import PAGE
from skord.models.line_classifier.array_types import Floats, Ints
from skord.models.line_classifier.features.dom import (
    CAPTION,
    FIGURE,
    FLAGS,
    FRAMES,
    MENUS,
    NAMED_NOTE,
    NOTE_BY_ROLE,
    read_element_names,
)
from skord.native import tree_features

UP = 5
"""Elements on the way up from a line whose sizes are looked at one by one."""
UP_FLAGS = 3
"""Of these, the ones whose own flags are looked at one by one."""
GOOD_WORDS = 12
GOOD_LINKS = 0.4
"""From so many words on, and below this share of links, a line counts as running text."""
MAIN_SHARES = (0.4, 0.6, 0.8, 0.95)
"""Shares of the page's running text for which the innermost element holding it is sought."""
LEAF_DENSE = UP * 6 + (UP_FLAGS + 1) * FLAGS
CONTEXT_DENSE = LEAF_DENSE + 5 * len(MAIN_SHARES) + 5
MENU_LINKS = 250
"""Share of a line's words in links, × 255, from which on it is a link or a row of them."""
MENU_STEPS = 3
"""Elements from a line's own upwards of which one may be named as what holds menus."""
_FRAMES = (FRAMES, MENUS, MENU_STEPS, MENU_LINKS)
_NONE = np.empty(0, np.int64)
_LEAST_SHARES = np.array([share - 1e-6 for share in MAIN_SHARES], np.float32)


class ContextFeatures(NamedTuple):
    """What the HTML says of a page's visible lines.

    Attributes:
        by_leaf: dense features of the leaves; shape [leaves, LEAF_DENSE].
        by_line: those that differ within a leaf; shape [n, CONTEXT_DENSE - LEAF_DENSE].
        tokens: buckets of what all elements are called, one element after the other.
        token_starts: where each element's tokens start, and the end; shape [elements + 1].
        path: elements from each leaf up to the outermost, one leaf after the other.
        steps: how far up each of these is; 0 is the leaf itself.
        path_starts: where each leaf's path starts, and the end; shape [leaves + 1].
        leaves: for each visible line the row of its leaf.
        kin: for each leaf the number of the first that is called alike and stands in the same
            element, and of the first that is called alike and stands in one called alike, as that
            one in turn must where it says no more than its tag; the outermost element stands in
            itself; shape [2, leaves].
        page_element: number of the one that says what the page says of itself; -1 for none.
        framed: for each visible line whether some element around it is a menu, a footer or an
            aside, or it is nothing but links in one that is named as a menu.
        controls: for each visible line the share of its words in buttons, labels and options.
        figures, captions, notes: numbers of the visible lines in figures, in their captions, in
            notes to the text.
    """

    by_leaf: Floats
    by_line: Floats
    tokens: Ints
    token_starts: Ints
    path: Ints
    steps: Ints
    path_starts: Ints
    leaves: Ints
    kin: Ints
    page_element: int
    framed: NDArray[np.bool_]
    controls: Floats
    figures: Ints
    captions: Ints
    notes: Ints

    @property
    def links(self) -> Floats:
        """For each visible line the share of its words in links."""
        return self.by_line[:, 1]

    @property
    def dense(self) -> Floats:
        """All dense features, a row for each visible line; shape [n, CONTEXT_DENSE]."""
        return np.concatenate([self.by_leaf[self.leaves], self.by_line], axis=1)


def context_features(context: LineContext, lines: Ints, words: Ints) -> ContextFeatures:
    """Features of the visible lines of a page.

    Args:
        context: of the page's lines.
        lines: numbers of the visible lines, ascending.
        words: how many each of them has.

    Raises:
        ValueError: there is no such line or element, or an element stands before its parent.
    """
    elements = context["elements"] or ["html"]
    names = read_element_names(elements)
    parents, owners = array("i", context["parents"] or [-1]), array("i", context["lines"])
    features = tree_features(
        (parents, names.flags, names.alike, names.token_starts, names.kinds),
        (lines, words, owners, context["links"]),
        (FLAGS, UP, UP_FLAGS, *_FRAMES, GOOD_WORDS, GOOD_LINKS, _LEAST_SHARES),
    )
    by_leaf, by_line = (np.frombuffer(part, np.float32) for part in features[:2])
    path, steps, starts, leaves, kin = (np.frombuffer(part, np.int64) for part in features[2:7])
    controls = np.frombuffer(context["controls"], np.uint8)[lines].astype(np.float32)
    framed, kinds = np.frombuffer(features[7], np.bool_), np.frombuffer(features[8], np.uint8)
    has_any = any(features[8])
    figures, captions, named, with_role = (
        np.flatnonzero(kinds & kind) if has_any else _NONE
        for kind in (FIGURE, CAPTION, NAMED_NOTE, NOTE_BY_ROLE)
    )
    return ContextFeatures(
        by_leaf=by_leaf.reshape(-1, LEAF_DENSE),
        by_line=by_line.reshape(-1, CONTEXT_DENSE - LEAF_DENSE),
        tokens=names.tokens,
        token_starts=names.token_starts,
        path=path,
        steps=steps,
        path_starts=starts,
        leaves=leaves,
        kin=kin.reshape(2, -1),
        page_element=len(elements) - 1 if elements[-1].startswith(PAGE) else -1,
        framed=framed,
        controls=controls / np.float32(255),
        figures=figures,
        captions=captions,
        notes=np.union1d(named[~framed[named]], with_role) if named.size else with_role,
    )
