"""One filesystem layer under everything that is written: a local folder or `s3://`.

A path here is always relative to the storage's root and uses "/". Writing goes through
`Storage.writing`: the file is built under a temporary name on a local disk and appears
whole or not at all, by `rename` locally and by one finished upload on S3 (where an
unfinished upload is invisible).
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import hashlib
import os
import re
import shutil
import socket
import stat
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import pyarrow as pa
from pyarrow import fs

from skord.core.failures import ConfigError, ShardError

T = TypeVar("T")
U = TypeVar("U")

REQUESTS_AT_ONCE = 16
"""Of an object store, by one process that asks for thousands of small things."""

PARTIAL = "_partial"
"""Folder under a local root that holds files in the making; never part of the result."""


class FileState(NamedTuple):
    """A file in a listing: bytes, and when it was changed last."""

    size: int
    modified_ns: int


@dataclass(frozen=True)
class Storage:
    """Files under one root.

    Args:
        url: a local folder, or `s3://bucket/prefix`, with options such as
            `?endpoint_override=http://127.0.0.1:5000&region=us-east-1` as
            `pyarrow.fs.FileSystem.from_uri` understands them.
    """

    url: str

    @cached_property
    def is_local(self) -> bool:
        """Whether the root is a folder on this machine (or a mounted share)."""
        return "://" not in self.url

    @property
    def shown_url(self) -> str:
        """The root for messages: keys and passwords left out."""
        return without_secrets(self.url)

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        if self.is_local:
            return fs.LocalFileSystem(), self.root
        try:
            filesystem, root = fs.FileSystem.from_uri(self.url)
        except (pa.ArrowInvalid, OSError) as error:
            raise ConfigError(
                f"[pipeline] data_dir = {self.shown_url!r} cannot be opened "
                f"({without_secrets(str(error))}): give a folder or s3://bucket/prefix"
            ) from error
        return filesystem, root.rstrip("/")

    @property
    def root(self) -> str:
        """The root as the filesystem below spells it."""
        return str(Path(self.url).absolute()) if self.is_local else str(self._opened[1])

    def full(self, path: str) -> str:
        """The path as the filesystem below spells it; for messages and for pyarrow."""
        return f"{self.root}/{path}"

    def shown(self, path: str) -> str:
        """The path as a person would type it."""
        if self.is_local:
            return self.full(path)
        return f"{urlsplit(self.url).scheme}://{self.full(path)}"

    # -- reading ---------------------------------------------------------------

    def size(self, path: str) -> int | None:
        """Bytes of the file, or None when there is no such file."""
        if self.is_local:
            state = _state_of(self.full(path))
            return state and state.size
        info = self._opened[0].get_file_info(self.full(path))
        return int(info.size) if info.is_file else None

    def modified(self, path: str) -> datetime | None:
        """When the file was written, in UTC, or None when there is no such file."""
        if self.is_local:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                return datetime.fromtimestamp(Path(self.full(path)).stat().st_mtime, UTC)
            return None
        info = self._opened[0].get_file_info(self.full(path))
        return info.mtime if info.is_file else None

    def modified_ns(self, path: str) -> int:
        """When the file was written, in nanoseconds since 1970; 0 where there is none."""
        if self.is_local:
            state = _state_of(self.full(path))
            return state.modified_ns if state else 0
        info = self._opened[0].get_file_info(self.full(path))
        return int(info.mtime_ns) if info.is_file else 0

    def sha256(self, path: str) -> str:
        """Digest of a file, in hexadecimal."""
        digest = hashlib.sha256()
        with self.stream(path) as stream:
            while piece := stream.read(1 << 20):
                digest.update(piece)
        return digest.hexdigest()

    def gzip_fault(self, path: str) -> str | None:
        """What is wrong with a gzip file by its own checksums; None where it is whole."""
        try:
            with self.stream(path) as stream, gzip.open(stream) as file:
                while file.read(8 << 20):
                    pass
        except (OSError, EOFError, zlib.error) as error:
            return f"it cannot be unpacked ({error})"
        return None

    def exists(self, path: str) -> bool:
        """Whether the file is there."""
        return self.size(path) is not None

    def names(self, folder: str) -> list[str]:
        """Sorted names of what lies directly in the folder; empty when there is none."""
        if self.is_local:  # where a listing need not ask for the state of each file
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                return sorted(path.name for path in Path(self.full(folder)).iterdir())
            return []
        return sorted(info.base_name for info in self._infos(folder))

    def sizes(self, folder: str) -> dict[str, int]:
        """Bytes of each file that lies directly in the folder, by name."""
        return {name: state.size for name, state in self.states(folder).items()}

    def states(self, folder: str) -> dict[str, FileState]:
        """Size and time of change of each file that lies directly in the folder, by name."""
        if self.is_local:
            states = {name: _state_of(self.full(f"{folder}/{name}")) for name in self.names(folder)}
            return {name: state for name, state in states.items() if state is not None}
        return {
            info.base_name: FileState(info.size, info.mtime_ns)
            for info in self._infos(folder)
            if info.is_file
        }

    def _infos(self, folder: str, *, recursive: bool = False) -> Any:
        """The object store's listing of the folder."""
        where = self.full(folder)
        selector = fs.FileSelector(where, allow_not_found=True, recursive=recursive)
        return self._opened[0].get_file_info(selector)

    def each(self, function: Callable[[T], U], items: Iterable[T]) -> Iterator[U]:
        """What the function gives for each; where a request takes its time, several at once."""
        if self.is_local:
            yield from map(function, items)
            return
        with ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
            yield from pool.map(function, items)

    def tree(self, folder: str) -> dict[str, int]:
        """Bytes of each file in the folder and below it, by its path from there, sorted."""
        return {path: state.size for path, state in self.tree_states(folder).items()}

    def tree_states(self, folder: str) -> dict[str, FileState]:
        """Size and time of change of each file in the folder and below it, by its path, sorted."""
        whole = self.full(folder).rstrip("/")
        if self.is_local:
            files = (f"{inner}/{name}" for inner, _, names in os.walk(whole) for name in names)
            states = ((path, _state_of(path)) for path in files)
        else:
            infos = self._infos(folder, recursive=True)
            states = ((i.path, FileState(i.size, i.mtime_ns)) for i in infos if i.is_file)
        start = len(f"{whole}/")
        return dict(sorted((path[start:], state) for path, state in states if state is not None))

    def tree_bytes(self, folder: str) -> int:
        """Bytes of all files in the folder and below it; 0 when there is none."""
        return sum(self.tree(folder).values())

    def open(self, path: str) -> Any:
        """A seekable binary file, read from wherever it lies."""
        return self._opened[0].open_input_file(self.full(path))

    def stream(self, path: str) -> Any:
        """A binary file read forwards, undecoded (a `.gz` name stays compressed)."""
        return self._opened[0].open_input_stream(self.full(path), compression=None)

    def read(self, path: str) -> bytes:
        """The whole of a small file."""
        if self.is_local:
            return Path(self.full(path)).read_bytes()
        with self.open(path) as file:
            return bytes(file.read())

    # -- writing ---------------------------------------------------------------

    @contextmanager
    def writing(self, path: str | Callable[[], str]) -> Iterator[Path]:
        """Give a local path to write; publish it under `path` when the block ends well.

        A function is asked for the path at the end of the block.
        """
        folder = Path(self.root, PARTIAL) if self.is_local else Path(tempfile.gettempdir())
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=_owner_prefix(), dir=folder)
        os.close(handle)
        partial = Path(name)
        try:
            yield partial
            self._publish(partial, path if isinstance(path, str) else path())
        finally:
            partial.unlink(missing_ok=True)

    def write(self, path: str, data: bytes) -> None:
        """Write a small file, whole or not at all."""
        with self.writing(path) as partial:
            partial.write_bytes(data)

    def _publish(self, partial: Path, path: str) -> None:
        if self.is_local:
            target = Path(self.full(path))
            target.parent.mkdir(parents=True, exist_ok=True)
            partial.chmod(0o666 & ~_umask())
            with partial.open("rb") as file:
                os.fsync(file.fileno())
            partial.replace(target)
            return
        filesystem, _ = self._opened
        sink = filesystem.open_output_stream(self.full(path), compression=None)
        with partial.open("rb") as source, sink:
            shutil.copyfileobj(source, sink, 8 << 20)
        if self.size(path) != partial.stat().st_size:
            self.delete(path)
            raise ShardError(f"{self.shown(path)} arrived with another size; run again")

    def move(self, path: str, to: str) -> None:
        """Give a file another name."""
        if self.is_local:
            Path(self.full(path)).replace(self.full(to))
        else:
            self._opened[0].move(self.full(path), self.full(to))

    def delete(self, path: str) -> None:
        """Remove the file if it is there."""
        if self.is_local:
            Path(self.full(path)).unlink(missing_ok=True)
        elif self.exists(path):
            with contextlib.suppress(FileNotFoundError):  # another process may have been faster
                self._opened[0].delete_file(self.full(path))

    def delete_folder(self, folder: str) -> None:
        """Remove the folder and all in it, if it is there."""
        if self.is_local:
            with contextlib.suppress(FileNotFoundError):
                shutil.rmtree(self.full(folder))
        elif self._opened[0].get_file_info(self.full(folder)).type.name == "Directory":
            with contextlib.suppress(FileNotFoundError):
                self._opened[0].delete_dir(self.full(folder))

    def sweep(self) -> int:
        """Remove what killed processes of this host left half written; returns how many.

        Files of other hosts stay: on a shared disk their writers may be alive.
        """
        if not self.is_local:
            return 0
        dead = [path for path in Path(self.root, PARTIAL).glob("*") if _is_dead(path.name)]
        for path in dead:
            path.unlink(missing_ok=True)
        return len(dead)

    # -- before work starts ----------------------------------------------------

    def check(self, min_free_gb: float) -> None:
        """Raise ConfigError unless a file can be written here and there is room."""
        try:
            if self.is_local:
                self._check_room(min_free_gb)
            else:
                probe = f"{PARTIAL}/{_owner_prefix()}probe"
                self.write(probe, b"probe")
                self.delete(probe)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise ConfigError(
                    f"{self.shown_url} has no room for one more file: free some space, or where "
                    "df -i shows that no inodes are left, remove some files"
                ) from error
            raise ConfigError(
                f"[pipeline] data_dir = {self.shown_url!r} cannot be written "
                f"({without_secrets(str(error))}): "
                "name a folder or bucket that you may write to"
            ) from error

    def _check_room(self, min_free_gb: float) -> None:
        root = Path(self.root)
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            free_gb = shutil.disk_usage(root).free / 1e9
        if free_gb < min_free_gb:
            raise ConfigError(
                f"{root} has {free_gb:.1f} GB free, less than [pipeline] min_free_gb = "
                f"{min_free_gb:g}: free some space or set data_dir to another disk"
            )


