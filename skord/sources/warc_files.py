"""The records of a WARC or ARC file with their places, and a record read again at its place.

Four forms occur. Most files are gzip members with a record each: a place is a member, and its
bytes are handed on as they are. In plain files, and in those that were packed as a whole, a place
is a stretch of the (unpacked) file. ARC records get the WARC headers that fit them.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

from isal import igzip
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeadersParserException

from skord.core.failures import ShardError
from skord.crawl.warc.framing import (
    BadRecord,
    RecordFailure,
    WARCRecord,
    read_records,
    records_of,
)
from skord.crawl.warc.gzip import MAX_MEMBER_BYTES, BrokenMember, Member, first_member, gzip_members
from skord.sources.files import DAMAGE, start_of, unpacked_file


@dataclass(frozen=True, slots=True)
class Placed:
    """A record, and the bytes of the file from which it can be read again."""

    offset: int
    length: int
    record: WARCRecord


class NotWARCError(ShardError):
    """A file is neither WARC nor ARC."""


def check_start(file: BinaryIO, name: str) -> None:
    """Raise NotWARCError unless the file begins like a WARC or ARC file."""
    start = start_of(file)
    if not start.lstrip().startswith((b"WARC/", b"filedesc:")) and b"\nWARC/" not in start:
        raise NotWARCError(f"{name} is neither a WARC nor an ARC file: take it out of the source")


def placed_records(file: BinaryIO) -> Iterator[Placed | BadRecord]:
    """Every record of a file in order, bad ones in their places."""
    form = _form_of(file)
    if form.is_members:
        yield from _of_members(file, is_arc=form.is_arc)
    elif form.is_arc:
        yield from _of_arc(unpacked_file(file))
    else:
        yield from _of_stretch(unpacked_file(file))


@dataclass(frozen=True, slots=True)
class _Form:
    is_arc: bool
    is_members: bool


def _form_of(file: BinaryIO) -> _Form:
    is_gzip = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    if not is_gzip:
        return _Form(start_of(file).lstrip().startswith(b"filedesc:"), is_members=False)
    first = first_member(file)
    file.seek(0)
    if not isinstance(first, Member):  # merely too long to be a record
        is_one_stream = first is not None and str(first.reason) == "too_large"
        return _Form(is_arc=False, is_members=not is_one_stream)
    if first.data.lstrip().startswith(b"filedesc:"):
        return _Form(is_arc=True, is_members=len(list(_arc_records(first.data, 0))) == 1)
    return _Form(is_arc=False, is_members=len(list(records_of(first, MAX_MEMBER_BYTES))) == 1)


def _of_members(file: BinaryIO, *, is_arc: bool) -> Iterator[Placed | BadRecord]:
    for item in gzip_members(file):
        if isinstance(item, BrokenMember):
            yield BadRecord(item.offset, RecordFailure.BAD_GZIP, str(item.reason))
            continue
        records = (
            _arc_records(item.data, item.offset) if is_arc else records_of(item, MAX_MEMBER_BYTES)
        )
        for record in records:
            if isinstance(record, BadRecord):
                yield record
            else:
                yield Placed(item.offset, item.length, record)


def _of_stretch(file: BinaryIO) -> Iterator[Placed | BadRecord]:
    """Each record ends where the next begins, or at the file's end."""
    held: WARCRecord | None = None
    for record in read_records(cast(BinaryIO, _Forward(file))):
        if held is not None:
            yield Placed(held.offset, record.offset - held.offset, held)
        held = record if isinstance(record, WARCRecord) else None
        if isinstance(record, BadRecord):
            yield record
    if held is not None:
        yield Placed(held.offset, file.seek(0, io.SEEK_END) - held.offset, held)


class _Forward(io.RawIOBase):
    """A file without its `seek`, and whose damage is its end."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file

    def read(self, size: int = -1) -> bytes:
        """The next bytes, or none after damage."""
        try:
            return self._file.read(size)
        except DAMAGE:
            return b""


def _of_arc(file: BinaryIO) -> Iterator[Placed | BadRecord]:
    archive = ArchiveIterator(file, no_record_parse=True, arc2warc=True)
    try:
        for record in archive:
            block = record.raw_stream.read()
            headers = _arc_headers(record)
            offset = archive.get_record_offset()
            yield Placed(offset, archive.get_record_length(), WARCRecord(offset, headers, block))
    except (ArchiveLoadFailed, StatusAndHeadersParserException, ValueError, *DAMAGE) as error:
        yield BadRecord(archive.get_record_offset() or 0, RecordFailure.BAD_WARC, str(error))


def _arc_records(data: bytes, offset: int) -> Iterator[WARCRecord | BadRecord]:
    for placed in _of_arc(io.BytesIO(data)):
        if isinstance(placed, BadRecord):
            yield BadRecord(offset, placed.reason, placed.detail)
        else:
            yield WARCRecord(offset, placed.record.headers, placed.record.block)


def _arc_headers(record: object) -> tuple[tuple[str, str], ...]:
    """Those that the format has; warcio makes up an id at random."""
    pairs = record.rec_headers.headers  # type: ignore[attr-defined]
    return tuple(pair for pair in pairs if pair[0] != "WARC-Record-ID")


class WARCReader:
    """Reads records again at their places; in a file packed as a whole, best in their order."""

    def __init__(self, file: BinaryIO) -> None:
        self._form = _form_of(file)
        self._file = file
        self._plain = file if self._form.is_members else unpacked_file(file)

    def at(self, offset: int, length: int) -> tuple[bytes, list[WARCRecord]]:
        """The bytes at a place, and the records in them.

        Raises:
            those of DAMAGE: the file is damaged there.
        """
        self._plain.seek(offset)
        data = self._plain.read(length)
        if self._form.is_arc:
            plain = igzip.decompress(data) if self._form.is_members else data
            records = list(_arc_records(plain, offset))
        else:
            records = list(read_records(io.BytesIO(data)))
        return data, [record for record in records if isinstance(record, WARCRecord)]

    @property
    def hands_on(self) -> bool:
        """Whether the bytes at a place are a gzip member of WARC as they stand."""
        return self._form.is_members and not self._form.is_arc
