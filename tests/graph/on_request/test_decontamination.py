"""Evaluation sets in a whole dump: found, told with the passage, decided late."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.graph.bench import DUMP
from tests.graph.publishing.export_forms import column, command, copy_of, corpus, folder


def test_items_in_texts_are_found_and_decide_late(exported, tmp_path):
    copy = copy_of(exported, tmp_path / "copy")
    long = [row for row in corpus(copy) if len(row["text"].split()) > 80]
    one, two = long[0], long[-1]
    words, others = one["text"].split(), two["text"].split()
    sets = tmp_path / "sets"
    sets.mkdir()
    items = [{"question": "Vad är detta för något som ingen har skrivit förut i texterna?", "answer": "x"},
             {"question": " ".join(words[20:50]), "answer": "ja"}]  # fmt: skip
    (sets / "prov.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    table = pa.table(
        {"fråga": ["något helt annat som inte står någonstans"], "svar": [" ".join(others[10:40])]}
    )
    pq.write_table(table, sets / "eget.parquet")
    copy.extra = f"[Decontaminate]\nsets = {sets}\n"
    status, output = command(copy, "run", "Decontaminate", "--dump", DUMP)
    assert status == 1
    assert "no item of" in output
    assert '"eget": {"question"' in output

    fields = json.dumps({"eget": {"question": ["fråga"], "answer": ["svar"]}}, ensure_ascii=False)
    copy.extra += f"fields = {fields}\n"
    status, output = command(copy, "run", "Decontaminate", "--dump", DUMP)
    assert status == 0, output
    values = column(copy, "Decontaminate.contamination")
    best = values[one["id"]][0]
    assert (best["set"], best["item"], best["part"]) == ("prov", 1, "question")
    assert best["score"] == pytest.approx(1, abs=0.01)
    assert words[25] in best["passage"]
    answers = column(copy, "Decontaminate.answer_contamination")
    assert answers[two["id"]] == pytest.approx(1, abs=0.01)

    _, story = command(copy, "why", one["url"], "--dump", DUMP)
    assert "=> kept\n   though question_contamination = 1, where 0 to 0.5 is suggested" in story
    copy.extra += '[ExportCorpus]\nlimits = {"question_contamination": [0, 0.5]}\n'
    status, output = command(copy, "export", "--dumps", DUMP, "--replace")
    assert status == 0, output
    why = column(copy, "ExportCorpus.left_out")
    assert why[one["id"]] == "question_contamination"
    assert why[two["id"]] is None
    card = (folder(copy) / "README.md").read_text()
    assert "evaluation sets: eget (1 items), prov (2 items)." in card
    _, story = command(copy, "why", one["url"], "--dump", DUMP)
    assert "question_contamination: 1" in story

    _, table = command(copy, "contamination", "--dump", DUMP)
    assert re.search(r"^prov +2 +1 +0 +0 +[1-9]", table, re.MULTILINE), table
    assert re.search(r"^eget +1 +0 +1 +0 +[1-9]", table, re.MULTILINE), table
    assert f"1.00  prov 1 question  {one['url']}" in table
    assert f"item: {' '.join(words[20:50])}"[:100] in table
    _, said = command(copy, "contamination", "--dump", DUMP, "--set", "eget", "--json")
    result = json.loads(said[said.index("{\n") :])
    assert [row["set"] for row in result["sets"]] == ["eget", "prov"]
    assert {row["set"] for row in result["examples"]} == {"eget"}
