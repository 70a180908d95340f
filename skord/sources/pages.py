"""The pages of a source's files: each with its id, its place, and the text it is selected by."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO
from urllib.parse import quote

import pyarrow as pa

from skord.core.dumps import Source, SourceKind
from skord.core.failures import DocumentError, FailureCode
from skord.core.storage.shared_columns import ID
from skord.crawl.warc.framing import BadRecord, RecordFailure, WARCRecord, canonical_record_id
from skord.crawl.warc.payload import is_html, media_type, with_elements_closed
from skord.crawl.warc.records import http_parts, response_of
from skord.crawl.warc.written_records import sha1_base32
from skord.html.charset.decode import decode
from skord.paragraphs.extract import page_paragraphs
from skord.sources.files import ROWS_NAME, unpacked_file
from skord.sources.rows import MAX_LINE_BYTES, LineError, Row, rows_of
from skord.sources.warc_files import placed_records
from skord.text.entities import unescape_html

PAGES_SCHEMA = pa.schema(
    [
        ID,
        ("url", pa.string()),
        ("warc_date", pa.string()),
        ("warc_file", pa.string()),
        ("warc_record_offset", pa.int64()),
        ("warc_record_length", pa.int32()),
        ("payload_digest", pa.string()),
        ("http_status", pa.int16()),
        ("mime", pa.string()),
        ("text", pa.string()),
        ("content_length", pa.int32()),
        ("ip", pa.string()),
    ]
)
"""Columns of a `SourcePage`."""

_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_TITLE_CHARS = 1 << 16
_DATE = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WEB = ("http://", "https://")


MAX_PAGE_BYTES = MAX_LINE_BYTES
"""The largest file of one page or text that is read."""


class PassedOver(FailureCode):
    """Why something in a source's files is no page."""

    not_a_response = "not_a_response"
    """A request, a revisit, metadata, a DNS lookup."""
    http_status = "http_status"
    """The server answered with another status than 200."""
    not_html = "not_html"
    """An image, a style sheet, a PDF."""
    same_id = "same_id"
    """A record with this id came before in the same shard."""
    no_address = "no_address"
    """A row has no address that begins with http, or one with lone surrogates."""
    no_content = "no_content"
    """A row has no HTML or text, or it is empty."""
    not_json = "not_json"
    """A line of JSON Lines is no JSON object, or longer than 32 MiB; a row of CSV cannot be read."""
    not_utf8 = "not_utf8"
    """A text, or a row of CSV, is not UTF-8."""
    too_large = "too_large"
    """A file of one page or text is larger than 32 MiB, unpacked."""


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One page.

    Attributes:
        id: of the record, or made of file, place and address where there is none.
        url: of the page.
        warc_date: ISO 8601 in UTC; None where it is not known.
        warc_file: the file, by its path in the source.
        warc_record_offset, warc_record_length: its place there: bytes, or number of the row and 1.
        payload_digest: SHA-1 of the stored page or text in base32.
        http_status: 200, or None for a text.
        mime: declared type without parameters.
        text: first line the title, then the lines by which it is selected.
        content_length: bytes of these.
        ip: WARC-IP-Address of the record, if it has one.
    """

    id: str
    url: str
    warc_date: str | None
    warc_file: str
    warc_record_offset: int
    warc_record_length: int
    payload_digest: str
    http_status: int | None
    mime: str
    text: str
    content_length: int
    ip: str | None = None


def pages_of(
    source: Source, file: BinaryIO, name: str, size: int
) -> Iterator[SourcePage | PassedOver | BadRecord]:
    """Every page of one file, and what is none, in order.

    Args:
        source: what the file is of.
        file: open at its start, seekable.
        name: its path in the source.
        size: its bytes.
    """
    if source.kind == SourceKind.WARC:
        yield from _of_warc(file, name)
        return
    if ROWS_NAME.search(name):
        columns = [source.url_column, source.date_column, source.content_column]
        for place, row in rows_of(file, name, columns):
            yield _of_row(source, row, name, place)
        return
    stored = unpacked_file(file).read(MAX_PAGE_BYTES + 1)
    if len(stored) > MAX_PAGE_BYTES:
        yield PassedOver.too_large
    elif source.is_text:
        yield _text_page(source, stored, _made_url(source, name), name, (0, size))
    else:
        yield _html_page(stored, None, _made_url(source, name), None, name, (0, size))


def _of_warc(file: BinaryIO, name: str) -> Iterator[SourcePage | PassedOver | BadRecord]:
    for placed in placed_records(file):
        if isinstance(placed, BadRecord):
            yield placed
            continue
        place = (placed.offset, placed.length)
        try:
            yield _of_record(placed.record, name, place)
        except DocumentError as error:
            if error.code == RecordFailure.NOT_A_RESPONSE:
                yield PassedOver.not_a_response
            else:
                yield BadRecord(placed.offset, RecordFailure(error.code), error.detail)


def _of_record(record: WARCRecord, name: str, place: tuple[int, int]) -> SourcePage | PassedOver:
    response = response_of(record)
    if response.status != 200:
        return PassedOver.http_status
    if not is_html(response.content_type, response.body):
        return PassedOver.not_html
    text = selection_text(
        with_elements_closed(response.body, response.content_type), response.content_type
    )
    return SourcePage(
        record_id(record, name, place[0]),
        response.url,
        response.date or None,
        name,
        *place,
        sha1_base32(http_parts(record.block)[2]),
        response.status,
        media_type(response.content_type) or "text/html",
        text,
        len(text.encode()),
        record.header("WARC-IP-Address"),
    )


def record_id(record: WARCRecord, name: str, offset: int) -> str:
    """The record's own id, or one made of where it lies, for ARC has none."""
    written = record.header("WARC-Record-ID")
    return canonical_record_id(written) if written else made_id(name, offset, record.url() or "")


