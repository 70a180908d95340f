"""The picture of what grading took."""

from argparse import Namespace
from xml.etree import ElementTree

import pyarrow as pa
import pytest

from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.extras.grading.command import (
    grading_time_chart,
    run,
    time_lines,
    time_rows,
    write_picture,
)

ROWS = [
    {"words": 2.0**n, "texts": 3.0, "median_s": n / 1e3, "p90_s": n / 5e2, "max_s": n / 1e2,
     "words_per_s": 1e5}
    for n in range(4, 9)
]  # fmt: skip


def test_times_become_a_picture_of_three_lines(tmp_path, capsys):
    write_picture(grading_time_chart(ROWS), tmp_path / "times.svg")

    picture = ElementTree.parse(tmp_path / "times.svg").getroot()
    assert picture.get("aria-label") == "Seconds that grading took, by words of a text"
    lines = [one for one in picture.iter() if (one.get("id") or "").startswith("line2d")]
    assert len(lines) > 3
    assert capsys.readouterr().out == f"{tmp_path / 'times.svg'}\n"


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(ConfigError, match="cannot be written"):
        write_picture("<svg></svg>", tmp_path / "nowhere" / "times.svg")


def test_a_picture_is_of_a_curve_or_of_times(settings):
    settings()
    with pytest.raises(ConfigError, match="give one of them"):
        run(Namespace(dump="2024-10", out="a.svg", times=False, curve=False))


def test_times_are_told_by_ever_wider_ranges_of_words(tmp_path):
    store = ColumnStore(Storage(str(tmp_path)), "2024-10")
    with pytest.raises(ConfigError, match="no times of GradeDocuments 2024-10"):
        time_rows(store)
    schema = pa.schema([("words", pa.int32()), ("seconds", pa.float64())])
    tables = [[(0, 0.5), (1, 1.5), (2, 3.0)], [(3, 1.0), (4, 4.0), (None, None)]]
    for shard, rows in enumerate(tables):
        with store.writer(store.path("GradeDocuments", shard, "ledger"), schema, "f") as writer:
            columns = zip(*rows, strict=True)
            writer.write(pa.table(list(map(list, columns)), schema=schema))
    store.write_manifest("GradeDocuments", {"num_shards": 2})

    rows = time_rows(store)

    assert [(row["words"], row["texts"]) for row in rows] == [(1.0, 2.0), (2.0, 2.0), (4.0, 1.0)]
    assert [row["median_s"] for row in rows] == [1.0, 2.0, 4.0]
    assert [row["max_s"] for row in rows] == [1.5, 3.0, 4.0]
    assert rows[1]["p90_s"] == pytest.approx(2.8)
    assert [row["words_per_s"] for row in rows] == [0.5, 1.25, 1.0]
    lines = list(time_lines(rows))
    assert len(lines) == 4
    assert lines[1].split()[:2] == ["1", "2"]
    assert lines[3].count("█") >= max(line.count("█") for line in lines)
