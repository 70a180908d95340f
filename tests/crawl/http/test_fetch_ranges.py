"""Byte ranges: which requests are made for them, and what becomes of each.

Through `skord.crawl.http.range_reader`, `skord.crawl.http.ranges` and
`skord.crawl.http.exchange`.
"""

from __future__ import annotations

import gzip
import random

import pytest

from skord.crawl.http.client import ByteRange, CrawlUnreachableError, FetchFailure
from skord.sample_crawl.server import CrawlServer, Faults

FAR = {"coalesce_gap_bytes": 0}


def test_neighbours_share_one_request(members, connect) -> None:
    with CrawlServer(members.root) as server:
        results = list(connect(server.url).fetch_ranges(members.path, members.ranges))
    assert [result.body for result in results] == [members.member(n) for n in range(40)]
    assert {(r.status, r.tries, r.failure) for r in results} == {(206, 1, None)}
    assert [request.range for request in server.requests] == [f"bytes=0-{len(members.body) - 1}"]


def test_a_wide_gap_or_a_full_request_starts_another(members, connect) -> None:
    wanted = [members.ranges[n] for n in (0, 2, 3, 20, 21)]
    gap = members.ranges[1].length
    with CrawlServer(members.root) as server:
        crawl = connect(server.url, coalesce_gap_bytes=gap - 1)
        list(crawl.fetch_ranges(members.path, wanted))
        assert len(server.requests) == 3
        crawl = connect(server.url, coalesce_gap_bytes=gap)
        list(crawl.fetch_ranges(members.path, wanted))
        assert len(server.requests) == 3 + 2
        crawl = connect(server.url, max_request_bytes=2000)
        results = list(crawl.fetch_ranges(members.path, members.ranges))
    assert all(result.body for result in results)
    sizes = [
        int(r.range[6:].split("-")[1]) - int(r.range[6:].split("-")[0]) + 1
        for r in server.requests[5:]
    ]
    assert max(sizes) <= 2000
    assert sum(sizes) == len(members.body)


def test_no_request_names_two_ranges(members, connect) -> None:
    with CrawlServer(members.root) as server:
        list(connect(server.url, **FAR).fetch_ranges(members.path, members.ranges[::2]))
    assert len(server.requests) == 20
    assert not any("," in request.range for request in server.requests)


def test_results_come_in_the_order_asked_repeats_included(members, connect) -> None:
    order = [*range(40), 3, 3, 17]
    random.Random(5).shuffle(order)
    with CrawlServer(members.root) as server:
        crawl = connect(server.url, max_request_bytes=3000)
        results = list(crawl.fetch_ranges(members.path, [members.ranges[n] for n in order]))
    assert [result.range for result in results] == [members.ranges[n] for n in order]
    assert [result.body for result in results] == [members.member(n) for n in order]


def test_a_request_waits_until_its_first_range_is_due(members, connect) -> None:
    with CrawlServer(members.root) as server:
        crawl = connect(server.url, max_request_bytes=2000)
        results = crawl.fetch_ranges(members.path, members.ranges)
        assert len(server.requests) == 0
        next(results)
        assert len(server.requests) == 1


def test_no_ranges_make_no_request(members, connect) -> None:
    with CrawlServer(members.root) as server:
        assert list(connect(server.url).fetch_ranges(members.path, [])) == []
    assert server.requests == ()


def test_faults_that_pass_leave_no_trace_but_tries(members, connect) -> None:
    faults = Faults(
        seed=4, unavailable=0.2, forbidden=0.1, truncated=0.2, ignore_range=0.1, corrupt=0.2
    )
    with CrawlServer(members.root, faults) as server:
        crawl = connect(server.url, attempts=6, **FAR)
        results = list(crawl.fetch_ranges(members.path, members.ranges[::2]))
    assert len({request.fault for request in server.requests}) == 6
    assert [result.body for result in results] == [members.member(n) for n in range(0, 40, 2)]
    assert sum(result.tries for result in results) == len(server.requests)


