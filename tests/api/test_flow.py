"""The graph from Python, where a command cannot be done."""

import pytest

from skord.core.failures import PipelineError
from skord.flow import Pipeline, options_of


def test_a_command_that_fails_raises_its_sentence_and_prints_nothing(tmp_path, capsys):
    (tmp_path / "data").mkdir()
    with pytest.raises(PipelineError, match="'1999-01' is not a known dump") as told:
        Pipeline(tmp_path / "data").status("1999-01")

    assert not str(told.value).startswith("skord: ")
    assert capsys.readouterr().err == ""


def test_a_run_that_fails_raises_its_last_line(tmp_path):
    with pytest.raises(PipelineError, match="did you mean CCNet"):
        Pipeline(tmp_path / "data").run("CCNett", "2024-10")


def test_a_switch_of_a_task_is_a_word_and_one_of_a_section_has_its_value():
    assert options_of({"replace": False, "dump": "2024-10"}) == ["--dump", "2024-10"]
    assert options_of({"record_refused": False}, "CCNet") == ["--CCNet-record-refused", "false"]
