"""Pandoc as a worker process that stays up: cleaned HTML in, Markdown out."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Self

from pipeline.core.failures import ConfigError, DocumentError
from pipeline.io.pandoc_process import ChildProcess, Limits, ProcessLostError
from pipeline.transforms.conversion_failures import ConversionFailure
from pipeline.transforms.fast_markdown import DeclinedError, fast_markdown
from pipeline.transforms.html_cleaning import clean_html
from pipeline.transforms.markdown import tidy_markdown

OLDEST_PANDOC = (3, 8, 2)
"""Older ones read addresses in a page over the network, whatever their sandbox is told."""

NEWEST_PANDOC = (4,)
"""Another major version writes another Markdown; dialects must not be mixed in one corpus."""

_SCRIPT = Path(__file__).with_name("pandoc_worker.lua")


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
            f"{binary} is pandoc {version}, but only 3.8.2 up to 4 is supported: older ones fetch"
            " what a page embeds over the network, and newer ones may write another Markdown."
        )
    return binary


def pandoc_version(path: Path) -> str:
    """Return a pandoc's version, such as "3.9"; ConfigError if it cannot be asked."""
    try:
        answer = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=60, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} does not run as pandoc ({error}): set pandoc_path.") from error
    found = re.match(r"pandoc(?:\.exe)? (\d+(?:\.\d+)*)\s", answer)
    if found is None or "+lua" not in answer:
        raise ConfigError(f"{path} is no pandoc with Lua in it: set pandoc_path to one that is.")
    return found[1]


def _bundled_pandoc() -> Path:
    spec = importlib.util.find_spec("pypandoc")
    if spec is None or spec.origin is None:
        raise ConfigError("There is no pandoc: install pypandoc_binary or set pandoc_path.")
    return Path(spec.origin).with_name("files") / "pandoc"


class Converter(StrEnum):
    """What turns cleaned HTML into Markdown."""

    PANDOC = "pandoc"
    """Pandoc, page by page in one process."""
    FAST = "fast"
    """Our own walk, in a tenth of the time; what it declines goes to pandoc."""


def convert_page(
    html: str,
    worker: PandocWorker,
    *,
    max_html_chars: int = 3_000_000,
    max_cleaned_chars: int = 500_000,
    converter: str = Converter.PANDOC,
) -> str:
    """Return a page's Markdown in the one dialect of this project.

    Args:
        html: decoded.
        worker: a pandoc; with the fast converter, for what that declines.
        max_html_chars, max_cleaned_chars: longer pages are `too_large`.
        converter: a `Converter` or its value.

    Raises:
        DocumentError: any of ConversionFailure but not_html and http_status.
    """
    cleaned = clean_html(html, max_html_chars, max_cleaned_chars)
    markdown = _by_our_own_walk(cleaned) if Converter(converter) is Converter.FAST else None
    if markdown is None:
        markdown = tidy_markdown(worker.convert(cleaned))
    if not markdown.strip():
        raise DocumentError(ConversionFailure.empty_page)
    return markdown


def _by_our_own_walk(cleaned: str) -> str | None:
    try:
        return fast_markdown(cleaned)
    except DeclinedError:
        return None


class PandocWorker:
    """One `pandoc lua` process that converts page after page, each as if it were the first.

    Nothing of a page stays behind: the script keeps no state, and the process is replaced
    after some pages because pandoc's writer leaks (from 0.3 to 0.9 GB in 2,400 pages). It
    reads no file and no network, sees none of the caller's environment, and ends when the
    caller does. Use one per process and thread.

    Args:
        pandoc: as `find_pandoc` gives it.
        timeout_s: CPU seconds for one page, then SIGKILL.
        recycle_after: pages for one process.
        max_rss_mb: resident memory of the process, then SIGKILL.
        rts_options: of the Haskell runtime; a large nursery saves collections.

    Raises:
        ConfigError: this pandoc cannot run the worker's script.
    """

    def __init__(
        self,
        pandoc: Path,
        timeout_s: float = 20.0,
        recycle_after: int = 50,
        max_rss_mb: int = 1024,
        rts_options: tuple[str, ...] = ("-A64m",),
    ) -> None:
        self._limits = Limits(timeout_s, max_rss_mb)
        self._recycle_after = recycle_after
        self._command = [str(pandoc), "+RTS", *rts_options, "-RTS", "lua", str(_SCRIPT)]
        self._process: ChildProcess | None = None
        self._pages = 0
        try:
            self.convert("<p>ready</p>")
        except DocumentError as error:
            raise ConfigError(f"{pandoc} cannot run {_SCRIPT.name} ({error}).") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """Of the running process; None when there is none."""
        return self._process.pid if self._process else None

    def close(self) -> None:
        """End the process; `convert` would start another."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def convert(self, cleaned_html: str) -> str:
        """Return pandoc's Markdown of one cleaned page.

        A page on which the process dies or outgrows its memory gets one more try in a fresh
        process, since the cause may be another page's leak, or the machine.

        Raises:
            DocumentError: pandoc_timeout, pandoc_memory, pandoc_died, pandoc_error, too_large.
        """
        page = cleaned_html.encode("utf-8", "replace")
        try:
            status, body = self._ask(page)
        except ProcessLostError:
            status, body = self._ask_again(page)
        text = body.decode("utf-8", "replace")
        if status != b"ok":
            raise DocumentError(ConversionFailure.pandoc_error, text[:500])
        return text

    def _ask_again(self, page: bytes) -> tuple[bytes, bytes]:
        try:
            return self._ask(page)
        except ProcessLostError as lost:
            raise DocumentError(lost.code, str(lost)) from lost

    def _ask(self, page: bytes) -> tuple[bytes, bytes]:
        """One exchange; whatever goes wrong in it, no process with half an answer remains."""
        process = self._ready_process()
        self._pages += 1
        answered = False
        try:
            answer = process.ask(page, self._limits)
            answered = True
        finally:
            if not answered:
                self.close()
        return answer

    def _ready_process(self) -> ChildProcess:
        """The running process, or a fresh one where it is worn out, swollen or gone."""
        if self._process and (
            self._pages >= self._recycle_after
            or not self._process.is_running()
            or self._process.usage().rss_mb > self._limits.max_rss_mb
        ):
            self.close()
        if self._process is None:
            max_cpu_s = self._limits.timeout_s * (self._recycle_after + 1)
            self._process = ChildProcess(self._command, max_cpu_s)
            self._pages = 0
        return self._process
