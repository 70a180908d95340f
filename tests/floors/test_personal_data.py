"""Floors under what is found of personal data: planted in real sentences, with look-alikes."""

import pytest

from tests.floors.planted_personal_data import KINDS, measured

RECALL, PRECISION = 0.99, {"personal_numbers": 0.94}
"""A wrong number of one country can be a right one of another; new Danish ones have no check."""


@pytest.mark.parametrize("kind", KINDS)
def test_planted_ones_are_found_and_look_alikes_are_not(kind, shared_data):
    figures = measured(shared_data, kind, 500)

    assert figures.recall >= RECALL, figures.missed[:5]
    assert figures.precision >= PRECISION.get(kind, 0.99), figures.wrong[:5]
