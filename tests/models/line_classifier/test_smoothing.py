"""What an author set alike is kept or removed alike."""

from __future__ import annotations

import numpy as np
import pytest

from skord.html.line_context import line_context
from skord.models.line_classifier.features.context import context_features
from skord.models.line_classifier.features.lines import page_features
from skord.models.line_classifier.network import LOGIT_STEP
from skord.models.line_classifier.smoothing import BLOCK, NAMESAKES, SIBLINGS, SUREST, smooth_logits

# Nine lines of two words each, all in blocks of their own.
NAMES = [f"rad {letter}" for letter in "abcdefghi"]
ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, NINE = NAMES
HTML = (
    f"<ul class=a><li>{ONE}<li>{TWO}<li class=lead>{THREE}</ul><p>{FOUR}</p>"
    f"<ul class=a><li>{FIVE}<li>{SIX}</ul><ul class=b><li>{SEVEN}</ul><p>{EIGHT}</p><h2>{NINE}</h2>"
)
MARKDOWN = "".join(f"{name}\n\n" for name in NAMES)


def smoothed_in_html(logits):
    page = page_features(MARKDOWN)
    context = context_features(line_context(HTML, MARKDOWN), page.lines, page.words)
    return smooth_logits(np.array(logits, np.float32), page, context)


def test_siblings_and_namesakes_draw_a_line_towards_them():
    actual = smoothed_in_html([4, 0, -2, 2, 0, 0, -3, 2, 1])
    own = 1 - SIBLINGS - NAMESAKES
    first, second, other = own * 4 + SIBLINGS * 2 + NAMESAKES, SIBLINGS * 2 + NAMESAKES, NAMESAKES
    expected = [first, second, -2, 2, other, other, -3, 2, 1]
    assert np.abs(actual - expected).max() <= LOGIT_STEP / 2
    assert np.array_equal(actual, np.rint(actual / LOGIT_STEP) * LOGIT_STEP)


def test_the_mean_of_lines_alike_stays():
    page = page_features(MARKDOWN)
    logits = np.linspace(-3, 3, 9, dtype=np.float32)
    context = context_features(line_context("<p>x", MARKDOWN), page.lines, page.words)
    one_element = smooth_logits(logits, page, context)
    assert abs(one_element.mean() - logits.mean()) <= LOGIT_STEP
    assert np.ptp(one_element) < np.ptp(logits) / 2


def test_no_line_is_surer_than_the_surest():
    actual = smoothed_in_html([200, *[-200] * 8])
    assert np.abs(actual).max() <= SUREST
    assert actual[3] == -SUREST


def test_longer_lines_count_more():
    long = " ".join(["ord"] * 99)
    page = page_features(f"{long}\nkort\n")
    actual = smooth_logits(np.array([3, -3], np.float32), page, None)
    assert actual[1] > 3 * (1 - BLOCK) * -1 + BLOCK * 2 - LOGIT_STEP


@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_where_the_html_is_not_known_lines_of_a_block_are_alike(between):
    page = page_features(f"en rad{between}en till\n\ntredje raden\n")
    actual = smooth_logits(np.array([2, -2, 5], np.float32), page, None)
    expected = [2, -2, 5] if between == "\n\n" else [2 * (1 - BLOCK), -2 * (1 - BLOCK), 5]
    assert np.abs(actual - expected).max() <= LOGIT_STEP / 2


def test_a_page_without_visible_lines_has_none():
    assert smooth_logits(np.zeros(0, np.float32), page_features("\n\n"), None).size == 0
