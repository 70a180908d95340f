"""What a process sees of disk and clock, by libraries that are loaded before all others."""

from __future__ import annotations

import subprocess
from pathlib import Path
from sysconfig import get_config_var

FAKETIME = Path("/usr/lib", str(get_config_var("MULTIARCH")), "faketime/libfaketime.so.1")
"""Debian's package libfaketime; without it no clock jumps, and the campaign says so."""


def built_stale_views(folder: Path) -> Path:
    """The library of `stale_views.c`, compiled."""
    library = folder / "stale_views.so"
    source = Path(__file__).with_name("stale_views.c")
    command = ["cc", "-O1", "-shared", "-fPIC", "-Wall", "-o", library, source, "-ldl"]
    subprocess.run(command, check=True)
    return library


def late_disk(library: Path, root: str, late_ms: int) -> dict[str, str]:
    """The environment of a process that sees others' files only after some milliseconds."""
    return {"LD_PRELOAD": str(library), "STALE_ROOT": root, "STALE_MS": str(late_ms)}


def jumping_clock(told: Path) -> dict[str, str]:
    """The environment of a process whose wall clock is off by what the file tells just now."""
    return {
        "LD_PRELOAD": str(FAKETIME),
        "FAKETIME_TIMESTAMP_FILE": str(told),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "NO_FAKE_STAT": "1",
    }
