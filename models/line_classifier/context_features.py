"""Features of a page's lines from the HTML elements that they stood in.

What an element says of itself (tag, classes) and what its lines say of it (how much text, how
much of it links) are combined along the way from each line's element up to the outermost.
Elements that hold several lines are computed once: most arrays here have a row for each of
the *leaves*, the innermost elements that hold a line themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.line_classifier.elements import FLAGS, FRAMES, elements_say
from models.line_classifier.page_arrays import Floats, Ints
from pipeline.native import ways_up
from pipeline.transforms.line_context import LineContext

UP = 5
"""Elements on the way up from a line whose sizes are looked at one by one."""
UP_FLAGS = 3
"""Of these, the ones whose own flags are looked at one by one."""
GOOD_WORDS = 12
GOOD_LINKS = 0.4
"""From so many words on, and below this share of links, a line counts as running text."""
MAIN_SHARES = (0.4, 0.6, 0.8, 0.95)
"""Shares of the page's running text for which the innermost element holding it is sought."""
_SIZES = 6
LEAF_DENSE = UP * _SIZES + (UP_FLAGS + 1) * FLAGS
CONTEXT_DENSE = LEAF_DENSE + 5 * len(MAIN_SHARES) + 5


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
            element, and of the first that is called alike and stands in one called alike;
            shape [2, leaves].
        framed: for each visible line whether some element around it is a menu, a footer or an
            aside.
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
    framed: NDArray[np.bool_]

    @property
    def dense(self) -> Floats:
        """All dense features, a row for each visible line; shape [n, CONTEXT_DENSE]."""
        return np.concatenate([self.by_leaf[self.leaves], self.by_line], axis=1)


class _Tree(NamedTuple):
    """The elements around a page's lines; `flags` and `sizes` have a row for each element."""

    parents: list[int]
    flags: Ints
    path: Ints
    steps: Ints
    starts: Ints
    depth: Ints
    sizes: Floats


def context_features(context: LineContext, lines: Ints, words: Ints) -> ContextFeatures:
    """Features of the visible lines of a page.

    Args:
        context: of the page's lines.
        lines: numbers of the visible lines, ascending.
        words: how many each of them has.
    """
    elements = context["elements"] or ["html"]
    parents = context["parents"] or [-1]
    owners = np.asarray(context["lines"], np.int64)[lines]
    links: Floats = (np.frombuffer(context["links"], np.uint8)[lines] / 255).astype(np.float32)
    used, leaves = np.unique(_filled(owners), return_inverse=True)
    leaves = leaves.astype(np.int64)
    path, steps, starts = _paths(used, parents)
    depth = np.zeros(len(elements), np.int64)
    depth[path] = np.repeat(np.diff(starts) - 1, np.diff(starts)) - steps
    said = elements_say(elements)
    sizes = _sizes(words, links, leaves, path, starts, len(elements))
    tree = _Tree(parents, said.flags, path, steps, starts, depth, sizes)
    around = np.bitwise_or.reduceat(said.flags[path], starts[:-1])
    return ContextFeatures(
        by_leaf=_by_leaf(tree, around),
        by_line=_by_line(tree, leaves, owners < 0, links),
        tokens=said.tokens,
        token_starts=said.token_starts,
        path=path,
        steps=steps,
        path_starts=starts,
        leaves=leaves,
        kin=_kin(used, said.alike, parents),
        framed=(around & FRAMES != 0)[leaves],
    )


def _kin(used: Ints, alike: Ints, parents: Sequence[int]) -> Ints:
    """As `ContextFeatures.kin`; the outermost element stands in itself."""
    around, called = np.maximum(np.asarray(parents), 0)[used], alike[used]
    return np.stack([_first(some * alike.size + called) for some in (around, alike[around])])


