r"""The shipped network, in numpy: logits of a page's lines from their features.

    line vector   relu(W · [dense features, mean of hashed word vectors] + b); with the page's
                  HTML also [its dense features, vectors of the elements around the line]
    page          mean and maximum of all line vectors, and what the page says of itself as a whole;
                  what they tell of its type, and the vectors of the types by their shares, given to
                  every line
    context       residual convolutions along the lines, width 3, growing dilation
    attention     heads over the whole page: softmax-weighted means of all lines,
                  against which each line is set
    logit         one for each line, divided by a temperature that the page's type sets

`train.py` holds the same network in torch for training; the weights' names are shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from models.array_file import digest_of, write_arrays
from models.line_classifier.array_types import Floats
from models.line_classifier.features.context import CONTEXT_DENSE, LEAF_DENSE, ContextFeatures
from models.line_classifier.features.dom import TOKEN_BUCKETS
from models.line_classifier.features.lines import DENSE, WORD_BUCKETS, PageFeatures
from models.line_classifier.linear_algebra import (
    means,
    product,
    product_of_scaled,
    sums,
    whole_lanes,
    with_convolution,
)
from models.line_classifier.page_types import PAGE_TYPES, shares, temperature
from pipeline.core.failures import ConfigError

WIDTH = 48
WORD_WIDTH = 16
ELEMENT_WIDTH = 16
NEARER = 0.6
"""An element counts so much less than the one that it holds, where near ones are to count."""
MOST_DEVIATIONS = 5
"""By which a feature counts as off the mean of the training pages."""
HEADS = 4
"""Attention heads; weights files have called their weights `glance` from the start."""
DILATIONS = (1, 2, 4, 8, 16)
# Logits are rounded to this, so that the last bits, in which processors differ, hardly ever show.
LOGIT_STEP = 1 / 64
_VECTORS = {"word_vectors", "element_vectors"}
_LEAF = slice(DENSE, DENSE + LEAF_DENSE)


@dataclass(frozen=True)
class Network:
    """Some networks of one shape, whose logits are averaged, and a name that says which.

    Attributes:
        ensemble: weights by name, for each network; `mean` and `scale` are the same in all.
        digest: of all weights.
    """

    ensemble: tuple[dict[str, Floats], ...]
    digest: str

    @cached_property
    def joined(self) -> dict[str, Floats]:
        """The members' weights as they are computed with: all members in one operation.

        Word and element vectors stand side by side, so that each is looked up once, and so do
        the columns of the dense features, which all members share; other arrays have the members
        as their first axis.
        """
        stacked = {name: np.stack([m[name] for m in self.ensemble]) for name in self.ensemble[0]}
        dense = stacked["mean"].shape[1]
        line = stacked["line_weight"]
        weights = {name: np.concatenate(list(stacked[name]), 1) for name in _VECTORS & set(stacked)}
        of_dense = {"weight": np.concatenate(list(line[:, :dense]), 1)}
        of_dense |= {name: stacked[name][0] for name in ("mean", "scale")}
        weights |= {f"leaf_{name}": array[_LEAF] for name, array in of_dense.items()}
        weights |= {f"dense_{name}": np.delete(array, _LEAF, 0) for name, array in of_dense.items()}
        weights["line_bias"] = stacked["line_bias"].reshape(-1)
        weights["word_weight"] = np.ascontiguousarray(line[:, dense : dense + WORD_WIDTH])
        weights["called_weight"] = np.ascontiguousarray(line[:, dense + WORD_WIDTH :])
        padded = ("glance_weight", "out_weight", "type_weight")
        weights |= {name: whole_lanes(stacked[name]) for name in padded}
        used = {"line_weight", "mean", "scale"} | set(weights)
        rest = {name: array for name, array in stacked.items() if name not in used}
        return weights | {
            name: array[:, None] if name.endswith("bias") else array for name, array in rest.items()
        }


def weight_shapes(with_context: bool) -> dict[str, tuple[int, ...]]:
    """Name and shape of every array of a weights file, for pages with or without their HTML."""
    dense = DENSE + CONTEXT_DENSE * with_context
    shapes: dict[str, tuple[int, ...]] = {
        "mean": (dense,),
        "scale": (dense,),
        "word_vectors": (WORD_BUCKETS, WORD_WIDTH),
        "line_weight": (dense + WORD_WIDTH + 2 * ELEMENT_WIDTH * with_context, WIDTH),
        "line_bias": (WIDTH,),
        "page_weight": (2 * WIDTH + ELEMENT_WIDTH * with_context, WIDTH),
        "page_bias": (WIDTH,),
        "type_weight": (2 * WIDTH + ELEMENT_WIDTH * with_context, len(PAGE_TYPES)),
        "type_bias": (len(PAGE_TYPES),),
        "type_vectors": (len(PAGE_TYPES), WIDTH),
        "glance_weight": (WIDTH, HEADS),
        "seen_weight": (HEADS * WIDTH, WIDTH),
        "again_weight": (WIDTH, WIDTH),
        "again_bias": (WIDTH,),
        "out_weight": (WIDTH, 1),
        "out_bias": (1,),
    }
    for dilation in DILATIONS:
        shapes[f"context{dilation}_weight"] = (3, WIDTH, WIDTH)
        shapes[f"context{dilation}_bias"] = (WIDTH,)
    if with_context:
        shapes["element_vectors"] = (TOKEN_BUCKETS, ELEMENT_WIDTH)
    return shapes


def read_network(path: Path, with_context: bool) -> Network:
    """The networks of a weights file; each array holds all members, one after the other.

    Args:
        path: of the file.
        with_context: whether it is for pages with their HTML.

    Raises:
        ConfigError: the file is missing, is no weights file, or has other shapes.
    """
    try:
        content = path.read_bytes()
        with np.load(path, allow_pickle=False) as arrays:
            stacked = {name: arrays[name].astype(np.float32) for name in arrays.files}
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read the line classifier {path}: {error}") from error
    count = len(stacked.get("out_bias", ()))
    shapes = {name: (count, *shape) for name, shape in weight_shapes(with_context).items()}
    if not count or {name: array.shape for name, array in stacked.items()} != shapes:
        raise ConfigError(f"{path} holds weights of another line classifier")
    members = tuple({name: stacked[name][at] for name in stacked} for at in range(count))
    return Network(members, digest_of(content))


def write_network(path: Path, members: Sequence[dict[str, Floats]]) -> None:
    """Writes networks as a weights file, in half precision but for the features' scale."""
    stacked = {
        name: np.stack([member[name] for member in members]).astype(stored_type(name))
        for name in weight_shapes("element_vectors" in members[0])
    }
    write_arrays(path, stacked)


