"""`--json`: one JSON value on standard output for every command that machines read."""

import argparse
import json
import math

import pytest

from skord.cli.commands import GROUPS
from tests.conftest import run_python
from tests.graph.bench import DUMP
from tests.graph.publishing.export_forms import copy_of

FOR_PEOPLE = {
    "init", "run", "retry", "export", "reconstruct", "sample run", "sample build", "sample serve",
    "completion", "compact", "language", "corpus", "annotate", "annotate export", "train",
    "annotate import", "annotate agreement", "slurm profile",
}  # fmt: skip
"""Commands that make something, or advise in sentences; what they print is for people.

`export --json` writes JSON lines, `reconstruct --json` files.
"""


def test_every_command_that_only_tells_has_it():
    without = set()
    for command in (command for group in GROUPS for command in group.commands):
        parser = argparse.ArgumentParser(add_help=False)
        command.declare(parser)
        if "--json" not in parser.format_help():
            without.add(command.name)

    assert without == FOR_PEOPLE - {"export", "reconstruct"}


def said(bench, *words):
    """The JSON value that a command prints; nothing else stands on standard output."""
    done = run_python("-m", "skord", *words, "--json", env=bench.environment())
    assert done.returncode in (0, 3), done.stderr

    def refused(word):
        raise AssertionError(f"{word} is no JSON")

    return json.loads(done.stdout, parse_constant=refused)


pytestmark = pytest.mark.slow


def test_status_and_funnel_count_alike(exported):
    status = {row["task"]: row for row in said(exported, "status", "--dump", DUMP)}
    funnel = {stage["task"]: stage for stage in said(exported, "funnel", "--dump", DUMP)}

    assert status["CCNet"]["complete"] is True
    assert funnel["CCNet"]["documents_out"]["all"] == status["CCNet"]["rows"]
    counts = status["Deduplicate"]["counts"]
    assert funnel["Deduplicate"]["documents_out"]["all"] == counts["kept"]
    assert all(stage["adds_up"] for stage in funnel.values())


def test_why_gives_the_rows_and_the_outcome(exported):
    pages = said(exported, "why", "--text", "och", "--dump", DUMP)
    kept = next(page for page in pages if page["outcome"] == "kept")

    (again,) = said(exported, "why", kept["url"], "--dump", DUMP)
    assert again == kept
    assert kept["tables"]["Deduplicate"]["dedup_keep"] is True
    assert kept["limits"]["FilterDocuments"]["unigram_entropy"] == [3.0, None]
    assert said(exported, "why", "http://nowhere.example/") == []


def test_what_if_counts_pages_and_shows_them(exported):
    words = ("--dump", DUMP, "--set", "unigram_entropy=4.3", "--show", "1000")
    actual = said(exported, "what-if", *words)

    assert actual["limits"] == {"unigram_entropy": {"now": [3.0, None], "then": [4.3, None]}}
    counts = actual["languages"]["all"]
    assert counts["before"] - counts["fallen"] + counts["risen"] == counts["after"]
    fallen = [page for page in actual["pages"] if not page["passes"]]
    assert len(fallen) == counts["fallen"] > 0
    assert all(page["reasons"]["unigram_entropy"] < 4.3 for page in fallen)


def test_verify_tells_of_every_task(exported):
    actual = said(exported, "verify", "--dump", DUMP)

    assert {one["task"] for one in actual["tasks"]} >= {"CCNet", "Deduplicate", "ExportCorpus"}
    assert all(one == {**one, "whole": True, "faults": []} for one in actual["tasks"])


def test_the_report_says_where_it_is(exported, tmp_path):
    out = tmp_path / "r.html"
    actual = said(exported, "report", "--dumps", DUMP, "--out", str(out))

    assert actual["html"] == str(out)
    assert json.loads((tmp_path / "r.json").read_text())[0]["dump"] == DUMP


def test_removals_are_told(exported, tmp_path):
    bench = copy_of(exported, tmp_path / "bench")

    assert said(bench, "removals", "check") == {"dumps": 1, "entries": 0, "left": []}
    assert said(bench, "removals", "list") == {}


def test_nothing_is_something_too(exported):
    words = ("logs", "CCNet", "--dump", DUMP, "--shard", "0")

    assert said(exported, *words) == []


def test_limits_that_are_none_are_null(exported):
    actual = said(exported, "features", "--set", "sweb")

    assert [f["high"] for f in actual if f["name"] == "unigram_entropy"] == [None]
    assert math.isclose(next(f["low"] for f in actual if f["name"] == "unigram_entropy"), 3.0)
