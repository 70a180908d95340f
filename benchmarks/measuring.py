"""What the benchmarks share: commands with their time and memory, and tables."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skord.core.failures import PipelineError


class BenchmarkError(PipelineError):
    """What was to be measured did not work, so there is no figure."""


@dataclass(frozen=True)
class Spent:
    """What one command took: wall and CPU seconds, and the most memory it held at once."""

    wall_s: float
    cpu_s: float
    peak_mb: float


def measured(
    words: Sequence[str], environment: Mapping[str, str], folder: Path, name: str
) -> Spent:
    """Run a command to its end in a folder; its output goes to `{name}.out` there.

    Its children count in neither CPU nor memory unless it waited for them.

    Raises:
        BenchmarkError: it failed; with the end of its output.
    """
    output = folder / f"{name}.out"
    started = time.monotonic()
    with output.open("w") as file:
        process = subprocess.Popen(
            words,
            env=dict(environment),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        last = output.read_text(errors="replace").splitlines()[-30:]
        raise BenchmarkError("\n".join([" ".join(words), *last]))
    return Spent(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def own_peak_mb() -> int:
    """The most memory this process has held; getrusage would count what its parent held, too."""
    status = Path("/proc/self/status").read_text()
    return round(int(status.split("VmHWM:")[1].split()[0]) / 1024)


def print_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table, the first column to the left, figures to the right."""
    lines = [head, *([shown(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        first, *rest = (
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        print("  ".join([first, *rest]), flush=True)


def shown(cell: object) -> str:
    """A cell as text; numbers with two digits after the point.

    >>> shown(1.234), shown(12), shown("text")
    ('1.23', '12', 'text')
    """
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)
