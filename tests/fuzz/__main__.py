"""`python -m tests.fuzz --inputs 3000`, or `--minutes 60`: what was found before, then new inputs.

An input that somebody dies of, or that raises what is not declared, is written to
`tests/fuzz/findings/TARGET/`, and the command ends with status 1; with `--minutes` it looks on.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.sanitized import ROOT, built, environment

FINDINGS = Path(__file__).with_name("findings")
BATCH = 1000
"""Inputs of one process; the next begins from the seeds again."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    made.add_argument("--inputs", type=int, default=BATCH)
    made.add_argument("--minutes", type=float, help="instead of a number of inputs")
    made.add_argument("--seed", default="1")
    made.add_argument("--build", type=Path, default=ROOT / "build" / "sanitized")
    made.add_argument("--findings", type=Path, default=FINDINGS)
    return made


class Fuzzer:
    """Keeps a process at work, and the input that it dies of.

    Args:
        build: folder of the sanitized module.
        findings: folder of findings, old and new.
    """

    def __init__(self, build: Path, findings: Path, seed: str) -> None:
        self.module = built(build)
        self.findings = findings
        self.seed = seed
        self.new: list[Path] = []

    def read(self, first: int, count: int) -> None:
        """Inputs of these numbers, and before them all findings."""
        known = [str(path) for path in sorted(self.findings.glob("*/*")) if path not in self.new]
        with tempfile.TemporaryDirectory(prefix="skord-fuzz-") as folder:
            current = Path(folder, "current")
            words = [self.module, current, self.seed, first, count, *known]
            command = [sys.executable, "-m", "tests.fuzz.worker", *map(str, words)]
            done = subprocess.run(
                command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
            )
            if done.returncode == 0:
                print(done.stdout.splitlines()[-1], flush=True)
            elif current.exists():
                self._keep(current.read_bytes(), done.stderr)
            else:
                raise RuntimeError(f"the worker did not begin: {done.stderr[-3000:]}")

    def _keep(self, content: bytes, said: str) -> None:
        target = content.partition(b"\n")[0].decode()
        path = self.findings / target / hashlib.sha256(content).hexdigest()[:12]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.new.append(path)
        print(f"{said[-4000:]}\nfound: {path}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; returns 1 where something was found."""
    options = parser().parse_args(arguments)
    fuzzer = Fuzzer(options.build, options.findings, options.seed)
    started, first = time.monotonic(), 0
    while True:
        left = options.inputs - first
        if options.minutes is None and (left <= 0 or fuzzer.new):
            break
        if options.minutes is not None and time.monotonic() > started + 60 * options.minutes:
            break
        count = BATCH if options.minutes is not None else min(BATCH, left)
        fuzzer.read(first, count)
        first += count
    print(f"fuzz: {first} inputs of seed {options.seed}, {len(fuzzer.new)} findings")
    return 1 if fuzzer.new else 0


if __name__ == "__main__":
    sys.exit(main())