def _state_of(path: str) -> FileState | None:
    """Size and time of change of a local file; None where there is none."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        state = os.stat(path)  # noqa: PTH116 - of ten thousand shards, twice as fast
        is_file = stat.S_ISREG(state.st_mode)
        return FileState(state.st_size, state.st_mtime_ns) if is_file else None
    return None


def without_secrets(text: str) -> str:
    """A text whose addresses name nobody's key.

    >>> without_secrets("s3://KEY:SECRET@bucket/web: no such bucket")
    's3://***@bucket/web: no such bucket'
    """
    return re.sub(r"://[^/@\s]+@", "://***@", text)


def _owner_prefix() -> str:
    return f"{socket.gethostname()}-{os.getpid()}-"


def _is_dead(name: str) -> bool:
    host, _, rest = name.rpartition("-")[0].rpartition("-")
    if host != socket.gethostname() or not rest.isdigit():
        return False
    return not Path(f"/proc/{rest}").exists()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A name beside a file of a user's own; what is written under it gets the file's own in the end.

    Nothing is left of what is broken off. Results of tasks are written by `Storage.writing`.

    Raises:
        OSError: of the file's own name: it cannot be written there.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        yield partial
        partial.replace(path)
    except OSError as error:
        if error.filename != str(partial):
            raise
        missing = not path.parent.is_dir()
        raise OSError(error.errno, error.strerror, str(path.parent if missing else path)) from error
    finally:
        partial.unlink(missing_ok=True)
