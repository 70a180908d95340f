"""The process that reads: `python -m tests.fuzz.worker MODULE CURRENT SEED FIRST COUNT [FILE …]`.

Before each input it is written to CURRENT, its target's name on the first line: who dies of it
leaves it there. Prints the number of each thousandth input, and in the end how many there were.
Files named besides are read first, as CURRENT is.
"""

from __future__ import annotations

import ctypes
import faulthandler
import random
import signal
import sys
from pathlib import Path

import numpy as np

from tests.fuzz.sanitized import take_place_of_native

HANG_S = 240
"""So long nobody reads a quarter of a megabyte, on the slowest machine."""


def main(module: Path, current: Path, seed: str, first: int, count: int, *files: str) -> None:
    """Read the files, then inputs number `first` and on of a seed."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: not to outlive the command
    take_place_of_native(module)
    from tests.fuzz.mutations import MOST_BYTES, spliced  # noqa: PLC0415 - after the module
    from tests.fuzz.targets import MODELS, TARGETS, Target  # noqa: PLC0415

    def read(name: str, target: Target, data: bytes) -> str:
        base = target.seeds()[0] if name in MODELS else b""
        current.write_bytes(name.encode() + b"\n" + difference(base, data))
        faulthandler.dump_traceback_later(HANG_S, exit=True)
        try:
            return f"{name}: {target.read(data)}"
        except target.refusals as error:
            return f"{name}: {type(error).__name__} {getattr(error, 'code', '')}"
        finally:
            faulthandler.cancel_dump_traceback_later()

    for file in files:
        word, _, stored = Path(file).read_bytes().partition(b"\n")
        name = word.decode()
        base = TARGETS[name].seeds()[0] if name in MODELS else b""
        read(name, TARGETS[name], changed(base, stored))
    pools: dict[str, list[bytes]] = {}
    outcomes: set[str] = set()
    names = list(TARGETS)
    weights = [TARGETS[name].weight for name in names]
    for number in range(first, first + count):
        dice = random.Random(f"{seed} {number}")
        name = dice.choices(names, weights)[0]
        target = TARGETS[name]
        pool = pools.setdefault(name, target.seeds())
        data = dice.choice(pool)
        for _ in range(dice.choice((1, 1, 2, 4))):
            data = dice.choice(target.mutations)(dice, data)
        if dice.random() < 0.05:
            data = spliced(dice, data, dice.choice(pool))
        if name not in MODELS:
            data = data[:MOST_BYTES]
        outcome = read(name, target, data)
        if outcome not in outcomes:  # something new became of it: others are made of it
            outcomes.add(outcome)
            pool.append(data)
        if number % 1000 == 999:
            print(number + 1, flush=True)
    print(f"{count} inputs, {len(outcomes)} different outcomes", flush=True)


def difference(base: bytes, data: bytes) -> bytes:
    """What an input has instead of the middle of another, and how much of that stays; short."""
    start = in_common(base, data)
    end = in_common(base[start:][::-1], data[start:][::-1])
    return f"{start} {end}\n".encode() + data[start : len(data) - end]


def in_common(left: bytes, right: bytes) -> int:
    """How many bytes two inputs begin with alike."""
    size = min(len(left), len(right))
    differ = np.frombuffer(left[:size], np.uint8) != np.frombuffer(right[:size], np.uint8)
    return int(differ.argmax()) if differ.any() else size


def changed(base: bytes, stored: bytes) -> bytes:
    """The input whose `difference` this is."""
    told, _, middle = stored.partition(b"\n")
    start, end = map(int, told.split())
    return base[:start] + middle + base[len(base) - end :]


if __name__ == "__main__":
    module, current, seed, first, count, *files = sys.argv[1:]
    main(Path(module), Path(current), seed, int(first), int(count), *files)
