"""Figures of a dump's paragraphs, from two manifests: `skord.extras.paragraphs.report`."""

import pytest

from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.extras.paragraphs.report import paragraph_corpus

EXPORTED = {
    "documents": 5, "text_bytes": 70, "raw_bytes": 90, "charset.utf-8": 3, "charset.cp1257": 4,
    "year.2024.sv": 2, "year.2023.lv": 7, "year.2024.lv": 6, "yearly.x": 1,
}  # fmt: skip
CHOSEN = {"paragraphs.kept": 8, "paragraphs.short": 9, "pages.kept": 2}


@pytest.fixture
def store(tmp_path):
    return ColumnStore(Storage(str(tmp_path)), "2024-10")


def test_counts_are_sorted_by_year_and_the_largest_first(store):
    store.write_manifest("ExportParagraphs", {"counts": EXPORTED})
    store.write_manifest("FilterParagraphs", {"counts": CHOSEN})

    found = paragraph_corpus(store)

    assert (found.documents, found.text_bytes, found.raw_bytes) == (5, 70, 90)
    assert list(found.charsets.items()) == [("cp1257", 4), ("utf-8", 3)]
    assert list(found.years.items()) == [("2023", {"lv": 7}), ("2024", {"lv": 6, "sv": 2})]
    assert found.languages == ("lv", "sv")
    assert list(found.paragraphs.items()) == [("short", 9), ("kept", 8)]
    assert found.pages == {"kept": 2}


@pytest.mark.parametrize("name", ["ExportParagraphs", "FilterParagraphs"])
def test_one_manifest_is_none(store, name):
    store.write_manifest(name, {"counts": {}})
    assert paragraph_corpus(store) is None


def test_what_was_not_counted_is_nought(store):
    for name in ("ExportParagraphs", "FilterParagraphs"):
        store.write_manifest(name, {"counts": {}})
    found = paragraph_corpus(store)
    assert (found.documents, found.text_bytes, found.raw_bytes) == (0, 0, 0)
    assert found.languages == ()
