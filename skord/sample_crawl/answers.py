"""What the sample crawl's server answers: status, headers and body, made without a network."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

_SINGLE_RANGE = re.compile(r"bytes=([0-9]*)-([0-9]*)")
_TURNED_OVER_BYTES = 16


@dataclass(frozen=True)
class Answer:
    """A whole answer; Content-Length is added when it is sent."""

    status: HTTPStatus
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def refusal_response(status: HTTPStatus, headers: Mapping[str, str] | None = None) -> Answer:
    """An answer that says no, with its status in words."""
    plain = {"Content-Type": "text/plain"}
    return Answer(status, f"{status.phrase}\n".encode(), plain | dict(headers or {}))


def find_file(root: Path, path: str) -> Path | None:
    """The file that an unquoted path names; None when there is none, or it is not under `root`.

    Args:
        root: resolved.
        path: as in a URL.
    """
    if "\0" in path:
        return None
    file = (root / path.lstrip("/")).resolve()
    return file if file.is_relative_to(root) and file.is_file() else None


def file_answer(file: Path, asked: str, if_range: str) -> Answer:
    """A file, or the part of it that a `Range` header asks for.

    Several ranges in one header, and malformed ones, get the whole file, as from S3; so does
    an `If-Range` with another ETag (RFC 9110 §13.1.5).
    """
    body = file.read_bytes()
    state = file.stat()
    etag = f'"{state.st_mtime_ns:x}-{state.st_size:x}"'
    headers = {"ETag": etag, "Accept-Ranges": "bytes"}
    bounds = _range_bounds(asked, len(body)) if if_range in ("", etag) else None
    if bounds is None:
        return Answer(HTTPStatus.OK, body, headers)
    start, end = bounds
    if start >= end:
        wrong = {"Content-Range": f"bytes */{len(body)}"}
        return refusal_response(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, wrong)
    headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(body)}"
    return Answer(HTTPStatus.PARTIAL_CONTENT, body[start:end], headers)


def _range_bounds(asked: str, size: int) -> tuple[int, int] | None:
    """Start and end of a single range, none when it starts beyond the file; None for no range.

    >>> [_range_bounds(f"bytes={asked}", 100) for asked in ("10-19", "90-", "-5")]
    [(10, 20), (90, 100), (95, 100)]
    >>> [_range_bounds(f"bytes={asked}", 100) for asked in ("200-300", "1-2,5-6", "9-3")]
    [(200, 100), None, None]
    """
    match = _SINGLE_RANGE.fullmatch(asked)
    if match is None or match[0] == "bytes=-":
        return None
    if not match[1]:
        return max(0, size - int(match[2])), size
    start, last = int(match[1]), int(match[2] or size - 1)
    return None if match[2] and last < start else (start, min(last + 1, size))


def turned_over(body: bytes, where: float) -> bytes:
    """A body with 16 bytes in a row turned over, at a place from 0, its start, up to 1.

    In gzip that is always to be noticed: no more than 6 bytes in a row of a plain member's
    header are covered by neither a checksum nor a fixed value.
    """
    start = max(0, min(int(where * len(body)), len(body) - _TURNED_OVER_BYTES))
    part = bytes(byte ^ 0xFF for byte in body[start : start + _TURNED_OVER_BYTES])
    return body[:start] + part + body[start + _TURNED_OVER_BYTES :]
