"""Which files a source has, and how each of them is opened."""

from __future__ import annotations

import fnmatch
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast
from urllib.parse import urlsplit

from isal import igzip, isal_zlib
from isal.igzip_lib import IsalError

from pipeline.core.dumps import Source, SourceKind
from pipeline.core.failures import ConfigError
from pipeline.core.storage.filesystem import Storage

WARC_NAME = re.compile(r"\.w?arc(\.gz)?$", re.IGNORECASE)
HTML_NAME = re.compile(r"\.(html?|xhtml)$", re.IGNORECASE)
TEXT_NAME = re.compile(r"\.(txt|text|md|markdown)(\.gz)?$", re.IGNORECASE)
ROWS_NAME = re.compile(r"\.(parquet|(jsonl|ndjson)(\.gz)?|json\.gz)$", re.IGNORECASE)
LIST_NAME = re.compile(r"\.paths(\.gz)?$|\.txt$", re.IGNORECASE)

NAMES: Mapping[str, tuple[re.Pattern[str], ...]] = {
    SourceKind.WARC: (WARC_NAME,),
    SourceKind.PAGES: (HTML_NAME, ROWS_NAME),
    SourceKind.TEXTS: (TEXT_NAME, ROWS_NAME),
}
"""How files are called that a source of each kind takes; others in a folder are passed over."""

MADE_OF: Mapping[str, str] = {
    SourceKind.WARC: "WARC or ARC files (.warc, .warc.gz, .arc, .arc.gz)",
    SourceKind.PAGES: "HTML pages (.html), Parquet or JSON Lines (.parquet, .jsonl, .jsonl.gz)",
    SourceKind.TEXTS: "texts (.txt, .md), Parquet or JSON Lines (.parquet, .jsonl, .jsonl.gz)",
}


@dataclass(frozen=True)
class SourceFiles:
    """The files of a source, sorted by name.

    Attributes:
        root: where they lie; for a list of addresses, where they are kept once fetched.
        sizes: bytes of each by its path from there; for addresses 0.
        is_list: whether the names are addresses, or paths of the crawl, that are to be fetched.
    """

    root: Storage
    sizes: Mapping[str, int]
    is_list: bool = False

    def open(self, name: str) -> BinaryIO:
        """A seekable file."""
        if self.root.is_local:
            return Path(self.root.full(name)).open("rb")
        return cast(BinaryIO, io.BufferedReader(self.root.open(name)))


def files_of(source: Source) -> SourceFiles:
    """The files that a source names.

    Raises:
        ConfigError: there is nothing of its kind.
    """
    if not source.path:
        raise ConfigError(
            "[source] path is empty: name a file, a folder, a pattern such as pages/*.html, or a "
            "list of addresses"
        )
    if _is_list(source):
        return SourceFiles(Storage("."), dict.fromkeys(sorted(set(_listed(source.path))), 0), True)
    root, names = _candidates(source.path)
    if len(names) != 1:
        names = {name: size for name, size in names.items() if _is_wanted(name, source.kind)}
    if not names:
        raise ConfigError(
            f"{_shown(source.path)} holds no {MADE_OF[source.kind]}: look at [source] path and kind"
        )
    return SourceFiles(root, names)


def _is_list(source: Source) -> bool:
    if not LIST_NAME.search(source.path) or not Path(source.path).is_file():
        return False
    return source.kind == SourceKind.WARC or not source.path.lower().endswith(".txt")


def _listed(path: str) -> Iterator[str]:
    opened = igzip.open if path.lower().endswith(".gz") else open
    with opened(path, "rb") as file:
        try:
            lines = file.read().decode().split("\n")
        except (UnicodeDecodeError, OSError, EOFError) as error:
            raise ConfigError(f"{path} is no list of addresses ({error})") from error
    for line in (line.strip() for line in lines):
        if not line or line.startswith("#"):
            continue
        if "?" in line or len(line) > 2000 or any(blank in line for blank in " \t\0"):
            raise ConfigError(f"{path} is no list of addresses: {line[:80]!r}")
        yield line


