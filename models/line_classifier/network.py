r"""The shipped network, in numpy: logits of a page's lines from their features.

    line vector   relu(W · [dense features, mean of hashed word vectors] + b)
    page          mean and maximum of all line vectors, given to every line
    context       residual convolutions along the lines, width 3, growing dilation
    glances       softmax-weighted means of all lines, against which each line is set
    logit         one for each line

`train.py` holds the same network in torch for training; the weights' names are shared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from models.line_classifier.features import DENSE, WORD_BUCKETS, PageFeatures
from models.line_classifier.page_arrays import Floats
from pipeline.core.failures import ConfigError

WIDTH = 48
WORD_WIDTH = 16
GLANCES = 4
DILATIONS = (1, 2, 4, 8, 16)
# Logits are rounded to this, so that the last bits, in which linear algebra libraries
# differ between machines, hardly ever show.
LOGIT_STEP = 1 / 64


class Network(NamedTuple):
    """Some networks of one shape, whose logits are averaged, and a name that says which.

    Attributes:
        members: weights by name, for each network.
        digest: of all weights.
    """

    members: tuple[dict[str, Floats], ...]
    digest: str


def weight_shapes() -> dict[str, tuple[int, ...]]:
    """Name and shape of every array of a weights file."""
    shapes: dict[str, tuple[int, ...]] = {
        "mean": (DENSE,),
        "scale": (DENSE,),
        "word_vectors": (WORD_BUCKETS, WORD_WIDTH),
        "line_weight": (DENSE + WORD_WIDTH, WIDTH),
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
    return shapes


def read_network(path: Path) -> Network:
    """The networks of a weights file; each array holds all members, one after the other.

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
    shapes = {name: (count, *shape) for name, shape in weight_shapes().items()}
    if not count or {name: array.shape for name, array in stacked.items()} != shapes:
        raise ConfigError(f"{path} holds weights of another line classifier")
    members = tuple({name: stacked[name][at] for name in stacked} for at in range(count))
    return Network(members, hashlib.sha256(content).hexdigest()[:12])


def write_network(path: Path, members: Sequence[dict[str, Floats]]) -> None:
    """Writes networks as a weights file, in half precision but for the features' scale."""
    stacked = {
        name: np.stack([member[name] for member in members]).astype(stored_type(name))
        for name in weight_shapes()
    }
    np.savez_compressed(path, allow_pickle=False, **stacked)


def stored_type(name: str) -> type[np.floating[Any]]:
    """Number format of an array in a weights file."""
    return np.float32 if name in {"mean", "scale"} else np.float16


def line_logits(network: Network, page: PageFeatures) -> Floats:
    """Logits of the page's visible lines; shape [n].

    A page is computed alone, never padded with others, so that its logits do not depend on
    its neighbours in a batch.
    """
    if not page.lines.size:
        return np.zeros(0, np.float32)
    logits = np.mean([_member_logits(member, page) for member in network.members], axis=0)
    rounded: Floats = (np.rint(logits / LOGIT_STEP) * LOGIT_STEP).astype(np.float32)
    return rounded


def _member_logits(weights: dict[str, Floats], page: PageFeatures) -> Floats:
    line = np.concatenate([scaled(page.dense, weights), _mean_words(page, weights)], axis=1)
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


def _mean_words(page: PageFeatures, weights: dict[str, Floats]) -> Floats:
    """Mean vector of each line's words, zero for a line without; shape [n, WORD_WIDTH]."""
    counts = np.diff(page.word_starts)
    sums = np.zeros((counts.size, WORD_WIDTH), np.float32)
    some = np.flatnonzero(counts)
    if some.size:
        vectors = weights["word_vectors"][page.buckets]
        sums[some] = np.add.reduceat(vectors, page.word_starts[some], axis=0)
    return (sums / np.maximum(counts, 1)[:, None]).astype(np.float32)


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
