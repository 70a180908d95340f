"""Pandoc as a worker process that stays up: cleaned HTML in, Markdown out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skord.core.closing import Closing
from skord.core.failures import ConfigError, DocumentError
from skord.html.failures import ConversionFailure
from skord.html.pandoc.document import less_deep
from skord.html.pandoc.process import MAX_REPLY_BYTES, ChildProcess, Limits, ProcessLostError
from skord.native import document_markdown

_SCRIPT = Path(__file__).with_name("worker.lua")


class PandocWorker(Closing):
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
        rts_options: tuple[str, ...] = ("-A256m",),
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

    @property
    def pid(self) -> int | None:
        """Of the running process; None when there is none."""
        return self._process.pid if self._process else None

    def close(self) -> None:
        """End the process; `convert` would start another."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def convert_all(self, pages: Sequence[str]) -> list[str | DocumentError]:
        """Return for each cleaned page its Markdown, or why there is none, in their order."""
        return [self._converted(page) for page in pages]

    def _converted(self, page: str) -> str | DocumentError:
        try:
            return self.convert(page)
        except DocumentError as error:
            return error

    def convert(self, cleaned_html: str) -> str:
        """Return the Markdown of one cleaned page, in the dialect of pandoc 2.9.2.1.

        A page on which the process dies or outgrows its memory gets one more try in a fresh
        process, since the cause may be another page's leak, or the machine.

        A page whose blocks stand too deep in one another is read once more with boxes in place of
        the deepest of them.

        Raises:
            DocumentError: pandoc_timeout, pandoc_memory, pandoc_died, pandoc_error, too_large,
                too_deep.
        """
        markdown = document_markdown(self._document(cleaned_html))
        if markdown is None:
            markdown = document_markdown(self._document(less_deep(cleaned_html)))
        if markdown is None:
            raise DocumentError(ConversionFailure.too_deep, "in what pandoc read")
        if len(markdown) > MAX_REPLY_BYTES:
            raise DocumentError(ConversionFailure.too_large, f"{len(markdown)} characters")
        return markdown

    def _document(self, cleaned_html: str) -> str:
        """What pandoc read, as JSON."""
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
