"""One small file: which answers are asked again, how long is waited, and what is said."""

from __future__ import annotations

import email.utils
import random
import time
from itertools import pairwise
from pathlib import Path

import pytest

from skord.core.failures import ShardError
from skord.crawl.http.client import (
    CrawlRefusedError,
    CrawlUnreachableError,
    FetchFailure,
    NotOnCrawlError,
)
from skord.sample_crawl.server import CrawlServer, Faults


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "collinfo.json").write_bytes(b"[1]" * 5000)
    return folder


def reply(status: str, body: bytes = b"", *headers: str) -> bytes:
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers])
    return head.encode() + b"\r\nConnection: close\r\n\r\n" + body


def test_503_is_asked_again_until_it_passes(root: Path, connect) -> None:
    with CrawlServer(root, Faults(seed=3, unavailable=1.0, burst=3)) as server:
        body = connect(server.url).get("collinfo.json")
    assert body == b"[1]" * 5000
    assert [request.status for request in server.requests] == [503, 503, 503, 200]


@pytest.mark.parametrize("status", [403, 408, 429, 500, 502, 503, 504, 520])
def test_passing_statuses_are_asked_as_often_as_allowed(scripted, connect, status: int) -> None:
    script = scripted(reply(f"{status} No"))
    with pytest.raises(CrawlUnreachableError) as caught:
        connect(script.url).get("a")
    assert len(script.asked) == caught.value.tries == 4
    assert caught.value.status == status
    assert isinstance(caught.value, ShardError)


@pytest.mark.parametrize(
    ("status", "error", "failure"),
    [
        (404, NotOnCrawlError, FetchFailure.NOT_FOUND),
        (410, NotOnCrawlError, FetchFailure.NOT_FOUND),
        (400, CrawlRefusedError, FetchFailure.REFUSED),
        (300, CrawlRefusedError, FetchFailure.REDIRECTED),
        (301, CrawlRefusedError, FetchFailure.REDIRECTED),
        (501, CrawlRefusedError, FetchFailure.SERVER_ERROR),
    ],
)
def test_final_statuses_are_asked_once(
    scripted, connect, status: int, error: type[Exception], failure: FetchFailure
) -> None:
    script = scripted(reply(f"{status} No", b"", "Location: /elsewhere"))
    with pytest.raises(error, match=f"/a could not be fetched in 1 try: it answered {status}") as c:
        connect(script.url).get("a")
    assert c.value.failure is failure
    assert len(script.asked) == 1


@pytest.mark.parametrize(("status", "as_date"), [("500 Down", False), ("503 Busy", True)])
def test_retry_after_is_waited_for(scripted, connect, status: str, as_date: bool) -> None:
    started_s = time.monotonic()
    wait = email.utils.formatdate(time.time() + 2, usegmt=True) if as_date else "1"
    script = scripted(reply(status, b"", f"Retry-After: {wait}"), reply("200 OK", b"body"))
    assert connect(script.url).get("a") == b"body"
    assert time.monotonic() - started_s >= 0.9


def test_a_wait_beyond_reason_is_not_waited_for(scripted, connect) -> None:
    script = scripted(reply("500 Down", b"", "Retry-After: 7200"))
    with pytest.raises(CrawlUnreachableError, match="Retry-After 7200 s"):
        connect(script.url).get("a")
    assert len(script.asked) == 1


def test_a_storm_of_403_is_sat_out_and_hardly_asked_into(root: Path, connect) -> None:
    faults = Faults(forbidden_storm=1.0, forbidden_storm_s=0.6, burst=1)
    with CrawlServer(root, faults) as server:
        crawl = connect(server.url, attempts=50, cool_down_s=0.15)
        assert crawl.get("collinfo.json") == b"[1]" * 5000
    times_s = [request.started_s for request in server.requests]
    assert {request.status for request in server.requests[:-1]} == {403}
    assert times_s[-1] - times_s[0] >= 0.59
    assert min(later - earlier for earlier, later in pairwise(times_s)) >= 0.14


