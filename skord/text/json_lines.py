"""Documents as JSON lines in gzip members that can be laid end to end."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from skord.core.failures import ShardError

MEMBER_BYTES = 2 << 20
"""Unpacked size at which a member is closed; what is held of a language and bucket at a time."""

_LEVEL = 6
_GZIP_WRAPPED = 31


class JSONMember:
    """Documents on their way into one gzip member (RFC 1952; no time, no name).

    Attributes:
        documents: how many it holds.
        raw_bytes: of JSON, unpacked.
    """

    def __init__(self) -> None:
        self._deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP_WRAPPED)
        self._packed: list[bytes] = []
        self.documents = 0
        self.raw_bytes = 0

    def add(self, document: Mapping[str, Any]) -> None:
        """Add one line."""
        line = (json.dumps(document, ensure_ascii=False) + "\n").encode()
        self._packed.append(self._deflate.compress(line))
        self.documents += 1
        self.raw_bytes += len(line)

    @property
    def is_full(self) -> bool:
        """Whether it should be closed."""
        return self.raw_bytes >= MEMBER_BYTES

    def close(self) -> bytes:
        """The whole member; nothing can be added any more."""
        return b"".join([*self._packed, self._deflate.flush()])


def write_json_lines(path: Path, documents: Iterable[Mapping[str, Any]]) -> int:
    """Write a gzip file of one or more members; returns how many documents."""
    written = 0
    member = JSONMember()
    with path.open("wb") as file:
        for document in documents:
            member.add(document)
            written += 1
            if member.is_full:
                file.write(member.close())
                member = JSONMember()
        if member.documents or not written:
            file.write(member.close())
    return written


def read_json_lines(path: Path) -> Iterator[Any]:
    """What each line of a file holds, None for a line that is no JSON; gzipped if it says so.

    Raises:
        ShardError: the file is damaged.
    """
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            for line in file:
                if line.strip():
                    yield _parsed(line)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ShardError(f"{path} is damaged ({error}): fetch or make it again") from error


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