def _candidates(path: str) -> tuple[Storage, dict[str, int]]:
    """The root and all files below it that the path means, hidden ones left out."""
    above, name, pattern = _cut(path)
    root = Storage(above)
    try:
        if name and not pattern:
            size = root.size(name)
            if size is not None:
                return root, {name: size}
            root, name = Storage(_below(above, name)), ""
        names = root.tree("") if root.is_local is False else _local_tree(root)
    except OSError as error:
        raise ConfigError(f"[source] path = {_shown(path)} cannot be read ({error})") from error
    if pattern:
        names = {name: size for name, size in names.items() if fnmatch.fnmatch(name, pattern)}
    return root, names


def _local_tree(root: Storage) -> dict[str, int]:
    if not Path(root.full("")).is_dir():
        raise ConfigError(f"there is no {root.root}: look at the path")
    return {
        name: size
        for name, size in root.tree("").items()
        if not any(part.startswith(".") for part in PurePosixPath(name).parts)
    }


def _cut(path: str) -> tuple[str, str, str]:
    """Folder, name of what lies in it, and pattern, of which one is empty.

    >>> _cut("/a/b/c.warc"), _cut("/a/b*/c.warc")
    (('/a/b', 'c.warc', ''), ('/a', '', 'b*/c.warc'))
    >>> _cut("s3://bucket/a?region=x")
    ('s3://bucket?region=x', 'a', '')
    """
    options = ""
    if "://" in path:
        path, mark, said = path.partition("?")
        options = mark + said
    parts = path.rstrip("/").split("/")
    for place, part in enumerate(parts):
        if any(sign in part for sign in "*[") or ("?" in part and "://" not in path):
            return ("/".join(parts[:place]) or ".") + options, "", "/".join(parts[place:])
    above = "/".join(parts[:-1])
    if "://" in path and len(parts) <= 3:
        return path + options, "", ""
    return (above or ("/" if path.startswith("/") else ".")) + options, parts[-1], ""


def _below(above: str, name: str) -> str:
    folder, mark, options = above.partition("?")
    return f"{folder.rstrip('/')}/{name}{mark}{options}"


def _is_wanted(name: str, kind: str) -> bool:
    return any(form.search(name) for form in NAMES[kind])


def _shown(path: str) -> str:
    return Storage(path).shown_url


def guessed_kind(path: str) -> str:
    """The kind of what a path holds, by the names of its files.

    Raises:
        ConfigError: it holds nothing that can be read here, or several kinds.
    """
    if LIST_NAME.search(path) and Path(path).is_file() and not path.endswith(".txt"):
        return str(SourceKind.WARC)
    names = _candidates(path)[1]
    told = {
        SourceKind.WARC: [name for name in names if WARC_NAME.search(name)],
        SourceKind.PAGES: [name for name in names if HTML_NAME.search(name)],
        SourceKind.TEXTS: [name for name in names if TEXT_NAME.search(name)],
    }
    kinds = [str(kind) for kind, held in told.items() if held]
    if len(kinds) == 1:
        return kinds[0]
    if len(kinds) > 1:
        raise ConfigError(
            f"{_shown(path)} holds files of several kinds ({', '.join(kinds)}): say which with "
            f"--kind"
        )
    if any(ROWS_NAME.search(name) for name in names):
        raise ConfigError(
            f"{_shown(path)} holds tables: say --kind pages, of which the column html is read, or "
            "--kind texts, of which the column text is"
        )
    raise ConfigError(
        f"{_shown(path)} holds nothing that can be read here: WARC or ARC files, HTML pages, "
        "texts (.txt, .md), Parquet or JSON Lines"
    )


def unpacked(file: BinaryIO) -> BinaryIO:
    """The file, or what it unpacks to if it is gzip; going back means unpacking anew."""
    start = file.read(2)
    file.seek(0)
    return (
        cast(BinaryIO, igzip.IGzipFile(fileobj=cast(Any, file))) if start == b"\x1f\x8b" else file
    )


DAMAGE = (OSError, EOFError, IsalError)
"""What reading a file raises that is damaged or gone."""


def start_of(file: BinaryIO, size: int = 4096) -> bytes:
    """The first bytes of a file, unpacked, which is then at its start again; none if damaged."""
    start = file.read(size)
    file.seek(0)
    if not start.startswith(b"\x1f\x8b"):
        return start
    try:
        return bytes(isal_zlib.decompressobj(wbits=31).decompress(start, size))
    except IsalError:
        return b""


def host_of(address: str) -> tuple[str, str]:
    """The root of an address and the path below it.

    >>> host_of("https://a.example/b/c.warc.gz")
    ('https://a.example', '/b/c.warc.gz')
    """
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}", parts.path
