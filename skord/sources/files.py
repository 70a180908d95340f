"""Which files a source has, and how each of them is opened."""

from __future__ import annotations

import fnmatch
import io
import logging
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast
from urllib.parse import urlsplit

import zstandard
from isal import igzip, isal_zlib
from isal.igzip_lib import IsalError

from skord.core.dumps import Source, SourceKind
from skord.core.failures import ConfigError
from skord.core.storage.filesystem import Storage
from skord.crawl.warc.http_body import ZSTANDARD
from skord.crawl.warc.payload import HTML_NAME

logger = logging.getLogger("luigi-interface")

WARC_NAME = re.compile(r"\.w?arc(\.gz|\.zst)?$", re.IGNORECASE)
TEXT_NAME = re.compile(r"\.(txt|text|md|markdown)(\.gz|\.zst)?$", re.IGNORECASE)
ROWS_NAME = re.compile(
    r"\.(parquet|(jsonl|ndjson|csv|tsv)(\.gz|\.zst)?|json\.(gz|zst))$", re.IGNORECASE
)
LIST_NAME = re.compile(r"\.paths(\.gz)?$|\.txt$", re.IGNORECASE)

GZIP = b"\x1f\x8b"
"""How files packed with gzip begin."""

STEP = 1 << 20
"""Bytes that are unpacked at once to pass over them."""

BUCKET = "s3://"

NAMES: Mapping[str, tuple[re.Pattern[str], ...]] = {
    SourceKind.WARC: (WARC_NAME,),
    SourceKind.PAGES: (HTML_NAME, ROWS_NAME),
    SourceKind.TEXTS: (TEXT_NAME, ROWS_NAME),
}
"""How files are called that a source of each kind takes; others in a folder are passed over."""

MADE_OF: Mapping[str, str] = {
    SourceKind.WARC: "WARC or ARC files (.warc, .arc; .gz, .zst)",
    SourceKind.PAGES: "HTML pages (.html), Parquet, JSON Lines or CSV (.parquet; .jsonl, .csv, .gz, .zst)",
    SourceKind.TEXTS: "texts (.txt, .md), Parquet, JSON Lines or CSV (.parquet; .jsonl, .csv, .gz, .zst)",
}


@dataclass(frozen=True)
class SourceFiles:
    """The files of a source, sorted by name.

    Attributes:
        root: where they lie; for a list of addresses, where they are kept once fetched.
        sizes: bytes of each by its path from there; for addresses 0.
        stored_names: names of files whose bytes are no UTF-8, as the system has them, by the name
            under which they are in `sizes`.
        is_list: whether the names are addresses, or paths of the crawl: those of `s3://` are read
            where they lie, all others fetched.
    """

    root: Storage
    sizes: Mapping[str, int]
    is_list: bool = False
    stored_names: Mapping[str, str] = field(default_factory=dict)

    def open(self, name: str) -> BinaryIO:
        """A seekable file."""
        if name.startswith(BUCKET):
            above, name, _ = _cut_at_pattern(name)
            return replace(self, root=Storage(above)).open(name)
        if self.root.is_local:
            return Path(self.root.full(self.stored_names.get(name, name))).open("rb")
        return cast(BinaryIO, io.BufferedReader(self.root.open(name)))

    @property
    def fetched(self) -> list[str]:
        """Names of those that must be fetched before they can be read."""
        return [name for name in self.sizes if self.is_list and not name.startswith(BUCKET)]


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
    if _is_address(source.path):
        return SourceFiles(Storage("."), {_fetchable_files(source): 0}, True)
    if _is_list(source):
        return SourceFiles(
            Storage("."), dict.fromkeys(sorted(set(_listed_files(source.path))), 0), True
        )
    root, names = _candidate_files(source.path)
    if len(names) != 1:
        names = {name: size for name, size in names.items() if _is_wanted(name, source.kind)}
    if not names:
        raise ConfigError(
            f"{shown_path(source.path)} holds no {MADE_OF[source.kind]}: "
            "look at [source] path and kind"
        )
    stored = {utf8_name(name): name for name in names}
    if len(stored) < len(names):
        raise ConfigError(
            f"{shown_path(source.path)} holds two files that are called alike once bytes outside "
            "UTF-8 are written as %XX: rename one"
        )
    return SourceFiles(
        root,
        dict(sorted((shown, names[name]) for shown, name in stored.items())),
        stored_names={shown: name for shown, name in stored.items() if shown != name},
    )


