"""The corpus as others download it."""

import gzip
import json
import subprocess
from dataclasses import replace
from urllib.parse import urlsplit

import duckdb
import pyarrow.parquet as pq
import pytest

from pipeline.export import ExportCorpus
from skord.cli.look.funnel import ALL, funnel_stages
from skord.core.failures import ConfigError
from skord.core.preflight import check_graph
from skord.publishing.pseudonyms import pseudonymise
from tests.graph.bench import DUMP
from tests.graph.publishing.export_forms import (
    EXPORT,
    SETTINGS,
    TASK,
    column,
    command,
    copy_of,
    corpus,
    data_files,
    folder,
    other_settings,
    tree,
)


def test_kept_texts_are_published_in_order_and_nothing_else(exported):
    keep, text = (
        column(exported, "Deduplicate.dedup_keep"),
        column(exported, "ProcessMarkdown.text"),
    )
    rows = corpus(exported)

    assert [row["id"] for row in rows] == [page for page, kept in keep.items() if kept]
    assert len(rows) > 100
    assert all(row["text"] == pseudonymise(text[row["id"]]).text for row in rows)
    place = column(exported, "WARCIndex.warc_record_offset")
    assert all(row["offset"] == place[row["id"]] for row in rows)
    assert all(urlsplit(row["url"]).hostname and row["warc_date"] for row in rows)
    assert {row["language"] for row in rows} >= {"sv", "da", "no", "nn", "is"}
    assert {"perplexity", "language_score", "unigram_entropy"} <= set(rows[0])


def test_files_are_of_even_size_and_whole(exported):
    sizes = [
        sum(len(row["text"].encode()) for row in pq.read_table(path).to_pylist())
        for path in data_files(exported)
    ]
    longest = max(len(row["text"].encode()) for row in corpus(exported))

    assert len(sizes) > 2
    assert len(list(folder(exported).parent.glob("_plan/*.parquet"))) == 1
    assert max(sizes) - min(sizes) <= 2 * longest
    check = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"],
        cwd=folder(exported), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert check.returncode == 0, check.stdout + check.stderr
    listed = {line.split(": ")[0] for line in check.stdout.splitlines()}
    there = {str(p.relative_to(folder(exported))) for p in folder(exported).rglob("*.*")}
    assert listed == there


def test_json_lines_and_duckdb_say_the_same(exported):
    lines = [
        json.loads(line)
        for path in sorted((folder(exported) / "json").iterdir())
        for line in gzip.decompress(path.read_bytes()).splitlines()
    ]
    rows = corpus(exported)
    query = f"SELECT count(*), sum(length(text)) FROM '{folder(exported)}/data/*.parquet'"

    assert [line["text"] for line in lines] == [row["text"] for row in rows]
    assert list(lines[0]) == list(rows[0])
    assert duckdb.sql(query).fetchall()[0] == (len(rows), sum(len(row["text"]) for row in rows))


def test_the_card_has_the_figures_of_the_files(exported):
    text = (folder(exported) / "README.md").read_text()
    rows = corpus(exported)
    swedish = [len(row["text"]) for row in rows if row["language"] == "sv"]

    assert f"Main texts of {len(rows):,} web pages" in text
    assert f"| sv | {len(swedish):,} | {sum(swedish):,} |" in text
    passes = column(exported, "FilterDocuments.passes_all_quality_filters").values()
    assert f"| FilterDocuments | {list(passes).count(True):,} |" in text
    assert exported.store.manifest("CCNet")["stamp"] in text
    assert str(exported.folder) not in text


def test_what_is_missing_is_made_again_with_the_same_bytes(exported, tmp_path):
    copy = copy_of(exported, tmp_path / "copy")
    copy.workers = 2
    made = copy.folder / "data" / TASK / "2024-10"
    for path in (*data_files(copy)[1:3], made / "_manifest.json", made / "_card/00000.parquet"):
        path.unlink()
    for number in (1, 2):
        (made / f"_files/{number:05d}.parquet").unlink()
    (folder(copy) / "data/2024-10-00077.parquet").write_bytes(b"of an earlier export")

    status, output = copy.luigi(*EXPORT)

    assert status == 0, output
    assert tree(exported) == tree(copy)


def test_stricter_limits_are_decided_at_export_and_looser_ones_refused(exported, tmp_path):
    copy = copy_of(exported, tmp_path / "copy")
    lengths = sorted(len(row["text"]) for row in corpus(exported))
    least = lengths[len(lengths) // 3]
    limits = f'{{"content_length": [{least}, 1000000]}}'

    copy.extra = f"{SETTINGS}limits = {limits}\n"
    status, output = command(copy, "export", "--dumps", DUMP, "--replace")

    assert status == 0, output
    length = column(copy, "FilterDocuments.content_length")
    keep, why = column(copy, "Deduplicate.dedup_keep"), column(copy, "ExportCorpus.left_out")
    wanted = [page for page, kept in keep.items() if kept and length[page] >= least]
    assert [row["id"] for row in corpus(copy)] == wanted
    assert {why[page] for page in keep if keep[page] and length[page] < least} == {"content_length"}
    *_, before, last = funnel_stages(copy.store)
    assert (before.task, last.task) == ("Deduplicate", "ExportCorpus")
    assert last.documents_in == before.documents_out
    assert last.lost == {"content_length": before.documents_out[ALL] - len(wanted)}
    card, lost = (folder(copy) / "README.md").read_text(), last.lost["content_length"]
    assert f"| ExportCorpus | {len(wanted):,} | content_length {lost:,} |" in card
    assert "| ExportCorpus |" not in (folder(exported) / "README.md").read_text()


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ('scores = ["beauty"]', "no measure 'beauty'"),
        ('replace_kinds = ["names"]', "there is no kind 'names' of personal data"),
        ('personal_data = {"ibans": "hidden"}', "ibans is 'hidden': off, marked or replaced"),
        ('reservations = ["tdm_file"]', "no source of reservations 'tdm_file'"),
        ("target_bytes = 0", "target_bytes = 0: give 1 or a larger"),
        ('limits = {"content_length": [50, 1e9]}', "content_length may only be stricter here"),
        ('limits = {"beauty": [0, 1]}', "no feature 'beauty'"),
    ],
)
def test_what_cannot_be_exported_is_said_before_anything_starts(exported, setting, sentence):
    other = replace(exported, folder=exported.folder.with_name("other"), data_dir=exported.data)
    other.extra = f"[ExportCorpus]\n{setting}\n"
    before = exported.written()

    with other_settings(other), pytest.raises(ConfigError, match=sentence):
        check_graph(ExportCorpus(dump=DUMP, replace=True))

    assert exported.written() == before