def _first(keys: Ints) -> Ints:
    """For each key where it stands first."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return first[inverse]


def _filled(owners: Ints) -> Ints:
    """A line whose element is not known counts to that of the line before, the first to 0."""
    known = np.maximum.accumulate(np.where(owners >= 0, np.arange(owners.size), -1))
    filled: Ints = np.where(known >= 0, owners[np.maximum(known, 0)], 0)
    return filled


def _paths(used: Ints, parents: list[int]) -> tuple[Ints, Ints, Ints]:
    """Elements from each used one upwards, the steps up, and where each path starts."""
    found = ways_up(np.asarray(parents, np.int32), used)
    path, steps, starts = (np.frombuffer(array, np.int64) for array in found)
    return path, steps, starts


def _sizes(
    words: Ints, links: Floats, leaves: Ints, path: Ints, starts: Ints, elements: int
) -> Floats:
    """How much text each element holds, how much of it in links, and how much running text."""
    running = np.where((words >= GOOD_WORDS) & (links < GOOD_LINKS), words, 0)
    count = starts.size - 1
    totals = []
    for amount in (words, words * links, running, np.ones(words.size)):
        of_leaf = np.bincount(leaves, amount, minlength=count)
        totals.append(np.bincount(path, np.repeat(of_leaf, np.diff(starts)), minlength=elements))
    all_words, linked, good, lines = totals
    some = np.maximum(all_words, 1)
    columns = (
        np.log1p(all_words),
        linked / some,
        good / max(float(running.sum()), 1.0),
        np.log1p(lines),
        good / some,
        all_words / max(float(words.sum()), 1.0),
    )
    return np.stack(columns, axis=1).astype(np.float32)


def _by_leaf(tree: _Tree, around: Ints) -> Floats:
    """Sizes and flags of the nearest elements, and the flags of all; shape [leaves, LEAF_DENSE]."""
    parts: list[NDArray[np.generic]] = []
    for step in range(UP):
        at = tree.starts[:-1] + step
        there = at < tree.starts[1:]
        element = tree.path[np.minimum(at, tree.path.size - 1)]
        parts.append(tree.sizes[element] * there[:, None])
        if step < UP_FLAGS:
            parts.append(_bits(tree.flags[element] * there))
    parts.append(_bits(around))
    return np.concatenate(parts, axis=1, dtype=np.float32)


def _bits(flags: Ints) -> NDArray[np.uint8]:
    """Each flag as a number of its own; shape [n, FLAGS]."""
    octets = flags.astype("<i8").view(np.uint8).reshape(-1, 8)
    return np.unpackbits(octets, axis=1, count=FLAGS, bitorder="little")


def _by_line(tree: _Tree, leaves: Ints, unknown: NDArray[np.bool_], links: Floats) -> Floats:
    """What lines of one leaf may differ in; shape [n, CONTEXT_DENSE - LEAF_DENSE]."""
    same = leaves[1:] == leaves[:-1]
    depth = tree.depth[tree.path[tree.starts[:-1]]][leaves]
    nodes = [_main(tree, share) for share in MAIN_SHARES]
    places = {node: _places(tree, node, leaves, depth) for node in set(nodes)}
    mains = [column for node in nodes for column in places[node]]
    alone = np.zeros(1, bool)
    columns = (unknown, links, depth / 10, *mains, np.append(same, alone), np.append(alone, same))
    rows = np.empty((len(columns), leaves.size), np.float32)
    for number, column in enumerate(columns):
        rows[number] = column
    return np.ascontiguousarray(rows.T)


def _main(tree: _Tree, share: float) -> int:
    """The innermost element that holds a share of the running text; 0 where none does."""
    holding = np.flatnonzero(tree.sizes[:, 2] >= share - 1e-6)
    return int(holding[np.argmax(tree.depth[holding])]) if holding.size else 0


def _places(tree: _Tree, node: int, leaves: Ints, depth: Ints) -> list[Ints | Floats]:
    """Where each line is to an element.

    Whether it is inside, steps up and down between the two, and whether it comes before or
    after all that is inside.
    """
    around = np.zeros(len(tree.parents), np.int64)
    at = node
    while at >= 0:
        around[at] = 1
        at = tree.parents[at]
    common = np.add.reduceat(around[tree.path], tree.starts[:-1])[leaves] - 1
    inside = np.add.reduceat(tree.path == node, tree.starts[:-1])[leaves] > 0
    number = np.arange(leaves.size)
    ins = np.flatnonzero(inside)
    first, last = (ins[0], ins[-1]) if ins.size else (0, leaves.size)
    up, down = np.log1p(tree.depth[node] - common), np.log1p(depth - common)
    return [inside, up, down, number < first, number > last]
