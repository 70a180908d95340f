"""The best pages and the curve of `skord study grade`, over small tables of their own."""

from xml.etree import ElementTree

import pyarrow as pa
import pytest

from skord.cli.main import main
from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.extras.grading import ORDERS
from skord.extras.grading.command import best_pages, graded_pages, rank_curve, table_lines

PAGES = 6


@pytest.fixture
def store(tmp_path):
    return ColumnStore(Storage(str(tmp_path / "data")), "2024-10")


def write(store, task, shard=0, **columns):
    """A complete task with a column for each keyword, a row for each page."""
    ids = [f"urn:{shard}-{number}" for number in range(PAGES)]
    table = pa.table({"id": ids, **columns, "failure": pa.nulls(PAGES, pa.string())})
    with store.writer(store.path(task, shard), table.schema, "f") as writer:
        writer.write(table)
    store.write_manifest(task, {"num_shards": shard + 1, "stamp": "f", "counts": {}, "rows": PAGES})


def write_grades(store):
    write(
        store, "GradeDocuments", grammar=["sv", "sv", None, "da", "sv", "sv"],
        words=pa.array([10, 20, 0, 40, 50, 60], pa.int32()),
        recognized_words=pa.array([9, 18, 0, 30, 10, 50], pa.int32()),
        recognized=[0.9, 0.9, None, 0.75, 0.2, 0.8],
        chunks=pa.array([3, 4, 0, 9, 9, 8], pa.int32()),
        avg_size=[3.0, 4.5, None, 3.3, 1.1, 6.2],
        avg_chunk_size=[2.0] * PAGES,
        grammaticality=[0.5, 0.9, None, 0.4, 0.1, None],
    )  # fmt: skip
    write(store, "ConvertToMarkdown", url=[f"http://a.example/{n}" for n in range(PAGES)])


def test_pages_are_ranked_by_what_is_asked_for(store):
    write_grades(store)

    def ranked(by, **more):
        return [page.url[-1] for page in best_pages(graded_pages(store, **more), by, 3)]

    assert ranked("words") == ["5", "4", "3"]
    assert ranked("words", language="sv") == ["5", "4", "1"]
    assert ranked("avg_size") == ["5", "1", "3"]
    assert ranked("grammaticality") == ["1", "0", "3"]
    assert ranked("recognized_words") == ["5", "3", "1"]
    assert ranked("worth")[0] == "5"
    assert len(list(graded_pages(store))) == 5
    every = [page.url[-1] for page in best_pages(graded_pages(store), "words", 9)]
    assert every == ["5", "4", "3", "1", "0"]


def test_what_is_not_graded_has_no_pages(store):
    with pytest.raises(ConfigError, match="GradeDocuments 2024-10 is not complete"):
        list(graded_pages(store))


def test_every_column_that_pages_are_sorted_by_is_printed(store):
    write_grades(store)
    page = best_pages(graded_pages(store), "worth", 1)[0]

    head, line = table_lines([page])

    shown = line.replace(",", "").replace("%", "").split()
    for name in ORDERS:
        value = getattr(page, name)
        assert value is None or any(abs(float(one) - value) < 0.051 for one in shown[:-1]), name
    assert head.split("  ")[-1] == "File"
    assert "Rec. words" in head


@pytest.mark.usefixtures("settings")
def test_figure_4_is_a_picture_of_two_lines(store, tmp_path, capsys):
    write_grades(store)
    out = tmp_path / "figure-4.svg"

    status = main(["grade", "--dump", "2024-10", "--curve", "--out", str(out)])

    assert status in (0, None)
    assert capsys.readouterr().out == f"{out}\n"
    picture = ElementTree.parse(out).getroot()
    assert picture.get("aria-label") == "Quality by rank"
    text = "".join(picture.itertext())
    assert "grammaticality" in text
    assert "average size" in text


def test_a_curve_counts_every_page_once(store):
    write_grades(store)

    curve = rank_curve(graded_pages(store), "words")

    assert sum(point.pages for point in curve) == 5