def stored_type(name: str) -> type[np.floating[Any]]:
    """Number format of an array in a weights file."""
    return np.float32 if name in {"mean", "scale"} else np.float16


class Judged(NamedTuple):
    """What the networks make of a page.

    Attributes:
        logits: of its visible lines; shape [n].
        types: shares of PAGE_TYPES; shape [types].
    """

    logits: Floats
    types: Floats


NOTHING_SEEN = Judged(np.zeros(0, np.float32), np.zeros(len(PAGE_TYPES), np.float32))
"""Of a page without a visible line."""


def judged(network: Network, page: PageFeatures, context: ContextFeatures | None = None) -> Judged:
    """Logits of the page's visible lines, and its type.

    A page is computed alone, never padded with others, so that its logits do not depend on
    its neighbours in a batch.

    Args:
        network: with element vectors exactly where there is a context.
        page: of n visible lines.
        context: of the same lines.
    """
    if not page.lines.size:
        return NOTHING_SEEN
    weights = network.joined
    hidden = _line_vectors(weights, page, context)
    # The page as a whole: what its lines are on average, the strongest sign of each kind, and what
    # it says of itself.
    known = [hidden.mean(1, keepdims=True), hidden.max(1, keepdims=True)]
    if context:
        known.append(_told(weights, context, len(hidden)))
    seen = np.concatenate(known, axis=2)
    types = shares(
        product(seen, weights["type_weight"])[..., : len(PAGE_TYPES)] + weights["type_bias"]
    )
    whole = np.maximum(product(seen, weights["page_weight"]) + weights["page_bias"], 0)
    # Types by their shares, not the likeliest alone: a page may be half a shop, half an article.
    hidden += whole + np.einsum("mot,mtw->mow", types, weights["type_vectors"])
    # Each line sees 1, 2, 4, 8 and 16 lines to both sides in turn, so 31 in the end.
    for dilation in DILATIONS:
        weight, bias = (weights[f"context{dilation}_{kind}"] for kind in ("weight", "bias"))
        hidden = with_convolution(hidden, weight, bias, dilation)
    hidden = hidden + _compared(hidden, weights)
    logits = (product(hidden, weights["out_weight"])[..., :1] + weights["out_bias"]).mean(0)[:, 0]
    return at_temperature(logits, types.mean((0, 1)))


