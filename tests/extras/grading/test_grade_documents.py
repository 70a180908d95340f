"""The task: columns, what is not graded, and another tool in its place."""

import sys
from contextlib import suppress

import pyarrow as pa
import pytest

from skord.core.failures import ConfigError, DocumentError
from skord.extras.grading.command import time_lines, time_rows
from skord.extras.grading.external_tool import GradingTool, ToolFailure
from skord.extras.grading.task import GradeDocuments, grade_by_tool
from tests.conftest import ROOT

GOOD = (
    "Kommunen öppnar biblioteket igen efter sommaren. Samlingen har flyttats till nya lokaler "
    "vid torget, och barnavdelningen har fått ett eget rum med utsikt över ån. Den som vill "
    "låna en bok visar sitt kort vid disken eller använder automaten som står vid ingången."
)

TOOL = """\
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    if "dör" in said["text"]:
        sys.exit(3)
    if "annat" in said["text"]:
        print("inget svar", flush=True)
        continue
    print(json.dumps({"recognized_words": len(said["text"].split()), "chunks": 2}), flush=True)
"""


@pytest.fixture(autouse=True)
def _data_folder(settings):
    """Times go into a folder of the test's own."""
    settings()


def count_words(text, language):
    """A tool as a function, and a talkative one: every word is recognised."""
    print("counting")
    return len(text.split()), len(language)


def table(*texts, language="sv"):
    return pa.table(
        {
            "id": [str(n) for n in range(len(texts))],
            "ProcessMarkdown.text": list(texts),
            "FilterDocuments.language": [language] * len(texts),
        }
    )


def run(*texts, language="sv", **settings):
    task = GradeDocuments(dump="2024-10", **settings)
    task.check()
    with task.open_shard(0) as process:
        return process(table(*texts, language=language)).to_pylist()


@pytest.fixture
def tool(tmp_path):
    path = tmp_path / "tool.py"
    path.write_text(TOOL)
    return (sys.executable, str(path))


def test_good_text_is_graded_and_its_sizes_agree(settings):
    (row,) = run(GOOD)

    assert row["grammar"] == "sv"
    assert row["failure"] is row["not_graded"] is None
    assert row["words"] == 43
    assert row["recognized"] == pytest.approx(100 * row["recognized_words"] / row["words"])
    assert row["avg_chunk_size"] == pytest.approx(row["recognized_words"] / row["chunks"])
    assert row["avg_size"] == pytest.approx(
        row["recognized_words"] ** 2 / (row["words"] * row["chunks"])
    )
    assert row["grammaticality"] > 0.5


def test_the_same_words_as_keywords_are_worth_less(settings):
    words = sorted(GOOD.replace(".", "").replace(",", "").split())

    good, keywords = run(GOOD, ", ".join(words))

    assert keywords["words"] == good["words"]
    assert keywords["avg_size"] < good["avg_size"]
    assert keywords["grammaticality"] < 0.5


def test_a_language_without_a_grammar_is_no_failure(settings):
    (row,) = run("Das ist ein ganz gewöhnlicher Satz.", language="de")

    assert row["not_graded"] == "no_grammar"
    assert {value for name, value in row.items() if name != "not_graded"} == {None}


def test_a_page_without_text_says_so(settings):
    assert [row["not_graded"] for row in run("", language=None)] == ["no_language"]
    assert [row["not_graded"] for row in run("", language="sv")] == ["no_language"]


@pytest.mark.parametrize(("text", "language"), [("", "sv"), ("Hej", None), ("Hej", ""), ("", "")])
def test_a_tool_is_not_asked_for_what_has_no_text_or_no_language(text, language):
    assert grade_by_tool(text, language, tool=None) == {"not_graded": "no_language"}


def test_bokmal_is_graded_by_its_grammar_under_either_name(settings):
    text = "Vi skulle gjerne ha vært der, men veien var stengt hele natten."

    assert run(text, language="no") == run(text, language="nb")
    assert run(text, language="no")[0]["grammar"] == "nb"


def test_one_grammar_may_be_asked_for_all(settings):
    (row,) = (
        GradeDocuments(dump="2024-10", language="sv")
        .process(table(GOOD, language="fi"))
        .to_pylist()
    )

    assert row["grammar"] == "sv"


