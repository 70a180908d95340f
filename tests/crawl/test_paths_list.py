"""A dump's lists of paths, and endpoints that are no crawl."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from skord.core.failures import ConfigError
from skord.crawl.http.client import CrawlUnreachableError
from skord.sample_crawl.server import CrawlServer, Faults

LINES = [f"crawl-data/CC-MAIN-2024-10/segments/17.{n}/wet/CC-MAIN-{n}.warc.wet.gz" for n in (2, 1)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    _write(folder, "wet", gzip.compress("\n".join([*LINES, ""]).encode()))
    return folder


def _write(root: Path, kind: str, body: bytes) -> None:
    file = root / "crawl-data" / "CC-MAIN-2024-10" / f"{kind}.paths.gz"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(body)


def test_the_paths_come_sorted(root: Path, connect) -> None:
    with CrawlServer(root) as server:
        assert connect(server.url).paths_list("2024-10", "wet") == tuple(sorted(LINES))


def test_an_address_below_the_root_is_as_good(root: Path, connect) -> None:
    with CrawlServer(root.parent) as server:
        crawl = connect(f"{server.url}/root/")
        assert crawl.paths_list("2024-10", "wet") == tuple(sorted(LINES))


def test_a_dump_that_is_not_there_is_a_setting_to_edit(root: Path, connect) -> None:
    with CrawlServer(root) as server:
        with pytest.raises(ConfigError) as caught:
            connect(server.url).paths_list("2024-99", "wet")
        assert str(caught.value) == (
            f"{server.url}/crawl-data/CC-MAIN-2024-99/wet.paths.gz answered 404: {server.url} has "
            "no dump 2024-99 or is not a crawl: set [crawl] base_url to the address under which "
            "crawl-data/ lies"
        )


PAGE = b"<!doctype html>\n<title>Welcome</title>\n"


@pytest.mark.parametrize(
    "body",
    [
        PAGE,
        gzip.compress(PAGE, mtime=0),
        gzip.compress(b"", mtime=0),
        gzip.compress(b"crawl-data/../../etc/passwd", mtime=0),
        gzip.compress(b"/crawl-data/a.gz", mtime=0),
        b"",
    ],
)
def test_what_is_no_list_of_paths_is_a_setting_to_edit(root: Path, connect, body: bytes) -> None:
    _write(root, "cc-index", body)
    message = r"is not a list of paths .* set \[crawl\] base_url"
    with CrawlServer(root) as server, pytest.raises(ConfigError, match=message):
        connect(server.url).paths_list("2024-10", "cc-index")


@pytest.mark.parametrize("place", [-3, 12])
def test_a_damaged_list_is_asked_for_again(root: Path, connect, place: int) -> None:
    body = bytearray(gzip.compress("\n".join(LINES).encode(), mtime=0))
    body[place:] = body[place + 1 :]
    _write(root, "wet", bytes(body))
    with (
        CrawlServer(root) as server,
        pytest.raises(ConfigError, match=r"came damaged .* again; if"),
    ):
        connect(server.url).paths_list("2024-10", "wet")


def test_an_endpoint_that_is_down_is_not_a_setting_to_edit(root: Path, connect) -> None:
    down = CrawlServer(root, Faults(forbidden=1.0, burst=99))
    with down as server, pytest.raises(CrawlUnreachableError, match="answered 403"):
        connect(server.url).paths_list("2024-10", "wet")
