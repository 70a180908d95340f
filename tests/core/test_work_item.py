"""What a process tells of the items that it made."""

import subprocess
import sys
from multiprocessing import get_context

from skord.core.work_item import WorkItem, report_item

NOBODY = WorkItem("Nobody", "{}", "shard", 0)
NO_DUMP = WorkItem("DownloadWET", "{}", "shard", 0)


def _reports(number):
    return [report_item(NO_DUMP) for _ in range(number)]


def test_only_the_first_item_of_a_worker_waited_for_its_start():
    with get_context("spawn").Pool(1) as pool:
        first, second = pool.apply(_reports, [2])

    assert 0.01 < first.ready_s < 60
    assert 0 <= first.cpu_s < 60
    assert second.ready_s == 0
    assert first.error == "DownloadWET needs --dump"


def test_what_is_made_in_the_drivers_process_waited_for_none():
    assert report_item(NO_DUMP).ready_s == 0


def test_an_unknown_task_is_reported():
    assert "there is no task 'Nobody'" in report_item(NOBODY).error


def test_a_worker_imports_no_more_of_the_graph_than_its_task_needs():
    code = (
        "import sys; from skord.core.registry import task_class;"
        "task_class('DownloadWET'); print('pipeline.export' in sys.modules);"
        "task_class('ExportCorpus'); print('pipeline.export' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "True"]


def test_a_process_is_asked_when_it_is_ready():
    code = "from skord.core.work_item import ready_s; print(ready_s(), ready_s())"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    first, second = map(float, done.stdout.split())
    assert 0.001 < first < 60
    assert second == 0