def test_each_way_a_tool_fails_is_a_code_and_the_next_page_gets_its_turn(settings, tool):
    rows = run(
        "ett två tre", "dör nu", "fyra fem", "något annat", "sex", command=tool, timeout_s=240.0
    )

    assert [row["failure"] for row in rows] == [
        None, ToolFailure.tool_died, None, ToolFailure.tool_answer, None,
    ]  # fmt: skip
    assert [row["recognized_words"] for row in rows] == [3, None, 2, None, 1]
    assert rows[0]["recognized"] == 100
    assert rows[0]["grammar"] == "tool"


def test_a_tool_that_does_not_answer_in_time_is_started_anew(tool, tmp_path):
    patient = f'[ -e "{tmp_path}/asked" ] || {{ touch "{tmp_path}/asked"; sleep 600; }}; exec "$@"'
    with GradingTool(["sh", "-c", patient, "sh", *tool], timeout_s=0.5) as grading:
        with pytest.raises(DocumentError) as caught:
            grading.grade("ett två", "sv")
        assert caught.value.code is ToolFailure.tool_timeout
        while not (grade := answered(grading, "fyra fem")):
            pass
    assert grade.recognized_words == 2


def answered(grading, text):
    """The tool's grade; None where the machine is too busy to have it in time."""
    with suppress(DocumentError):
        return grading.grade(text, "sv")


def test_a_tool_that_closes_its_output_and_lives_on_has_died(tmp_path):
    with (
        GradingTool(["sh", "-c", "exec >&-; sleep 600"], timeout_s=240) as grading,
        pytest.raises(DocumentError, match="closed its pipes before it answered") as caught,
    ):
        grading.grade("ett två", "sv")
    assert caught.value.code is ToolFailure.tool_died


def test_a_python_function_is_a_tool(settings, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))

    (row,) = run("ett två tre", function="tests.extras.grading.test_grade_documents:count_words")

    assert (row["words"], row["recognized_words"], row["chunks"]) == (3, 3, 2)


def test_a_text_larger_than_a_pipe_goes_through(tool):
    with GradingTool(tool, timeout_s=240) as grading:
        assert grading.grade("ord " * 200_000, "sv").recognized_words == 200_000


def test_settings_that_cannot_work_are_told_before_anything_starts(settings, tmp_path, tool):
    for wrong, said in (
        ({"function": "no_such_module:grade"}, "no_such_module"),
        ({"function": "json:dumps", "command": tool}, "not both"),
        ({"grammars": str(tmp_path)}, "no LANG.grammar.xz"),
        ({"dictionaries": str(tmp_path)}, "no hunspell dictionary"),
        ({"language": "de"}, "no grammar of 'de'"),
    ):
        with pytest.raises(ConfigError, match=said):
            GradeDocuments(dump="2024-10", **wrong).check()


def test_the_grammar_and_the_dictionary_are_part_of_the_stamp(settings, tool):
    by_grammar = GradeDocuments(dump="2024-10").fingerprint_parts()

    assert len(by_grammar) == 6
    assert len(set(by_grammar)) == 6
    assert list(GradeDocuments(dump="2024-10", command=tool).fingerprint_parts()) == []


def test_what_each_text_took_lies_beside():
    run(GOOD, "", GOOD * 3)
    store = GradeDocuments(dump="2024-10").store

    times = store.read_table(store.path("GradeDocuments", 0, "ledger")).to_pylist()

    assert [row["id"] for row in times] == ["0", "1", "2"]
    assert [row["words"] for row in times][1] is None
    assert times[2]["words"] == 3 * times[0]["words"]
    assert all(row["seconds"] >= 0 for row in times)
    store.write_manifest("GradeDocuments", {"num_shards": 1})
    rows = time_rows(store)
    assert sum(row["texts"] for row in rows) == 2
    assert [line for line in time_lines(rows) if "words from" in line]
    with pytest.raises(ConfigError, match="no times of GradeDocuments"):
        time_rows(GradeDocuments(dump="2024-18").store)
