"""The same results by every vector width that the machine has, each in a process of its own."""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from skord.native import published_keys, sketches, vector_width
from tests.conftest import ROOT
from tests.native.test_line_network import around, compiled, network, page

WIDTHS = ["none", "avx2", "avx512"]
NATIVE_TESTS = ["tests/native", "tests/near_duplicates/test_minhash.py"]
NATIVE_TESTS += ["tests/near_duplicates/test_published_minhash.py", f"--ignore={__file__}"]
OTHERS = ("html", "element_names", "impossible_arguments", "language_model", "other_processor")
NATIVE_TESTS += [f"--ignore=tests/native/test_{name}.py" for name in OTHERS]
"""Those of code that has several versions, and of its neighbours."""


def by_width(width: str, *command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"SKORD_SIMD": width, "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True, check=False
    )


ANSWERS = """
from tests.native.test_vector_widths import *
print(vector_width(), digests(), judgements(), sep="\\n")
"""


@functools.cache
def answers(width: str) -> list[str]:
    """What a process of this width says: the one that it uses, digests, and judgements."""
    done = by_width(width, "-c", ANSWERS)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def digests() -> list[str]:
    """What each function that has several versions makes of the same bytes."""
    chance = np.random.default_rng(5)
    sizes = [0, 3, 15, 16, 17, 100, 142, 143, 150, 700, 5000]
    starts = np.cumsum([0, *sizes]).astype(np.uint64)
    text = chance.integers(97, 123, int(starts[-1]), dtype=np.uint8).tobytes()
    table = chance.integers(0, 2**32 - 1, 0x110000, dtype=np.uint32)
    actual = []
    for bins in (1, 14, 112, 500):
        rows, valid = np.zeros((len(sizes), bins), np.uint8), np.zeros(len(sizes), np.uint8)
        sketches(starts, text, table, 16, bins, rows, valid)
        actual += [rows.tobytes(), valid.tobytes()]
    prime = 2**61 - 1
    a, b, c = (chance.integers(prime - 2**40, prime, 28, dtype=np.uint64) for _ in range(3))
    keys = np.zeros((len(sizes), 14), np.uint64)
    made, odd = np.zeros(len(sizes), np.uint8), np.zeros(len(sizes), np.uint8)
    published_keys(starts, text, table, (a, b, c, prime - 1), 14, keys, made, odd)
    actual += [keys.tobytes(), made.tobytes(), odd.tobytes()]
    return [hashlib.sha256(part).hexdigest()[:12] for part in actual]


def judgements() -> list[float]:
    """Sums of products, which the plain version rounds in other places."""
    plain, with_context = network(3, with_context=False), network(2, with_context=True)
    actual = [part for lines in (1, 13, 50) for part in compiled(plain, page(lines))]
    actual += compiled(with_context, page(29), around(29, 8))
    return [float(value) for part in actual for value in part]


def had(width: str) -> None:
    if WIDTHS.index(width) and answers(width)[0] != width:
        pytest.skip(f"this processor has no {width}")


@pytest.mark.parametrize("width", WIDTHS)
def test_no_wider_instructions_are_used_than_allowed(width):
    assert WIDTHS.index(answers(width)[0]) <= WIDTHS.index(width)


@pytest.mark.parametrize("width", WIDTHS)
def test_bytes_are_the_same_by_every_width(width):
    had(width)
    assert answers(width)[1] == str(digests())


@pytest.mark.parametrize("width", WIDTHS)
def test_sums_of_products_differ_in_the_last_bits_at_most(width):
    had(width)
    actual, expected = np.array(eval(answers(width)[2])), np.array(judgements())
    if "none" in {width, vector_width()}:
        assert np.allclose(actual, expected, rtol=1e-5, atol=2e-5)
    else:
        assert (actual == expected).all()


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="needs an x86-64 processor")
def test_no_compiler_rounds_a_product_before_it_is_added():
    said = re.findall(r"^OPTIONS \+?= (\[.*?\])", (ROOT / "setup.py").read_text(), re.M | re.S)
    options = [option for part in said for option in ast.literal_eval(part)]
    native = ROOT / "skord" / "native"
    source = native / "line_classifier" / "products.cpp"
    # What newer compilers do for every processor, and older ones for this.
    command = ["g++", *options, "-mtune=znver3", f"-I{native}", "-S", "-o", "-", str(source)]

    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert "vfmadd" in done.stdout
    assert re.findall(r"vmulps.*%[yz]mm", done.stdout) == []


@pytest.mark.parametrize("width", [width for width in WIDTHS if width != vector_width()])
@pytest.mark.slow
def test_native_code_does_what_its_tests_say_by_every_other_width(width):
    had(width)
    done = by_width(width, "-m", "pytest", "-qx", "-m", "not slow", *NATIVE_TESTS)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_another_width_is_refused_in_one_sentence():
    done = by_width("sse", "-c", "import skord.native")
    assert done.returncode != 0
    assert "none, avx2 or avx512" in done.stderr.splitlines()[-1]
