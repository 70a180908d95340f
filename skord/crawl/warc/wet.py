"""WET files: the plain text that Common Crawl extracted from each HTML response.

Headers are looked up by name, since their order and number changed over the years, and
WARC-Refers-To, the record id of the response, becomes the identity of the page: the
same page has it in the WARC file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from skord.crawl.warc.framing import (
    BadRecord,
    RecordFailure,
    WARCRecord,
    bare_url,
    canonical_record_id,
    read_members,
    records_of,
)
from skord.crawl.warc.gzip import MAX_MEMBER_BYTES, Member
from skord.native import wet_record

__all__ = ["BadRecord", "RecordFailure", "WETPage", "canonical_record_id", "read_wet"]


@dataclass(frozen=True, slots=True)
class WETPage:
    """One page of a WET file.

    Attributes:
        record_id: the WET record's own id, canonical.
        refers_to: the id of the response it was made from, canonical: the document's id.
        url: WARC-Target-URI.
        date: WARC-Date of the capture, such as "2024-02-21T05:11:09Z"; "" if absent.
        content_languages: WARC-Identified-Content-Language, such as "swe,eng"; None in
            dumps before 2020-24 and for pages whose language was not identified.
        digest: WARC-Block-Digest, of this text, such as "sha1:3I42H3S6…"; "" if absent.
        content_length: bytes of this text, as Content-Length says.
        block: the text as stored, UTF-8.
    """

    record_id: str
    refers_to: str
    url: str
    date: str
    content_languages: str | None
    digest: str
    content_length: int
    block: bytes

    @property
    def text(self) -> str:
        """The whole text. Its first line is the page's title."""
        return self.block.decode()


def read_wet(stream: BinaryIO, max_bytes: int = MAX_MEMBER_BYTES) -> Iterator[WETPage | BadRecord]:
    """Yield the pages of a WET file, gzipped or plain, in order; bad records in their places.

    The `warcinfo` record is passed over. Nothing else is: whatever is not a whole page
    comes out as a `BadRecord`.
    """
    for item in read_members(stream, max_bytes):
        page = _usual_page(item) if isinstance(item, Member) else None
        if page is not None:
            yield page
        else:
            yield from pages_of(item, max_bytes)


def pages_of(
    item: Member | WARCRecord | BadRecord, max_bytes: int = MAX_MEMBER_BYTES
) -> Iterator[WETPage | BadRecord]:
    """The pages of a gzip member, or of a record that is in none, and what is wrong with it."""
    return _pages_of(records_of(item, max_bytes) if isinstance(item, Member) else [item])


def _usual_page(member: Member) -> WETPage | None:
    """The page of a member that holds one and is in no way unusual, as nearly all do."""
    values = wet_record(member.data)
    if values is None:
        return None
    kind, url, record_id, refers_to, date, languages, digest, block = values
    if kind != "conversion" or not url:
        return None
    return WETPage(
        record_id,
        refers_to,
        bare_url(url) or "",
        date,
        languages or None,
        digest,
        len(block),
        block,
    )


def _pages_of(records: Iterable[WARCRecord | BadRecord]) -> Iterator[WETPage | BadRecord]:
    for record in records:
        if isinstance(record, BadRecord):
            yield record
        elif (named := record.named()).get("warc-type") != "warcinfo":
            yield _page_of(record, named)


def _page_of(record: WARCRecord, named: Mapping[str, str]) -> WETPage | BadRecord:
    kind = named.get("warc-type")
    url = bare_url(named.get("warc-target-uri"))
    refers_to = named.get("warc-refers-to")
    if kind != "conversion":
        return BadRecord(record.offset, RecordFailure.UNEXPECTED_TYPE, f"WARC-Type: {kind}")
    if url is None:
        return BadRecord(record.offset, RecordFailure.NO_URL)
    if refers_to is None:
        return BadRecord(record.offset, RecordFailure.NO_REFERS_TO, url)
    try:
        record.block.isascii() or record.block.decode()
    except UnicodeDecodeError as error:
        return BadRecord(record.offset, RecordFailure.NOT_UTF8, f"{url}: {error.reason}")
    return WETPage(
        record_id=canonical_record_id(named.get("warc-record-id", "")),
        refers_to=canonical_record_id(refers_to),
        url=url,
        date=named.get("warc-date", ""),
        content_languages=named.get("warc-identified-content-language"),
        digest=named.get("warc-block-digest", ""),
        content_length=len(record.block),
        block=record.block,
    )
