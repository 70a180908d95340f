"""Generic code compiles for ARM64, and what it makes of bytes there is what it makes here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import skord.native

NATIVE = Path(skord.native.__file__).parent
PROGRAM = Path(__file__).with_name("other_processor.cpp")
PARTS = ["simd.cpp", "dedup/sketches.cpp", "dedup/published_keys.cpp", "text/sha1.cpp",
         "text/utf8.cpp", "text/unicode.cpp", "text/lines.cpp",
         "line_classifier/products.cpp", "quality/word_counts.cpp",
         "quality/repetition_counts.cpp", "quality/line_counts.cpp"]  # fmt: skip
CROSS = "aarch64-linux-gnu-g++"
PROCESSOR = re.compile(r"#\s*if|intrin\.h|__(x86|SSE|AVX|aarch64|asm|attribute|builtin_(ia32|cpu))")
OPTIONS = ["-std=c++17", "-Wno-psabi", f"-I{NATIVE}"]

cross_compiled = pytest.mark.skipif(
    shutil.which(CROSS) is None, reason="needs apt-get install g++-aarch64-linux-gnu"
)


def compiled(compiler: str, out: Path) -> str:
    sources = [PROGRAM, *(NATIVE / part for part in PARTS)]
    command = [compiler, *OPTIONS, "-O1", "-static", *map(str, sources), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return str(out)


def told(*command: str) -> list[str]:
    environment = os.environ | {"SKORD_SIMD": "none"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def names_a_processor(source: str, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a source, or a header of ours that it includes, has parts for some processors only."""
    text = (NATIVE / source).read_text()
    named = re.findall(r'^#include "(.+)"', text, re.M)
    beside = Path(source).parent
    paths = {str(beside / one) if (NATIVE / beside / one).exists() else one for one in named}
    included = paths - seen
    seen |= included | {source}
    return bool(PROCESSOR.search(text)) or any(names_a_processor(one, seen) for one in included)


def test_what_names_a_processor_is_compiled_for_another():
    sources = {file.relative_to(NATIVE).as_posix() for file in NATIVE.rglob("*.cpp")}
    naming = {one for one in sources if not one.startswith("bindings") and names_a_processor(one)}

    assert len(naming) > 5
    assert naming <= {*PARTS}


@cross_compiled
@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
@pytest.mark.skipif(shutil.which("qemu-aarch64") is None, reason="needs apt-get install qemu-user")
def test_arm64_makes_the_same_of_bytes(tmp_path):
    here = told(compiled("g++", tmp_path / "here"))
    there = told("qemu-aarch64", compiled(CROSS, tmp_path / "there"))

    assert here == there
    assert here[-1] == "width none"
