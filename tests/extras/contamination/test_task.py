"""What Decontaminate counts, and which settings it refuses."""

import numpy as np
import pyarrow as pa
import pytest

from pipeline.quality_filtering import FilterDocuments
from skord.core.failures import ConfigError
from skord.extras.contamination.index import MATCHES_TYPE
from skord.extras.contamination.task import Decontaminate


def test_a_text_counts_once_for_each_set_from_a_half_on(settings):
    settings()
    scores = [[("a", 0.5), ("a", 0.9), ("b", 0.49)], None, [], [("a", 0.5), ("b", 0.7)]]
    rows = [
        None
        if row is None
        else [{"set": name, "score": score, "is_formula": False} for name, score in row]
        for row in scores
    ]
    rows.append([{"set": "a", "score": 0.8, "is_formula": True}])
    table = pa.table({"contamination": pa.array(rows, MATCHES_TYPE)})
    assert Decontaminate(dump="2024-10").count(table) == {"contaminated.a": 2, "contaminated.b": 1}


def test_without_sets_it_does_not_begin(settings, tmp_path):
    settings()
    with pytest.raises(ConfigError, match="name a folder"):
        Decontaminate(dump="2024-10").check()
    (tmp_path / "arc.txt").write_text("one two three four five six\n")
    Decontaminate(dump="2024-10", sets=str(tmp_path), length=1).check()


def test_what_shards_count_is_added_up_place_by_place(settings, tmp_path):
    settings()
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets/arc.txt").write_text("one two three four five six\n")
    task = Decontaminate(dump="2024-10", sets=str(tmp_path / "sets"))
    task.store.write_manifest("ProcessMarkdown", {"num_shards": 3, "stamp": "x"})
    for shard, counts in enumerate(([1, 2, 3], [10, 20, 30], [100, 0, 0])):
        task._write("copies", shard, np.array(counts))

    task._add("copies", "copy_sums", 0)

    assert task._read("copy_sums").tolist() == [111, 22, 33]
    assert not task.reads_same_shard
    assert FilterDocuments(dump="2024-10").reads_same_shard
