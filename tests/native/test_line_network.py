"""What the compiled network refuses; its results are compared with PyTorch's in training."""

from __future__ import annotations

import numpy as np
import pytest

from skord.models.line_classifier.features.context import CONTEXT_DENSE, LEAF_DENSE, ContextFeatures
from skord.models.line_classifier.features.dom import TOKEN_BUCKETS
from skord.models.line_classifier.features.lines import DENSE, WORD_BUCKETS, PageFeatures
from skord.models.line_classifier.network import Network, weight_shapes
from skord.native import judge_lines, line_network

WIDTHS = (16, 16, 16, 4, 7)


def network(members: int, with_context: bool) -> Network:
    chance = np.random.default_rng(members)
    shapes = weight_shapes(with_context)

    def weights():
        return {
            name: chance.normal(scale=0.3 if len(shape) > 1 else 0.1, size=shape).astype(np.float32)
            / np.float32(max(shape[-2:-1] or (1,)) ** 0.5 if name.endswith("weight") else 1)
            for name, shape in shapes.items()
        }

    first = weights()
    shared = {name: first[name] for name in ("mean", "scale")}
    return Network(tuple(weights() | shared for _ in range(members)), "")


def stretches(chance, count, most):
    return np.cumsum([0, *chance.integers(0, most, count)])


def page(lines: int) -> PageFeatures:
    chance = np.random.default_rng(lines)
    starts = stretches(chance, lines, 6)
    buckets = chance.integers(0, WORD_BUCKETS, starts[-1])
    dense = chance.normal(size=(lines, DENSE), scale=3).astype(np.float32)
    return PageFeatures(lines, np.arange(lines), dense, buckets, starts, np.diff(starts))


def around(lines: int, page_element: int) -> ContextFeatures:
    chance = np.random.default_rng(lines)
    leaves, elements = 1 + lines // 2, 9
    token_starts, path_starts = stretches(chance, elements, 4), stretches(chance, leaves, 7)
    return ContextFeatures(
        by_leaf=chance.normal(size=(leaves, LEAF_DENSE)).astype(np.float32),
        by_line=chance.normal(size=(lines, CONTEXT_DENSE - LEAF_DENSE)).astype(np.float32),
        tokens=chance.integers(0, TOKEN_BUCKETS, token_starts[-1]),
        token_starts=token_starts,
        path=chance.integers(0, elements, path_starts[-1]),
        steps=chance.integers(0, 12, path_starts[-1]),
        path_starts=path_starts,
        leaves=chance.integers(0, leaves, lines),
        kin=np.zeros((2, leaves), np.int64),
        page_element=page_element,
        framed=np.zeros(lines, np.bool_),
        controls=np.zeros(lines, np.float32),
        figures=np.empty(0, np.int64),
        captions=np.empty(0, np.int64),
        notes=np.empty(0, np.int64),
    )


def compiled(network: Network, page: PageFeatures, html: ContextFeatures | None = None):
    context = html and (
        html.by_leaf, html.by_line, html.tokens, html.token_starts, html.path, html.steps,
        html.path_starts, html.leaves, html.page_element,
    )  # fmt: skip
    told = judge_lines(network.compiled, (page.dense, page.buckets, page.word_starts), context)
    return [np.frombuffer(part, np.float32) for part in told]


def test_numbers_of_what_is_not_there_are_refused():
    networks, lines, html = network(1, with_context=True), page(3), around(3, 8)
    assert len(compiled(networks, lines, html)[0]) == 3
    for worse in (
        html._replace(leaves=html.leaves + 2), html._replace(leaves=html.leaves[:2]),
        html._replace(path=html.path + 9), html._replace(steps=html.steps - 12),
        html._replace(steps=html.steps[:-1]), html._replace(page_element=9),
        html._replace(by_line=html.by_line[:2]), html._replace(by_leaf=html.by_leaf[:1]),
        html._replace(token_starts=html.token_starts[:0]), html._replace(tokens=-html.tokens - 1),
        html._replace(path_starts=html.path_starts[:1]), html._replace(steps=html.steps + 2**40),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="fit"):
            compiled(networks, lines, worse)
    for worse in (
        lines._replace(dense=lines.dense[:2]), lines._replace(buckets=lines.buckets + WORD_BUCKETS),
        lines._replace(word_starts=lines.word_starts[::-1].copy()),
        lines._replace(word_starts=lines.word_starts[:0]),
        lines._replace(word_starts=lines.word_starts[:1]),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="fit"):
            compiled(networks, worse, html)


def test_a_network_is_given_a_context_exactly_where_it_is_for_one():
    with pytest.raises(ValueError, match="fit"):
        compiled(network(1, with_context=True), page(3))
    with pytest.raises(ValueError, match="fit"):
        compiled(network(1, with_context=False), page(3), around(3, 8))


def test_weights_that_do_not_fit_are_refused():
    sizes = {
        "out_bias": 1, "mean": 5, "scale": 5, "dense": 80, "line_bias": 16, "words": 64,
        "word_weight": 256, "page": 512, "page_bias": 16, "type_weight": 512, "type_bias": 7,
        "type_vectors": 112, "glance": 256, "seen": 1024, "again": 256, "again_bias": 16,
        "out": 256, "along": 768, "along_bias": 16,
    }  # fmt: skip
    one = np.array([1])

    def made(arrays, widths=WIDTHS, dilations=one):
        zeros = [np.zeros(size, np.float32) for size in arrays]
        return line_network(zeros, (*widths, dilations, 0.5, 5.0))

    made(sizes.values())
    for name, size in sizes.items():
        if name != "words":  # there may be any number of them
            with pytest.raises(ValueError, match="fit"):
                made((sizes | {name: size + 1}).values())
    for arrays, widths, dilations in (
        (list(sizes.values())[:-1], WIDTHS, one), ([*sizes.values(), 1], WIDTHS, one),
        ([], WIDTHS, one), (sizes.values(), WIDTHS, one - 1), (sizes.values(), WIDTHS, one[:0]),
        (sizes.values(), (0, *WIDTHS[1:]), one), (sizes.values(), (1 << 62, *WIDTHS[1:]), one),
        (sizes.values(), (-16, *WIDTHS[1:]), one), (sizes.values(), (24, *WIDTHS[1:]), one),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="fit"):
            made(arrays, widths, dilations)
