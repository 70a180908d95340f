"""Count the lines of the tree, and of what one way through the graph imports, beside their limits.

    make count                            # python -m tests.layering.count_lines

The way is DownloadWET → ExportCorpus with the local executor: the modules of this project that a
fresh interpreter holds once it has imported these tasks, the driver, a worker and the executor.
Exit status 1 where a limit is exceeded.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PRODUCT = ("pipeline", "skord", "models", "slurm", "annotation_tool")
C_PLUS_PLUS = {".cpp", ".hpp", ".inc"}
WAY = """
import sys
from pathlib import Path
from pipeline import cc_net, export
from skord.core import driver, run_shard
from skord.core.executor import executor_from_config
executor_from_config()
for module in list(sys.modules.values()):
    if getattr(module, "__file__", None):
        print(Path(module.__file__).resolve())
"""


class Row(NamedTuple):
    """A part of the tree: its name, its files and lines, and the most lines that it may have."""

    name: str
    files: int
    lines: int
    most: int


def tracked(*folders: str) -> list[Path]:
    """Files that git knows of below these folders, and those that it does not ignore."""
    words = ["git", "ls-files", "-z", "-c", "-o", "--exclude-standard", "--", *folders]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = (ROOT / name for name in sorted(set(listed.split("\0"))) if name)
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def lines_in(path: Path) -> int:
    """Lines of a file, blank ones and comments too."""
    return len(path.read_bytes().splitlines())


def row(name: str, paths: list[Path], most: int) -> Row:
    """Files and lines of some paths."""
    return Row(name, len(paths), sum(map(lines_in, paths)), most)


def imported_on_the_way() -> list[Path]:
    """The modules of ours that the way to a corpus imports."""
    done = subprocess.run(
        [sys.executable, "-c", WAY], cwd=ROOT, capture_output=True, text=True, check=True
    )
    below = [ROOT / folder for folder in PRODUCT]
    paths = {Path(line) for line in done.stdout.splitlines() if line.endswith(".py")}
    return sorted(path for path in paths if any(path.is_relative_to(folder) for folder in below))


def counted() -> list[Row]:
    """Every part that has a limit."""
    product, tests, benchmarks = tracked(*PRODUCT), tracked("tests"), tracked("benchmarks")

    def python(paths: list[Path]) -> list[Path]:
        return [path for path in paths if path.suffix == ".py"]

    native = [path for path in product if path.suffix in C_PLUS_PLUS]
    return [
        row("Python of the product", python(product), 56_000),
        row("C++", native, 21_000),
        row("tests", python(tests), 43_000),
        row("benchmarks", python(benchmarks), 4_000),
        row("DownloadWET to ExportCorpus imports", imported_on_the_way(), 24_000),
    ]


def by_folder() -> Counter[str]:
    """Lines of Python by folder, two levels deep."""
    lines: Counter[str] = Counter()
    for path in tracked(*PRODUCT, "tests", "benchmarks"):
        if path.suffix == ".py":
            lines["/".join(path.relative_to(ROOT).parts[:-1][:2])] += lines_in(path)
    return lines


def main() -> int:
    """Print both tables."""
    rows = counted()
    for one in rows:
        mark = "" if one.lines <= one.most else "  exceeded"
        print(f"{one.name:36} {one.files:4} files {one.lines:7,} of {one.most:6,} lines{mark}")
    print()
    for folder, lines in sorted(by_folder().items()):
        print(f"{folder:36} {lines:7,}")
    return int(any(one.lines > one.most for one in rows))


if __name__ == "__main__":
    sys.exit(main())
