"""The program pandoc, one call a page: the published way, for those who want it."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from skord.core.failures import ConfigError, DocumentError
from skord.html.failures import ConversionFailure

FIRST_WITH_SANDBOX = (2, 15)
"""From this version on its reader opens addresses that a page embeds, unless it is told not to."""

TIMEOUT_S = 20.0
"""For one page; the slowest of 318 real ones took 1.5 s."""

_LINK = re.compile(r"</?a(?: [^>]*)?>")


def find_pandoc(path: str | None = None) -> Path:
    """Return the pandoc to call.

    Args:
        path: of a binary of any version, or of a folder that holds one called `pandoc`; None for
            the one that the package pypandoc_binary carries.

    Raises:
        ConfigError: there is none, or it cannot be run.
    """
    binary = Path(path).expanduser() if path else _bundled_pandoc()
    if binary.is_dir():
        binary /= "pandoc"
    if not binary.is_file():
        raise ConfigError(
            f"There is no pandoc at {binary}: pip install 'skord[pandoc]' or set pandoc_path."
        )
    if not os.access(binary, os.X_OK):
        raise ConfigError(f"{binary} may not be executed: make it executable or set pandoc_path.")
    pandoc_version(binary)
    return binary


def pandoc_version(path: Path) -> str:
    """Return a pandoc's version, such as "2.9.2.1"; ConfigError if it cannot be asked."""
    try:
        return _version(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise ConfigError(f"{path} does not run as pandoc ({error}): set pandoc_path.") from error


def convert_with_pandoc(cleaned_html: str, pandoc: Path, timeout_s: float = TIMEOUT_S) -> str:
    """Return what pandoc makes of a page, with the published flags and links reduced to their text.

    Args:
        cleaned_html: as `clean_html` gives it, without marks of links.
        pandoc: as `find_pandoc` gives it.
        timeout_s: for the page.

    Raises:
        DocumentError: pandoc_error or pandoc_timeout.
    """
    command = [str(pandoc), "--from=html", "--to=gfm-raw_html", "--wrap=none"]
    version = tuple(map(int, pandoc_version(pandoc).split(".")))
    if version >= FIRST_WITH_SANDBOX:
        command.append("--sandbox")
    try:
        answer = subprocess.run(
            command,
            input=_LINK.sub("", cleaned_html).encode("utf-8", "ignore"),
            capture_output=True,
            timeout=timeout_s,
            check=True,
            start_new_session=True,  # Ctrl-C is the driver's: pandoc would end, and the page fail
        )
    except subprocess.TimeoutExpired as error:
        raise DocumentError(ConversionFailure.pandoc_timeout, f"{timeout_s:g} s") from error
    except subprocess.CalledProcessError as error:
        messages = error.stderr.decode("utf-8", "replace").strip().splitlines()
        detail = messages[-1][:200] if messages else f"exit status {error.returncode}"
        raise DocumentError(ConversionFailure.pandoc_error, detail) from error
    return answer.stdout.decode("utf-8", "replace")


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
    if match is None:
        raise ConfigError(f"{path} is no pandoc: set pandoc_path to one that is.")
    return match[1]


def _bundled_pandoc() -> Path:
    spec = find_spec("pypandoc")
    if spec is None or spec.origin is None:
        raise ConfigError("There is no pandoc: pip install 'skord[pandoc]' or set pandoc_path.")
    return Path(spec.origin).with_name("files") / "pandoc"
