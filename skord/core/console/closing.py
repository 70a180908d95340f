"""A line for each task when it is done, and what there is to see when all are."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skord.core.console.progress import in_words

LOSSES = ("failure.", "refused.", "filter.")
"""Counts of a manifest that are documents lost, by the beginning of their names."""

DATA_DIR = "data"
"""What [pipeline] data_dir is where nothing else is said."""


@dataclass
class RunSoFar:
    """What this process has run.

    Attributes:
        started: when each task did, by id.
        done: name and dump of those that were completed.
        errors: sentences, in the order in which they were said.
    """

    began: float = field(default_factory=time.monotonic)
    started: dict[str, float] = field(default_factory=dict)
    done: list[tuple[str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def task_line(family: str, dump: str, manifest: Mapping[str, Any], seconds: float) -> str:
    """What a task came to.

    >>> counts = {"judged": 141, "failure.not_in_index": 1}
    >>> manifest = {"num_shards": 4, "rows": 141, "counts": counts}
    >>> task_line("WARCIndex", "2024-10", manifest, 20.0)
    'WARCIndex 2024-10: 141 rows in 4 shards, 20 s (7.0/s); lost: not_in_index 1'
    """
    rows, shards = int(manifest.get("rows", 0)), int(manifest.get("num_shards", 0))
    lost = ", ".join(f"{name} {n:,}" for name, n in documents_by_reason(manifest.get("counts", {})))
    return (
        f"{family} {dump}: {rows:,} row{'s' * (rows != 1)} in {shards:,} "
        f"shard{'s' * (shards != 1)}, "
        f"{in_words(seconds)} ({rows / max(seconds, 0.001):,.1f}/s)"
        + (f"; lost: {lost}" if lost else "")
    )


def documents_by_reason(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Reason to documents, the most frequent first."""
    lost = {
        name.removeprefix(prefix): number
        for prefix in LOSSES
        for name, number in counts.items()
        if name.startswith(prefix) and number
    }
    if counts.get("removed"):
        lost["near_duplicate"] = counts["removed"]
    return sorted(lost.items(), key=lambda pair: (-pair[1], pair[0]))


def closing_lines(run: RunSoFar, data_dir: str, seconds: float) -> Iterator[str]:
    """The last lines of a run that went well.

    >>> run = RunSoFar(done=[("CCNet", "2024-10")])
    >>> print(*closing_lines(run, "data", 90.0), sep="\\n")  # doctest: +ELLIPSIS
    done in 1 min 30 s: data/CCNet/2024-10
    next: ... funnel --dump 2024-10
    ...
    """
    place = data_dir.partition("?")[0].rstrip("/")
    if not run.done:
        yield f"nothing to do: all that was asked for is complete in {place}"
        return
    family, dump = run.done[-1]
    yield f"done in {in_words(seconds)}: {place}/{family}/{dump}"
    yield from next_commands(data_dir, [f"funnel --dump {dump}", f"status --dump {dump}"], dump)


def next_commands(data_dir: str, commands: Sequence[str], dump: str) -> Iterator[str]:
    """Commands to try, as they can be typed here, the report last."""
    is_set = data_dir == DATA_DIR or "?" in data_dir  # options of a bucket may be secret
    where = "" if is_set else f" --data-dir {shlex.quote(data_dir)}"
    beginning = "next: "
    for command in (*commands, f"report --dumps {dump}"):
        yield f"{beginning}{own_command()} {command}{where}"
        beginning = " " * len(beginning)


def own_command() -> str:
    """How `skord` is typed here."""
    typed = Path(sys.argv[0]) if sys.argv else Path()
    on_path = shutil.which("skord")
    if on_path and on_path in (sys.argv[0], str(Path(sys.executable).with_name("skord"))):
        return "skord"
    if typed.name == "skord":
        return shlex.quote(sys.argv[0]) if len(typed.parts) > 1 else "skord"
    beside = Path(sys.executable).with_name("skord")
    return "skord" if not beside.exists() else shlex.quote(_short_path(beside))


def _short_path(path: Path) -> str:
    """The path as seen from this folder, if it lies below."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
