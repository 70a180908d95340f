"""WARC files of what was fetched, and the index of each."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, BinaryIO

from skord.core.failures import DamagedError
from skord.crawl.cdx import timestamp_of
from skord.crawl.urls import surt_of
from skord.crawl.warc.framing import BadRecord, canonical_record_id, read_records
from skord.crawl.warc.written_records import UNKNOWN_DATE, record_member


def warcinfo_member(dump: str, name: str) -> bytes:
    """The first record of a file: what wrote it, and what it is a part of."""
    fields = {
        "software": f"Skörd {version('skord')}",
        "format": "WARC File Format 1.0",
        "isPartOf": dump,
        "description": "records of selected pages, each as it was fetched",
    }
    block = "".join(f"{key}: {value}\r\n" for key, value in fields.items()).encode()
    record_id = uuid.uuid5(uuid.NAMESPACE_URL, f"{dump}/{name}").urn
    headers = {
        "WARC-Type": "warcinfo",
        "WARC-Record-ID": f"<{record_id}>",
        "WARC-Date": UNKNOWN_DATE,
        "WARC-Filename": name,
        "Content-Type": "application/warc-fields",
    }
    return record_member(headers.items(), block)


@dataclass
class WARCFile:
    """A file being written."""

    name: str
    out: BinaryIO
    size: int = 0
    entries: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)

    def append(self, record: bytes, row: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Append a gzip member, with its columns if it is to be in the index; returns its place."""
        place = {"file": self.name, "offset": self.size, "length": len(record)}
        self.out.write(record)
        self.size += len(record)
        if row is not None:
            self.entries.append(_entry(row, place))
        return place


def pages_in(stream: BinaryIO) -> Iterator[tuple[str, str]]:
    """Id and address of each page in a file.

    Raises:
        DamagedError: what it holds cannot be read to the end.
    """
    for record in read_records(stream):
        if isinstance(record, BadRecord):
            raise DamagedError(f"a record cannot be read ({record.reason})")
        if record.header("WARC-Type") != "warcinfo":
            page_id = canonical_record_id(record.header("WARC-Record-ID") or "")
            yield page_id, record.url() or ""


def _entry(row: Mapping[str, Any], place: Mapping[str, Any]) -> tuple[str, str, dict[str, str]]:
    about = {
        "url": row["url"],
        "mime": row["mime"],
        "status": row["http_status"],
        "digest": row["payload_digest"],
        "length": place["length"],
        "offset": place["offset"],
        "filename": place["file"],
    }
    fields = {name: str(value) for name, value in about.items() if value is not None}
    try:
        surt = surt_of(row["url"])
    except ValueError:
        surt = row["url"]
    try:
        timestamp = timestamp_of(row["warc_date"] or UNKNOWN_DATE)
    except ValueError:
        timestamp = timestamp_of(UNKNOWN_DATE)
    return surt.replace(" ", "%20"), timestamp, fields


def index_lines(entries: Iterable[tuple[str, str, dict[str, str]]]) -> bytes:
    """The lines of an index, sorted by address and time.

    >>> index_lines([("se,b)/", "20240221051109", {"url": "http://b.se/å"})]).decode()
    'se,b)/ 20240221051109 {"url": "http://b.se/å"}\\n'
    """
    lines = (
        f"{surt} {time} {json.dumps(fields, ensure_ascii=False)}\n"
        for surt, time, fields in entries
    )
    return "".join(sorted(lines)).encode()
