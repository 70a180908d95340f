"""Small files of classifiers, of `skord.models.language_id.fasttext_file`: plain, pruned, and neither."""

import struct

import numpy as np
import pytest

from skord.models.language_id.fasttext_file import UnsupportedModelError, parse_fasttext

BUCKETS = 4
VECTORS = np.arange(12, dtype=np.float32).reshape(6, 2)
NODES = np.array([[7, 8], [9, 10]], np.float32)


def packed(pruned=-1, kept=(), vectors=VECTORS, buckets=BUCKETS, longest=3):
    """A file of two words and two labels, with rows for words and buckets."""
    entries = [(b"en", 5, 0), (b"ett", 3, 0), (b"__label__sv", 6, 1), (b"__label__da", 2, 1)]
    return b"".join([
        struct.pack("<2i", 793712314, 12),
        struct.pack("<12id", 2, 0, 0, 0, 0, 1, 1, 3, buckets, 2, longest, 0, 0.1),
        struct.pack("<3i2q", len(entries), 2, 2, 9, pruned),
        *(name + b"\0" + struct.pack("<qb", number, kind) for name, number, kind in entries),
        np.array(kept, "<i4").tobytes(),
        *(struct.pack("<?2q", False, *rows.shape) + rows.tobytes() for rows in (vectors, NODES)),
    ])  # fmt: skip


def test_without_pruning_every_bucket_has_the_row_behind_those_before():
    model = parse_fasttext(packed())

    assert model.row_of_bucket.tolist() == [2, 3, 4, 5]
    assert np.array_equal(model.vectors, VECTORS)
    assert np.array_equal(model.node_vectors, NODES)
    assert model.words == {b"en": 0, b"ett": 1}
    assert (model.labels, model.label_counts) == (["sv", "da"], [6, 2])
    assert (model.shortest, model.longest, model.buckets) == (2, 3, BUCKETS)


@pytest.mark.parametrize(
    ("kept", "rows"), [([], [-1] * 4), ([3, 0], [-1, -1, -1, 2]), ([2, 1, 0, 0], [2, -1, 3, -1])]
)
def test_of_pruned_buckets_some_have_a_row(kept, rows):
    model = parse_fasttext(packed(len(kept) // 2, kept))

    assert model.row_of_bucket.tolist() == rows
    assert np.array_equal(model.vectors, VECTORS)


@pytest.mark.parametrize("changed", [{"buckets": -1}, {"buckets": (1 << 26) + 1}, {"longest": 0}])
def test_sizes_that_cannot_be_are_refused(changed):
    with pytest.raises(UnsupportedModelError):
        parse_fasttext(packed(**changed))
