"""The worker against real pandoc: limits, deaths, and the same answer every time.

Through `skord.html.pandoc.process`, `skord.html.pandoc.worker` and
`skord.html.pandoc.binary`.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from skord.core.failures import ConfigError, DocumentError
from skord.html.converter import PandocWorker, convert_page, find_pandoc, pandoc_version
from skord.html.failures import ConversionFailure
from skord.html.pandoc import process

A = "<h1>Rubrik</h1><p>Första <b>stycket</b>.</p><ol start=3><li>a<li>b</ol>"
B = "<table><tr><td>x</td><td>y</td></tr></table><pre>kod</pre><blockquote>citat</blockquote>"
SLOW = f"<p>{'ord <b>och</b> ord ' * 100_000}</p>"
ROOT = Path(__file__).parents[3]


def failure_of(worker: PandocWorker, html: str) -> ConversionFailure:
    with pytest.raises(DocumentError) as caught:
        worker.convert(html)
    return caught.value.code


@pytest.fixture
def fresh(pandoc):
    """Start workers with settings of the test's own; all are closed after it."""
    started = []

    def start(**settings) -> PandocWorker:
        started.append(PandocWorker(pandoc, **settings))
        return started[-1]

    yield start
    for worker in started:
        worker.close()


def test_a_page_gives_the_same_whatever_came_before(fresh):
    first = fresh().convert(A)
    worker = fresh()
    others = [B, "", "\0\ud800", "<" * 5_000, "<div>" * 2_000, "<p>\\(x\\)", f"<p>{'å ' * 40_000}"]

    answers = []
    for other in others:
        worker.convert(other)
        answers.append(worker.convert(A))

    assert set(answers) == {first}


def test_the_worker_writes_what_the_published_version_wrote(worker):
    page = "<h2>En!</h2><p>a <em>b</em> c</p><ul><li>d<li>e</ul><blockquote>f</blockquote>"

    assert worker.convert(page) == "## En\\!\n\na *b* c\n\n  - d\n  - e\n\n> f\n"


def test_a_page_larger_than_the_pipes_passes_both_ways(worker):
    text = "ÄÖ " * 400_000

    assert len(worker.convert(f"<pre>{text}</pre>")) > len(text)


def test_a_slow_page_is_cut_off_and_the_next_is_converted(fresh):
    worker = fresh(timeout_s=1.0)

    with pytest.raises(DocumentError) as caught:
        worker.convert(SLOW)

    assert caught.value.code is ConversionFailure.pandoc_timeout
    cpu_s, wall_s = map(float, re.findall(r"[\d.]+", caught.value.detail))
    assert cpu_s >= 1.0 or wall_s >= 5.0  # the clock counts where the machine is busy
    assert worker.convert("<p>nästa</p>") == "nästa\n"


def test_a_process_that_makes_no_headway_is_cut_off_by_the_clock(fresh, monkeypatch):
    worker = fresh()
    os.kill(worker.pid, signal.SIGSTOP)

    with monkeypatch.context() as patched:
        patched.setattr(process, "WALL_PER_CPU_SECOND", 0.01)
        assert failure_of(worker, A) is ConversionFailure.pandoc_timeout
    assert worker.convert("<p>nästa</p>") == "nästa\n"


def test_a_process_that_swells_is_cut_off_and_the_next_page_is_converted(fresh):
    worker = fresh(max_rss_mb=250)

    assert failure_of(worker, SLOW) is ConversionFailure.pandoc_memory
    assert worker.convert("<p>nästa</p>") == "nästa\n"


def test_a_process_killed_between_pages_costs_no_page(fresh):
    worker = fresh()
    kill_and_wait(worker.pid)

    assert worker.convert("<p>nästa</p>") == "nästa\n"


