"""Fetch the records of a batch of documents and prove that each is the one meant."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby, islice

import pyarrow as pa

from skord.core.failures import DocumentError, FailureCode
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.shared_columns import FAILURE, ID
from skord.crawl.http.client import ByteRange, Crawl, FetchedRange
from skord.crawl.http.errors import FetchFailure
from skord.crawl.warc.records import proven_response

LEDGER_SCHEMA = pa.schema(
    [
        ID,
        ("status", pa.int16()),
        ("tries", pa.int32()),
        ("bytes", pa.int32()),
        ("digest_ok", pa.bool_()),
        FAILURE,
    ]
)
"""Columns of `ledger_row`."""

MENDABLE = frozenset(
    str(code)
    for code in (
        FetchFailure.FORBIDDEN,
        FetchFailure.THROTTLED,
        FetchFailure.SERVER_ERROR,
        FetchFailure.TIMEOUT,
        FetchFailure.CONNECTION,
        FetchFailure.SHORT_BODY,
        FetchFailure.RANGE_MISMATCH,
    )
)
"""Failures of the way, not of the record: another run asks for these again."""

RANGES_PER_CALL = 32
"""Neighbours handed to one thread, so that they can share requests."""


class RecordMismatch(FailureCode):
    """The bytes came, and are not the record that the index means."""

    digest_mismatch = "digest_mismatch"
    """The payload's SHA-1 is not the one in the index."""
    other_record = "other_record"
    """The WARC-Record-ID is not the document's id."""


@dataclass(frozen=True)
class WantedRecord:
    """Where one document's record lies, and how it is recognised."""

    id: str
    warc_file: str
    offset: int
    length: int
    digest: str | None
    url: str = ""


Member = bytes
Unpacked = bytes
"""One gzip member, and its contents; named since `FetchedRecord` has a field called bytes."""


@dataclass(frozen=True)
class FetchedRecord:
    """What became of one record; also its row in the ledger.

    Args:
        id: of the document.
        status: the last HTTP status, if any answer came.
        tries: requests that had this record in them.
        bytes: of the gzip member.
        digest_ok: None when nothing came, or the index gives no digest.
        failure: None, or a code.
        record: the gzip member as it came; None when it failed.
    """

    id: str
    status: int | None
    tries: int
    bytes: int | None
    digest_ok: bool | None
    failure: str | None
    record: Member | None


class RecordFetcher:
    """Fetches records, several requests at a time.

    Args:
        open_crawl: makes a client; each thread has its own.
        threads: requests under way at once in this process, if the rate limit allows.
    """

    def __init__(self, open_crawl: Callable[[], Crawl], threads: int) -> None:
        self._open_crawl = open_crawl
        self._threads = threads
        self._local = threading.local()

    def fetch(self, wanted: Sequence[WantedRecord]) -> list[FetchedRecord]:
        """Each record's outcome, in the order asked for."""
        calls = list(_range_requests(wanted))
        with ThreadPoolExecutor(self._threads) as pool:
            outcomes = [one for call in pool.map(self._fetch, calls) for one in call]
        by_id = {record.id: record for record in outcomes}
        return [by_id[record.id] for record in wanted]

    def _fetch(self, wanted: Sequence[WantedRecord]) -> list[FetchedRecord]:
        ranges = [ByteRange(record.offset, record.length) for record in wanted]
        fetched = self._crawl().fetch_ranges(wanted[0].warc_file, ranges)
        return [
            _verified_record(record, part) for record, part in zip(wanted, fetched, strict=True)
        ]

    def _crawl(self) -> Crawl:
        if not hasattr(self._local, "crawl"):
            self._local.crawl = self._open_crawl()
        crawl: Crawl = self._local.crawl
        return crawl


def _range_requests(wanted: Iterable[WantedRecord]) -> Iterable[list[WantedRecord]]:
    ordered = sorted(wanted, key=lambda record: (record.warc_file, record.offset))
    for _, records in groupby(ordered, key=lambda record: record.warc_file):
        while call := list(islice(records, RANGES_PER_CALL)):
            yield call


def _verified_record(wanted: WantedRecord, fetched: FetchedRange) -> FetchedRecord:
    failure = str(fetched.failure) if fetched.failure else None
    digest_ok = None
    if fetched.body is not None:
        failure, digest_ok = _judge_record(wanted, fetched.data)
    return FetchedRecord(
        id=wanted.id,
        status=fetched.status,
        tries=fetched.tries,
        bytes=len(fetched.body) if fetched.body is not None else None,
        digest_ok=digest_ok,
        failure=failure,
        record=fetched.body if failure is None else None,
    )


def _judge_record(wanted: WantedRecord, data: Unpacked | None) -> tuple[str | None, bool | None]:
    try:
        response, digest_ok = proven_response(data, wanted.digest)
    except DocumentError as error:
        return str(error.code), None
    if response.record_id != wanted.id:
        return str(RecordMismatch.other_record), digest_ok
    return (str(RecordMismatch.digest_mismatch) if digest_ok is False else None), digest_ok


def earlier_records(store: ColumnStore, path: str) -> Iterator[Mapping[str, FetchedRecord]]:
    """What an earlier run fetched, by id, one row group after another."""
    with store.open_parquet(path) as file:
        for group in range(file.num_row_groups):
            rows = file.read_row_group(group).to_pylist()
            whole = [row for row in rows if row["failure"] is None]
            yield {row["id"]: FetchedRecord(**row, status=None, tries=0) for row in whole}


def ledger_row(record: FetchedRecord) -> Mapping[str, object]:
    """The outcome without the bytes.

    >>> ledger_row(FetchedRecord("urn:uuid:1", 206, 1, 9, True, None, b"123456789"))["bytes"]
    9
    """
    return {name: value for name, value in vars(record).items() if name != "record"}
