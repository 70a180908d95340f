"""Find where on the crawl each selected page's record lies.

A WET record and its WARC record share the file name, the URL and the second of the
capture; the crawl's index (cdx) says at which offset of that file the record starts. A
match needs all three, so neither robots.txt, redirects and error pages (other files of
the crawl), nor another capture of the same URL can slip in.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.core.failures import FailureCode
from skord.crawl.cdx import BadCDXLine, Capture, parse_cdx_line

Keys = NDArray[np.uint64]
Place = tuple[str, str, str]
"""WARC file, URL, 14-digit timestamp."""


WANTED_SCHEMA = pa.schema([("key", pa.uint64())])
"""Sorted `capture_keys`."""

CAPTURES_SCHEMA = pa.schema(
    [
        ("shard", pa.int32()),
        ("warc_file", pa.string()),
        ("url", pa.string()),
        ("timestamp", pa.string()),
        ("offset", pa.int64()),
        ("length", pa.int32()),
        ("digest", pa.string()),
        ("status", pa.int16()),
        ("mime", pa.string()),
    ]
)
"""What `locate_captures` reads of a capture."""


class IndexFailure(FailureCode):
    """Why a page's record cannot be pointed at."""

    not_in_index = "not_in_index"
    """No line of the index has this WARC file, URL and second."""
    not_a_page = "not_a_page"
    """The index says that the answer's HTTP status was not 200."""


class Skipped(StrEnum):
    """Why a line of the index does not concern us; counted."""

    bad_line = "bad_line"
    """It is not `SURT timestamp {JSON}` with the fields that are needed."""
    not_wanted = "not_wanted"
    """Another subset of the crawl, or a page that was not selected."""


def capture_key(url: str, timestamp: str) -> int:
    """64 bits of BLAKE2b over URL and 14-digit time: a quick test, not an identity.

    >>> capture_key("http://a.example/", "20240301120000")
    15867738938215164124
    """
    digest = hashlib.blake2b(f"{timestamp} {url}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def capture_keys(urls: Iterable[str], timestamps: Iterable[str]) -> Keys:
    """Sorted keys of many captures."""
    keys = [capture_key(url, time) for url, time in zip(urls, timestamps, strict=True)]
    return np.sort(np.array(keys, dtype=np.uint64))


def wanted_captures(
    lines: Iterable[bytes],
    wanted: Keys,
    shard_of: Mapping[str, int],
    counts: Counter[str],
) -> Iterator[tuple[int, Capture]]:
    """The lines of one index file that may be selected pages, each with its shard.

    Args:
        lines: of a cdx file, without their line ends.
        wanted: sorted keys of all selected pages.
        shard_of: WARC file to shard; other subsets of the crawl (robots.txt, non-200) are
            not in it.
        counts: lines, and lines passed over by reason, are added.
    """
    for line in lines:
        counts["lines"] += 1
        try:
            capture = parse_cdx_line(line)
        except BadCDXLine:
            counts[Skipped.bad_line] += 1
            continue
        shard = shard_of.get(capture.filename)
        if shard is None or not _holds_key(wanted, capture_key(capture.url, capture.timestamp)):
            counts[Skipped.not_wanted] += 1
            continue
        yield shard, capture


def _holds_key(keys: Keys, key: int) -> bool:
    at = int(np.searchsorted(keys, np.uint64(key)))
    return at < len(keys) and int(keys[at]) == key


def locate_captures(
    places: Sequence[Place], captures: Iterable[Mapping[str, object]]
) -> list[dict[str, object]]:
    """One row for each place, in order: where its record lies, or why that is not known.

    Args:
        places: of the selected pages of one shard.
        captures: rows with `warc_file`, `url`, `timestamp`, `offset`, `length`, `digest`,
            `status`, `mime`; the one with the smallest offset counts when several match.
    """
    by_key: dict[Place, Mapping[str, object]] = {}
    for row in captures:
        place = (str(row["warc_file"]), str(row["url"]), str(row["timestamp"]))
        known = by_key.get(place)
        if known is None or _capture_offset(row) < _capture_offset(known):
            by_key[place] = row
    return [_capture_location(by_key.get(place)) for place in places]


def _capture_offset(row: Mapping[str, object]) -> int:
    return int(str(row["offset"]))


def _capture_location(row: Mapping[str, object] | None) -> dict[str, object]:
    if row is None:
        return {"failure": str(IndexFailure.not_in_index)}
    failure = None if row["status"] == 200 else str(IndexFailure.not_a_page)
    return {
        "warc_file": row["warc_file"],
        "warc_record_offset": row["offset"],
        "warc_record_length": row["length"],
        "payload_digest": row["digest"],
        "http_status": row["status"],
        "mime": row["mime"],
        "failure": failure,
    }
