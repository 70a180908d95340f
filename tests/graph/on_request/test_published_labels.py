"""Labels of tasks on request as columns of the corpus: rows, card, Croissant, removals."""

import gzip
import json
from dataclasses import replace

from tests.graph.bench import DUMP
from tests.graph.publishing.export_forms import column, command, copy_of, corpus, folder

SETTINGS = """[ExportCorpus]
scores = ["perplexity", "registers", "unwanted_kind"]
json_lines = true
"""


def test_labels_are_columns_of_the_corpus(exported, tmp_path):
    copy = copy_of(exported, tmp_path / "copy", SETTINGS)
    status, output = command(copy, "export", "--dumps", DUMP, "--replace")
    assert status == 0, output

    registers = column(copy, "LabelRegisters.registers")
    kinds = column(copy, "MeasureUnwanted.unwanted_kind")
    rows = corpus(copy)
    assert {row["id"] for row in rows} == {row["id"] for row in corpus(exported)}
    assert all(row["registers"] == registers[row["id"]] for row in rows)
    assert all(row["unwanted_kind"] == kinds[row["id"]] for row in rows)
    assert any(len(row["registers"] or ()) > 1 for row in rows)
    assert {row["unwanted_kind"] for row in rows} > {None, "loans"}

    lines = [
        json.loads(line)
        for path in sorted((folder(copy) / "json").iterdir())
        for line in gzip.decompress(path.read_bytes()).splitlines()
    ]
    assert [line["registers"] for line in lines] == [row["registers"] for row in rows]

    card = (folder(copy) / "README.md").read_text()
    assert "| registers | Registers that the text counts as" in card
    assert "| LabelRegisters |" in card  # its model, under how to make it again
    assert "registers-" in card
    said = json.loads((folder(copy) / "croissant.json").read_text())
    fields = {one["name"]: one for one in said["recordSet"][0]["field"]}
    assert fields["registers"]["repeated"] is True
    assert fields["registers"]["dataType"] == fields["unwanted_kind"]["dataType"] == "sc:Text"
    assert "repeated" not in fields["unwanted_kind"]

    gone = rows[0]["id"]
    command(copy, "removals", "add", "--id", gone, "--reason", "opt-out")
    status, output = command(copy, "removals", "apply")
    assert status == 0, output
    assert corpus(copy) == rows[1:]


def test_a_label_has_no_limits(exported):
    status, output = command(exported, "what-if", "--dump", DUMP, "--set", "registers=0..1")
    assert status == 1
    assert "no feature 'registers' to limit" in output


def test_what_if_leaves_limits_of_what_was_not_measured_out(exported, tmp_path):
    limits = '[ExportCorpus]\nlimits = {"unwanted_score": [0, 0.49]}\n'
    other = replace(exported, folder=tmp_path, data_dir=exported.data, extra=limits)
    status, output = command(other, "what-if", "--dump", DUMP, "--set", "unigram_entropy=4.3")
    assert status == 0, output
    assert "unwanted_score" not in output
    status, output = command(other, "what-if", "--dump", DUMP, "--set", "unwanted_score=0..0.9")
    assert status == 1
    assert "skord run MeasureUnwanted" in output
