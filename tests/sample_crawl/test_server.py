"""The server of the sample crawl, asked by a plain client rather than by ours."""

from __future__ import annotations

from pathlib import Path

import pytest
import requests

from skord.sample_crawl.server import CrawlServer, Fault, Faults, Ledger

BODY = bytes(range(256)) * 4


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a b.gz").write_bytes(BODY)
    (tmp_path / "secret").write_bytes(b"secret")
    (folder / "link").symlink_to(tmp_path / "secret")
    return folder


@pytest.mark.parametrize(
    ("asked", "status", "content_range", "body"),
    [
        ("bytes=10-19", 206, "bytes 10-19/1024", BODY[10:20]),
        ("bytes=1000-", 206, "bytes 1000-1023/1024", BODY[1000:]),
        ("bytes=-24", 206, "bytes 1000-1023/1024", BODY[1000:]),
        ("bytes=1000-9999", 206, "bytes 1000-1023/1024", BODY[1000:]),
        ("bytes=1024-1025", 416, "bytes */1024", None),
        ("bytes=0-1,5-6", 200, None, BODY),
        ("bytes=9-3", 200, None, BODY),
    ],
)
def test_ranges(
    root: Path, asked: str, status: int, content_range: str | None, body: bytes | None
) -> None:
    with CrawlServer(root) as server:
        reply = requests.get(f"{server.url}/a%20b.gz", headers={"Range": asked}, timeout=240)
    assert (reply.status_code, reply.headers.get("Content-Range")) == (status, content_range)
    assert body is None or reply.content == body


def test_if_range_joins_only_parts_of_one_file(root: Path) -> None:
    with CrawlServer(root) as server:
        url = f"{server.url}/a%20b.gz"
        etag = requests.head(url, timeout=240).headers["ETag"]
        head = {"Range": "bytes=5-"}
        same = requests.get(url, headers=head | {"If-Range": etag}, timeout=240)
        other = requests.get(url, headers=head | {"If-Range": '"other"'}, timeout=240)
    assert (same.status_code, other.status_code) == (206, 200)


def test_head_has_the_headers_and_no_body(root: Path) -> None:
    with CrawlServer(root) as server:
        reply = requests.head(f"{server.url}/a%20b.gz", timeout=240)
    assert (reply.headers["Content-Length"], reply.content) == ("1024", b"")
    assert server.requests[0].method == "HEAD"


@pytest.mark.parametrize("path", ["/../secret", "/%2e%2e/secret", "/link", "//etc/passwd", "/%00"])
def test_nothing_outside_the_root_is_served(root: Path, path: str) -> None:
    with CrawlServer(root) as server, requests.Session() as session:
        request = requests.Request("GET", server.url).prepare()
        request.url = server.url + path
        assert session.send(request, timeout=240).status_code == 404


@pytest.mark.parametrize("fault", list(Fault))
def test_a_fault_ends_after_its_burst(root: Path, fault: Fault) -> None:
    faults = Faults(seed=1, burst=2, forbidden_storm_s=0, slow_s=0, **{fault: 1.0})
    with CrawlServer(root, faults) as server, requests.Session() as session:
        for _ in range(4):
            try:
                session.get(f"{server.url}/a%20b.gz", headers={"Range": "bytes=0-99"}, timeout=240)
            except requests.exceptions.ChunkedEncodingError:
                assert fault is Fault.TRUNCATED
    assert [request.fault for request in server.requests] == [fault, fault, None, fault]


def test_the_same_seed_deals_the_same_faults(root: Path) -> None:
    def dealt(seed: int) -> list[Fault | None]:
        faults = Faults(seed=seed, unavailable=0.3, corrupt=0.3)
        with CrawlServer(root, faults) as server, requests.Session() as session:
            for n in range(30):
                session.get(
                    f"{server.url}/a%20b.gz", headers={"Range": f"bytes={n}-99"}, timeout=240
                )
        return [request.fault for request in server.requests]

    assert dealt(1) == dealt(1)
    assert dealt(1) != dealt(2)
    assert {None, Fault.UNAVAILABLE, Fault.CORRUPT} == set(dealt(1))


def test_corruption_keeps_the_length(root: Path) -> None:
    with CrawlServer(root, Faults(corrupt=1.0)) as server:
        body = requests.get(f"{server.url}/a%20b.gz", timeout=240).content
    assert len(body) == len(BODY)
    assert sum(a != b for a, b in zip(body, BODY, strict=True)) == 16


def test_the_server_ends_while_clients_keep_their_connections(root: Path) -> None:
    with requests.Session() as session, CrawlServer(root, Faults(slow=1.0, slow_s=60)) as server:
        session.head(f"{server.url}/a%20b.gz", timeout=240)
        session.get(f"{server.url}/a%20b.gz", timeout=240, stream=True)


def test_the_peak_is_of_requests_at_once_and_not_of_those_before() -> None:
    ledger = Ledger(Faults())
    with ledger.under_way():
        pass
    with ledger.under_way():
        assert ledger.peak == 1
        with ledger.under_way():
            assert ledger.peak == 2
