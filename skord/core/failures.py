"""What can go wrong, and who is allowed to catch it.

* PipelineError
  - DocumentError   one document is unusable; caught only in `document_task.each_document`
  - ShardError      one shard cannot be written; caught only by the executor
  - ConfigError     the settings cannot work; raised before anything is started

A document's failure is data: a short code in the `failure` column of the task that
met it. Each module that can fail declares its codes as a `FailureCode`, one line of
docstring each, and the manifest counts them.
"""

from __future__ import annotations

import errno
from enum import StrEnum

NO_MEMORY = ("can't start new thread", "Failed to launch worker thread", "failed to map segment")
"""What Python and Arrow say when there is no memory left for a thread's stack, and the loader when
there is none for a library."""

NO_EXCEPTION = ("error return without exception set", "without setting an exception")
"""The interpreter's words for C code that failed and had no memory even for its exception."""


class FailureCode(StrEnum):
    """Base of the enums that list a module's failure codes; values are stable snake_case words."""


class PipelineError(Exception):
    """Base class of every error this package raises on purpose."""


class DocumentError(PipelineError):
    """One document is unusable; its row stays, with nulls and this code.

    Args:
        code: the stable word written to the `failure` column.
        detail: for people; kept in the exception's text only.
    """

    def __init__(self, code: FailureCode, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else str(code))
        self.code = code
        self.detail = detail


class ShardError(PipelineError):
    """One shard cannot be written; the others go on."""


class DamagedError(ShardError):
    """A shard on disk is not what was written."""


class ConfigError(PipelineError):
    """The settings cannot work. The message is one sentence that says what to do."""


def lacks_memory(error: BaseException) -> bool:
    """Memory that cannot be had shows as an error of its own, or of kernel, thread or import.

    >>> lacks_memory(ImportError("_csv.so: failed to map segment from shared object"))
    True
    >>> lacks_memory(SystemError("error return without exception set"))
    True
    """
    if isinstance(error, OSError) and error.errno:
        return error.errno == errno.ENOMEM
    if isinstance(error, SystemError):
        return any(words in str(error) for words in NO_EXCEPTION)
    return isinstance(error, MemoryError) or any(words in str(error) for words in NO_MEMORY)
