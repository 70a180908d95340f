"""Two drivers started shortly after one another on one data folder: none fails, none works twice."""

import time
from pathlib import Path

import pytest

from skord.core.run_log import noted_runs
from tests.graph.bench import DUMP

COMMAND = ("-m", "skord", "run", "WARCIndex", "--dump", DUMP)


def items_by_phase(logs):
    """How many items were made of each phase of each task, by all drivers together."""
    made = {}
    for path in sorted(logs.rglob("runs.jsonl")):
        for run in noted_runs(path):
            key = (path.parent.parent.name, run.phase)
            made[key] = made.get(key, 0) + run.items
    return made


def task_of(path):
    """The task that a file of the result is of, or is a note of."""
    return path.removeprefix("_complete/").split("/")[0]


@pytest.mark.parametrize("apart_s", [0.0, 0.4, 1.5])
def test_the_second_waits_and_neither_fails_nor_makes_what_the_first_made(bench, whole, apart_s):
    first = bench.start(*COMMAND)
    time.sleep(apart_s)
    second = bench.start(*COMMAND)
    output = [driver.communicate(timeout=800)[0] for driver in (first, second)]

    assert (first.returncode, second.returncode) == (0, 0), output
    assert any("another process is at work on it; waiting" in text for text in output)
    families = {task_of(path) for path in bench.files()}
    expected = {path: d for path, d in whole.files().items() if task_of(path) in families}
    assert {"DownloadWET", "CCNet", "WARCIndex"} <= families
    assert bench.files() == expected
    once = items_by_phase(Path(whole.folder / "logs"))
    assert items_by_phase(bench.folder / "logs") == {
        key: items for key, items in once.items() if key[0] in families
    }