def test_a_refused_connection_is_unreachable(connect, root: Path) -> None:
    with CrawlServer(root) as server:
        gone = server.url
    with pytest.raises(CrawlUnreachableError, match="4 tries: the connection failed") as caught:
        connect(gone).get("a")
    assert caught.value.failure is FetchFailure.CONNECTION
    assert caught.value.status is None


def test_a_truncated_body_is_not_taken_for_the_file(root: Path, connect) -> None:
    with CrawlServer(root, Faults(truncated=1.0, burst=2)) as server:
        assert connect(server.url).get("collinfo.json") == b"[1]" * 5000
        assert len(server.requests) == 3
    with (
        CrawlServer(root, Faults(truncated=1.0, burst=99)) as server,
        pytest.raises(CrawlUnreachableError, match="its body was short") as caught,
    ):
        connect(server.url).get("collinfo.json")
    assert (caught.value.failure, caught.value.status) == (FetchFailure.SHORT_BODY, 200)


def test_silence_ends_at_the_read_timeout_and_is_asked_again(root: Path, connect) -> None:
    with CrawlServer(root, Faults(slow=1.0, slow_s=600, burst=1)) as server:
        crawl = connect(server.url, read_timeout_s=0.2, attempts=1000)
        assert crawl.get("collinfo.json") == b"[1]" * 5000
    assert len(server.requests) >= 2


def test_a_trickle_ends_at_the_attempt_timeout(root: Path, connect) -> None:
    with CrawlServer(root, Faults(slow=1.0, slow_s=0.15, burst=99)) as server:
        crawl = connect(server.url, attempt_timeout_s=0.4, attempts=2)
        with pytest.raises(CrawlUnreachableError, match="in 2 tries") as caught:
            crawl.get("collinfo.json")
    assert caught.value.failure is FetchFailure.TIMEOUT


def test_a_body_without_any_end_mark_is_refused(scripted, connect) -> None:
    script = scripted(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf of it?")
    with pytest.raises(CrawlRefusedError, match="does not say how long it is"):
        connect(script.url).get("a")


def test_a_chunked_body_is_whole_only_with_its_last_chunk(scripted, connect) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    script = scripted(head + b"4\r\nbody\r\n", head + b"4\r\nbody\r\n0\r\n\r\n")
    assert connect(script.url).get("a") == b"body"
    assert len(script.asked) == 2


def test_a_file_too_large_for_memory_is_refused(root: Path, connect) -> None:
    with CrawlServer(root) as server:
        crawl = connect(server.url, max_request_bytes=14_999)
        with pytest.raises(CrawlRefusedError, match="too large"):
            crawl.get("collinfo.json")


def test_the_user_agent_says_whom_to_reach(root: Path, connect) -> None:
    with CrawlServer(root) as server:
        connect(server.url, contact="corpus@example.org").get("collinfo.json")
    assert server.requests[0].user_agent.startswith("skord/")
    assert server.requests[0].user_agent.endswith(" (+corpus@example.org)")


def test_a_full_address_is_asked_as_it_is(root: Path, connect) -> None:
    with CrawlServer(root) as server:
        body = connect("http://127.0.0.1:1").get(f"{server.url}/collinfo.json")
    assert body == b"[1]" * 5000


def test_a_wait_is_anything_up_to_a_bound_that_doubles(root: Path, connect, monkeypatch) -> None:
    bounds: list[tuple[float, float]] = []
    monkeypatch.setattr(random, "uniform", lambda *ends: bounds.append(ends) or ends[0])
    with CrawlServer(root, Faults(seed=3, unavailable=1.0, burst=3)) as server:
        connect(server.url).get("collinfo.json")
    assert bounds == [(0, 0.01), (0, 0.02), (0, 0.02)]


def test_a_wait_before_another_try_is_logged_with_its_number(scripted, connect, caplog) -> None:
    script = scripted(reply("500 Down", b"", "Retry-After: 1"), reply("200 OK", b"body"))
    assert connect(script.url).get("a") == b"body"
    assert caplog.messages == [
        f"{script.url}/a: it answered 500, Retry-After 1 s: try 1 of 4, next in 1 s"
    ]
