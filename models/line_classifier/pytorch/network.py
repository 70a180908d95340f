"""The network of `network.py` in torch, for training and for GPUs; weights have the same names.

Everything is computed where the batch and the weights lie. Under `torch.autocast` matrices are
multiplied in bf16, and sums over lines and pages stay in single precision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import torch
from torch.nn.functional import embedding_bag, relu

from skord.models.line_classifier.array_types import Floats
from skord.models.line_classifier.network import DILATIONS, HEADS, WIDTH, weight_shapes
from skord.models.line_classifier.pytorch.batch import Batch, Elements, Tensor
from skord.models.line_classifier.training.examples import Example

Weights = dict[str, Any]
_DRAWN = 1 << 23


def start(examples: Sequence[Example], with_context: bool) -> Weights:
    """Weights before the first step; mean and scale are those of the examples' features."""
    rows = np.concatenate([page.dense(with_context) for page in examples])
    weights: Weights = {}
    for name, shape in weight_shapes(with_context).items():
        if name == "mean":
            weights[name] = torch.from_numpy(rows.mean(0))
        elif name == "scale":
            weights[name] = torch.from_numpy(1 / np.maximum(rows.std(0), 1e-3))
        else:
            spread = 0.0 if name.endswith("bias") else (2 / np.prod(shape[:-1])) ** 0.5
            spread = 0.1 if name.endswith("vectors") else spread
            spread *= 0.3 if name.startswith("context") else 1
            weights[name] = (torch.randn(shape) * spread).requires_grad_()
    return weights


def resume(base: Mapping[str, Floats]) -> Weights:
    """Trained weights, to go on from; the features' mean and scale stay as they are."""
    return {
        name: torch.from_numpy(array.copy()).requires_grad_(name not in {"mean", "scale"})
        for name, array in base.items()
    }


def judged(weights: Weights, batch: Batch, share: float = 0.0) -> tuple[Tensor, Tensor]:
    """Logits of all lines of a batch, before the temperature, and of its pages' types.

    Args:
        share: of features and inner values is left out.

    Returns:
        shape [lines], and shape [pages, types].
    """
    dense = ((batch.dense - weights["mean"]) * weights["scale"]).clamp(-5, 5)
    words = _means(weights["word_vectors"], batch.buckets, batch.word_starts, batch.word_kept)
    line = [_drop_out(dense, share), words]
    if batch.elements is not None:
        called, facts = _name_vectors(weights, batch.elements)
        line.append(called)
    hidden = relu(torch.cat(line, 1) @ weights["line_weight"] + weights["line_bias"]).float()
    seen = _seen(hidden, batch)
    if batch.elements is not None:
        seen = torch.cat([seen, facts], 1)
    types = (_drop_out(seen, share) @ weights["type_weight"] + weights["type_bias"]).float()
    whole = relu(seen @ weights["page_weight"] + weights["page_bias"])
    whole = whole + torch.softmax(types, 1) @ weights["type_vectors"]
    hidden = hidden + whole[batch.page]
    for dilation in DILATIONS:
        hidden = hidden + _context(weights, _drop_out(hidden, share), dilation, batch)
    hidden = hidden + _compare_with_page(weights, _drop_out(hidden, share), batch)
    return (_drop_out(hidden, share) @ weights["out_weight"] + weights["out_bias"])[:, 0], types


def _drop_out(values: Tensor, share: float) -> Tensor:
    """Values of which a share are zero, and the others so much greater.

    What is left out is a stretch of numbers drawn once, from a place drawn anew: drawing as many
    again for every layer took a quarter of a step on a CPU.
    """
    if not share:
        return values
    drawn = _drawn(share, str(values.device))
    if values.numel() >= len(drawn):
        return values * ((torch.rand(values.shape, device=values.device) >= share) / (1 - share))
    start = int(torch.randint(len(drawn) - values.numel(), ()))
    return values * drawn[start : start + values.numel()].view(values.shape)


@cache
def _drawn(share: float, device: str) -> Tensor:
    numbers = torch.rand(_DRAWN, generator=torch.Generator().manual_seed(_DRAWN))
    return ((numbers >= share) / (1 - share)).to(device)


def _name_vectors(weights: Weights, elements: Elements) -> tuple[Tensor, Tensor]:
    """What the elements around each line are called, and what each page says of itself.

    Shapes [lines, 2 * ELEMENT_WIDTH] and [pages, ELEMENT_WIDTH].
    """
    names = _sums(weights["element_vectors"], elements.tokens, elements.token_starts, elements.kept)
    near = _sums(names, elements.path, elements.path_starts, elements.nearer)
    every = _means(names, elements.path, elements.path_starts, torch.ones_like(elements.nearer))
    facts = names[elements.facts] * elements.has_facts[:, None]
    return torch.cat([near, every], 1)[elements.leaves], facts


def _sums(vectors: Tensor, numbers: Tensor, starts: Tensor, shares: Tensor) -> Tensor:
    return embedding_bag(numbers, vectors, starts[:-1], mode="sum", per_sample_weights=shares)


def _means(vectors: Tensor, numbers: Tensor, starts: Tensor, kept: Tensor) -> Tensor:
    """Means over what is kept of each stretch; zero where nothing is."""
    stretch = torch.repeat_interleave(starts.diff())
    counts = kept.new_zeros(len(starts) - 1).index_add(0, stretch, kept)
    return _sums(vectors, numbers, starts, kept) / counts.clamp(min=1)[:, None]


def _seen(hidden: Tensor, batch: Batch) -> Tensor:
    """Mean and maximum of each page's line vectors; shape [pages, 2 * WIDTH]."""
    lines = torch.bincount(batch.page, minlength=batch.pages)[:, None]
    mean = hidden.new_zeros(batch.pages, WIDTH).index_add(0, batch.page, hidden) / lines
    wide = batch.page[:, None].expand(-1, WIDTH)
    # No value is below zero, so the zeros here are never the greatest where there is a line.
    most = hidden.new_zeros(batch.pages, WIDTH).scatter_reduce(0, wide, hidden, "amax")
    return torch.cat([mean, most], 1)


def _context(weights: Weights, given: Tensor, dilation: int, batch: Batch) -> Tensor:
    before, here, after = weights[f"context{dilation}_weight"]
    spaced = given.new_zeros(batch.places, WIDTH).index_copy(0, batch.place, given)
    apart = given.new_zeros(dilation, WIDTH)
    context = spaced @ here
    context = context + torch.cat([apart, spaced[:-dilation] @ before])
    context = context + torch.cat([spaced[dilation:] @ after, apart])
    return relu(context[batch.place] + weights[f"context{dilation}_bias"])


def _compare_with_page(weights: Weights, given: Tensor, batch: Batch) -> Tensor:
    scores = (given @ weights["glance_weight"]).float()
    shares = torch.exp(scores - _greatest(scores, batch)[batch.page])
    total = shares.new_zeros(batch.pages, HEADS).index_add(0, batch.page, shares)
    looked = (shares / total[batch.page])[:, :, None] * given[:, None, :]
    seen = looked.new_zeros(batch.pages, HEADS, WIDTH).index_add(0, batch.page, looked)
    known = seen.reshape(batch.pages, -1) @ weights["seen_weight"] + weights["again_bias"]
    return relu(given @ weights["again_weight"] + known[batch.page])


def _greatest(scores: Tensor, batch: Batch) -> Tensor:
    """The greatest score of each page, so that no exponential overflows."""
    wide = batch.page[:, None].expand(-1, HEADS)
    least = scores.new_full((batch.pages, HEADS), -torch.inf)
    return least.scatter_reduce(0, wide, scores.detach(), "amax")
