"""The table of evaluation sets and the examples, from matches alone."""

import json
from argparse import Namespace

import pyarrow as pa
import pytest

from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.core.storage.shared_columns import FAILURE, ID
from skord.extras.contamination.command import (
    TASK,
    WIDTH,
    example_lines,
    matches_of,
    run,
    table_lines,
    tally_contamination,
)
from skord.extras.contamination.evaluation_sets import Probe
from skord.extras.contamination.index import MATCHES_TYPE


def match(of, item, part, score, evidence=1.0, passage="ett  två\ntre"):
    row = {"set": of, "item": item, "part": part, "score": score, "evidence": evidence}
    return {**row, "passage": passage, "is_formula": False}


TEXTS = [
    ("http://b.se/", [match("arc", 0, "question", 0.5), match("arc", 0, "answer", 0.9)]),
    ("http://a.se/", [match("arc", 0, "question", 0.5, 2.0), match("arc", 1, "answer", 0.49)]),
    ("http://c.se/", [match("gone", 7, "question", 1.0, 9.0)]),
    ("http://d.se/", [match("arc", 1, "answer", 0.1)]),
]
KNOWN = {
    (one.set, one.item, one.part): one
    for one in (
        Probe("arc", 0, "question", "Ett två " * 60),
        Probe("arc", 0, "answer", "fyra"),
        Probe("arc", 1, "answer", "fem"),
        Probe("belebele", 0, "question", "sex"),
    )
}


def test_texts_and_items_are_counted_from_the_limit_on():
    rows, _ = tally_contamination(TEXTS, KNOWN, 0.5)

    counts = ("set", "items", "questions", "answers", "both", "texts", "formulas")
    assert [tuple(row.as_row()[name] for name in counts) for row in rows] == [
        ("arc", 2, 1, 1, 1, 2, 0),
        ("belebele", 1, 0, 0, 0, 0, 0),
        ("gone", None, 1, 0, 0, 1, 0),
    ]


def test_formulas_are_counted_apart_and_are_no_examples():
    part = {**match("arc", 0, "question", 0.8), "is_formula": True}
    whole = match("arc", 1, "question", 0.95)

    rows, examples = tally_contamination(
        [("http://a.se/", [whole, part]), ("http://b.se/", [part])], {}, 0.5
    )

    (row,) = rows
    assert (row.questions, row.texts, row.formulas) == ({1}, 1, {0})
    assert [one.match["item"] for one in examples] == [1]


def test_a_question_in_one_text_and_its_answer_in_another_are_not_both_in_one():
    apart = [(url, [row]) for url, matches in TEXTS[:1] for row in matches]

    (row,) = tally_contamination(apart, {}, 0.5)[0]

    assert (row.questions, row.answers, row.both, row.texts) == ({0}, {0}, set(), 2)


def test_examples_are_the_best_match_of_each_item_by_score_then_evidence():
    _, examples = tally_contamination(TEXTS, KNOWN, 0.5)

    assert [(one.url, one.score) for one in examples] == [
        ("http://c.se/", 1.0),
        ("http://b.se/", 0.9),
        ("http://a.se/", 0.5),
    ]
    assert len(tally_contamination(TEXTS, KNOWN, 0.5, examples=2)[1]) == 2


def test_lines_of_the_table_and_of_examples():
    rows, examples = tally_contamination(TEXTS, KNOWN, 0.5)

    table = list(table_lines(rows, 0.5))
    assert table[0] == "items of which a text holds a score of 0.5 or more"
    assert [line.split() for line in table[2:]] == [
        ["arc", "2", "1", "1", "1", "2", "0"],
        ["belebele", "1", "0", "0", "0", "0", "0"],
        ["gone", "-", "1", "0", "0", "1", "0"],
    ]
    assert list(table_lines([], 0.5))[-1] == "none"
    lines = list(example_lines(examples, KNOWN))
    assert lines[:2] == ["\n1.00  gone 7 question  http://c.se/", "      text: ett två tre"]
    assert lines[4] == "      item: fyra"
    assert lines[-1] == "      item: " + ("Ett två " * 60)[:WIDTH] + " …"


def test_matches_are_read_in_order_and_those_of_one_set_alone(settings, tmp_path, capsys):
    settings()
    store = ColumnStore(Storage(str(tmp_path / "data")), "2024-10")
    with pytest.raises(ConfigError, match=r"Decontaminate 2024-10 is not complete in .*: skord"):
        list(matches_of(store))
    for shard, texts in enumerate((TEXTS[:3], TEXTS[3:])):
        ids = [url for url, _ in texts] + ["none", "empty"]
        found = [matches for _, matches in texts] + [None, []]
        for task, name, kind, column in (
            ("CCNet", "url", pa.string(), ids), (TASK, "contamination", MATCHES_TYPE, found),
        ):  # fmt: skip
            schema = pa.schema([ID, (name, kind), FAILURE])
            with store.writer(store.path(task, shard), schema, "f") as writer:
                columns = [ids, pa.array(column, kind), [None] * len(ids)]
                writer.write(pa.table(columns, schema=schema))
    store.write_manifest(TASK, {"num_shards": 2})

    assert [url for url, _ in matches_of(store)] == [url for url, _ in TEXTS]
    assert [(url, len(m)) for url, m in matches_of(store, "gone")] == [("http://c.se/", 1)]

    words = {"dump": "2024-10", "set": "arc", "limit": 0.5, "examples": 1}
    run(Namespace(**words, json=True))
    told = json.loads(capsys.readouterr().out)
    assert told["sets"] == [
        {
            "set": "arc",
            "items": None,
            "questions": 1,
            "answers": 1,
            "both": 1,
            "formulas": 0,
            "texts": 2,
        }
    ]
    assert [(one["url"], one["part"]) for one in told["examples"]] == [("http://b.se/", "answer")]
    run(Namespace(**words, json=False))
    assert capsys.readouterr().out.splitlines()[2].split() == ["arc", "-", "1", "1", "1", "2", "0"]
