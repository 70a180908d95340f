"""What `network_logits` computes before any temperature, in numpy: a definition for tests."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from skord.models.line_classifier.array_types import Floats, Ints
from skord.models.line_classifier.features.context import ContextFeatures
from skord.models.line_classifier.features.lines import PageFeatures
from skord.models.line_classifier.network import DILATIONS, MOST_DEVIATIONS, NEARER, Network


def plainly_judged(
    network: Network, page: PageFeatures, context: ContextFeatures | None
) -> tuple[Floats, Floats]:
    """Mean logits of the members, shape [n], and mean shares of the page's types."""
    of_members = [_of_member(weights, page, context) for weights in network.ensemble]
    logits, types = (np.mean(part, axis=0) for part in zip(*of_members, strict=True))
    return logits, types


def _of_member(
    weights: dict[str, Floats], page: PageFeatures, context: ContextFeatures | None
) -> tuple[Floats, Floats]:
    hidden = _line_vectors(weights, page, context)
    known = [hidden.mean(0), hidden.max(0)]
    if context:
        known.append(_told(weights, context))
    seen = np.concatenate(known)
    types = shares(seen @ weights["type_weight"] + weights["type_bias"])
    hidden = hidden + np.maximum(seen @ weights["page_weight"] + weights["page_bias"], 0)
    hidden = hidden + types @ weights["type_vectors"]
    for dilation in DILATIONS:
        padded = np.pad(hidden, ((dilation, dilation), (0, 0)))
        weight, bias = (weights[f"context{dilation}_{kind}"] for kind in ("weight", "bias"))
        around = (padded[at * dilation :][: len(hidden)] @ weight[at] for at in range(3))
        hidden = hidden + np.maximum(sum(around) + bias, 0)
    of_heads = shares((hidden @ weights["glance_weight"]).T)
    compared = (of_heads @ hidden).reshape(-1) @ weights["seen_weight"] + weights["again_bias"]
    hidden = hidden + np.maximum(hidden @ weights["again_weight"] + compared, 0)
    return (hidden @ weights["out_weight"] + weights["out_bias"])[:, 0], types


def _line_vectors(
    weights: dict[str, Floats], page: PageFeatures, context: ContextFeatures | None
) -> Floats:
    dense = page.dense
    if context:
        by_leaf = context.by_leaf[context.leaves]
        dense = np.concatenate([dense, by_leaf, context.by_line], 1)
    scaled = (dense - weights["mean"]) * weights["scale"]
    parts = [np.clip(scaled, -MOST_DEVIATIONS, MOST_DEVIATIONS)]
    parts.append(_means(weights["word_vectors"], page.buckets, page.word_starts))
    if context:
        called = _sums(weights["element_vectors"], context.tokens, context.token_starts)
        nearer = np.float32(NEARER) ** context.steps[:, None]
        of_path = called[context.path] * nearer
        near = _sums(of_path, np.arange(len(of_path)), context.path_starts)
        alike = _means(called, context.path, context.path_starts)
        parts += [near[context.leaves], alike[context.leaves]]
    whole = np.concatenate(parts, 1) @ weights["line_weight"] + weights["line_bias"]
    return np.maximum(whole, 0)


def _told(weights: dict[str, Floats], context: ContextFeatures) -> Floats:
    if context.page_element < 0:
        return np.zeros(weights["element_vectors"].shape[1], np.float32)
    start, end = context.token_starts[context.page_element : context.page_element + 2]
    return weights["element_vectors"][context.tokens[start:end]].sum(0)


def _sums(vectors: Floats, numbers: Ints, starts: Ints) -> Floats:
    return np.array([vectors[numbers[a:b]].sum(0) for a, b in pairwise(starts)], np.float32)


def _means(vectors: Floats, numbers: Ints, starts: Ints) -> Floats:
    return _sums(vectors, numbers, starts) / np.maximum(np.diff(starts), 1)[:, None]


def shares(scores: Floats) -> Floats:
    """Scores, along the last axis, as shares that sum to 1."""
    raised = np.exp(scores - scores.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)
