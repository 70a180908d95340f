"""The HTTP envelope of a page: whether it is HTML, and how old it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

EARLIEST_BELIEVED = datetime(1999, 1, 1, tzinfo=UTC)
"""Servers with an unset clock say 1970; no crawl that this project reads is older than this."""

HTML_NAME = re.compile(r"\.(html?|xhtml)(\.gz|\.zst)?$", re.IGNORECASE)
"""Names of files of HTML, packed or not."""

_HTML_TYPES = frozenset(["text/html", "application/xhtml+xml"])

_UNDECLARED = frozenset(
    ["", "application/octet-stream", "unknown/unknown", "application/unknown", "*/*"]
)
"""Types that say nothing: WHATWG MIME Sniffing, section 7, and the server's default."""

_SNIFFED_BYTES = 2048

_HTML_START = re.compile(
    rb"(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*"
    rb"<(?:!doctype\s+html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta)"
    rb"[\s>]",
    re.IGNORECASE | re.DOTALL,
)
"""The tags of WHATWG MIME Sniffing, section 7.1, after an XML declaration or comments."""

_OTHER_START = re.compile(
    rb"%PDF-|\x89PNG|GIF8|\xff\xd8\xff|RIFF|PK\x03\x04|\x1f\x8b|\xd0\xcf\x11\xe0|wOF[F2]|%!PS|\{\\rtf"
    rb'|\{\s*"|\{\s*\}|\[\s*[\[{"\]]'
)
"""Magic numbers of files and the start of JSON, which servers too often declare as HTML."""


_VOID = b"area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
_SELF_CLOSED = re.compile(
    rb"<(?!(?:" + _VOID + rb")[\s/>])([A-Za-z][\w.-]*+)"
    rb"""((?:\s++[^\s<>"'/=]++(?:\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'))?+)*+)\s*+/>""",
    re.IGNORECASE,
)
"""A whole tag of XML that ends itself, but for elements that never have an end tag in HTML."""


def is_html(content_type: str | None, body: bytes) -> bool:
    r"""Tell whether a response is an HTML page that a browser would show as one.

    A declared HTML type is believed unless the body starts like a PDF, an image, an archive
    or JSON. A missing type, or one that says nothing, is sniffed as browsers do (WHATWG MIME
    Sniffing, section 7.1). Every other declared type is believed.

    >>> is_html("text/html; charset=utf-8", b"Hej")
    True
    >>> is_html(None, b"\n <!DOCTYPE html><title>x</title>")
    True
    >>> is_html("text/html", b"%PDF-1.4")
    False
    >>> is_html("text/plain", b"<html>")
    False
    >>> is_html("text/html, text/html; charset=utf-8", b"Hej")
    True
    """
    declared = media_type(content_type)
    start = _visible_start(body)
    if declared in _HTML_TYPES:
        return not _OTHER_START.match(start)
    return declared in _UNDECLARED and bool(_HTML_START.match(start))


def media_type(content_type: str | None) -> str:
    """The type of a Content-Type header in lower case, without parameters; "" if it has none.

    Of several the last counts, as in browsers (WHATWG Fetch, "extract a MIME type").

    >>> media_type("text/plain, Text/HTML; charset=utf-8"), media_type("text/html, text")
    ('text/html', 'text/html')
    """
    kinds = [part.split(";")[0].strip().lower() for part in (content_type or "").split(",")]
    return next((kind for kind in reversed(kinds) if "/" in kind), kinds[0])


def with_elements_closed(body: bytes, content_type: str | None) -> bytes:
    """The body of an XHTML page with end tags where XML needs none; any other body as it is.

    An HTML parser takes `<script/>` for a start tag, and all that follows for a script.

    >>> with_elements_closed(b"<script src='a'/><br/><p>Hej", "application/xhtml+xml")
    b"<script src='a'></script><br/><p>Hej"
    """
    if media_type(content_type) != "application/xhtml+xml":
        return body
    return _SELF_CLOSED.sub(rb"<\1\2></\1>", body)


def earliest_date(warc_date: str | None, http_headers: Iterable[tuple[str, str]]) -> str | None:
    """Return the earliest believable date of a page as `YYYY-MM-DDTHH:MM:SSZ`.

    The candidates are WARC-Date (when it was fetched), Date and Last-Modified; the earliest
    that is not before 1999 comes nearest to when the text was written. Dates that cannot be
    read are passed over. None if nothing is left.

    Args:
        warc_date: ISO 8601 as in WARC 1.0 or 1.1, with or without fractions of a second.
        http_headers: names and values; names in any case.

    >>> earliest_date("2024-03-01T12:00:00Z", [("last-modified", "Tue, 02 Jan 2007 10:00:00 GMT")])
    '2007-01-02T10:00:00Z'
    >>> earliest_date("2024-03-01T12:00:00Z", [("Date", "Thu, 01 Jan 1970 00:00:00 GMT")])
    '2024-03-01T12:00:00Z'
    """
    dates = [_from_iso(warc_date or "")]
    dates += [
        _from_http(value)
        for name, value in http_headers
        if name.strip().lower() in ("date", "last-modified")
    ]
    believed = [date for date in dates if date is not None and date >= EARLIEST_BELIEVED]
    return min(believed).strftime("%Y-%m-%dT%H:%M:%SZ") if believed else None


def fetch_day(warc_date: str | None) -> date | None:
    """The day of a WARC-Date, in UTC; None where it cannot be read, or is that of an unset clock.

    >>> str(fetch_day("2024-03-01T23:30:00-02:00")), fetch_day(""), fetch_day("1970-01-01T00:00:00Z")
    ('2024-03-02', None, None)
    """
    moment = _from_iso(warc_date or "")
    return moment.date() if moment and moment >= EARLIEST_BELIEVED else None


def _visible_start(body: bytes) -> bytes:
    """The first bytes without byte-order mark, blanks, and the NULs of UTF-16."""
    start = body[:_SNIFFED_BYTES].replace(b"\0", b"")
    for mark in (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"):
        start = start.removeprefix(mark)
    return start.lstrip()


def _from_iso(text: str) -> datetime | None:
    try:
        date = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return _in_utc(date)


def _from_http(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text.strip())
    except (ValueError, IndexError, OverflowError):
        return None
    return _in_utc(date)


def _in_utc(date: datetime) -> datetime | None:
    """A time without zone is taken as UTC; None where the shift leaves the calendar."""
    if date.tzinfo is None:
        return date.replace(tzinfo=UTC)
    try:
        return date.astimezone(UTC)
    except OverflowError:
        return None
