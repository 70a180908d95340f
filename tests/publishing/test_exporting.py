"""Which documents are in the corpus, in which file, and how their rows are made."""

import math
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from pipeline.export import ExportCorpus
from skord.publishing.card.dataset_card import (
    CardFacts,
    CardFigures,
    dataset_card,
    funnel_of_manifests,
)
from skord.publishing.files import regrouped_tables
from skord.publishing.manifest import CARD, FILES
from skord.publishing.pointers import POINTERS_SCHEMA
from skord.publishing.removals.lists import LISTS
from skord.publishing.rows import (
    MADE_OF,
    Form,
    corpus_rows,
    corpus_schema,
    file_numbers,
    left_out,
    looser_limits,
    num_files,
    pointer_rows,
)

KEEP = pa.chunked_array([[True, True, False, None, True]])
MEASURES = pa.table(
    {"content_length": [100, 99, 100, 1, 50], "unigram_entropy": [4.0, 4.0, 4.0, 4.0, 2.0]}
)
LIMITS = {"content_length": (100, math.inf), "unigram_entropy": (3, math.inf)}


def test_stricter_limits_leave_out_what_was_kept():
    assert left_out(KEEP, MEASURES, LIMITS).to_pylist() == [
        None, "content_length", "near_duplicate", "filtered", "content_length+unigram_entropy",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "wider"),
    [
        ({}, []),
        ({"content_length": (200, math.inf)}, []),
        ({"num_words": (50, 100)}, []),
        ({"content_length": (99, math.inf)}, ["content_length"]),
        ({"unigram_entropy": (3, 5)}, []),
    ],
)
def test_only_wider_limits_are_looser(changed, wider):
    assert looser_limits({**LIMITS, **changed}, LIMITS) == wider


def test_a_limit_that_is_gone_is_looser():
    assert looser_limits({"content_length": (100, math.inf)}, LIMITS) == ["unigram_entropy"]


