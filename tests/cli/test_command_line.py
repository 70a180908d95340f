"""Every command's words, as published: a changed default or a lost option breaks somebody's script.

Of `skord.cli.commands` and `skord.cli.parser`. With new words, or after a change on purpose:
`python tests/cli/test_command_line.py`.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest

from skord.cli.commands import GROUPS, command_line
from skord.cli.parser import Parser, nearest_word, parse_words

RECORDED = Path(__file__).parent / "cases" / "command_line.txt"


def described(action: argparse.Action) -> str:
    words = ", ".join(action.option_strings) or action.dest
    facts = {
        "default": action.default,
        "required": action.required if action.option_strings else None,
        "nargs": action.nargs,
        "const": action.const,
        "type": getattr(action.type, "__name__", action.type),
        "choices": action.choices and sorted(map(str, action.choices)),
    }
    told = " ".join(f"{name}={fact!r}" for name, fact in facts.items() if fact is not None)
    return f"{words}: {told}"


def lines():
    for command in (command for group in GROUPS for command in group.commands):
        parser = argparse.ArgumentParser(add_help=False)
        command.declare(parser)
        yield f"{command.name} -> {command.module}.{command.function}"
        yield from (f"{command.name} {described(action)}" for action in parser._actions)


def test_what_is_on_record_is_there_as_it_was():
    recorded, there = RECORDED.read_text(encoding="utf-8").splitlines(), set(lines())

    assert [line for line in recorded if line not in there] == []


def test_no_help_shows_a_sign_of_per_cent_twice(capsys):
    parser = command_line()
    for command in (command for group in GROUPS for command in group.commands):
        with pytest.raises(SystemExit):
            parser.parse_args([*command.name.split(), "--help"])

    shown = capsys.readouterr().out
    assert "95 % intervals" in " ".join(shown.split())
    assert "%%" not in shown


def test_words_behind_run_are_its_tasks_and_behind_no_other_command(capsys):
    parser = command_line()

    options = parse_words(parser, ["run", "CCNet", "--min-score", "0.5"])
    with pytest.raises(SystemExit):
        parse_words(parser, ["status", "--min-score", "0.5"])

    assert options.rest == ["--min-score", "0.5"]
    assert "no option --min-score" in capsys.readouterr().err


def test_a_near_word_is_offered_and_else_all():
    assert nearest_word("FUNNEL", ["funnel", "why"]) == "did you mean funnel?"
    assert nearest_word("qqq", ["why", "funnel"]) == "known are funnel, why"


def test_options_that_all_commands_take():
    options = parse_words(command_line(), ["status"])

    assert isinstance(options.leaf, Parser)
    assert (options.data_dir, options.verbose, options.debug) == (None, False, False)
    assert options.does.name == "status"


def test_twelve_commands_are_listed_and_the_others_below_two_of_them(capsys):
    for words in ("--help", "study", "publish --help"):
        with pytest.raises(SystemExit):
            parse_words(command_line(), words.split())
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line[:2] == "  "]
    first, second, third = "".join(f"{word} " for word in listed).partition("funnel")
    commands = [word for word in first.split() if not word.startswith("-")]
    assert len(commands) <= 12
    assert {"extract", "corpus", "run", "study", "publish"} <= set(commands)
    assert {"verify", "plan", "retry", "export", "removals"} <= set(third.split())
    assert second == "funnel"


def test_a_command_is_the_same_with_and_without_the_word_before_it():
    parser = command_line()
    for words in (
        "study funnel --input mine",
        "funnel --dumps mine",
        "publish export --input mine",
    ):
        options = parse_words(parser, words.split())
        assert options.does.name == words.split("--")[0].split()[-1]
        assert "mine" in (getattr(options, "dump", None), getattr(options, "dumps", None))


def test_closed_streams_stop_no_command(tmp_path):
    """What is opened next does not get a standard stream's number, so no word goes into it."""
    (tmp_path / "own").mkdir()
    for number in range(3):
        (tmp_path / f"own/{number}.txt").write_text(f"Det hände {number} gånger i byn. " * 30)
    command = f"{sys.executable} -m skord run DownloadWET --dump mine --source own --kind texts"

    done = subprocess.run(["sh", "-c", f"{command} 0<&- 1>&- 2>&-"], cwd=tmp_path, check=False)

    assert done.returncode == 0
    (manifest,) = tmp_path.glob("data/DownloadWET/mine/_manifest.json")
    assert json.loads(manifest.read_text())["counts"]["pages"] == 3


if __name__ == "__main__":
    RECORDED.write_text("\n".join(lines()) + "\n", encoding="utf-8")
