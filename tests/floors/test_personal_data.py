"""Floors under what is found of personal data: planted in real sentences, with look-alikes."""

import pytest

faker = pytest.importorskip("faker", reason="faker makes the strings")

from benchmarks.rights.personal_data import KINDS, measured  # noqa: E402 - needs faker

RECALL, PRECISION = 0.98, {"personal_numbers": 0.94, "phone_numbers": 0.98}
"""A wrong number of one country can be a right one of another; new Danish ones have no check."""


@pytest.mark.parametrize("kind", KINDS)
def test_planted_ones_are_found_and_look_alikes_are_not(kind, shared_data):
    figures = measured(shared_data, kind, 500)

    assert figures.hits >= RECALL * figures.planted, figures.missed[:5]
    marked = figures.hits + len(figures.wrong)
    assert figures.hits >= PRECISION.get(kind, 0.99) * marked, figures.wrong[:5]