def made_id(name: str, offset: int, url: str) -> str:
    """An id that is always the same for what lies there.

    >>> made_id("a.arc", 0, "http://a.example/")
    'urn:uuid:985c50af-1905-5a30-bcad-f29e2083c4ea'
    """
    return uuid.uuid5(uuid.NAMESPACE_URL, f"{name}#{offset} {url}").urn


def selection_text(body: bytes, content_type: str | None) -> str:
    r"""The title of a page, then all its paragraphs line by line: the text it is selected by.

    >>> selection_text(b"<title>Om oss</title><p>Vi<br>finns.<p>Hej", "text/html")
    'Om oss\nVi\nfinns.\nHej'
    """
    page = decode(body, content_type).text
    title = _TITLE.search(page[:_TITLE_CHARS])
    lines = [" ".join(unescape_html(title[1]).split()) if title else ""]
    try:
        for paragraph in page_paragraphs(page):
            lines += filter(None, map(str.strip, paragraph.plain.split("\n")))
    except DocumentError:
        # What cannot be parsed has a title at most, and is refused as too short, with its address.
        pass
    return "\n".join(lines).encode("utf-8", "replace").decode()


def _of_row(
    source: Source, row: Row | LineError, name: str, place: tuple[int, int]
) -> SourcePage | PassedOver:
    if isinstance(row, LineError):
        is_coding = isinstance(row.__cause__, UnicodeError)
        return PassedOver.not_utf8 if is_coding else PassedOver.not_json
    url, content = _address_of(row.get(source.url_column)), row.get(source.content_column)
    if not (isinstance(content, str | bytes) and content):
        return PassedOver.no_content
    date = date_of(row.get(source.date_column))
    if source.is_text:
        address = url or f"{_made_url(source, name)}#{place[0]}"
        return _text_page(source, content, address, name, place, date)
    if not url.startswith(_WEB):
        return PassedOver.no_address
    charset = "utf-8" if isinstance(content, str) else None
    return _html_page(as_bytes(content), charset, url, date, name, place)


def _address_of(cell: object) -> str:
    """An address; "" for a cell that holds none, or lone surrogates, which no address has.

    Parquet has columns of text that are declared as bytes.
    """
    if isinstance(cell, bytes):
        cell = cell.decode("utf-8", "surrogateescape")
    is_address = isinstance(cell, str) and not _SURROGATE.search(cell)
    return str(cell) if is_address else ""


def as_bytes(content: str | bytes) -> bytes:
    """A cell as bytes; lone surrogates become question marks."""
    return content.encode("utf-8", "replace") if isinstance(content, str) else content


def date_of(cell: object) -> str | None:
    """A date as WARC writes it; None where a cell holds none.

    >>> date_of("2024-02-21 05:11:09"), date_of("2024-02-21"), date_of(None)
    ('2024-02-21T05:11:09Z', '2024-02-21T00:00:00Z', None)
    """
    written = "" if cell is None else str(cell).replace(" ", "T", 1)
    match = _DATE.match(written)
    if not match:
        return None
    return f"{match[0]}Z" if match[1] else f"{match[0]}T00:00:00Z"


def _html_page(
    stored: bytes,
    charset: str | None,
    url: str,
    date: str | None,
    name: str,
    place: tuple[int, int],
) -> SourcePage | PassedOver:
    if not stored.strip():
        return PassedOver.no_content
    text = selection_text(stored, f"text/html; charset={charset}" if charset else None)
    return SourcePage(
        made_id(name, place[0], url),
        url,
        date,
        name,
        *place,
        sha1_base32(stored),
        200,
        "text/html",
        text,
        len(text.encode()),
    )


def _text_page(
    source: Source,
    content: str | bytes,
    url: str,
    name: str,
    place: tuple[int, int],
    date: str | None = None,
) -> SourcePage | PassedOver:
    stored = as_bytes(content)
    try:
        text = stored.decode("utf-8-sig")
    except UnicodeDecodeError:
        return PassedOver.not_utf8
    if not text.strip():
        return PassedOver.no_content
    return SourcePage(
        made_id(name, place[0], url),
        url,
        date,
        name,
        *place,
        sha1_base32(stored),
        None,
        text_mime(source, name),
        f"\n{text}",
        len(stored),
    )


def text_mime(source: Source, name: str) -> str:
    """`text/markdown` or `text/plain`."""
    if ROWS_NAME.search(name):
        return "text/markdown" if source.markdown else "text/plain"
    is_markdown = re.search(r"\.(md|markdown)(\.gz|\.zst)?$", name, re.IGNORECASE)
    return "text/markdown" if is_markdown else "text/plain"


def _made_url(source: Source, name: str) -> str:
    return source.base_url + quote(name)
