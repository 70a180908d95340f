"""Pandoc 2.9.2.1 as it was published, many pages in each process.

That version cannot run as a worker (its Lua has no `pandoc.write`), but reads many files, each
parsed apart, into one document. A paragraph of our own between them tells the pages apart
again, and the output is to the byte what a process for each page writes.
"""

from __future__ import annotations

import hashlib
import math
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from skord.html.pandoc.process import (
    MAX_REPLY_BYTES,
    Limits,
    ProcessLostError,
    Watch,
    bare_environment,
)

from skord.core.closing import Closing
from skord.core.failures import ConfigError, DocumentError
from skord.html.failures import ConversionFailure

BATCH_PAGES = 16
BATCH_CHARS = 1_000_000
"""Pandoc holds a whole batch in memory, some 300 bytes a character."""

PUBLISHED_PANDOC = "2.9.2.1"
"""What wrote the Markdown of the published line annotations. It fetches nothing."""

PUBLISHED_FILTER = Path(__file__).with_name("published_links.lua")
_OPTIONS = ("--from=html", "--to=gfm-raw_html", "--wrap=none", "--atx-headers", "--file-scope")
"""The published flags; the last one parses each file apart."""
_LOOK_EVERY_S = 0.05


class PandocBatches(Closing):
    """Pandoc 2.9.2.1 with the published flags and filter.

    It fetches nothing that a page embeds, sees none of the caller's environment, and is killed
    when a batch takes too long or too much memory. The pages of a batch that fails are tried
    again one by one, so that a page loses nobody's Markdown but its own.

    Args:
        pandoc: that version.
        timeout_s: CPU seconds for one page; a batch has a second more for each further page.
        batch_pages: pages for one process, at most.
        max_rss_mb: resident memory of a process, then SIGKILL.
        rts_options: of the Haskell runtime; a large nursery saves collections.
        lua_filter: another than the published one, to compare with.

    Attributes:
        processes: started so far.

    Raises:
        ConfigError: this pandoc cannot convert as published.
    """

    def __init__(
        self,
        pandoc: Path,
        timeout_s: float = 20.0,
        batch_pages: int = BATCH_PAGES,
        max_rss_mb: int = 1024,
        rts_options: tuple[str, ...] = ("-A64m",),
        lua_filter: Path = PUBLISHED_FILTER,
    ) -> None:
        options = [*_OPTIONS, f"--lua-filter={lua_filter.resolve()}"]
        self._command = [str(pandoc), "+RTS", *rts_options, "-RTS", *options]
        self._timeout_s = timeout_s
        self._batch_pages = batch_pages
        self._max_rss_mb = max_rss_mb
        self.processes = 0
        try:
            self.convert("<p>ready</p>")
        except DocumentError as error:
            raise ConfigError(f"{pandoc} cannot convert as published ({error}).") from error

    def close(self) -> None:
        """Nothing stays open between batches."""

    def convert(self, cleaned_html: str) -> str:
        """Return pandoc's Markdown of one cleaned page.

        Raises:
            DocumentError: pandoc_timeout, pandoc_memory, pandoc_died, pandoc_error, too_large.
        """
        (answer,) = self.convert_all([cleaned_html])
        if isinstance(answer, DocumentError):
            raise answer
        return answer

    def convert_all(self, pages: Sequence[str]) -> list[str | DocumentError]:
        """Return for each cleaned page its Markdown, or why there is none, in their order."""
        batches = _batches(pages, self._batch_pages)
        return [answer for batch in batches for answer in self._answers(batch)]

    def _answers(self, pages: Sequence[str]) -> list[str | DocumentError]:
        try:
            return [*self._converted(pages)]
        except (ProcessLostError, DocumentError) as error:
            if len(pages) == 1:
                return [DocumentError(error.code, str(error))]
        return [answer for page in pages for answer in self._answers([page])]

    def _converted(self, pages: Sequence[str]) -> list[str]:
        """Convert pages in one process.

        Raises:
            ProcessLostError, DocumentError: all of them have to be tried again.
        """
        sentinel = _sentinel(pages)
        with tempfile.TemporaryDirectory(prefix="pandoc-") as folder:
            names = _written(pages, sentinel, Path(folder))
            output = Path(folder) / "markdown"
            self._run([*self._command, f"--output={output}", *names], folder, len(pages))
            if output.stat().st_size > MAX_REPLY_BYTES:
                size = f"{output.stat().st_size} bytes of Markdown"
                raise DocumentError(ConversionFailure.too_large, size)
            text = output.read_text("utf-8", "replace")
        parts = re.split(rf"\n*^{sentinel}\n*", text, flags=re.MULTILINE)
        if len(parts) != len(pages):
            raise DocumentError(ConversionFailure.pandoc_error, "pages ran into each other")
        return [text.rstrip() + "\n" for text in parts]

    def _run(self, command: Sequence[str], folder: str, pages: int) -> None:
        """Run a process to its end, or to the end of its time or memory."""
        self.processes += 1
        limits = Limits(self._timeout_s + pages - 1, self._max_rss_mb)
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=bare_environment(),
            cwd=folder,
        )
        seconds = math.ceil(limits.timeout_s)
        if hasattr(resource, "prlimit"):
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds + 1, seconds + 5))
        try:
            watch = Watch(process.pid, limits)
            while process.poll() is None:
                time.sleep(_LOOK_EVERY_S)
                watch.look()
        finally:
            process.kill()
            process.wait()
        if process.returncode:
            died = process.returncode < 0
            code = ConversionFailure.pandoc_died if died else ConversionFailure.pandoc_error
            raise ProcessLostError(code, f"exit status {process.returncode}")


def _batches(pages: Sequence[str], most: int) -> Iterator[list[str]]:
    """Runs of pages that go into one process."""
    batch: list[str] = []
    chars = 0
    for page in pages:
        if batch and (len(batch) == most or chars + len(page) > BATCH_CHARS):
            yield batch
            batch, chars = [], 0
        batch.append(page)
        chars += len(page)
    if batch:
        yield batch


def _sentinel(pages: Sequence[str]) -> str:
    """A word that none of the pages can hold, the same for the same pages."""
    digest = hashlib.sha256()
    for page in pages:
        digest.update(page.encode("utf-8", "replace"))
    return f"page{digest.hexdigest()}"


def _written(pages: Sequence[str], sentinel: str, folder: Path) -> list[str]:
    """Write pages to files; returns names, that of the sentinel's file between each two."""
    (folder / "sentinel.html").write_text(f"<p>{sentinel}</p>", "utf-8")
    names: list[str] = []
    for at, page in enumerate(pages):
        (folder / f"{at}.html").write_bytes(page.encode("utf-8", "replace"))
        names += ["sentinel.html"] * bool(at) + [f"{at}.html"]
    return names
