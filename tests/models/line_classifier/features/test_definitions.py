"""What compiled features refuse, and their logarithms."""

from __future__ import annotations

import numpy as np
import pytest

from skord.models.line_classifier.features.lines import page_features
from skord.native import page_reader, read_page, tree_features


def test_logarithms_are_those_of_numpy_for_every_length():
    lengths = [*range(1, 40), *(4000 + 13 * step for step in range(20)), 90_000, 99_999]
    features = page_features("".join("-" * length + "\n" for length in lengths))
    assert np.array_equal(features.dense[:, 0], np.log1p(lengths).astype(np.float32))


@pytest.mark.parametrize("broken", ["groups", "small", "number", "few", "buckets"])
def test_tables_that_do_not_fit_are_refused(broken):
    groups = np.zeros(4, np.uint8) + 15 * (broken == "number")
    small = np.zeros(3 if broken == "small" else 4, np.uint32)
    given = (groups[:0] if broken == "groups" else groups, small)
    few = 14 if broken == "few" else 15
    if broken == "groups":
        given = (groups[:0], small[:0])
    with pytest.raises(ValueError, match="fit"):
        page_reader(*given, few, 0 if broken == "buckets" else 8, 48)
    read_page(page_reader(np.zeros(4, np.uint8), np.zeros(4, np.uint32), 15, 8, 48), b"")


def tree(parents=(-1, 0), flags=(0, 1), alike=(0, 1), starts=(0, 1, 2), lines=(0, 2), words=(1, 1),
         owners=(0, -1, 1), links=b"\0\0\0", kinds=b"\1\2"):  # fmt: skip
    def wide(numbers):
        return np.array(numbers, np.int64)

    return tree_features(
        (np.array(parents, np.int32), wide(flags), wide(alike), wide(starts), kinds),
        (wide(lines), wide(words), np.array(owners, np.int32), links),
        (3, 5, 3, 1, 2, 3, 250, 12, 0.4, np.array([0.4], np.float32)),
    )


@pytest.mark.parametrize(
    "worse",
    [
        {"parents": (-1, 1)}, {"parents": (-1, 2)}, {"parents": ()}, {"flags": (0,)},
        {"alike": (0, 2)}, {"alike": (0, -1)}, {"alike": (0,)}, {"starts": (0, 1)},
        {"lines": (0, 3)},
        {"lines": (-1, 2)}, {"words": (1,)}, {"owners": (0, -1, 2)}, {"owners": (0, -1)},
        {"links": b"\0\0"}, {"kinds": b"\0"},
    ],
    ids=str,
)  # fmt: skip
def test_elements_and_lines_that_do_not_fit_are_refused(worse):
    assert np.frombuffer(tree()[2], np.int64).tolist() == [0, 1, 0]
    assert tree()[-1] == bytes([1, 3])
    with pytest.raises(ValueError, match="fit"):
        tree(**worse)
