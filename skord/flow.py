"""The graph from Python: run a task, see where it stands, take its corpus.

Each call is the command of the same name in a process of its own: settings are read anew, worker
processes do not import the caller's program, and Ctrl-C stops it as it stops the command.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skord.core.failures import PipelineError
from skord.corpus import Corpus

Settings = Mapping[str, Mapping[str, object]]
"""Sections of luigi.cfg to keys and values."""


@dataclass(frozen=True)
class TaskStatus:
    """Where one task of a dump stands.

    Attributes:
        shards: that it has; None before it is complete, and so `rows`.
        counts: what its manifest counts: kept, failures by code, refusals by reason.
    """

    dump: str
    task: str
    complete: bool
    shards: int | None
    rows: int | None
    counts: Mapping[str, int]


class Pipeline:
    """The graph over one data folder.

    Args:
        data_dir: a folder, or s3://bucket/prefix; a luigi.cfg beside the folder is read.
        settings: those that differ, as {"CCNet": {"languages": ["da"]}}.

    >>> Pipeline("nowhere/data").status("2024-10")
    Traceback (most recent call last):
      ...
    skord.core.failures.PipelineError: --data-dir nowhere/data: there is no such folder
    """

    def __init__(self, data_dir: str | Path = "data", settings: Settings | None = None) -> None:
        self.data_dir = str(data_dir)
        self.settings = settings or {}

    def run(self, task: str, dump: str, **options: object) -> None:
        """Run a task and all that it needs; what it says goes to standard error.

        Args:
            task: such as "Deduplicate", "ExportCorpus".
            dump: such as "2024-10".
            options: further parameters of the task, such as languages=["da"], replace=True.

        Raises:
            PipelineError: it could not be done; the message is the command's last line.
        """
        words = ["run", task, *options_of({"dump": dump, **options})]
        for section, values in self.settings.items():
            words += options_of(values, section)
        self._say(words)

    def status(self, dump: str) -> list[TaskStatus]:
        """Every task of a dump in the order of the graph, as far as it is complete.

        Raises:
            PipelineError: there is no such dump.
        """
        rows = json.loads(self._say(["status", "--dump", dump, "--json"]))
        return [TaskStatus(**row) for row in rows]

    def funnel(self, dump: str) -> list[dict[str, Any]]:
        """Documents and characters into every task and out, by language, and losses by reason.

        Raises:
            PipelineError: nothing of the dump is there yet.
        """
        stages: list[dict[str, Any]] = json.loads(self._say(["funnel", "--dump", dump, "--json"]))
        return stages

    def corpus(self, *dumps: str) -> Corpus:
        """The columns of dumps that are made.

        Raises:
            ConfigError: a dump has no document index there.
        """
        return Corpus(self.data_dir, dumps)

    def _say(self, words: Sequence[str]) -> str:
        """Give the command; what it prints on standard output."""
        command = [sys.executable, "-P", "-m", "skord", *words, "--data-dir", self.data_dir]
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_command_environment(),
            text=True,
        ) as process:
            assert process.stdout
            assert process.stderr
            last = ""
            for line in process.stderr:
                if process.poll() in (None, 0) and words[0] == "run":
                    sys.stderr.write(line)
                last = line.strip() or last
            printed = process.stdout.read()
        if process.returncode:
            raise PipelineError(last.removeprefix("skord: ") or f"{words[0]} was ended")
        return printed


def _command_environment() -> dict[str, str]:
    """This process's, with its own folders of modules for the command, too.

    The folder of the caller's program comes last: it may hold modules of the names that the
    package's tasks are imported by.
    """
    own = str(Path(__file__).parents[1])
    first, *others = sys.path
    folders = [own, *others, first] if own not in others else [*others, first]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, folders))}


def options_of(values: Mapping[str, object], section: str = "") -> list[str]:
    """Parameters as the command line takes them.

    >>> options_of({"dump": "2024-10", "languages": ["da", "sv"], "replace": True})
    ['--dump', '2024-10', '--languages', '["da", "sv"]', '--replace']
    >>> options_of({"min_score": 0.5}, "CCNet")
    ['--CCNet-min-score', '0.5']
    """
    return list(_command_words(values, f"{section}-" if section else ""))


def _command_words(values: Mapping[str, object], before: str) -> Iterator[str]:
    for name, value in values.items():
        word = f"--{before}{name.replace('_', '-')}"
        if isinstance(value, bool) and not before:
            yield from [word] if value else []
            continue
        is_text = isinstance(value, (str, Path))
        yield from (word, str(value) if is_text else json.dumps(value))