def at_temperature(logits: Floats, types: Floats) -> Judged:
    """Mean logits of the networks, as sure as pages of such types allow."""
    return Judged(rounded(logits / np.float32(temperature(types))), types)


def rounded(logits: Floats) -> Floats:
    """Logits to the next LOGIT_STEP."""
    steps: Floats = (np.rint(logits / LOGIT_STEP) * LOGIT_STEP).astype(np.float32)
    return steps


def _line_vectors(
    weights: dict[str, Floats], page: PageFeatures, context: ContextFeatures | None
) -> Floats:
    """Of each line alone what each member makes of it; shape [members, n, WIDTH]."""
    members = weights["word_weight"].shape[0]

    def of_members(vectors: Floats) -> Floats:
        """From the members side by side to one after the other."""
        return vectors.reshape(vectors.shape[0], members, -1).transpose(1, 0, 2)

    of_context = context.by_line if context else page.dense[:, :0]
    vectors = _scaled("dense", page.dense, of_context, weights) + weights["line_bias"]
    words = of_members(means(weights["word_vectors"], page.buckets, page.word_starts))
    hidden = of_members(vectors) + product(words, weights["word_weight"])
    if context:
        called = np.concatenate(list(map(of_members, _elements(weights, context))), axis=2)
        by_leaf = context.by_leaf
        of_leaf = of_members(_scaled("leaf", by_leaf, by_leaf[:, :0], weights))
        # Lines of one leaf share what its elements say: worked out once for each leaf, then spread.
        hidden += (of_leaf + product(called, weights["called_weight"]))[:, context.leaves]
    # Compiled products read rows that lie one behind the other; those of a transposed view do not.
    active: Floats = np.maximum(hidden, 0, order="C")
    return active


def _scaled(name: str, dense: Floats, more: Floats, weights: dict[str, Floats]) -> Floats:
    """Features at mean 0 and deviation 1 of the training pages, weighed."""
    mean, scale, weight = (weights[f"{name}_{kind}"] for kind in ("mean", "scale", "weight"))
    return product_of_scaled(dense, more, mean, scale, weight, MOST_DEVIATIONS)


def _elements(weights: dict[str, Floats], context: ContextFeatures) -> tuple[Floats, Floats]:
    """What the elements from each leaf upwards are called, near ones most, and all alike.

    Shapes [leaves, members * ELEMENT_WIDTH].
    """
    called = sums(weights["element_vectors"], context.tokens, context.token_starts)
    steps = np.arange(context.steps.max(initial=0) + 1, dtype=np.float32)
    nearer = (np.float32(NEARER) ** steps)[context.steps]
    near = sums(called, context.path, context.path_starts, nearer)
    return near, means(called, context.path, context.path_starts)


def _told(weights: dict[str, Floats], context: ContextFeatures, members: int) -> Floats:
    """What the page says of itself as a whole; shape [members, 1, ELEMENT_WIDTH]."""
    if context.page_element < 0:
        return np.zeros((members, 1, ELEMENT_WIDTH), np.float32)
    start, end = context.token_starts[context.page_element : context.page_element + 2]
    names = weights["element_vectors"][context.tokens[start:end]]
    sums: Floats = names.sum(0, dtype=np.float32).reshape(members, 1, ELEMENT_WIDTH)
    return sums


def _compared(hidden: Floats, weights: dict[str, Floats]) -> Floats:
    """What each line adds when it knows the page's foremost lines, as HEADS see them."""
    scores = product(hidden, weights["glance_weight"])[..., :HEADS]
    shares = np.exp(scores - scores.max(1, keepdims=True))  # the greatest is 1: none overflows
    shares /= shares.sum(1, keepdims=True)
    seen = product(shares.transpose(0, 2, 1), hidden).reshape(len(hidden), 1, -1)
    known = product(seen, weights["seen_weight"]) + weights["again_bias"]
    added: Floats = np.maximum(product(hidden, weights["again_weight"]) + known, 0)
    return added