@pytest.mark.parametrize("cuts", [[], [1], [300, 301, 700]])
def test_files_are_of_even_size_whatever_the_shards(cuts):
    sizes = np.random.default_rng(1).integers(1, 5000, 1000)
    files = num_files(int(sizes.sum()), 200_000)
    numbers, first = [], 0
    for part in np.split(sizes, cuts):
        numbers += file_numbers(part, first, int(sizes.sum()), files).tolist()
        first += int(part.sum())

    held = np.bincount(numbers, weights=sizes)
    assert numbers == sorted(numbers)
    assert len(held) == files == -(-int(sizes.sum()) // 200_000)
    assert held.max() - held.min() < 10_000


def test_an_empty_corpus_is_one_empty_file():
    assert num_files(0, 100) == 1
    assert file_numbers(np.array([], np.int64), 0, 0, 1).tolist() == []


def batch(texts):
    number = len(texts)
    columns = {name: pa.nulls(number) for name in MADE_OF}
    columns["id"] = pa.array(
        [f"urn:uuid:{n:08d}-0000-0000-0000-000000000000" for n in range(number)]
    )
    columns["text"] = pa.array(texts)
    columns["line_verdicts"] = pa.array([b"\x01\x00\x01"] * number)
    columns["perplexity"] = pa.array([1.5] * number)
    columns["payload_digest"] = pa.array(["A" * 32] * number)
    return pa.table(columns)


def test_rows_have_stand_ins_and_pointers_of_what_is_written():
    actual, counts = corpus_rows(batch(["Mejla a@x.se.", "Hej."]), Form(["perplexity"], ["emails"]))
    plain, none = corpus_rows(batch(["Mejla a@x.se.", "Hej."]), Form(["perplexity"], []))

    assert actual["text"].to_pylist() == ["Mejla email@example.com.", "Hej."]
    assert plain["text"].to_pylist() == ["Mejla a@x.se.", "Hej."]
    assert (counts, none) == ({"emails": 1}, {})
    assert actual.select(corpus_schema(["perplexity"]).names).schema == corpus_schema(
        ["perplexity"]
    )
    pointers = pointer_rows(actual).cast(POINTERS_SCHEMA).to_pylist()
    assert pointers[0]["text_digest"] != pointer_rows(plain)["text_digest"][0].as_py()
    assert (pointers[1]["lines"], len(pointers[1]["id"])) == (bytes([0, 1, 1, 1]), 16)


@pytest.mark.parametrize("cuts", [[3], [1, 2, 10, 14], []])
def test_row_groups_do_not_depend_on_the_pieces_that_came(cuts):
    table = pa.table({"n": range(15)})
    edges = [0, *cuts, 15]
    pieces = [table.slice(a, b - a) for a, b in pairwise(edges)]

    tables = list(regrouped_tables(iter([table.slice(0, 0), *pieces]), rows=4))

    assert [len(one) for one in tables] == [4, 4, 4, 3]
    assert pa.concat_tables(tables).equals(table)
    assert all(one["n"].num_chunks == 1 for one in tables)


def facts(**changed):
    manifests = {
        "CCNet": {"rows": 9, "counts": {"pages": 12, "refused.language": 3}},
        "FilterDocuments": {"counts": {"judged": 9, "passes": 8, "filter.content_length": 1}},
        "Deduplicate": {"counts": {"kept": 7, "removed": 1}},
    }
    values = {
        "dump": "2024-10", "title": "Nordiska | texter", "licence": "odc-by", "licence_link": "",
        "contact": "corpus@example.org", "scores": {"perplexity": "Of the | text."},
        "limits": {"content_length": [100.0, None]}, "kinds": ["emails"],
        "stages": funnel_of_manifests(manifests), "settings": {"CCNet": {"rule": "any"}},
        "stamps": {"CCNet": "0123"},
    }  # fmt: skip
    return CardFacts(**{**values, **changed})


FIGURES = CardFigures(
    files=2, text_bytes=123_456, packed_bytes=50_000,
    languages={"is": (2, 900), "sv": (4, 100_000)}, replaced={"emails": 3}, removed={"url": 1},
    has_json=False,
)  # fmt: skip


def test_the_card_says_what_is_in_the_corpus_and_how_it_was_made():
    text = dataset_card(facts(), FIGURES)

    header = text.split("---\n")[1]
    assert 'language:\n- "is"\n- "sv"\n' in header
    assert 'license: "odc-by"\n' in header
    assert "- n<1K\n" in header
    assert "json" not in header
    assert "Main texts of 6 web pages out of Common Crawl's dump 2024-10, 123,456 bytes" in text
    assert "| sv | 4 | 100,000 |\n| is | 2 | 900 |" in text
    assert "| CCNet | 9 | language 3 |" in text
    assert "| FilterDocuments | 8 | content_length 1 |" in text
    assert "| Deduplicate | 7 | near_duplicate 1 |\n| removals | 6 | url 1 |" in text
    assert "| content_length | 100 | - |" in text
    assert "email@example.com (3 times)" in text
    assert "| perplexity | Of the \\| text. |" in text
    assert "corpus@example.org" in text


def test_json_lines_are_offered_where_they_are():
    with_json = CardFigures(**{**vars(FIGURES), "has_json": True})

    assert 'data_files="json/*.jsonl.gz"' in dataset_card(facts(), with_json)
    assert "json" not in dataset_card(facts(), FIGURES)
    assert "json" not in dataset_card(facts(), with_json).split("---\n")[1], (
        "one folder, one format"
    )


def test_marks_are_ranges_of_the_text_as_published():
    texts = ["Mejla a@x.se, ring 08-123 45 67.", "Hej."]
    actual, _ = corpus_rows(batch(texts), Form([], ["emails"], ["phone_numbers"]))

    text, marks = actual["text"][0].as_py(), actual["personal_data"].to_pylist()
    assert [text[one["start"] : one["end"]] for one in marks[0]] == ["08-123 45 67"]
    assert marks[1] == []
    assert "personal_data" not in corpus_rows(batch(texts), Form([], ["emails"]))[0].column_names


def test_a_published_file_is_in_place_under_the_lists_of_now_alone(settings):
    settings()
    task = ExportCorpus(dump="2024-10")
    path = task.store.path("ExportCorpus", 0, FILES)

    def write():
        table = pa.table({"documents": [1]})
        with task.store.writer(
            path, table.schema, task.overlaid_fingerprint(), indexed=False
        ) as writer:
            writer.write(table)

    assert task.finder(FILES)(0) is None
    write()
    assert task.finder(FILES)(0) is not None
    task.store.storage.write(f"{LISTS}/000001-3f2a.parquet", b"a list")
    assert task.finder(FILES)(0) is None
    write()
    assert task.finder(FILES)(0).fingerprint != task.fingerprint
    assert task.finder(CARD)(0) is None