def utf8_name(name: str) -> str:
    r"""A file's name as columns can hold it: bytes that are no UTF-8 as `%XX`.

    >>> utf8_name(b"k\xe4lla.html".decode("utf-8", "surrogateescape"))
    'k%E4lla.html'
    """
    return _STRAY_BYTE.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", name)


_STRAY_BYTE = re.compile("[\udc80-\udcff]")


def _is_address(path: str) -> bool:
    return path.startswith(("http://", "https://"))


def _fetchable_files(source: Source) -> str:
    if source.kind != SourceKind.WARC:
        raise ConfigError(
            f"{source.path} is an address: only WARC and ARC files are fetched; download it, and "
            "give the file"
        )
    return source.path


def _is_list(source: Source) -> bool:
    if not LIST_NAME.search(source.path) or not Path(source.path).is_file():
        return False
    return source.kind == SourceKind.WARC or not source.path.lower().endswith(".txt")


def _listed_files(path: str) -> Iterator[str]:
    opened = igzip.open if path.lower().endswith(".gz") else open
    with opened(path, "rb") as file:
        try:
            lines = file.read().decode().split("\n")
        except (UnicodeDecodeError, OSError, EOFError) as error:
            raise ConfigError(f"{path} is no list of addresses ({error})") from error
    for line in (line.strip() for line in lines):
        if not line or line.startswith("#"):
            continue
        in_bucket = line.startswith(BUCKET)
        if in_bucket and "@" in line:
            raise ConfigError(
                f"{path} holds a key ({shown_path(line)}): give keys by the environment"
            )
        has_query = "?" in line and not in_bucket
        if has_query or len(line) > 2000 or any(blank in line for blank in " \t\0"):
            raise ConfigError(f"{path} is no list of addresses: {line[:80]!r}")
        yield line


def _candidate_files(path: str) -> tuple[Storage, dict[str, int]]:
    """The root and all files below it that the path means, hidden ones left out."""
    if "\n" in path:
        return _named_files([Path(line) for line in path.split("\n")])
    above, name, pattern = _cut_at_pattern(path)
    root = Storage(above)
    try:
        if name and not pattern:
            size = root.size(name)
            if size is not None:
                return root, {name: size}
            root, name = Storage(_files_below(above, name)), ""
        names = root.tree("") if root.is_local is False else _local_tree(root)
    except OSError as error:
        raise ConfigError(f"[source] path = {shown_path(path)} cannot be read ({error})") from error
    if pattern:
        names = {name: size for name, size in names.items() if fnmatch.fnmatch(name, pattern)}
    return root, names


def _named_files(paths: Sequence[Path]) -> tuple[Storage, dict[str, int]]:
    """Local files, one by one, below the folder that holds them all."""
    root = Path(os.path.commonpath([path.parent for path in paths]))
    if missing := next((path for path in paths if not path.is_file()), None):
        raise ConfigError(f"there is no file {missing}: look at the path")
    return Storage(str(root)), {str(p.relative_to(root)): p.stat().st_size for p in paths}


def _local_tree(root: Storage) -> dict[str, int]:
    if not Path(root.full("")).is_dir():
        raise ConfigError(f"there is no {root.root}: look at the path")
    above = os.path.realpath(root.full(""))
    names, links = {}, 0
    for name, size in root.tree("").items():
        if any(part.startswith(".") for part in PurePosixPath(name).parts):
            continue
        if _leads_out(root.full(name), above):
            links += 1
        else:
            names[name] = size
    if links:
        _warn_of_links(root.root, links)
    return names


def _leads_out(path: str, above: str) -> bool:
    """Whether a file is a link to what lies outside of a folder."""
    return os.path.islink(path) and not Path(os.path.realpath(path)).is_relative_to(above)  # noqa: PTH114 - of many files, faster


@lru_cache
def _warn_of_links(root: str, links: int) -> None:
    """Say it once, however often the folder is listed."""
    logger.warning(
        "%s holds links to %d file%s elsewhere, which are left out: name the folder where they lie",
        root,
        links,
        "s" * (links != 1),
    )


