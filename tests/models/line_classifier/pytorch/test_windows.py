from __future__ import annotations

import numpy as np
import pytest

from skord.models.line_classifier.pytorch.transformers_model import page_windows


@pytest.mark.parametrize("tokens", [1, 5, 6, 7, 9, 10, 23, 100])
@pytest.mark.parametrize(("length", "overlap"), [(6, 2), (6, 3), (5, 4), (6, 0)])
def test_every_separator_is_owned_once_by_a_window_that_holds_it(tokens, length, overlap):
    separators = np.arange(tokens)[::2]
    spans = page_windows(tokens, separators, length, overlap)
    owned = np.concatenate([window.owned for window in spans])
    assert sorted(owned.tolist()) == list(range(separators.size))
    for window in spans:
        places = separators[window.owned]
        assert ((window.start <= places) & (places < window.end)).all()
        assert window.end - window.start == min(length, tokens)
    assert spans[0].start == 0
    assert spans[-1].end == tokens


@pytest.mark.parametrize(("tokens", "number"), [(1, 1), (6, 1), (7, 2), (10, 2), (11, 3)])
def test_there_are_no_more_windows_than_it_takes(tokens, number):
    assert len(page_windows(tokens, np.array([0]), 6, 2)) == number


def test_a_separator_belongs_where_it_has_most_context():
    # Windows [0, 8), [4, 12), [8, 16): position 6 lacks less after it in the second.
    (first, second, third) = page_windows(16, np.array([2, 5, 6, 9, 10, 15]), 8, 4)
    assert first.owned.tolist() == [0, 1]
    assert second.owned.tolist() == [2, 3]
    assert third.owned.tolist() == [4, 5]


def test_a_page_without_separators_has_windows_without_lines():
    assert [w.owned.size for w in page_windows(20, np.zeros(0, np.int64), 8, 4)] == [0, 0, 0, 0]
