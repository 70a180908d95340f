r"""The shipped network, in numpy: logits of a page's lines from their features.

    line vector   relu(W · [dense features, mean of hashed word vectors] + b); with the page's
                  HTML also [its dense features, vectors of the elements around the line]
    page          mean and maximum of all line vectors, given to every line
    context       residual convolutions along the lines, width 3, growing dilation
    glances       softmax-weighted means of all lines, against which each line is set
    logit         one for each line

`train.py` holds the same network in torch for training; the weights' names are shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from models.line_classifier.context_features import CONTEXT_DENSE, ContextFeatures
from models.line_classifier.elements import TOKEN_BUCKETS
from models.line_classifier.features import DENSE, WORD_BUCKETS, PageFeatures
from models.line_classifier.interface import digest_of
from models.line_classifier.page_arrays import Floats, Ints
from pipeline.core.failures import ConfigError

WIDTH = 48
WORD_WIDTH = 16
ELEMENT_WIDTH = 16
NEARER = 0.6
"""An element counts so much less than the one that it holds, where near ones are to count."""
GLANCES = 4
DILATIONS = (1, 2, 4, 8, 16)
# Logits are rounded to this, so that the last bits, in which linear algebra libraries
# differ between machines, hardly ever show.
LOGIT_STEP = 1 / 64


class Network(NamedTuple):
    """Some networks of one shape, whose logits are averaged, and a name that says which.

    Attributes:
        members: weights by name, for each network; `mean` and `scale` are the same in all.
        digest: of all weights.
    """

    members: tuple[dict[str, Floats], ...]
    digest: str


def weight_shapes(with_context: bool) -> dict[str, tuple[int, ...]]:
    """Name and shape of every array of a weights file, for pages with or without their HTML."""
    dense = DENSE + CONTEXT_DENSE * with_context
    shapes: dict[str, tuple[int, ...]] = {
        "mean": (dense,),
        "scale": (dense,),
        "word_vectors": (WORD_BUCKETS, WORD_WIDTH),
        "line_weight": (dense + WORD_WIDTH + 2 * ELEMENT_WIDTH * with_context, WIDTH),
        "line_bias": (WIDTH,),
        "page_weight": (2 * WIDTH, WIDTH),
        "page_bias": (WIDTH,),
        "glance_weight": (WIDTH, GLANCES),
        "seen_weight": (GLANCES * WIDTH, WIDTH),
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
    np.savez_compressed(path, allow_pickle=False, **stacked)


def stored_type(name: str) -> type[np.floating[Any]]:
    """Number format of an array in a weights file."""
    return np.float32 if name in {"mean", "scale"} else np.float16


def line_logits(
    network: Network, page: PageFeatures, context: ContextFeatures | None = None
) -> Floats:
    """Logits of the page's visible lines; shape [n].

    A page is computed alone, never padded with others, so that its logits do not depend on
    its neighbours in a batch.

    Args:
        network: with element vectors exactly where there is a context.
        page: of n visible lines.
        context: of the same lines.
    """
    if not page.lines.size:
        return np.zeros(0, np.float32)
    whole = np.concatenate([page.dense, context.dense], axis=1) if context else page.dense
    dense = scaled(whole, network.members[0])
    found = [_member_logits(member, dense, page, context) for member in network.members]
    rounded: Floats = (np.rint(np.mean(found, axis=0) / LOGIT_STEP) * LOGIT_STEP).astype(np.float32)
    return rounded


def _member_logits(
    weights: dict[str, Floats], dense: Floats, page: PageFeatures, context: ContextFeatures | None
) -> Floats:
    words = _means(weights["word_vectors"][page.buckets], page.word_starts)
    elements = [_elements(weights, context)[context.leaves]] if context else []
    line = np.concatenate([dense, words, *elements], axis=1)
    hidden = np.maximum(line @ weights["line_weight"] + weights["line_bias"], 0)
    whole = np.concatenate([hidden.mean(0), hidden.max(0)])
    hidden += np.maximum(whole @ weights["page_weight"] + weights["page_bias"], 0)
    for dilation in DILATIONS:
        hidden += _context(hidden, dilation, weights)
    hidden += _compared(hidden, weights)
    logits: Floats = (hidden @ weights["out_weight"] + weights["out_bias"])[:, 0]
    return logits


def scaled(dense: Floats, weights: dict[str, Floats]) -> Floats:
    """Features at mean 0 and deviation 1 of the training pages, cut at 5 deviations."""
    found: Floats = np.clip((dense - weights["mean"]) * weights["scale"], -5, 5)
    return found


def _elements(weights: dict[str, Floats], context: ContextFeatures) -> Floats:
    """What the elements from each leaf upwards are called, near ones apart from all.

    Shape [leaves, 2 * ELEMENT_WIDTH].
    """
    called = _sums(weights["element_vectors"][context.tokens], context.token_starts)
    on_the_way = called[context.path]
    nearer = np.float32(NEARER) ** context.steps.astype(np.float32)
    near = _sums(on_the_way * nearer[:, None], context.path_starts)
    return np.concatenate([near, _means(on_the_way, context.path_starts)], axis=1)


def _means(vectors: Floats, starts: Ints) -> Floats:
    """Mean vector of each stretch, zero for an empty one; shape [stretches, width]."""
    counts = np.maximum(np.diff(starts), 1)[:, None]
    found: Floats = (_sums(vectors, starts) / counts).astype(np.float32)
    return found


def _sums(vectors: Floats, starts: Ints) -> Floats:
    """Sum of the vectors of each stretch; shape [stretches, width]."""
    sums = np.zeros((starts.size - 1, vectors.shape[1]), np.float32)
    some = np.flatnonzero(np.diff(starts))
    if some.size:
        sums[some] = np.add.reduceat(vectors, starts[some], axis=0)
    return sums


def _context(hidden: Floats, dilation: int, weights: dict[str, Floats]) -> Floats:
    """What the lines `dilation` before and after add to each line; zeros beyond the page."""
    before, here, after = weights[f"context{dilation}_weight"]
    found = hidden @ here + weights[f"context{dilation}_bias"]
    found[dilation:] += hidden[:-dilation] @ before
    found[:-dilation] += hidden[dilation:] @ after
    added: Floats = np.maximum(found, 0)
    return added


def _compared(hidden: Floats, weights: dict[str, Floats]) -> Floats:
    """What each line adds when it knows the page's foremost lines, as GLANCES see them."""
    scores = hidden @ weights["glance_weight"]
    shares = np.exp(scores - scores.max(0))
    seen = ((shares / shares.sum(0)).T @ hidden).reshape(-1)
    known = seen @ weights["seen_weight"] + weights["again_bias"]
    added: Floats = np.maximum(hidden @ weights["again_weight"] + known, 0)
    return added
