"""One sentence for people out of an error, whatever it was; imports nothing that takes time."""

from __future__ import annotations

import configparser
import errno
import os
import re
from pathlib import Path

from skord.core.failures import PipelineError, lacks_memory

STOPPED = 130
"""Exit status after Ctrl-C, as shells have it."""

_ERRNO = re.compile(r"\[Errno \d+\] ([^:'()]+)(?:: '[^']*')?")

NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


def interrupted_sentence() -> str:
    """What Ctrl-C is answered with."""
    return "stopped; give the same command again, and it goes on where it was"


def sentence_of(error: BaseException) -> str:
    """What a person should read of an error.

    >>> sentence_of(FileNotFoundError(2, "No such file or directory", "page.html"))
    'page.html: no such file or directory'
    >>> sentence_of(OSError(28, "No space left on device"))
    'no space is left on the disk: free some, then give the same command again'
    >>> sentence_of(PipelineError("a.txt cannot be read ([Errno 2] No such file or directory: 'a')"))
    'a.txt cannot be read (no such file or directory)'
    >>> sentence_of(ImportError("_csv.so: failed to map segment from shared object"))
    "it needed more memory than the task's mem_gb: raise it in luigi.cfg"
    """
    if isinstance(error, PipelineError):
        return one_line(_ERRNO.sub(lambda found: found[1].lower(), str(error)))
    if isinstance(error, OSError):
        return _of_system(error)
    known = _of_settings(error) or _of_process(error) or _of_parameter(error)
    return known or f"unexpected {type(error).__name__}: {one_line(str(error))}"


def one_line(text: str) -> str:
    r"""The text without line breaks.

    >>> one_line("a:\n  b")
    'a: b'
    """
    return " ".join(text.split())


def printable(text: str) -> str:
    r"""The text with escapes in place of what a terminal would obey: controls of C0 and C1.

    >>> printable("a\x1b[2Jb\x9bc")
    'a\\x1b[2Jb\\x9bc'
    """
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found[0]):02x}", text)


def settings_files() -> list[Path]:
    """Files that Luigi reads its settings from, here and now."""
    named = os.environ.get("LUIGI_CONFIG_PATH")
    return [Path(name) for name in ("client.cfg", "luigi.cfg", *([named] if named else []))]


def unreadable_settings() -> Path | None:
    """The first file of settings that is not UTF-8."""
    for path in settings_files():
        try:
            path.read_text("utf-8")
        except UnicodeDecodeError:
            return path
        except OSError:
            continue
    return None


def _of_system(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    if error.errno in NO_SPACE:
        return f"{where}no space is left on the disk: free some, then give the same command again"
    if error.errno == errno.EADDRINUSE:
        return f"{where}the port is in use: name another, or 0 for one that is free"
    if error.errno == errno.EISDIR:
        return f"{where}a folder of that name is there: name a file"
    reason = error.strerror or str(error) or type(error).__name__
    return one_line(f"{where}{reason[:1].lower()}{reason[1:]}")


def _of_process(error: BaseException) -> str | None:
    if isinstance(error, KeyboardInterrupt):
        return interrupted_sentence()
    if isinstance(error, OverflowError):  # of a port, from the socket
        return one_line(str(error)).removeprefix("bind(): ").rstrip(".")
    if lacks_memory(error):
        return "it needed more memory than the task's mem_gb: raise it in luigi.cfg"
    return None


def _of_settings(error: BaseException) -> str | None:
    if isinstance(error, UnicodeDecodeError) and (path := unreadable_settings()):
        return f"{path} is not written in UTF-8: save it as UTF-8"
    if not isinstance(error, configparser.Error):
        return None
    source = getattr(error, "source", None) or "luigi.cfg"
    line = getattr(error, "lineno", None)
    where = f"{source}, line {line}" if line else str(source)
    if isinstance(error, configparser.MissingSectionHeaderError):
        return f"{where}: a setting must stand below the name of its section, such as [pipeline]"
    if isinstance(error, configparser.ParsingError):
        lines = ", ".join(str(number) for number, _ in error.errors)
        return f"{source}, line {lines}: write settings as name = value"
    if isinstance(error, (configparser.DuplicateOptionError, configparser.DuplicateSectionError)):
        what = getattr(error, "option", None) or f"[{error.section}]"
        return f"{where}: {what} stands there twice: remove one"
    return one_line(f"{where}: {error.message}")


def _of_parameter(error: BaseException) -> str | None:
    """Luigi's complaint about a parameter, by the error's name: most commands do without Luigi."""
    text = one_line(str(error))
    named, _, setting = text.partition(": Error when parsing the default value of ")
    if setting:
        section = named.partition("[")[0]
        return f"[{section}] {setting.strip(chr(39))} cannot be read ({error.__cause__})"
    if type(error).__name__ == "MissingParameterException":
        task, _, rest = text.partition("[")
        word = rest.rpartition("the '")[2].partition("'")[0]
        return f"{task.strip()} needs --{word.replace('_', '-')}"
    return text if type(error).__name__.endswith("ParameterException") else None
