"""Break one place of the product at a time, and count how many broken lines the tests see.

    python -m tests.mutants SEED COUNT

A module is drawn evenly, and in it a comparison, `and`/`or`, a sign, an integer or a bool. A mutant
meets the doctests of its module, the quick tests that name it and, where it lives, all of `make
test`. Needs a clone to throw away, installed in place: mutants are written into its files.
"""

import contextlib
import itertools
import random
import re
import subprocess
import sys
import tokenize
from pathlib import Path

from tests.layering.count_lines import PRODUCT, ROOT, tracked

PAIRS = [("<", "<="), (">", ">="), ("==", "!="), ("and", "or"), ("+", "-"), ("True", "False")]
OTHER = {**dict(PAIRS), **{b: a for a, b in PAIRS}, "in": "not in", "is": "is not"}
QUICK = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow"]


def draw(seed: int, number: int) -> tuple[Path, int, str]:
    """A module, a line of it, and the module with a place of that line turned."""
    modules = [path for path in tracked(*PRODUCT) if path.suffix == ".py" and path.stem[0] != "_"]
    dice = random.Random(f"{seed} {number}")
    while True:
        path = dice.choice(modules)
        lines = path.read_text("utf-8").splitlines(keepends=True)
        tokens = tokenize.generate_tokens(iter(lines).__next__)
        places = [t for t in tokens if t.string in OTHER or re.match("[0-9]", t.string)]
        with contextlib.suppress(IndexError, ValueError, SyntaxError):  # none; 0.5; `in` of a loop
            _, word, (row, start), (_, end), line = dice.choice(places)
            lines[row - 1] = f"{line[:start]}{OTHER.get(word) or int(word) + 1}{line[end:]}"
            compile("".join(lines), path.name, "exec")
            return path, row, "".join(lines)


def lives(path: Path) -> bool:
    """Whether all quick tests pass: those that name the module, then everybody's."""
    package = ".".join(path.relative_to(ROOT).parts[:-1])
    named = re.compile(rf"{package}(\.| import [^\n]*\b){path.stem}\b")
    tests = [str(at) for at in ROOT.glob("tests/**/test_*.py") if named.search(at.read_text())]
    rounds = ([*QUICK, str(path), *tests], QUICK)
    return not any(subprocess.run(one, cwd=ROOT, check=False).returncode % 5 for one in rounds)


if __name__ == "__main__":
    seed, count = map(int, sys.argv[1:])
    drawn, numbers = dict[tuple[Path, int, str], None](), itertools.count()
    while len(drawn) < count:
        drawn[draw(seed, next(numbers))] = None
    for path, row, mutant in drawn:
        source = path.read_text("utf-8")
        path.write_text(mutant, "utf-8")
        print(path.relative_to(ROOT), row, "lives" if lives(path) else "is killed", flush=True)
        path.write_text(source, "utf-8")
