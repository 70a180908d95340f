"""Clients with short waits, a folder of gzip members, and a server that says what it is told."""

from __future__ import annotations

import gzip
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from skord.crawl.http.client import Crawl, CrawlSettings
from skord.crawl.http.ranges import ByteRange
from skord.crawl.http.rate_limit import RateLimiter

WARC = "crawl-data/CC-MAIN-2024-10/segments/1/warc/a.warc.gz"


@dataclass(frozen=True)
class MemberFile:
    """A file of gzip members below `root`, as a WARC file is one."""

    root: Path
    path: str
    ranges: tuple[ByteRange, ...]

    @property
    def body(self) -> bytes:
        return (self.root / self.path).read_bytes()

    def member(self, number: int) -> bytes:
        wanted = self.ranges[number]
        return self.body[wanted.offset : wanted.end]

    def write(self, body: bytes) -> None:
        (self.root / self.path).write_bytes(body)


@pytest.fixture
def members(tmp_path: Path) -> MemberFile:
    """Forty members of some hundred bytes each, with random content."""
    source = random.Random(11)
    packed = [gzip.compress(source.randbytes(source.randrange(200, 900))) for _ in range(40)]
    file = tmp_path / "root" / WARC
    file.parent.mkdir(parents=True)
    file.write_bytes(b"".join(packed))
    ranges, offset = [], 0
    for body in packed:
        ranges.append(ByteRange(offset, len(body)))
        offset += len(body)
    return MemberFile(tmp_path / "root", WARC, tuple(ranges))


Connect = Callable[..., Crawl]


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Connect]:
    """`connect(url, **settings)`: a client that waits milliseconds instead of minutes."""
    quick = CrawlSettings(
        "http://127.0.0.1",
        connect_timeout_s=240,
        read_timeout_s=240,
        attempts=4,
        backoff_s=0.01,
        max_backoff_s=0.02,
        cool_down_s=0.01,
    )
    with ExitStack() as stack:

        def open_crawl(url: str, limiter: RateLimiter | None = None, **changes: Any) -> Crawl:
            settings = replace(quick, base_url=url, **changes)
            shared = limiter or RateLimiter(tmp_path / "budget", 10_000, 4)
            return stack.enter_context(Crawl(settings, shared))

        yield open_crawl


@dataclass
class Script:
    """What a scripted server answers, one reply for each request, the last one for ever."""

    replies: list[bytes]
    asked: list[str] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def scripted() -> Iterator[Callable[..., Script]]:
    """`scripted(b"HTTP/1.1 200 OK\\r\\n…", …)`: raw replies, each ending its connection."""
    with ExitStack() as stack:

        def serve(*replies: bytes) -> Script:
            script = Script(list(replies))

            class Handler(BaseHTTPRequestHandler):
                def do_GET(self) -> None:
                    reply = script.replies[min(len(script.asked), len(script.replies) - 1)]
                    script.asked.append(self.headers.get("Range", ""))
                    self.wfile.write(reply)

                def log_message(self, format: str, *args: object) -> None:
                    pass

            server = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
            thread = threading.Thread(target=server.serve_forever, args=(0.02,))
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
            script.url = f"http://127.0.0.1:{server.server_address[1]}"
            return script

        yield serve
