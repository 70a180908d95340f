"""The records of selected pages, read again at their places and written as gzip members."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import BinaryIO

from skord.core.closing import Closing
from skord.core.dumps import Source, SourceKind
from skord.core.failures import DocumentError, FailureCode
from skord.crawl.warc.fetch import FetchedRecord, WantedRecord
from skord.crawl.warc.framing import WARCRecord
from skord.crawl.warc.records import http_parts
from skord.crawl.warc.written_records import page_member, record_member, sha1_base32, text_member
from skord.sources.files import DAMAGE, ROWS_NAME, unpacked_file
from skord.sources.pages import as_bytes, record_id, text_mime
from skord.sources.rows import LineError, RowReader
from skord.sources.warc_files import WARCReader


class ReadAgain(FailureCode):
    """Why a page cannot be read a second time."""

    source_changed = "source_changed"
    """The file is gone, or holds something else at that place than when it was first read."""


class SourceReader(Closing):
    """Reads records again; one file is open at a time.

    Args:
        source: what the files are of.
        open_file: opens one by its path in the source.
    """

    def __init__(self, source: Source, open_file: Callable[[str], BinaryIO]) -> None:
        self._source = source
        self._open_file = open_file
        self._name: str | None = None
        self._file: BinaryIO | None = None
        self._records: WARCReader | None = None
        self._rows: RowReader | None = None

    def close(self) -> None:
        """Close the file that is open."""
        if self._file is not None:
            self._file.close()
        self._name = self._file = self._records = self._rows = None

    def member(
        self,
        page_id: str,
        url: str,
        date: str | None,
        place: tuple[str, int, int],
        digest: str | None,
    ) -> bytes:
        """The page's record as one gzip member.

        Args:
            digest: SHA-1 of what was stored there, in base32; None: not compared.

        Raises:
            DocumentError: source_changed.
        """
        name, offset, length = place
        try:
            self._turn_to(name)
            record, stored = self._at(page_id, url, date, name, (offset, length))
        except (*DAMAGE, LineError, LookupError, ValueError, StopIteration) as error:
            raise DocumentError(ReadAgain.source_changed, str(error)) from error
        if digest is not None and sha1_base32(stored) != digest:
            raise DocumentError(ReadAgain.source_changed, f"{name} at {offset}")
        return record

    def _turn_to(self, name: str) -> None:
        if name == self._name:
            return
        self.close()
        self._file, self._name = self._open_file(name), name
        if self._source.kind == SourceKind.WARC:
            self._records = WARCReader(self._file)
        elif ROWS_NAME.search(name):
            self._rows = RowReader(self._file, name, [self._source.content_column])

    def _at(
        self, page_id: str, url: str, date: str | None, name: str, place: tuple[int, int]
    ) -> tuple[bytes, bytes]:
        """The member, and what its digest is of."""
        if self._records is not None:
            return self._warc_record(self._records, page_id, name, place)
        if self._rows is not None:
            content = self._rows.at(*place)[self._source.content_column]
            charset = "utf-8" if isinstance(content, str) else ""
            stored = as_bytes(content)
        else:
            assert self._file is not None
            self._file.seek(0)
            stored = unpacked_file(self._file).read()
            charset = ""
        if self._source.is_text:
            mime = text_mime(self._source, name)
            return text_member(page_id, url, date, stored, mime), stored
        return page_member(page_id, url, date, stored, charset), stored

    def _warc_record(
        self, reader: WARCReader, page_id: str, name: str, place: tuple[int, int]
    ) -> tuple[bytes, bytes]:
        data, records = reader.at(*place)
        record = next(one for one in records if record_id(one, name, place[0]) == page_id)
        stored = http_parts(record.block)[2]
        if reader.hands_on and len(records) == 1 and record.header("WARC-Record-ID"):
            return data, stored
        return record_member(_with_id(record, page_id), record.block), stored


def fetch_own(
    source: Source,
    names: Collection[str],
    open_file: Callable[[str], BinaryIO],
    wanted: Sequence[WantedRecord],
) -> list[FetchedRecord]:
    """Records of a source by given places, in order; no other files are opened.

    Args:
        source: what the files are of.
    """
    with SourceReader(source, open_file) as reader:
        return [_fetched_pages(names, reader, one) for one in wanted]


def _fetched_pages(
    names: Collection[str], reader: SourceReader, wanted: WantedRecord
) -> FetchedRecord:
    if wanted.warc_file not in names:
        return _not_there(wanted, str(ReadAgain.source_changed))
    place = (wanted.warc_file, wanted.offset, wanted.length)
    try:
        record = reader.member(wanted.id, wanted.url, None, place, wanted.digest)
    except DocumentError as error:
        return _not_there(wanted, str(error.code))
    return FetchedRecord(wanted.id, None, 1, len(record), None, None, record)


def _not_there(wanted: WantedRecord, code: str) -> FetchedRecord:
    return FetchedRecord(wanted.id, None, 1, None, None, code, None)


def _with_id(record: WARCRecord, page_id: str) -> list[tuple[str, str]]:
    others = [pair for pair in record.headers if pair[0].lower() != "warc-record-id"]
    return [*others, ("WARC-Record-ID", f"<{page_id}>")]