def kill_and_wait(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    wait_for_end(pid)


def killer(worker: PandocWorker, times: int, seen: int | None = None) -> threading.Thread:
    """Kill the worker's processes, each a moment after it appears; not the one already seen."""

    def kill() -> None:
        last = seen
        for _ in range(times):
            while worker.pid in (None, last):
                time.sleep(0.005)
            last = worker.pid
            time.sleep(0.3)
            os.kill(last, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


@pytest.mark.parametrize("killed_before", [False, True])
def test_a_process_killed_on_a_page_costs_only_a_second_try(fresh, killed_before):
    worker = fresh()
    page = f"<p>{'ord <b>och</b> ord ' * 20_000}</p>"
    expected = worker.convert(page)
    first = worker.pid
    if killed_before:
        kill_and_wait(first)
    thread = killer(worker, times=1, seen=first if killed_before else None)

    answer = worker.convert(page)
    thread.join()

    assert worker.pid != first
    assert answer == expected


def test_a_page_on_which_two_processes_die_is_lost_and_the_next_is_converted(fresh):
    worker = fresh()
    thread = killer(worker, times=2)

    assert failure_of(worker, SLOW) is ConversionFailure.pandoc_died
    thread.join()
    assert worker.convert("<p>nästa</p>") == "nästa\n"


def test_the_process_is_replaced_after_some_pages(fresh):
    worker = fresh(recycle_after=3)

    pids = []
    for _ in range(7):
        worker.convert(A)
        pids.append(worker.pid)

    assert [pids.count(pid) for pid in dict.fromkeys(pids)] == [2, 3, 2]


def test_the_process_sees_nothing_of_the_environment(fresh, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("GHCRTS", "-M1m")

    seen = Path(f"/proc/{fresh().pid}/environ").read_bytes().split(b"\0")

    assert {variable.partition(b"=")[0] for variable in seen if variable} <= {
        b"LC_ALL",
        b"HOME",
        b"PATH",
        b"LD_LIBRARY_PATH",
        b"TMPDIR",
    }


def test_the_process_ends_with_its_owner(pandoc):
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(pandoc)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    child = int(owner.stdout.readline())
    assert is_alive(child)

    owner.kill()
    owner.wait()
    owner.stdout.close()

    wait_for_end(child)


OWNER = """
import sys, time
from pathlib import Path
from skord.html.converter import PandocWorker
worker = PandocWorker(Path(sys.argv[1]))
print(worker.pid, flush=True)
time.sleep(60)
"""


def wait_for_end(pid: int) -> None:
    deadline = time.monotonic() + 240
    while is_alive(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    """Tell whether a process, or a thread of it, has yet to end; its parent may not know yet."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return False
    return state != "Z" or len(threads) > 1


def test_closing_leaves_no_process_and_no_file(fresh, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    worker = fresh()
    pid = worker.pid
    begun = list(tmp_path.iterdir())

    worker.close()
    worker.close()

    assert worker.pid is None
    assert not is_alive(pid)
    assert len(begun) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("html", ["", "<script>x()</script>", "<p>&nbsp;</p><h1></h1>", "<img>"])
def test_a_page_without_content_says_so(worker, html):
    with pytest.raises(DocumentError) as caught:
        convert_page(html, worker)

    assert caught.value.code is ConversionFailure.empty_page


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 4_000 + "x",
        "<ul><li>" * 400 + "x",
        "<blockquote>" * 900 + "x",
        "<b><p>" * 900 + "x",
    ],
)
def test_deep_pages_keep_their_text(worker, html):
    assert "x" in convert_page(html, worker)


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td>a<p>b " * 150,
        "<blockquote>a<p>b " * 600,
        "<ul><li>a<p>b " * 600,
        "<dl><dt>a<dd>b" * 600,
    ],
)
def test_pages_too_deep_for_any_reader_are_told_as_such(worker, html):
    with pytest.raises(DocumentError) as caught:
        convert_page(html, worker)

    assert caught.value.code is ConversionFailure.too_deep
    assert worker.convert("<p>nästa</p>") == "nästa\n"


def test_a_page_that_grows_too_much_is_refused(worker):
    html = "<blockquote>" * 300 + "<p>x</p>" * 12_000

    with pytest.raises(DocumentError) as caught:
        convert_page(html, worker)

    assert caught.value.code is ConversionFailure.too_large
    assert worker.convert("<p>nästa</p>") == "nästa\n"


def test_limits_of_a_page_are_settings(worker):
    with pytest.raises(DocumentError, match="characters of HTML"):
        convert_page(A, worker, max_html_chars=10)
    with pytest.raises(DocumentError, match="characters cleaned"):
        convert_page(A, worker, max_cleaned_chars=10)


def test_the_bundled_pandoc_is_found(pandoc):
    assert pandoc.is_file()
    assert pandoc_version(pandoc).split(".")[0] == "3"


def test_a_folder_stands_for_the_pandoc_in_it(pandoc):
    assert find_pandoc(str(pandoc.parent)) == pandoc
    assert find_pandoc(str(pandoc)) == pandoc


def script(folder: Path, text: str, mode: int = 0o755) -> str:
    path = folder / "pandoc"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(mode)
    return str(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("echo pandoc 2.9.2; echo Features: +server +lua", "is pandoc 2.9.2, but only"),
        ("echo pandoc 3.8.1; echo Features: +lua", "is pandoc 3.8.1, but only"),
        ("echo pandoc 4.0; echo Features: +lua", "is pandoc 4.0, but only"),
        ("echo pandoc 3.9; echo Features: -server -lua", "no pandoc with Lua"),
        ("echo hello", "no pandoc with Lua"),
        ("exit 3", "does not run as pandoc"),
    ],
)
def test_another_pandoc_is_refused_in_one_sentence(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message) as caught:
        find_pandoc(script(tmp_path, text))

    assert "\n" not in str(caught.value)


def test_the_oldest_supported_pandoc_is_accepted(tmp_path):
    path = script(tmp_path, "echo pandoc 3.8.2; echo Features: +server +lua")

    assert find_pandoc(path) == Path(path)


def test_no_pandoc_is_a_configuration_error(tmp_path):
    with pytest.raises(ConfigError, match="There is no pandoc at"):
        find_pandoc(str(tmp_path))
    with pytest.raises(ConfigError, match="may not be executed"):
        find_pandoc(script(tmp_path, "", mode=0o644))


def test_a_pandoc_that_cannot_run_the_script_is_a_configuration_error(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot run worker\.lua"):
        PandocWorker(Path(script(tmp_path, "exit 1")))
