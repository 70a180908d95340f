"""What a card says of the tasks, and the figures of the files.

Of `skord.publishing.card.method`, `skord.publishing.card.figures`,
`skord.publishing.card.facts` and
`skord.publishing.removals.robots_lists`.
"""

import pyarrow as pa
import pytest

from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.publishing.card.facts import card_facts
from skord.publishing.card.figures import FILE_SCHEMA, Figures, card_figures
from skord.publishing.card.method import (
    conversion_sentence,
    language_identifiers,
    method_paragraphs,
)
from skord.publishing.pointers import _numbers, packed_lines
from skord.publishing.removals.requests import Entry, Removals
from skord.publishing.removals.robots_lists import entries_of_text, entries_of_warc
from tests.members import response_member


def test_every_step_is_told_from_its_settings_and_models():
    settings = {
        "CCNet": {
            "languages": '["sv", "da"]', "rule": "top", "min_score": "0.5",
            "paragraphs": "drop_all",
        },
        "ProcessMarkdown": {"line_filter_threshold": "0.3"},
        "FilterDocuments": {"feature_sets": '["sweb"]'},
    }  # fmt: skip
    models = {
        "CCNet": ["lid.176-1f"],
        "ProcessMarkdown": ["embedded-2e"],
        "ConvertToMarkdown": ["3.9"],
    }

    selection, fetched, lines, filters = method_paragraphs(settings, models)

    assert "by lid.176-1f: sv, da, where the highest of them scores 0.5 or more" in selection
    assert "paragraphs that several pages have are left out of all of them" in selection
    assert fetched.endswith("into Markdown by Skörd's own converter, in pandoc's dialect.")
    assert "by a classifier (embedded-2e)" in lines
    assert "with a probability of 0.3 or more" in lines
    assert "(feature sets sweb)" in filters


def test_steps_of_which_nothing_is_known_are_told_all_the_same():
    selection, fetched, lines, filters = method_paragraphs({}, {})

    assert "paragraphs; of a paragraph on several pages the first stays." in selection
    assert fetched.endswith("in pandoc's dialect.")
    assert "by a classifier (embedded); the lines of the main text, as many as" in lines
    assert "feature sets" not in filters
    assert conversion_sentence({"converter": "pandoc"}, []).endswith("by pandoc.")


def test_what_named_the_language():
    assert language_identifiers({}, []) == "fastText's lid.176"
    assert language_identifiers({}, ["lid-1", "other-2", "scandinavian-3"]) == (
        "lid-1, the Scandinavian languages told apart by scandinavian-3"
    )
    assert language_identifiers({}, ["scandinavian-3"]) == "scandinavian-3"


def test_a_card_names_the_measures_that_are_columns_and_no_others(tmp_path):
    store = ColumnStore(Storage(str(tmp_path)), "2024-10")
    counts = {"judged": 9, "failure.not_in_index": 2}
    settings = {"rule": "any", "dump": "2024-10"}
    store.write_manifest("WARCIndex", {"settings": settings, "stamp": "abc", "counts": counts})
    words = {"title": "T", "licence": "other", "licence_link": "", "contact": ""}
    limits = {"b": (1, float("inf")), "a": (float("-inf"), 2)}

    facts = card_facts(
        store, ["WARCIndex"], words, ["perplexity"], limits, ["emails"], {"WARCIndex": ["x"]}
    )

    assert list(facts.scores) == ["perplexity"]
    assert list(facts.limits.items()) == [("a", [None, 2.0]), ("b", [1.0, None])]
    assert facts.stages == [("WARCIndex", 7, {"not_in_index": 2})]
    assert facts.settings == {"WARCIndex": {"rule": "any"}}
    assert facts.stamps == {"WARCIndex": "abc"}


def rows(*pages):
    names = ("id", "url", "text_digest", "text", "language")
    return pa.table(dict(zip(names, zip(*pages, strict=True), strict=True)))


def test_figures_are_added_up_file_by_file():
    figures = Figures()
    page = ("1", "http://a.example/", b"d", "åtta", "sv")

    figures.counted(rows(page, ("2", "http://b.example/", b"e", "seks", None)))
    figures.counted(rows(page))
    row = {
        **figures.row(), "written": [{"name": "data/0.parquet", "bytes": 7, "sha256": ""}],
        "replaced": [{"kind": "emails", "number": 2}], "number": 0,
    }  # fmt: skip
    both = card_figures(
        [row, {**row, "written": [{"name": "json/0.gz", "bytes": 5, "sha256": ""}]}]
    )

    assert (row["documents"], row["text_bytes"]) == (3, 14)
    assert row["languages"] == [
        {"language": "sv", "documents": 2, "characters": 8},
        {"language": "unknown", "documents": 1, "characters": 4},
    ]
    assert set(row) <= {*FILE_SCHEMA.names, "number"}
    assert (both.files, both.text_bytes, both.packed_bytes, both.has_json) == (2, 28, 7, True)
    assert both.languages == {"sv": (4, 16), "unknown": (2, 8)}
    assert both.replaced == {"emails": 4}
    assert both.documents == 6


def test_what_is_removed_is_noted_and_gone():
    figures = Figures()
    removals = Removals([Entry("domain", "a.example", "2024-03-01", "asked")])
    table = rows(
        ("1", "http://a.example/x", b"d", "x", "sv"), ("2", "http://b.example/", b"e", "y", "sv")
    )

    left = figures.without_removed(table, removals)

    assert left["id"].to_pylist() == ["2"]
    assert [one["id"] for one in figures.row()["removed"]] == ["1"]
    assert figures.without_removed(table, Removals([])) is table


@pytest.mark.parametrize("runs", [[0, 127, 128], [5, 20_000, 1], [0, 3_000_000]])
def test_runs_of_lines_of_any_length_are_read_again(runs):
    kept = [bool(n % 2) for n, run in enumerate(runs) for _ in range(run)]

    assert list(_numbers(packed_lines(pa.array(kept).to_numpy(zero_copy_only=False)))) == (
        runs if len(runs) % 2 == 0 else runs[:-1]
    )


def robots(url, status, text):
    http = f"HTTP/1.1 {status} X\r\nContent-Type: text/plain\r\n\r\n{text}"
    return response_member(http.encode(), url)


FORBIDS = "User-agent: CCBot\nDisallow: /privat\n"


def test_only_robots_files_that_were_answered_forbid_anything(tmp_path):
    file = tmp_path / "robots.warc.gz"
    file.write_bytes(
        robots("https://a.example/robots.txt?x=1", 200, FORBIDS)
        + robots("https://b.example/robots.txt", 404, FORBIDS)
        + robots("https://c.example/page", 200, FORBIDS)
        + b"no member"
    )

    entries = list(entries_of_warc(file, ["CCBot"]))
    plain = tmp_path / "robots.txt"
    plain.write_text(FORBIDS)

    assert [("a.example" in entry.value) for entry in entries] == [True]
    assert [entry.value for entry in entries_of_text("a.example", plain, ["CCBot"])] == [
        entry.value for entry in entries
    ]
    with pytest.raises(ConfigError, match="nowhere"):
        entries_of_text("a.example", tmp_path / "nowhere", ["CCBot"])