def _cut_at_pattern(path: str) -> tuple[str, str, str]:
    """Folder, name of what lies in it, and pattern, of which one is empty.

    >>> _cut_at_pattern("/a/b/c.warc"), _cut_at_pattern("/a/b*/c.warc")
    (('/a/b', 'c.warc', ''), ('/a', '', 'b*/c.warc'))
    >>> _cut_at_pattern("s3://bucket/a?region=x")
    ('s3://bucket?region=x', 'a', '')
    """
    options = ""
    if "://" in path:
        path, mark, query = path.partition("?")
        options = mark + query
    parts = path.rstrip("/").split("/")
    for place, part in enumerate(parts):
        if any(sign in part for sign in "*[") or ("?" in part and "://" not in path):
            return ("/".join(parts[:place]) or ".") + options, "", "/".join(parts[place:])
    above = "/".join(parts[:-1])
    if "://" in path and len(parts) <= 3:
        return path + options, "", ""
    return (above or ("/" if path.startswith("/") else ".")) + options, parts[-1], ""


def _files_below(above: str, name: str) -> str:
    folder, mark, options = above.partition("?")
    return f"{folder.rstrip('/')}/{name}{mark}{options}"


def _is_wanted(name: str, kind: str) -> bool:
    return any(form.search(name) for form in NAMES[kind])


def shown_path(path: str) -> str:
    """A source's path for messages, keys left out; of many files how many there are.

    >>> shown_path("/a/b"), shown_path("/a/b.html\\n/c.html")
    ('/a/b', '2 files such as /a/b.html')
    """
    first, *more = path.split("\n")
    shown = str(Storage(first).shown_url)
    return f"{len(more) + 1} files such as {shown}" if more else shown


def guessed_kind(path: str) -> str:
    """The kind of what a path holds, by the names of its files.

    Raises:
        ConfigError: it holds nothing that can be read here, or several kinds.
    """
    is_list = LIST_NAME.search(path) and Path(path).is_file() and not path.endswith(".txt")
    if is_list or _is_address(path):
        return str(SourceKind.WARC)
    names = _candidate_files(path)[1]
    found = {
        SourceKind.WARC: [name for name in names if WARC_NAME.search(name)],
        SourceKind.PAGES: [name for name in names if HTML_NAME.search(name)],
        SourceKind.TEXTS: [name for name in names if TEXT_NAME.search(name)],
    }
    kinds = [str(kind) for kind, held in found.items() if held]
    if len(kinds) == 1:
        return kinds[0]
    if len(kinds) > 1:
        raise ConfigError(
            f"{shown_path(path)} holds files of several kinds ({', '.join(kinds)}): "
            "say which with --kind"
        )
    if any(ROWS_NAME.search(name) for name in names):
        raise ConfigError(
            f"{shown_path(path)} holds tables: say --kind pages, of which the column html is "
            "read, or --kind texts, of which the column text is"
        )
    raise ConfigError(
        f"{shown_path(path)} holds nothing that can be read here: WARC or ARC files, HTML pages, "
        "texts (.txt, .md), Parquet, JSON Lines (.jsonl) or CSV"
    )


def unpacked_file(file: BinaryIO) -> BinaryIO:
    """The file, or what it unpacks to if it is gzip or Zstandard; going back unpacks anew."""
    start = file.read(len(ZSTANDARD))
    file.seek(0)
    if start.startswith(GZIP):
        return cast(BinaryIO, igzip.IGzipFile(fileobj=cast(Any, file)))
    if start in (ZSTANDARD, _DICTIONARY_MAGIC):
        return cast(BinaryIO, io.BufferedReader(ZstandardFile(file)))
    return file


