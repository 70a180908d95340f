"""A server on loopback that hands out a folder as the crawl's endpoint does, faults included.

It knows what S3 behind a content network knows: ETag, Content-Length, single byte ranges
with 206 and 416, If-Range, HEAD, connections that stay open; several ranges in one header
get 200 and the whole file. Files are read into memory whole: it is for small crawls. `skord sample
serve` runs it.
"""

from __future__ import annotations

import re
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlsplit

from skord.sample_crawl.faults import NO_FAULTS, Fault, Faults


@dataclass(frozen=True)
class Request:
    """One request as it was answered; its path as asked for, and "" for a header that it lacks."""

    method: str
    path: str
    range: str
    if_range: str
    user_agent: str
    started_s: float
    status: int
    fault: Fault | None


class Ledger:
    """Counts requests from many threads and deals out faults.

    Attributes:
        faults: how often answers go wrong.
    """

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.peak = 0
        """The most requests that were under way at once."""
        self._lock = threading.Lock()
        self._requests: list[Request] = []
        self._under_way = 0
        self._turns: Counter[tuple[str, str]] = Counter()
        self._in_a_row: Counter[tuple[str, str]] = Counter()
        self._storm_until_s = 0.0

    @property
    def requests(self) -> tuple[Request, ...]:
        """What was asked so far, in the order in which answers began."""
        with self._lock:
            return tuple(self._requests)

    def record(self, request: Request) -> None:
        """Keep what was asked."""
        with self._lock:
            self._requests.append(request)

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Count one request more inside, for `peak`."""
        with self._lock:
            self._under_way += 1
            self.peak = max(self.peak, self._under_way)
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1

    def decide(self, path: str, asked: str) -> tuple[Fault | None, float, int]:
        """How the next request for a range of a path, "" for all of it, fails.

        A range without an end is the rest of a file that is being resumed. It counts as the
        same request as the whole file: its start is another each time, and a burst of faults
        would never end.

        Returns:
            The fault; where in the body it strikes, from 0 up to 1; and how often the same was
            asked before.
        """
        span = "" if asked.endswith("-") else asked
        with self._lock:
            turn = self._turns[path, span]
            self._turns[path, span] += 1
            fault = self._fault(path, span, turn)
        return fault, self.faults.chance("where", path, span, turn), turn

    def _fault(self, path: str, span: str, turn: int) -> Fault | None:
        if time.monotonic() < self._storm_until_s:
            return Fault.FORBIDDEN
        fault = self.faults.pick(path, span, turn, self._in_a_row[path, span])
        self._in_a_row[path, span] = self._in_a_row[path, span] + 1 if fault else 0
        if fault is Fault.FORBIDDEN_STORM:
            self._storm_until_s = time.monotonic() + self.faults.forbidden_storm_s
        return fault


_SINGLE_RANGE = re.compile(r"bytes=([0-9]*)-([0-9]*)")
_TURNED_OVER_BYTES = 16


@dataclass(frozen=True)
class Answer:
    """A whole answer; Content-Length is added when it is sent."""

    status: HTTPStatus
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def refusal_response(status: HTTPStatus, headers: Mapping[str, str] | None = None) -> Answer:
    """A refusal, with its status in words."""
    plain = {"Content-Type": "text/plain"}
    return Answer(status, f"{status.phrase}\n".encode(), plain | dict(headers or {}))


def find_file(root: Path, path: str) -> Path | None:
    """The file that an unquoted path names; None if there is none under `root`, which is resolved."""
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


__all__ = ["CrawlServer", "Fault", "Faults", "Request"]

_IDLE_S = 60.0
_SLOW_PARTS = 8


class CrawlServer(Ledger):
    """Serves the files under a folder to this machine from threads, from `with` until its end.

    A free port is taken for 0. Nothing outside of `root`, which lies at `/`, is served.
    """

    def __init__(self, root: Path, faults: Faults = NO_FAULTS, port: int = 0) -> None:
        super().__init__(faults)
        self.root = root.resolve()
        self.stopping = threading.Event()
        """Set when the server ends: nobody waits for slow answers any longer."""
        self._listener = _Listener(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._listener.shutdown()
        self._thread.join()
        self._listener.hang_up()
        self._listener.server_close()

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        host, port = self._listener.server_address[:2]
        return f"http://{host!s}:{port}"


class _Listener(ThreadingHTTPServer):
    """Keeps its connections, so that the end of the server is the end of them all."""

    daemon_threads = False
    request_queue_size = 256

    def __init__(self, address: tuple[str, int], crawl: CrawlServer) -> None:
        self.crawl = crawl
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(address, _Handler)

    def finish_request(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        """Answer the requests of one connection, which is kept meanwhile."""
        assert isinstance(request, socket.socket)
        with self._lock:
            self._connections.add(request)
        try:
            if not self.crawl.stopping.is_set():
                super().finish_request(request, client_address)
        finally:
            with self._lock:
                self._connections.discard(request)

    def hang_up(self) -> None:
        """End the connections that clients keep open, so that their threads end."""
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):  # the client may have hung up already
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        """Pass over clients that hung up; print everything else."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    timeout = _IDLE_S
    disable_nagle_algorithm = True
    server: _Listener

    def do_GET(self) -> None:
        """A file, a part of it, or a fault.

        The last byte is sent when the request no longer counts as under way: a client that
        has it may begin another at once.
        """
        with self.server.crawl.under_way():
            last = self._answer()
        self.wfile.write(last)

    def do_HEAD(self) -> None:
        """The headers that GET would have."""
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: `CrawlServer.requests` is the log."""

    def _answer(self) -> bytes:
        started_s = time.time()
        crawl = self.server.crawl
        path = unquote(urlsplit(self.path).path)
        fault, where, turn = crawl.decide(path, self.headers.get("Range", ""))
        answer = self._make(path, fault, where, turn)
        crawl.record(
            Request(
                self.command,
                self.path,
                self.headers.get("Range", ""),
                self.headers.get("If-Range", ""),
                self.headers.get("User-Agent", ""),
                started_s,
                answer.status,
                fault,
            )
        )
        self._send_headers(answer)
        return b"" if self.command == "HEAD" else self._send_body(answer.body, fault, where)

    def _make(self, path: str, fault: Fault | None, where: float, turn: int) -> Answer:
        if fault in (Fault.FORBIDDEN, Fault.FORBIDDEN_STORM):
            return refusal_response(HTTPStatus.FORBIDDEN)
        if fault is Fault.UNAVAILABLE:
            headers = {"Retry-After": str(turn % 2)} if where < 0.5 else {}
            return refusal_response(HTTPStatus.SERVICE_UNAVAILABLE, headers)
        file = find_file(self.server.crawl.root, path)
        if file is None:
            return refusal_response(HTTPStatus.NOT_FOUND)
        asked = "" if fault is Fault.IGNORE_RANGE else self.headers.get("Range", "")
        return file_answer(file, asked, self.headers.get("If-Range", ""))

    def _send_headers(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()

    def _send_body(self, body: bytes, fault: Fault | None, where: float) -> bytes:
        """Send all but the last byte, which is returned."""
        if fault is Fault.TRUNCATED:
            self.wfile.write(body[: int(where * len(body))])
            self.close_connection = True
            return b""
        if fault is Fault.CORRUPT:
            body = turned_over(body, where)
        step = len(body) // _SLOW_PARTS + 1 if fault is Fault.SLOW else len(body) or 1
        for start in range(0, len(body) - 1, step):
            if fault is Fault.SLOW:
                self.server.crawl.stopping.wait(self.server.crawl.faults.slow_s)
            self.wfile.write(body[start : min(start + step, len(body) - 1)])
        return body[-1:]
