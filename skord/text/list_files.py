"""Lists that the settings name: files with an entry on each line."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from skord.core.failures import ConfigError

COMMENT = "#"
"""Begins a line that is no entry."""


@cache
def read_entries(*paths: str) -> tuple[str, ...]:
    """The entries of some files, one after another; read once per process.

    Blank lines, and those that begin with a number sign, are none.

    Raises:
        ConfigError: a file is not there, or is no text in UTF-8.
    """
    return tuple(entry for path in paths for entry in _list_entries(Path(path)))


def _list_entries(path: Path) -> Sequence[str]:
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the list {path}: {error}") from error
    stripped = (line.strip() for line in lines)
    return [line for line in stripped if line and not line.startswith(COMMENT)]


def digest_of(*paths: str) -> str:
    """What tells the entries of some files from others, for fingerprints; "" without files."""
    if not paths:
        return ""
    return hashlib.sha256("\n".join(read_entries(*paths)).encode()).hexdigest()[:12]
