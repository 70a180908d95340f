"""Whole files: resumed where they broke off, begun anew when they changed, checked as gzip.

Through `skord.crawl.http.download` and `skord.crawl.http.exchange`.
"""

from __future__ import annotations

import gzip
import os
import threading
import time
from pathlib import Path

import pytest

from skord.crawl.http.client import CrawlUnreachableError, FetchFailure, NotOnCrawlError
from skord.crawl.http.rate_limit import RateLimiter
from skord.crawl.warc.gzip import GzipCheck
from skord.sample_crawl.server import CrawlServer, Faults


def test_a_file_arrives_whole(members, connect, tmp_path: Path) -> None:
    with CrawlServer(members.root) as server:
        done = connect(server.url).download(members.path, tmp_path / "a.tmp", gzip=True)
    assert (tmp_path / "a.tmp").read_bytes() == members.body
    assert (done.bytes, done.tries, done.status, done.gzip_ok) == (len(members.body), 1, 200, True)


def test_a_broken_body_is_taken_up_where_it_ended(members, connect, tmp_path: Path) -> None:
    with CrawlServer(members.root, Faults(truncated=1.0, burst=2)) as server:
        done = connect(server.url).download(members.path, tmp_path / "a.tmp", gzip=True)
    assert (tmp_path / "a.tmp").read_bytes() == members.body
    first, second, third = server.requests
    assert (first.range, second.status, third.status) == ("", 206, 206)
    starts = [int(r.range.removeprefix("bytes=").removesuffix("-")) for r in (second, third)]
    assert 0 < starts[0] < starts[1] < len(members.body)
    assert second.if_range.startswith('"')
    assert (done.tries, done.status, done.gzip_ok) == (3, 206, True)


def test_a_body_that_falls_silent_is_taken_up_as_well(members, connect, tmp_path: Path) -> None:
    with CrawlServer(members.root, Faults(slow=1.0, slow_s=0.2, burst=1)) as server:
        crawl = connect(server.url, attempt_timeout_s=1.0, attempts=100)
        crawl.download(members.path, tmp_path / "a.tmp", gzip=True)
    assert (tmp_path / "a.tmp").read_bytes() == members.body
    first, *more = (request.status for request in server.requests)
    assert first == 200
    assert set(more) == {206}


@pytest.mark.parametrize("keep_size", [True, False])
def test_a_file_that_changes_between_two_parts_is_begun_anew(
    members, connect, tmp_path: Path, keep_size: bool
) -> None:
    new = bytes(reversed(members.body)) if keep_size else gzip.compress(b"new")
    unhurried = RateLimiter(tmp_path / "unhurried", 2, 1)
    with CrawlServer(members.root, Faults(truncated=1.0, burst=1)) as server:
        crawl = connect(server.url, unhurried)
        swap = threading.Thread(target=_swap_after_first_request, args=(server, members, new))
        swap.start()
        crawl.download(members.path, tmp_path / "a.tmp", gzip=False)
        swap.join()
    assert (tmp_path / "a.tmp").read_bytes() == new
    assert [request.status for request in server.requests] == [200, 200]


def _swap_after_first_request(server: CrawlServer, members, new: bytes) -> None:
    while not server.requests:
        time.sleep(0.005)
    time.sleep(0.05)
    members.write(new)
    os.utime(members.root / members.path, (1, 1))


def test_parts_are_not_joined_when_the_server_sends_another_part(
    scripted, connect, tmp_path: Path
) -> None:
    script = scripted(
        b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nabcd",
        b"HTTP/1.1 206 OK\r\nContent-Length: 5\r\nContent-Range: bytes 3-7/8\r\n\r\ndefgh",
        b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nabcdefgh",
    )
    connect(script.url).download("a", tmp_path / "a.tmp", gzip=False)
    assert (tmp_path / "a.tmp").read_bytes() == b"abcdefgh"
    assert script.asked == ["", "bytes=4-", ""]


def test_a_file_that_shrank_is_begun_anew(scripted, connect, tmp_path: Path) -> None:
    script = scripted(
        b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nabcd",
        b"HTTP/1.1 416 No\r\nContent-Length: 0\r\nContent-Range: bytes */2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nxy",
    )
    assert connect(script.url).download("a", tmp_path / "a.tmp", gzip=False).bytes == 2
    assert (tmp_path / "a.tmp").read_bytes() == b"xy"


def test_damage_on_the_way_is_fetched_again(members, connect, tmp_path: Path) -> None:
    with CrawlServer(members.root, Faults(corrupt=1.0, burst=2)) as server:
        done = connect(server.url).download(members.path, tmp_path / "a.tmp", gzip=True)
    assert (tmp_path / "a.tmp").read_bytes() == members.body
    assert (done.tries, done.gzip_ok) == (3, True)


@pytest.mark.parametrize("damage", ["cut", "flipped", "page"])
def test_damage_at_the_source_is_told_and_kept(
    members, connect, tmp_path: Path, damage: str
) -> None:
    body = bytearray(members.body)
    body[5000] ^= 1
    members.write(
        {"cut": members.body[:-1], "flipped": bytes(body), "page": b"<html></html>"}[damage]
    )
    with CrawlServer(members.root) as server:
        done = connect(server.url).download(members.path, tmp_path / "a.tmp", gzip=True)
    assert (done.gzip_ok, done.tries) == (False, 3)
    assert (tmp_path / "a.tmp").read_bytes() == members.body


def test_a_file_that_is_no_gzip_is_not_judged_as_one(members, connect, tmp_path: Path) -> None:
    members.write(b"plain")
    with CrawlServer(members.root) as server:
        done = connect(server.url).download(members.path, tmp_path / "a.tmp", gzip=False)
    assert (done.bytes, done.tries, done.gzip_ok) == (5, 1, True)


def test_a_file_that_never_comes_whole_is_an_error(members, connect, tmp_path: Path) -> None:
    with CrawlServer(members.root, Faults(truncated=1.0, burst=99)) as server:
        crawl = connect(server.url, attempts=3)
        with pytest.raises(CrawlUnreachableError, match=r"3 tries: .*bytes came") as caught:
            crawl.download(members.path, tmp_path / "a.tmp", gzip=True)
    assert caught.value.failure is FetchFailure.SHORT_BODY
    assert len(server.requests) == 3


def test_a_missing_file_is_an_error(members, connect, tmp_path: Path) -> None:
    with CrawlServer(members.root) as server, pytest.raises(NotOnCrawlError):
        connect(server.url).download("crawl-data/none.gz", tmp_path / "a.tmp", gzip=True)


@pytest.mark.parametrize("step", [1, 7, 8, 9, 1000])
def test_the_gzip_check_does_not_mind_where_chunks_end(step: int) -> None:
    body = gzip.compress(bytes(1_000_000)) + gzip.compress(b"") + gzip.compress(b"end")
    check = GzipCheck()
    for start in range(0, len(body), step):
        assert not check.whole or check.members < 3
        check.feed(body[start : start + step])
    assert (check.whole, check.members) == (True, 3)
    check.feed(b"\0\0")
    assert check.whole
    check.feed(b"\x1f")
    assert not check.whole
