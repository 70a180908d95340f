"""Another tool that grades texts: a command, or a Python function run as one.

The command is started once and lives as long as its worker. It reads a JSON object a line,

    {"text": "…", "language": "lv"}

and answers each with a line, in order:

    {"words": 120, "recognized_words": 100, "chunks": 40}

`words` may be left out; then they are counted here. A function `package.module:function` is
called with text and language and returns the last two, as a pair. Each text has `timeout_s`
seconds by the clock; a tool that takes longer, ends, or answers something else is killed, the
page gets a failure code, and the next one a new process.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skord.core.closing import Closing
from skord.core.failures import ConfigError, DocumentError, FailureCode

MAX_ANSWER_BYTES = 1 << 20


class ToolFailure(FailureCode):
    """Why a tool has not graded a page."""

    tool_timeout = "tool_timeout"
    """It took longer than [GradeDocuments] timeout_s."""
    tool_died = "tool_died"
    """Its process ended, or closed its pipes, before it answered."""
    tool_answer = "tool_answer"
    """Its answer is no line of JSON with whole numbers recognized_words and chunks."""


@dataclass(frozen=True)
class ToolGrade:
    """What a tool answers of a text; `words` is None if it does not count them."""

    words: int | None
    recognized_words: int
    chunks: int


class GradingTool(Closing):
    """A tool's process; close it, or use it in `with`."""

    def __init__(self, command: Sequence[str], timeout_s: float) -> None:
        self._command = list(command)
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[bytes] | None = None

    def grade(self, text: str, language: str) -> ToolGrade:
        """Have one text graded.

        Raises:
            DocumentError: tool_timeout, tool_died or tool_answer.
            ConfigError: the command cannot be started.
        """
        question = json.dumps({"text": text, "language": language}, ensure_ascii=False)
        try:
            return parse_answer(self._ask(question.encode() + b"\n"))
        except DocumentError:
            self.close()
            raise

    def close(self) -> None:
        """End the process, and what it started."""
        process, self._process = self._process, None
        if process is not None:
            _kill(process)
            with contextlib.suppress(OSError), process:  # which closes its pipes, and waits
                pass

    def _ask(self, question: bytes) -> bytes:
        """Send a line, and read one; a process whose time is up is killed, which ends both."""
        if self._process is None:
            try:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                )
            except OSError as error:
                raise ConfigError(f"[GradeDocuments] command: {error}") from error
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Event()

        def end() -> None:
            late.set()
            _kill(process)

        timer = threading.Timer(self._timeout_s, end)
        timer.start()
        try:
            process.stdin.write(question)
            process.stdin.flush()
            answer = process.stdout.readline(MAX_ANSWER_BYTES)
        except BrokenPipeError:
            answer = b""
        timer.cancel()
        if late.is_set():
            raise DocumentError(ToolFailure.tool_timeout, f"more than {self._timeout_s:g} s")
        if not answer:
            raise DocumentError(ToolFailure.tool_died, "closed its pipes before it answered")
        return answer


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def parse_answer(line: bytes) -> ToolGrade:
    """The grade in a line.

    Raises:
        DocumentError: tool_answer.

    >>> parse_answer(b'{"recognized_words": 7, "chunks": 3}')
    ToolGrade(words=None, recognized_words=7, chunks=3)
    """
    try:
        answer: Mapping[str, Any] = json.loads(line)
        words = answer.get("words")
        numbers = [0 if words is None else words, answer["recognized_words"], answer["chunks"]]
    except (ValueError, KeyError, AttributeError) as error:
        raise DocumentError(ToolFailure.tool_answer, f"{line[:200]!r}") from error
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise DocumentError(ToolFailure.tool_answer, f"{line[:200]!r}")
    return ToolGrade(words, numbers[1], numbers[2])


# -- a Python function as a command ------------------------------------------------------


def function_command(name: str) -> list[str]:
    """The command that runs a function `package.module:function` over the protocol."""
    return [sys.executable, "-m", "skord.extras.grading.external_tool", name]


def load_function(name: str) -> Callable[[str, str], tuple[int, int]]:
    """The function of that name."""
    module, _, attribute = name.partition(":")
    try:
        function: Callable[[str, str], tuple[int, int]] = getattr(
            importlib.import_module(module), attribute
        )
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(
            f"[GradeDocuments] function = {name}: {error}; give package.module:function"
        ) from error
    return function


def answer_lines(
    lines: Iterator[str], function: Callable[[str, str], tuple[int, int]]
) -> Iterator[str]:
    """The answer to each question.

    >>> list(answer_lines(iter(['{"text": "en hund", "language": "sv"}']), lambda text, _: (2, 1)))
    ['{"recognized_words": 2, "chunks": 1}']
    """
    for line in lines:
        question = json.loads(line)
        recognized_words, chunks = function(question["text"], question["language"])
        yield json.dumps({"recognized_words": recognized_words, "chunks": chunks})


def main(name: str) -> None:
    """Answer questions until there are no more; what the function prints is written to stderr."""
    replies = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        for answer in answer_lines(iter(sys.stdin), load_function(name)):
            print(answer, file=replies, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
