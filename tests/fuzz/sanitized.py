"""The compiled part of the package with sanitizers in it, and how a process gets it."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[2]
NATIVE = ROOT / "skord" / "native"
FLAGS = [
    "-std=c++17", "-Og", "-g1", "-fPIC", "-fno-omit-frame-pointer", "-DPy_LIMITED_API=0x030B0000",
    "-fsanitize=address,undefined", "-fno-sanitize=object-size,vptr", "-fno-sanitize-recover=all",
    "-Wno-psabi",
]  # fmt: skip
"""Sizes of objects are AddressSanitizer's, and classes without virtual functions have no table."""

STANDARD = re.compile(r"^#include <(\w+)>$", re.M)
OPTIONS = {
    # Memory that Python keeps is none lost; what a page may take at most is far below.
    "ASAN_OPTIONS": "detect_leaks=0:hard_rss_limit_mb=3000:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "PYTHONMALLOC": "malloc",
}


def built(folder: Path) -> Path:
    """The module, compiled unless it was before; what is unchanged is not compiled again."""
    sources = sorted(NATIVE.rglob("*.cpp"))
    headers = b"".join(file.read_bytes() for file in sorted(NATIVE.rglob("*.[hi][pn]*")))
    text = "".join(source.read_text("utf-8") for source in sources) + headers.decode()
    standard = "".join(f"#include <{name}>\n" for name in sorted({*STANDARD.findall(text)}))
    include = [f"-I{NATIVE}", f"-I{sysconfig.get_path('include')}"]
    folder.mkdir(parents=True, exist_ok=True)

    def run(*words: object) -> None:
        subprocess.run(["g++", *FLAGS, *map(str, words)], check=True)

    def compiled(source: Path) -> Path:
        digest = hashlib.sha256(headers + source.read_bytes() + "".join(FLAGS).encode())
        made = folder / f"{source.stem}-{digest.hexdigest()[:16]}.o"
        if not made.exists():
            partial = made.with_suffix(f".{os.getpid()}")
            run(*include, "-include", parsed, "-c", source, "-o", partial)
            partial.replace(made)
        return made

    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as once, ThreadPoolExecutor(cores) as pool:
        parsed = Path(once, "standard.hpp")  # a third of the time would be these headers
        parsed.write_text(standard)
        run("-x", "c++-header", parsed, "-o", f"{parsed}.gch")
        objects = list(pool.map(compiled, sources))
    digest = hashlib.sha256("".join(map(str, objects)).encode()).hexdigest()[:16]
    module = folder / f"_native-{digest}.abi3.so"
    if not module.exists():
        run("-shared", *objects, "-o", f"{module}.{os.getpid()}")
        Path(f"{module}.{os.getpid()}").replace(module)
    return module


def environment() -> dict[str, str]:
    """Of a process that can load the module."""
    libraries = [
        subprocess.run(
            ["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in ("libasan.so", "libubsan.so", "libstdc++.so")
    ]
    return {**os.environ, **OPTIONS, "LD_PRELOAD": ":".join(libraries)}


def take_place_of_native(module: Path) -> None:
    """Have `skord.native` be this module; to be called before anything imports it."""
    name = "skord.native._native"
    spec = importlib.util.spec_from_file_location(name, module)
    assert spec
    assert spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    sys.modules[name] = loaded
