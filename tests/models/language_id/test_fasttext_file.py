"""Small files of classifiers, of `skord.models.language_id.fasttext_file`: plain, pruned, and neither."""

import random
import struct
import subprocess
import sys

import numpy as np
import pytest

from skord.core.failures import ConfigError
from skord.models.language_id.fasttext_file import DamagedModelError, read_fasttext
from skord.models.language_id.lid176 import PUBLISHED, LanguageModel, bundled_model

BUCKETS = 4
VECTORS = np.arange(12, dtype=np.float32).reshape(6, 2)
NODES = np.array([[7, 8], [9, 10]], np.float32)


def packed(pruned=-1, kept=(), vectors=VECTORS, buckets=BUCKETS, longest=3, loss=1):
    """A file of two words and two labels, with rows for words and buckets."""
    entries = [(b"en", 5, 0), (b"ett", 3, 0), (b"__label__sv", 6, 1), (b"__label__da", 2, 1)]
    return b"".join([
        struct.pack("<2i", 793712314, 12),
        struct.pack("<12id", 2, 0, 0, 0, 0, 1, loss, 3, buckets, 2, longest, 0, 0.1),
        struct.pack("<3i2q", len(entries), 2, 2, 9, pruned),
        *(name + b"\0" + struct.pack("<qb", number, kind) for name, number, kind in entries),
        np.array(kept, "<i4").tobytes(),
        *(struct.pack("<?2q", False, *rows.shape) + rows.tobytes() for rows in (vectors, NODES)),
    ])  # fmt: skip


def test_without_pruning_every_bucket_has_the_row_behind_those_before():
    model = read_fasttext(packed())

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
    model = read_fasttext(packed(len(kept) // 2, kept))

    assert model.row_of_bucket.tolist() == rows
    assert np.array_equal(model.vectors, VECTORS)


@pytest.mark.parametrize("changed", [{"buckets": -1}, {"buckets": (1 << 26) + 1}])
def test_sizes_that_cannot_be_are_refused(changed):
    with pytest.raises(DamagedModelError):
        read_fasttext(packed(**changed))


def test_models_of_all_four_losses_are_read_and_of_no_other():
    for loss in range(1, 5):
        assert read_fasttext(packed(loss=loss)).words == {b"en": 0, b"ett": 1}
    for loss in (0, 5):
        with pytest.raises(DamagedModelError, match="no classifier"):
            read_fasttext(packed(loss=loss))


def test_whole_files_add_up():
    read_fasttext(packed())
    read_fasttext(packed(2, [2, 1, 0, 0]))
    read_fasttext(bundled_model().read_bytes())


@pytest.mark.parametrize("end", [*range(0, 200, 7), 60_000, 900_000, 930_000, 937_000, 938_012])
def test_a_file_cut_anywhere_is_refused_before_the_library_sees_it(end, tmp_path):
    path = tmp_path / "cut.ftz"
    path.write_bytes(bundled_model().read_bytes()[:end])

    with pytest.raises(ConfigError, match=r"cannot read the language model .*put a whole copy"):
        LanguageModel(path)


def test_a_changed_number_of_the_published_file_is_refused(tmp_path):
    content = bytearray(bundled_model().read_bytes())
    content[700_000] ^= 1
    path = tmp_path / PUBLISHED
    path.write_bytes(content)

    with pytest.raises(ConfigError, match="SHA-256 is not the published"):
        LanguageModel(path)


@pytest.mark.parametrize(
    "changed",
    [
        {"buckets": 0},
        {"buckets": 5},
        {"longest": 1000},
        {"pruned": 2, "kept": [2, 9, 0, 0]},
        {"pruned": 2, "kept": [2, -1, 0, 0]},
        {"pruned": 9},
        {"vectors": VECTORS[:5]},
        {"vectors": VECTORS * np.float32("nan")},
        {"vectors": VECTORS[:, :1]},
    ],
    ids=str,
)
def test_tables_that_do_not_add_up_are_refused(changed):
    with pytest.raises(DamagedModelError):
        read_fasttext(packed(**changed))


ASK = """
import resource, sys, fasttext
resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
for path in sys.argv[1:]:
    model = fasttext.load_model(path).f
    model.predict("Det här är en text om vädret i går.\\n", -1, -1.0, "strict")
"""


def test_what_passes_does_not_end_the_library(tmp_path):
    """Bytes changed anywhere, most of them among the sizes."""
    content, chance, paths = bundled_model().read_bytes(), random.Random(7), []
    for number in range(60):
        changed = bytearray(content)
        span = 100 if number % 2 else len(content)
        for _ in range(chance.randrange(1, 4)):
            changed[chance.randrange(span)] = chance.randrange(256)
        try:
            read_fasttext(bytes(changed))
        except DamagedModelError:
            continue
        paths.append(tmp_path / f"{number}.ftz")
        paths[-1].write_bytes(changed)

    done = subprocess.run([sys.executable, "-c", ASK, *paths], capture_output=True, check=False)

    assert 5 < len(paths) < 55
    assert done.returncode == 0, done.stderr.decode()
