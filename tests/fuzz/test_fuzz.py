"""What was found before, and a fixed number of new inputs, under the sanitizers."""

import gzip
import shutil
import subprocess
import sys

import pytest

from tests.conftest import run_python
from tests.fuzz.__main__ import FINDINGS, main
from tests.fuzz.mutations import members_of
from tests.fuzz.sanitized import ROOT, built, environment
from tests.fuzz.worker import changed, difference

INPUTS = 200
"""Beside what was found before; `make fuzz` looks for more."""

with_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


@with_compiler
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_no_reader_dies_of_what_was_found_or_of_new_inputs():
    assert main(["--inputs", str(INPUTS)]) == 0


@with_compiler
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_reader_that_reads_past_its_buffer_is_found(tmp_path):
    """The sanitized module is the one in use: a read past the end, as ctypes makes one, ends it."""
    module = built(ROOT / "build" / "sanitized")
    program = f"""
from pathlib import Path
from tests.fuzz.sanitized import take_place_of_native
take_place_of_native(Path({str(module)!r}))
import skord.native
import sys
assert sys.modules['skord.native._native'].__file__ == {str(module)!r}
import ctypes
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
place = libc.malloc(16)
libc.memcmp(ctypes.c_void_p(place), ctypes.c_void_p(place + 1), 16)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "heap-buffer-overflow" in done.stderr
    assert done.returncode != 0


EVERY_FUNCTION = """
import sys
from skord.native import _native
called = set()
def noting(name, function):
    def noted(*arguments):
        called.add(name)
        return function(*arguments)
    return noted
names = [name for name in dir(_native) if not name.startswith("_")]
for name in names:
    function = getattr(_native, name)
    noted = noting(name, function)
    for module in [m for n, m in sys.modules.items() if n.startswith("skord")]:
        for bound in [key for key, value in vars(module).items() if value is function]:
            setattr(module, bound, noted)
from tests.fuzz.targets import TARGETS
for target in TARGETS.values():
    for seed in target.seeds()[: None if target.weight == 15 else 2]:
        try:
            target.read(seed)
        except target.refusals:
            pass
print(sorted(set(names) - called))
"""


def test_every_compiled_function_is_called_by_some_target():
    done = run_python("-c", EVERY_FUNCTION)

    assert done.stdout.strip() == "[]", done.stderr[-2000:]


def test_findings_of_models_are_kept_as_differences():
    base = bytes(range(256)) * 9
    for data in (base, b"", base[:50], base[:7] + b"x" + base[9:], b"y" + base, base * 2):
        assert changed(base, difference(base, data)) == data


def test_members_are_unpacked_up_to_the_first_broken_one():
    packed = gzip.compress(b"a") + gzip.compress(b"bb")

    assert members_of(packed) == [b"a", b"bb"]
    assert members_of(packed[:-9]) == [b"a"]


def test_every_finding_belongs_to_a_target():
    from tests.fuzz.targets import TARGETS  # noqa: PLC0415 - it imports the package

    assert {path.parent.name for path in FINDINGS.glob("*/*")} <= set(TARGETS)
