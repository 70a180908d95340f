r"""The shipped network, in compiled code: logits of a page's lines from their features.

    line vector   relu(W · [dense features, mean of hashed word vectors] + b); with the page's
                  HTML also [its dense features, vectors of the elements around the line]
    page          mean and maximum of all line vectors, and what the page says of itself as a whole;
                  what they tell of its type, and the vectors of the types by their shares, given to
                  every line
    context       residual convolutions along the lines, width 3, growing dilation
    attention     heads over the whole page: softmax-weighted means of all lines,
                  against which each line is set
    logit         one for each line, divided by a temperature that the page's type sets

`pytorch/network.py` holds the same network in torch, for training and GPUs; the weights' names are
shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from skord.core.failures import ConfigError
from skord.models.array_file import digest_of, unpack_arrays
from skord.models.line_classifier.array_types import Floats
from skord.models.line_classifier.features.context import CONTEXT_DENSE, LEAF_DENSE, ContextFeatures
from skord.models.line_classifier.features.dom import TOKEN_BUCKETS
from skord.models.line_classifier.features.lines import DENSE, WORD_BUCKETS, PageFeatures
from skord.models.line_classifier.page_types import PAGE_TYPES, type_temperature
from skord.native import LineNetwork, judge_lines, line_network

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
ARRAYS = (
    *("out_bias", "dense_mean", "dense_scale", "dense_weight", "line_bias", "word_vectors"),
    *("word_weight", "page_weight", "page_bias", "type_weight", "type_bias", "type_vectors"),
    *("glance_weight", "seen_weight", "again_weight", "again_bias", "out_weight"),
)
"""What `skord.native.line_network` takes, in this order; weight and bias of each convolution
follow."""
ARRAYS_OF_CONTEXT = ("leaf_mean", "leaf_scale", "leaf_weight", "called_weight", "element_vectors")
"""What it takes after them where a page's HTML is known."""
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
    def compiled(self) -> LineNetwork:
        """The networks as they are computed with: all members in one operation.

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
        weights["word_weight"] = line[:, dense : dense + WORD_WIDTH]
        weights["called_weight"] = line[:, dense + WORD_WIDTH :]
        # The compiled part multiplies whole lanes of columns.
        padded = ("glance_weight", "out_weight", "type_weight")
        weights |= {name: _whole_lanes(stacked[name]) for name in padded}
        names = [*ARRAYS, *(f"context{d}_{kind}" for d in DILATIONS for kind in ("weight", "bias"))]
        names += ARRAYS_OF_CONTEXT if "element_vectors" in stacked else ()
        arrays = {**stacked, **weights}
        return line_network(
            [np.ascontiguousarray(arrays[name]) for name in names],
            (
                *(WIDTH, WORD_WIDTH, ELEMENT_WIDTH, HEADS, len(PAGE_TYPES)),
                *(np.array(DILATIONS), NEARER, MOST_DEVIATIONS),
            ),
        )


def _whole_lanes(matrix: Floats) -> Floats:
    """The matrix with columns of zeros up to the next multiple of 16."""
    return np.pad(matrix, [(0, 0)] * (matrix.ndim - 1) + [(0, -matrix.shape[-1] % 16)])


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
        arrays = unpack_arrays(content)
        stacked = {name: array.astype(np.float32) for name, array in arrays.items()}
    except (OSError, ValueError, TypeError) as error:
        raise ConfigError(f"cannot read the line classifier {path}: {error}") from error
    biases = stacked.get("out_bias", np.empty(0))
    count = len(biases) if biases.ndim else 0
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
    np.savez_compressed(path, **stacked)  # type: ignore[arg-type]  # numpy 2.3 knows a flag, too


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


def network_logits(
    network: Network, page: PageFeatures, context: ContextFeatures | None = None
) -> Judged:
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
    seen = None
    if context:
        features = (context.by_leaf, context.by_line, context.tokens, context.token_starts)
        around = (context.path, context.steps, context.path_starts, context.leaves)
        seen = (*features, *around, context.page_element)
    parts = judge_lines(network.compiled, (page.dense, page.buckets, page.word_starts), seen)
    logits, types = (np.frombuffer(part, np.float32) for part in parts)
    return at_temperature(logits, types)


def at_temperature(logits: Floats, types: Floats) -> Judged:
    """Mean logits of the networks, as sure as pages of such types allow."""
    return Judged(rounded_logits(logits / np.float32(type_temperature(types))), types)


def rounded_logits(logits: Floats) -> Floats:
    """Logits to the next LOGIT_STEP."""
    steps: Floats = (np.rint(logits / LOGIT_STEP) * LOGIT_STEP).astype(np.float32)
    return steps
