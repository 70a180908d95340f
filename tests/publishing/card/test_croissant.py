"""Versions, types and origins in Croissant, of `skord.publishing.card.croissant`, and sizes."""

import json

import pyarrow as pa
import pytest

from skord.publishing.card.croissant import croissant_file, data_type, semantic_version
from skord.publishing.card.dataset_card import size_category

ABOUT = {
    "name": "Texter", "description": "d", "licence": "odc-by", "version": "2024-10",
    "creator": "c", "languages": ["sv"], "dump": "2024-10",
}  # fmt: skip


@pytest.mark.parametrize(
    ("dump", "version"),
    [("2024-10", "2024.10.0"), ("2024-05", "2024.5.0"), ("2012", "2012"), ("mine-a", "mine-a"),
     ("2024-", "2024-"), ("", "")],
)  # fmt: skip
def test_a_dump_of_year_and_week_is_a_version(dump, version):
    assert semantic_version(dump) == version


def test_types_have_the_formats_names():
    names = {
        pa.bool_(): "Boolean", pa.int32(): "Integer", pa.uint8(): "Integer", pa.float32(): "Float",
        pa.float64(): "Float", pa.string(): "Text", pa.list_(pa.int64()): "Text",
    }  # fmt: skip
    assert {kind: data_type(kind) for kind in names} == {k: f"sc:{n}" for k, n in names.items()}


def test_files_of_data_are_named_and_no_others():
    written = [
        {"name": name, "bytes": 7, "sha256": "a"}
        for name in ("data/a.parquet", "README.md", "pointers/data/b.parquet")
    ]
    schema = pa.schema([("id", pa.string()), ("n", pa.int64())])

    text = croissant_file(ABOUT, written, schema, {"n": "a number", "id": "på språket"})
    assert "på språket" in text
    made = json.loads(croissant_file(ABOUT, written, schema, {"n": "a number"}))

    assert [one["@id"] for one in made["distribution"]] == ["data/a.parquet", "parquet-files"]
    assert made["distribution"][0]["contentSize"] == "7 B"
    fields = made["recordSet"][0]["field"]
    assert [(one["name"], one["description"]) for one in fields] == [("id", ""), ("n", "a number")]


@pytest.mark.parametrize(("said", "based"), [(True, True), (None, True), (False, False)])
def test_texts_of_ones_own_are_not_said_to_be_of_common_crawl(said, based):
    about = ABOUT if said is None else {**ABOUT, "is_of_common_crawl": said}
    made = json.loads(croissant_file(about, [], pa.schema([]), {}))
    assert ("isBasedOn" in made) is based
    assert ("Common Crawl" in made["keywords"]) is based


@pytest.mark.parametrize(
    ("documents", "category"),
    [
        (0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (9999, "1K<n<10K"), (10_000, "10K<n<100K"),
        (999_999_999, "100M<n<1B"), (1_000_000_000, "n>1B"), (10**12, "n>1B"),
    ],
)  # fmt: skip
def test_sizes_are_the_hubs(documents, category):
    assert size_category(documents) == category
