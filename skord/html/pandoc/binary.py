"""Which pandoc there is, and whether it can be used."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from functools import cache
from pathlib import Path

from skord.core.failures import ConfigError

OLDEST_PANDOC = (3, 8, 2)
"""Older ones read addresses in a page over the network, whatever their sandbox is told."""

NEWEST_PANDOC = (4,)
"""Another major version writes another Markdown; dialects must not be mixed in one corpus."""


def find_pandoc(path: str | None = None) -> Path:
    """Return a pandoc that can be used.

    Args:
        path: of a binary, or of a folder that holds one called `pandoc`; None for the one
            that the package pypandoc_binary carries.

    Raises:
        ConfigError: there is none, it cannot be run, or its version is not supported.
    """
    binary = Path(path).expanduser() if path else _bundled_pandoc()
    if binary.is_dir():
        binary /= "pandoc"
    if not binary.is_file():
        raise ConfigError(
            f"There is no pandoc at {binary}: install pypandoc_binary or set pandoc_path."
        )
    if not os.access(binary, os.X_OK):
        raise ConfigError(f"{binary} may not be executed: make it executable or set pandoc_path.")
    version = pandoc_version(binary)
    numbers = tuple(map(int, version.split(".")))
    if not OLDEST_PANDOC <= numbers < NEWEST_PANDOC:
        raise ConfigError(
            f"{binary} is pandoc {version}, but only 3.8.2 up to 4 are supported: others fetch what"
            " a page embeds over the network, or may write another Markdown. What 2.9.2.1 writes,"
            " converter = fast does."
        )
    return binary


def pandoc_version(path: Path) -> str:
    """Return a pandoc's version, such as "3.9"; ConfigError if it cannot be asked."""
    try:
        return _version(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise ConfigError(f"{path} does not run as pandoc ({error}): set pandoc_path.") from error


@cache
def _version(path: Path, changed_ns: int) -> str:
    """Asked once of each binary: every fingerprint of every later task wants to know."""
    del changed_ns
    try:
        answer = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=60, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} does not run as pandoc ({error}): set pandoc_path.") from error
    match = re.match(r"pandoc(?:\.exe)? (\d+(?:\.\d+)*)\s", answer)
    tells = match is not None and int(match[1].split(".")[0]) >= 3  # what is in it; 2 does not
    if match is None or (tells and "+lua" not in answer):
        raise ConfigError(f"{path} is no pandoc with Lua in it: set pandoc_path to one that is.")
    return match[1]


def _bundled_pandoc() -> Path:
    spec = importlib.util.find_spec("pypandoc")
    if spec is None or spec.origin is None:
        raise ConfigError("There is no pandoc: install pypandoc_binary or set pandoc_path.")
    return Path(spec.origin).with_name("files") / "pandoc"
