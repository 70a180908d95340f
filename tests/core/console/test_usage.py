"""Misspelt options in one sentence, of `skord.core.console.usage`."""

import argparse

import pytest

from skord.core.console.usage import USAGE_ERROR, _unknown_option, say_shortly


@pytest.fixture
def parser(monkeypatch):
    """As Luigi's are, in a process that says errors shortly."""
    monkeypatch.setattr(argparse.ArgumentParser, "error", argparse.ArgumentParser.error)
    say_shortly("skord")
    made = argparse.ArgumentParser()
    made.add_argument("--dump")
    made.add_argument("--workers", type=int)
    return made


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--dmup=1"], "skord: there is no option --dmup=1: did you mean --dump?\n"),
        (["x"], "skord: one word too many: 'x': give options as --name value\n"),
        (["--workers", "a"], "skord: argument --workers: invalid int value: 'a'\n"),
    ],
)
def test_a_wrong_word_is_told_in_a_sentence(parser, capsys, words, said):
    with pytest.raises(SystemExit) as ended:
        parser.parse_args(words)
    assert ended.value.code == USAGE_ERROR == 2
    assert capsys.readouterr().err == said


def test_an_option_like_no_other_is_told_where_all_stand():
    assert _unknown_option("--zzz", ["--dump"]).endswith(
        "skord init writes a file with all there are"
    )
