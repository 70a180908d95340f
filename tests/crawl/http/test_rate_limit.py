"""One rate limit for many processes: rate, connections, cool-downs, and locks of the dead."""

from __future__ import annotations

import errno
import fcntl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from skord.core.failures import ConfigError
from skord.crawl.config import open_crawl
from skord.crawl.http.client import Crawl, CrawlSettings
from skord.crawl.http.rate_limit import RateLimiter
from skord.sample_crawl.server import CrawlServer, Faults

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

FORKED = get_context("fork")


def fetch(url: str, folder: Path, rate: float, connections: int, times: int) -> list[float]:
    """When it began to ask, and when it had each answer."""
    with Crawl(CrawlSettings(url), RateLimiter(folder, rate, connections)) as crawl:
        seen_s = [time.time()]
        for _ in range(times):
            crawl.get("a")
            seen_s.append(time.time())
    return seen_s


def fetched_by(processes: int, *words: object) -> list[list[float]]:
    with FORKED.Pool(processes) as pool:
        return pool.starmap(fetch, [words] * processes, 1)


def hold(folder: Path, held: Event) -> None:
    with RateLimiter(folder, 100, 1).connection():
        held.set()
        time.sleep(60)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a").write_bytes(b"x" * 4000)
    return folder


def test_two_processes_share_one_rate(root: Path, tmp_path: Path) -> None:
    with CrawlServer(root) as server:
        fetched = fetched_by(2, server.url, tmp_path / "b", 20, 8, 15)
    assert len(server.requests) == 30
    first_s = min(asked_s for asked_s, *_ in fetched)
    for n, had_s in enumerate(sorted(had_s for _, *times_s in fetched for had_s in times_s)):
        assert had_s >= first_s + n / 20


def test_connections_are_capped_over_processes(root: Path, tmp_path: Path) -> None:
    with CrawlServer(root, Faults(slow=1.0, slow_s=0.01, burst=99)) as server:
        fetched_by(4, server.url, tmp_path / "b", 1000, 2, 6)
    assert len(server.requests) == 24
    assert server.peak == 2


def test_without_the_cap_more_would_be_under_way(root: Path, tmp_path: Path) -> None:
    with CrawlServer(root, Faults(slow=1.0, slow_s=0.05, burst=99)) as server:
        fetched_by(4, server.url, tmp_path / "b", 1000, 9, 4)
    assert server.peak > 2


@contextmanager
def waiting(limiter: RateLimiter) -> Iterator[threading.Event]:
    """A thread that asks for a connection; the event says that it has had it."""
    had = threading.Event()

    def ask() -> None:
        with limiter.connection():
            had.set()

    thread = threading.Thread(target=ask)
    thread.start()
    yield had
    thread.join()


def test_a_killed_process_leaves_its_connection(tmp_path: Path) -> None:
    held = FORKED.Event()
    holder = FORKED.Process(target=hold, args=(tmp_path, held))
    holder.start()
    assert held.wait(240)
    with waiting(RateLimiter(tmp_path, 100, 1)) as had:
        assert not had.wait(0.5)
        holder.kill()
        assert had.wait(240)
    holder.join()


def test_an_error_inside_gives_the_connection_back(tmp_path: Path) -> None:
    limiter = RateLimiter(tmp_path, 100, 1)
    with pytest.raises(ZeroDivisionError), limiter.connection():
        raise ZeroDivisionError
    with waiting(limiter) as had:
        assert had.wait(240)


def test_a_cool_down_reaches_those_who_wait_already(tmp_path: Path) -> None:
    limiter = RateLimiter(tmp_path, 4, 3)
    with limiter.connection():
        pass
    started_s = time.monotonic()
    with waiting(limiter) as had:
        time.sleep(0.05)
        RateLimiter(tmp_path, 4, 3).cool_down(0.8)
        RateLimiter(tmp_path, 4, 3).cool_down(0.01)
        assert had.wait(240)
        assert time.monotonic() - started_s >= 0.8


def test_starts_stay_spaced_after_a_cool_down(tmp_path: Path) -> None:
    limiter = RateLimiter(tmp_path, 10, 4)
    starts_s: list[float] = []

    def ask() -> None:
        with limiter.connection():
            starts_s.append(time.monotonic())

    cooled_s = time.monotonic() + 0.3
    limiter.cool_down(0.3)
    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n, start_s in enumerate(sorted(starts_s)):
        assert start_s >= cooled_s + n / 10 - 0.01


def test_a_shorter_cool_down_does_not_end_a_longer_one(tmp_path: Path) -> None:
    limiter = RateLimiter(tmp_path, 100, 1)
    started_s = time.monotonic()
    limiter.cool_down(0.5)
    limiter.cool_down(0.01)
    with limiter.connection():
        assert time.monotonic() - started_s >= 0.49


@pytest.mark.parametrize("content", ["99999999999.000000 00000000000.000000\n", "nonsense", "1 "])
def test_a_start_that_no_clock_could_mean_holds_nobody_up(tmp_path: Path, content: str) -> None:
    limiter = RateLimiter(tmp_path, 100, 1)
    (tmp_path / "next-start").write_text(content)
    with waiting(limiter) as had:
        assert had.wait(240)


def test_unused_time_is_not_saved_up(tmp_path: Path) -> None:
    limiter = RateLimiter(tmp_path, 10, 1)
    with limiter.connection():
        time.sleep(0.5)
    started_s = time.monotonic()
    for _ in range(4):
        with limiter.connection():
            pass
    assert time.monotonic() - started_s >= 0.29


@pytest.mark.parametrize("rate", [0, -1, float("nan"), float("inf")])
def test_a_rate_must_be_above_zero(tmp_path: Path, rate: float) -> None:
    with pytest.raises(ConfigError, match="requests_per_s"):
        RateLimiter(tmp_path, rate, 1)


def test_at_least_one_connection(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="connections = 0"):
        RateLimiter(tmp_path, 1, 0)


def test_a_file_system_without_flock_is_said_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(file: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with pytest.raises(ConfigError, match=r"without flock .* set \[crawl\] rate_limit_dir"):
        RateLimiter(tmp_path, 1, 1)


def test_a_folder_that_cannot_be_made_is_said_before_anything_starts(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ConfigError, match=r"set \[crawl\] rate_limit_dir"):
        RateLimiter(tmp_path / "file" / "budget", 1, 1)


def test_locks_lie_where_the_setting_says(settings, tmp_path):
    settings(f"[crawl]\nbase_url = http://localhost:1\nrate_limit_dir = {tmp_path}/locks\n")

    open_crawl()

    assert list((tmp_path / "locks").iterdir())