class ZstandardFile(io.RawIOBase):
    """What a file of Zstandard frames unpacks to (RFC 8878).

    A dictionary for all frames may stand before them, packed or not, as in `.warc.zst` files (IIPC,
    "Use of Zstandard in WARC Files" 1.0).

    Args:
        file: open at its start, seekable; not closed with this.

    Raises:
        OSError: the dictionary cannot be read.
    """

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        file.seek(0)
        dictionary = _leading_dictionary(file)
        self._frames_start = file.tell()
        self._decompressor = zstandard.ZstdDecompressor(dict_data=dictionary)
        self._restart()

    def _restart(self) -> None:
        self._file.seek(self._frames_start)
        self._frame: Any = None
        self._packed = b""
        self._held = memoryview(b"")
        self._place = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is, forwards; going back unpacks anew."""
        return True

    def tell(self) -> int:
        """Bytes unpacked so far."""
        return self._place

    def readinto(self, buffer: Any) -> int:
        """The next bytes.

        Raises:
            OSError: damage, or the file ends within a frame.
        """
        while not self._held and self._unpack_more():
            pass
        size = min(len(buffer), len(self._held))
        buffer[:size] = self._held[:size]
        self._held = self._held[size:]
        self._place += size
        return size

    def _unpack_more(self) -> bool:
        """Unpack some bytes, whatever comes of them; False at the end of the file."""
        packed = self._packed or self._file.read(_PACKED_BYTES)
        self._packed = b""
        if not packed and self._frame is not None:
            raise OSError("the file ends within a Zstandard frame")
        if not packed:
            return False
        if self._frame is None:
            packed += self._file.read(max(8 - len(packed), 0))
            if _SKIPPABLE.match(packed):
                size = 8 + int.from_bytes(packed[4:8], "little")
                self._packed = packed[size:]
                self._file.seek(max(size - len(packed), 0), io.SEEK_CUR)
                return True
            self._frame = self._decompressor.decompressobj()
        try:
            self._held = memoryview(self._frame.decompress(packed))
        except zstandard.ZstdError as error:
            raise OSError(f"the file is no Zstandard: {error}") from error
        self._packed = self._frame.unused_data
        if self._frame.eof:
            self._frame = None
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place, from the start or, with offset 0, the end."""
        if whence == io.SEEK_CUR:
            offset += self._place
        if whence != io.SEEK_END and offset < self._place:
            self._restart()
        step = bytearray(STEP)
        while whence == io.SEEK_END or self._place < offset:
            wanted = STEP if whence == io.SEEK_END else min(STEP, offset - self._place)
            if not self.readinto(memoryview(step)[:wanted]):
                break
        return self._place


_PACKED_BYTES = 2048
"""Unpacked at once: at most 64 MiB can come out of so much."""

_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18.{4}", re.DOTALL)
_DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"
_MAX_DICTIONARY_BYTES = 64 << 20


def _leading_dictionary(file: BinaryIO) -> zstandard.ZstdCompressionDict | None:
    """The dictionary at the start of a file, which is then read past; None if there is none."""
    head = file.read(8)
    if not head.startswith(_DICTIONARY_MAGIC):
        file.seek(0)
        return None
    size = int.from_bytes(head[4:], "little")
    stored = file.read(min(size, _MAX_DICTIONARY_BYTES))
    if len(stored) < size:
        raise OSError("the dictionary of the Zstandard file is cut short, or too large")
    try:
        if stored.startswith(ZSTANDARD):
            unpacker = zstandard.ZstdDecompressor()
            stored = unpacker.stream_reader(stored).read(_MAX_DICTIONARY_BYTES)
        return zstandard.ZstdCompressionDict(stored)
    except zstandard.ZstdError as error:
        raise OSError(f"the dictionary of the Zstandard file is damaged: {error}") from error


DAMAGE = (OSError, EOFError, IsalError)
"""What reading a file raises that is damaged or gone."""


_START_BYTES = 4096


def start_of(file: BinaryIO) -> bytes:
    """The first bytes of a file, unpacked, which is then at its start again; none if damaged."""
    start = file.read(_START_BYTES)
    file.seek(0)
    if not start.startswith((GZIP, ZSTANDARD, _DICTIONARY_MAGIC)):
        return start
    try:
        if start.startswith(GZIP):
            return _gzip_start(start)
        return ZstandardFile(file).read(_START_BYTES) or b""
    except (IsalError, OSError):
        return b""
    finally:
        file.seek(0)


def _gzip_start(packed: bytes) -> bytes:
    """What the first member that holds anything begins with."""
    while packed:
        member = isal_zlib.decompressobj(wbits=31)
        if (data := bytes(member.decompress(packed, _START_BYTES))) or not member.eof:
            return data
        packed = member.unused_data
    return b""


def root_and_path(address: str) -> tuple[str, str]:
    """The root of an address and the path below it.

    >>> root_and_path("https://a.example/b/c.warc.gz")
    ('https://a.example', '/b/c.warc.gz')
    """
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}", parts.path