def test_a_member_damaged_on_the_way_is_fetched_again_alone(members, connect) -> None:
    with CrawlServer(members.root, Faults(corrupt=1.0, burst=1)) as server:
        results = list(connect(server.url).fetch_ranges(members.path, members.ranges))
    assert [result.body for result in results] == [members.member(n) for n in range(40)]
    struck = [result for result in results if result.tries > 1]
    assert 1 <= len(struck) <= 2
    for result in struck:
        alone = f"bytes={result.range.offset}-{result.range.end - 1}"
        assert [r.range for r in server.requests].count(alone) == 2
        assert result.tries == 3
    assert len(server.requests) == 1 + 2 * len(struck)


def test_a_member_damaged_at_the_source_fails_alone(members, connect) -> None:
    body = bytearray(members.body)
    body[members.ranges[7].offset + 100] ^= 1
    members.write(bytes(body))
    with CrawlServer(members.root) as server:
        results = list(connect(server.url).fetch_ranges(members.path, members.ranges))
    assert [n for n, r in enumerate(results) if r.failure] == [7]
    assert results[7].failure is FetchFailure.CORRUPT_GZIP
    assert (results[7].body, results[7].tries, results[7].status) == (None, 3, 206)
    assert len(server.requests) == 3


def test_a_range_that_is_not_one_member_is_corrupt(members, connect) -> None:
    first, second = members.ranges[:2]
    wrong = [
        ByteRange(first.offset, first.length - 1),
        ByteRange(first.offset, first.length + second.length),
        ByteRange(first.offset + 1, first.length - 1),
    ]
    with CrawlServer(members.root) as server:
        results = list(connect(server.url).fetch_ranges(members.path, [*wrong, first]))
    assert [r.failure for r in results] == [FetchFailure.CORRUPT_GZIP] * 3 + [None]


def test_a_missing_file_fails_its_ranges_and_no_others(members, connect) -> None:
    with CrawlServer(members.root) as server:
        crawl = connect(server.url, **FAR)
        missing = list(crawl.fetch_ranges("crawl-data/none.warc.gz", members.ranges[:8:2]))
        present = list(crawl.fetch_ranges(members.path, members.ranges[:8:2]))
    assert {(r.failure, r.status, r.tries) for r in missing} == {(FetchFailure.NOT_FOUND, 404, 1)}
    assert len(missing) == 4
    assert all(result.body for result in present)


def test_ranges_beyond_the_end_fail_and_their_neighbours_do_not(members, connect) -> None:
    last, size = members.ranges[-1], len(members.body)
    asked = [last, ByteRange(last.offset, last.length + 9), ByteRange(size + 5, 10)]
    with CrawlServer(members.root) as server:
        results = list(connect(server.url).fetch_ranges(members.path, asked))
        alone = list(connect(server.url).fetch_ranges(members.path, asked[2:]))
    beyond = FetchFailure.RANGE_UNSATISFIABLE
    assert [result.failure for result in results] == [None, beyond, beyond]
    assert [(result.failure, result.status) for result in alone] == [(beyond, 416)]


def test_a_range_too_large_for_memory_is_never_asked(members, connect) -> None:
    with CrawlServer(members.root) as server:
        crawl = connect(server.url, max_request_bytes=10_000)
        asked = [ByteRange(0, 10_001), members.ranges[1]]
        large, small = crawl.fetch_ranges(members.path, asked)
    assert (large.failure, large.tries) == (FetchFailure.TOO_LARGE, 0)
    assert small.body
    assert len(server.requests) == 1


