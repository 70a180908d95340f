# ruff: noqa: PLC0415 -- torch is imported only by the tests that need it
"""The embedded network in bf16, as on a card, beside the compiled one; here on the CPU."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from pipeline.markdown_processing import ProcessMarkdown
from skord.html.charset.decode import decode
from skord.html.line_context import line_context
from skord.markdown.extraction import probabilities
from skord.models.line_classifier.embedded import CODE_LOGIT, FRAME_LOGIT, read_embedded
from skord.models.line_classifier.interface import EMBEDDED, EMBEDDED_BF16, ONE_THRESHOLD
from skord.models.line_classifier.load import load_line_classifier, name_of_line_classifier
from skord.one_page import to_markdown
from skord.sample_crawl.layouts import render_page
from skord.sample_crawl.page_source import bundled_pages

pytestmark = [
    pytest.mark.skipif(not find_spec("torch"), reason="torch is not installed"),
    pytest.mark.filterwarnings("default"),
]

TOLERANCE = 1 / 8  # of a logit; measured: 1/32


@pytest.fixture(scope="module")
def pages():
    """Pages of all layouts, and some with little or nothing to see; the last without HTML."""
    kinds = {page.layout: page for page in bundled_pages()}
    htmls = [decode(render_page(page)[0], None).text for page in kinds.values()]
    shown = [(text := to_markdown(html), line_context(html, text)) for html in htmls]
    code = "```\nx = 1\n```\n"
    return [*shown, ("", None), ("\n\n", line_context("", "\n\n")), (shown[0][0] + code, None)]


def in_bf16(pages):
    return load_line_classifier(EMBEDDED_BF16).logits(*map(list, zip(*pages, strict=True)))


def test_bf16_gives_the_compiled_logits_but_for_its_roundings(pages):
    exact = read_embedded().logits(*map(list, zip(*pages, strict=True)))
    actual = in_bf16(pages)
    for page, one, other in zip(pages, exact, actual, strict=True):
        assert one.dtype == other.dtype == np.float32
        assert one.shape == other.shape == (page[0].count("\n"),)
    one, other = np.concatenate(exact), np.concatenate(actual)
    assert len(one) > 500
    assert np.abs(one - other).max() <= TOLERANCE
    assert not np.array_equal(one, other)
    kept = probabilities(one) >= ONE_THRESHOLD
    assert np.mean(kept != (probabilities(other) >= ONE_THRESHOLD)) <= 0.01
    assert kept.any()


def test_rules_hold_in_bf16(pages):
    actual = in_bf16(pages)
    assert actual[-1][-3:].tolist() == [CODE_LOGIT] * 3
    contexts = [read_embedded().shown(*page).context for page in pages]
    at = next(n for n, context in enumerate(contexts) if context and context.framed.any())
    visible = read_embedded().shown(*pages[at]).features.lines
    assert actual[at][visible[contexts[at].framed]].max() <= FRAME_LOGIT


def test_pages_keep_their_order_and_are_alike_in_any_company(pages):
    from skord.models.line_classifier.pytorch import embedded as card_classifier

    shown = [read_embedded().shown(*page) for page in pages]
    made = list(card_classifier.page_batches(shown, 120))
    assert len(made) > 2
    assert [page for batch in made for page in batch] == shown
    lines = [sum(page.features.lines.size for page in batch) for batch in made]
    assert all(count <= 120 or len(batch) == 1 for count, batch in zip(lines, made, strict=True))
    together = in_bf16(pages)
    for page, expected in zip(pages, together, strict=True):
        (alone,) = in_bf16([page])
        assert not alone.size or np.abs(alone - expected).max() <= TOLERANCE


def test_what_is_made_in_bf16_bears_another_name_and_wants_a_card():
    name = load_line_classifier(EMBEDDED_BF16).name
    assert name == name_of_line_classifier(EMBEDDED_BF16)
    assert name == f"{name_of_line_classifier(EMBEDDED)}-bf16"
    cards = [
        ProcessMarkdown(dump="2024-10", model_path=path).gpus for path in (EMBEDDED, EMBEDDED_BF16)
    ]
    assert cards == [0, 1]
