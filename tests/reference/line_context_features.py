"""What `features.context.context_features` computes, said in Python: a definition for the tests."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skord.html.line_context import LineContext
from skord.models.line_classifier.array_types import Floats, Ints
from skord.models.line_classifier.features.context import (
    GOOD_LINKS,
    GOOD_WORDS,
    MAIN_SHARES,
    UP,
    UP_FLAGS,
    ContextFeatures,
)
from skord.models.line_classifier.features.dom import (
    FLAGS,
    FRAMES,
    MENUS,
    ElementsSay,
    elements_say,
)


class _Tree(NamedTuple):
    """The elements around a page's lines; `flags` and `sizes` have a row for each element."""

    parents: list[int]
    flags: Ints
    path: Ints
    steps: Ints
    starts: Ints
    depth: Ints
    sizes: Floats


def defined_context(context: LineContext, lines: Ints, words: Ints) -> ContextFeatures:
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
    told = [element for element in elements if element.startswith("!page")]
    sizes = _sizes(words, links, leaves, path, starts, len(elements))
    tree = _Tree(parents, said.flags, path, steps, starts, depth, sizes)
    around = np.bitwise_or.reduceat(said.flags[path], starts[:-1])
    up = [path[start : min(start + 3, end)] for start, end in pairwise(starts.tolist())]
    near = [bool(np.any(said.flags[way] & MENUS)) for way in up]
    return ContextFeatures(
        by_leaf=_by_leaf(tree, around),
        by_line=_by_line(tree, leaves, owners < 0, links),
        tokens=said.tokens,
        token_starts=said.token_starts,
        path=path,
        steps=steps,
        path_starts=starts,
        leaves=leaves,
        kin=_kin(used, said, parents),
        page_element=elements.index(told[0]) if told else -1,
        framed=(around & FRAMES != 0)[leaves] | (np.array(near)[leaves] & (links > 0.98)),
        controls=np.array([context["controls"][line] / 255 for line in lines.tolist()], np.float32),
    )


def _kin(used: Ints, said: ElementsSay, parents: Sequence[int]) -> Ints:
    """As `ContextFeatures.kin`; the outermost element stands in itself."""
    styles: list[tuple[int, ...]] = []
    for called, parent, tokens in zip(said.alike, parents, np.diff(said.token_starts), strict=True):
        styles.append((called, *(styles[parent] if tokens == 1 and parent >= 0 else ())))
    numbers = {style: number for number, style in enumerate(styles)}
    like = np.array([numbers[style] for style in styles])
    around, alike = np.maximum(np.asarray(parents), 0)[used], said.alike
    return np.stack([_first(some * alike.size + alike[used]) for some in (around, like[around])])


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
    path, steps, starts = [], [], [0]
    for at in used.tolist():
        way = [at]
        while parents[way[-1]] >= 0:
            way.append(parents[way[-1]])
        path += way
        steps += range(len(way))
        starts.append(len(path))
    return np.array(path), np.array(steps), np.array(starts)


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