def test_a_whole_file_for_a_range_is_read_only_as_far_as_needed(members, connect) -> None:
    end = members.ranges[20].end
    with CrawlServer(members.root, Faults(ignore_range=1.0, burst=99)) as server:
        near = connect(server.url, max_skip_bytes=end, **FAR)
        results = list(near.fetch_ranges(members.path, members.ranges[18:22:2]))
        far = connect(server.url, max_skip_bytes=end - 1, **FAR)
        failed = list(far.fetch_ranges(members.path, [members.ranges[20]]))
    assert [(r.body, r.status) for r in results] == [
        (members.member(18), 200),
        (members.member(20), 200),
    ]
    assert (failed[0].failure, failed[0].status) == (FetchFailure.RANGE_IGNORED, 200)
    assert failed[0].tries == 1


def test_an_endless_200_is_left_after_the_wanted_bytes(scripted, connect) -> None:
    record = gzip.compress(b"record")
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"
    script = scripted(head + b"x" * 500 + record + b"y" * 10_000)
    (result,) = connect(script.url).fetch_ranges("a", [ByteRange(500, len(record))])
    assert (result.body, result.tries) == (record, 1)


@pytest.mark.parametrize(
    "headers",
    [
        b"Content-Range: bytes 1-2/9\r\nContent-Length: 2",
        b"Content-Range: bytes 0-1/9\r\nContent-Length: 2",
        b"Content-Range: bytes 0-9/10\r\nContent-Length: 10",
        b"Content-Range: bytes 0-2/9\r\nContent-Length: 9",
        b"Content-Type: multipart/byteranges; boundary=x\r\nContent-Length: 3",
    ],
)
def test_other_bytes_than_asked_are_a_mismatch(scripted, connect, headers: bytes) -> None:
    script = scripted(b"HTTP/1.1 206 Partial\r\n" + headers + b"\r\n\r\nabcdefghij")
    (result,) = connect(script.url).fetch_ranges("a", [ByteRange(0, 3)])
    assert (result.failure, result.status, result.tries) == (FetchFailure.RANGE_MISMATCH, 206, 4)
    assert len(script.asked) == 4


@pytest.mark.parametrize(
    ("faults", "read_timeout_s", "failure", "status"),
    [
        (Faults(forbidden=1.0, burst=99), 240, FetchFailure.FORBIDDEN, 403),
        (Faults(truncated=1.0, burst=99), 240, FetchFailure.SHORT_BODY, 206),
        (Faults(slow=1.0, slow_s=600, burst=99), 0.15, FetchFailure.TIMEOUT, None),
    ],
)
def test_faults_that_stay_give_the_range_their_name(
    members,
    connect,
    faults: Faults,
    read_timeout_s: float,
    failure: FetchFailure,
    status: int | None,
) -> None:
    with CrawlServer(members.root, faults) as server:
        crawl = connect(server.url, attempts=2, read_timeout_s=read_timeout_s)
        (result,) = crawl.fetch_ranges(members.path, members.ranges[:1])
    assert (result.failure, result.tries, result.body) == (failure, 2, None)
    assert result.status in (status, None)
    assert failure is FetchFailure.TIMEOUT or len(server.requests) == 2


def test_no_connection_gives_the_range_its_name(members, connect) -> None:
    (result,) = connect("http://127.0.0.1:1").fetch_ranges(members.path, members.ranges[:1])
    assert (result.failure, result.status, result.tries) == (FetchFailure.CONNECTION, None, 4)


def test_an_endpoint_that_stays_down_ends_the_shard(members, connect) -> None:
    faults = Faults(forbidden=1.0, burst=99)
    with CrawlServer(members.root, faults) as server:
        crawl = connect(server.url, attempts=2, max_exhausted_requests=3, **FAR)
        results = crawl.fetch_ranges(members.path, members.ranges[::2])
        assert [next(results).failure, next(results).failure] == [FetchFailure.FORBIDDEN] * 2
        with pytest.raises(CrawlUnreachableError, match="403"):
            next(results)
    assert len(server.requests) == 6


@pytest.mark.parametrize(("offset", "length"), [(-1, 5), (0, 0), (3, -2)])
def test_no_range_without_bytes(offset: int, length: int) -> None:
    with pytest.raises(ValueError, match="no byte range"):
        ByteRange(offset, length)
