"""Read the lines of a crawl's index files."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from skord.crawl.warc.gzip import BrokenMember, gzip_members

_CDX = re.compile(r"cdx-\d+\.gz")


def is_cdx(path: str) -> bool:
    """Whether a path of the index list is one with lines, not the list of its blocks.

    >>> is_cdx("cc-index/collections/CC-MAIN-2024-10/indexes/cdx-00007.gz")
    True
    >>> is_cdx("cc-index/collections/CC-MAIN-2024-10/indexes/cluster.idx")
    False
    """
    return _CDX.fullmatch(path.rsplit("/", 1)[-1]) is not None


MAX_LINE_BYTES = 1 << 20
"""What has no line feed for so long is no index; lines have some hundred bytes."""


def cdx_lines(stream: Any, counts: Counter[str]) -> Iterator[bytes]:
    """The lines of one index file; a block that cannot be read is counted and passed over.

    Args:
        stream: a binary file of gzip members, each with some 3,000 whole lines (ZipNum).
        counts: `broken_block` is added to.
    """
    rest = b""
    for member in gzip_members(stream):
        if isinstance(member, BrokenMember):
            counts["broken_block"] += 1
            rest = b""
            continue
        *lines, rest = (rest + member.data).split(b"\n")
        yield from lines
        if len(rest) > MAX_LINE_BYTES:
            counts["broken_block"] += 1
            rest = b""
    if rest:
        yield rest


_WARC_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?Z")


class BadCDXLine(ValueError):  # noqa: N818 (named for what it is, as other failures are)
    """A line of the index from which no capture can be read."""


@dataclass(frozen=True, slots=True)
class Capture:
    """One capture of one URL: what the crawler got and where its record lies.

    Attributes:
        surt: the sort key, such as "se,example)/om".
        timestamp: UTC, 14 digits.
        url: as requested.
        status: HTTP status.
        mime: Content-Type as sent, without parameters; None if the line has none.
        digest: SHA-1 of the payload in base32, 32 letters; None if the line has none.
        filename: path of the WARC file below the crawl's root.
        offset, length: the record's gzip member in that file, bytes.
        mime_detected: type found by looking at the content.
        charset: as detected by Common Crawl; its index server calls the field "encoding".
        languages: up to three ISO 639-3 codes, such as "swe,eng".
        redirect: where a redirect leads.
        truncated: why the payload is cut short, such as "length".
    """

    surt: str
    timestamp: str
    url: str
    status: int
    mime: str | None
    digest: str | None
    filename: str
    offset: int
    length: int
    mime_detected: str | None = None
    charset: str | None = None
    languages: str | None = None
    redirect: str | None = None
    truncated: str | None = None


def parse_cdx_line(line: bytes | str) -> Capture:
    r"""Read one line of the index.

    Raises:
        BadCDXLine: not "surt timestamp {json}", or url, status, filename, offset or
            length is absent or impossible.

    >>> line = (b'se,example)/om 20240221051109 {"url": "https://example.se/om", '
    ...         b'"mime": "text/html", "status": "200", "digest": "3I42H3S6", '
    ...         b'"length": "940", "offset": "1203", "filename": "a/warc/b.warc.gz"}\n')
    >>> capture = parse_cdx_line(line)
    >>> capture.url, capture.status, capture.offset, capture.length, capture.languages
    ('https://example.se/om', 200, 1203, 940, None)
    >>> parse_cdx_line("se,example)/om 20240221051109 -")
    Traceback (most recent call last):
    ...
    skord.crawl.cdx.BadCDXLine: fields: 'se,example)/om 20240221051109 -'
    """
    surt, timestamp, fields = _split_cdx_line(line)
    length = _number_field(fields, "length")
    if length == 0:
        raise BadCDXLine(f"length 0: {surt}")
    return Capture(
        surt=surt,
        timestamp=timestamp,
        url=_required_field(fields, "url"),
        status=_number_field(fields, "status"),
        mime=_text_field(fields, "mime"),
        digest=_text_field(fields, "digest"),
        filename=_required_field(fields, "filename"),
        offset=_number_field(fields, "offset"),
        length=length,
        mime_detected=_text_field(fields, "mime-detected"),
        charset=_text_field(fields, "charset") or _text_field(fields, "encoding"),
        languages=_text_field(fields, "languages"),
        redirect=_text_field(fields, "redirect"),
        truncated=_text_field(fields, "truncated"),
    )


def _split_cdx_line(line: bytes | str) -> tuple[str, str, dict[str, Any]]:
    try:
        text = (line.decode() if isinstance(line, bytes) else line).strip()
    except UnicodeDecodeError:
        raise BadCDXLine(f"not UTF-8: {line[:60]!r}") from None
    surt, _, rest = text.partition(" ")
    timestamp, _, written = rest.partition(" ")
    if not (len(timestamp) == 14 and timestamp.isascii() and timestamp.isdecimal()):
        raise BadCDXLine(f"timestamp: {text[:60]!r}")
    try:
        fields = json.loads(written)
    except (ValueError, RecursionError):  # no JSON, or an integer of over 4,300 digits
        fields = None
    if not isinstance(fields, dict):
        raise BadCDXLine(f"fields: {text[:60]!r}")
    return surt, timestamp, fields


def _text_field(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if not isinstance(value, str | int) or value in ("", "-"):
        return None
    return str(value).encode(errors="replace").decode()


def _required_field(fields: dict[str, Any], name: str) -> str:
    value = _text_field(fields, name)
    if value is None:
        raise BadCDXLine(f"no {name}: {str(fields)[:60]}")
    return value


def _number_field(fields: dict[str, Any], name: str) -> int:
    value = _required_field(fields, name)
    if not (value.isascii() and value.isdecimal() and len(value) <= 18):
        raise BadCDXLine(f"{name} is {value[:60]!r}")
    return int(value)


def timestamp_of(warc_date: str) -> str:
    """Return a WARC-Date as the index writes it: 14 digits, fractions of a second cut off.

    Raises:
        ValueError: it is not a UTC time of ISO 28500.

    >>> timestamp_of("2024-02-21T05:11:09Z")
    '20240221051109'
    >>> timestamp_of("2024-02-21T05:11:09.437Z")
    '20240221051109'
    """
    parts = _WARC_DATE.fullmatch(warc_date)
    if parts is None:
        raise ValueError(f"not a WARC-Date: {warc_date!r}")
    return "".join(parts.groups()[:6])


def twin_warc(wet_path: str) -> str:
    """Return the WARC file that a WET file was made from.

    Raises:
        ValueError: the path is not that of a WET file.

    >>> twin_warc("crawl-data/CC-MAIN-2024-10/segments/17/wet/CC-MAIN-0-00001.warc.wet.gz")
    'crawl-data/CC-MAIN-2024-10/segments/17/warc/CC-MAIN-0-00001.warc.gz'
    """
    return _twin_path(wet_path, "wet", ".warc.wet.gz", "warc", ".warc.gz")


def twin_wet(warc_path: str) -> str:
    """Return the WET file made from a WARC file.

    Raises:
        ValueError: the path is not that of a WARC file of the "warc" subset.

    >>> twin_wet("crawl-data/CC-MAIN-2024-10/segments/17/warc/CC-MAIN-0-00001.warc.gz")
    'crawl-data/CC-MAIN-2024-10/segments/17/wet/CC-MAIN-0-00001.warc.wet.gz'
    """
    return _twin_path(warc_path, "warc", ".warc.gz", "wet", ".warc.wet.gz")


def segment_of(warc_file: str) -> str:
    """The WET file made from a WARC file of a crawl; any other file is its own segment.

    >>> segment_of("mine/pages.jsonl")
    'mine/pages.jsonl'
    """
    try:
        return twin_wet(warc_file)
    except ValueError:
        return warc_file


def _twin_path(path: str, folder: str, ending: str, twin_folder: str, twin_ending: str) -> str:
    above, _, name = path.rpartition("/")
    root, slash, last = above.rpartition("/")
    if last != folder or not name.endswith(ending):
        raise ValueError(f"not a path of the form …/{folder}/NAME{ending}: {path}")
    return f"{root}{slash}{twin_folder}/{name.removesuffix(ending)}{twin_ending}"
