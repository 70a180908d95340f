"""Which tasks a shard is carried on through, of `skord.core.driver`."""

import pytest

from pipeline.dedup import ComputeSignatures
from pipeline.markdown_processing import ProcessMarkdown
from pipeline.quality_filtering import FilterDocuments
from pipeline.warc_processing import ConvertToMarkdown, FetchHTMLDocuments
from skord.core.driver import next_of, run_ahead_tasks
from skord.core.tasks.phases import Phase

LAST, OTHER = Phase("shard", lambda: 1, print), Phase("paths", lambda: 1, print)


@pytest.fixture
def tasks(settings, monkeypatch):
    """ConvertToMarkdown, which ProcessMarkdown waits for, which FilterDocuments waits for."""
    settings("run_ahead = true\n")
    convert, process, judge, sign = (
        cls(dump="2024-10")
        for cls in (ConvertToMarkdown, ProcessMarkdown, FilterDocuments, ComputeSignatures)
    )
    convert.wanted_by, process.wanted_by, judge.wanted_by = (process,), (judge,), (sign,)
    yield convert, process, judge
    for task in (convert, process, judge):
        task.wanted_by = ()


def families(tasks):
    return [task.task_family for task in tasks]


def complete(monkeypatch, *done):
    monkeypatch.setattr("skord.core.tasks.sharded_task.is_complete", lambda task: task in done)


def upstream_of(*tasks):
    """What those read besides one another."""
    return [one for task in tasks for one in task.upstream() if one not in tasks]


def test_a_shard_goes_on_as_far_as_nothing_else_is_missing(tasks, monkeypatch):
    convert, process, judge = tasks
    complete(monkeypatch, *upstream_of(*tasks))

    assert run_ahead_tasks(convert, LAST) == [process, judge]
    assert run_ahead_tasks(convert, OTHER) == []
    assert run_ahead_tasks(process, LAST) == [], "ConvertToMarkdown is not complete"


def test_it_stops_before_what_needs_more(tasks, monkeypatch):
    convert, process, judge = tasks
    missing = upstream_of(judge)[-1]
    assert missing not in (convert, process)
    complete(monkeypatch, *(one for one in upstream_of(*tasks) if one != missing))

    assert run_ahead_tasks(convert, LAST) == [process]


def test_what_is_complete_is_not_made_again(tasks, monkeypatch):
    convert, process, _ = tasks
    complete(monkeypatch, process, *upstream_of(*tasks))
    assert run_ahead_tasks(convert, LAST) == []


def test_where_it_is_not_asked_for_nothing_is_carried_on(tasks, settings):
    settings()
    assert run_ahead_tasks(tasks[0], LAST) == []


def test_a_task_that_needs_the_internet_is_not_carried_on_to_elsewhere(settings, monkeypatch):
    fetch, convert = (cls(dump="2024-11") for cls in (FetchHTMLDocuments, ConvertToMarkdown))
    complete(monkeypatch, *upstream_of(fetch, convert))
    fetch.wanted_by = (convert,)
    settings("run_ahead = true\n")
    assert run_ahead_tasks(fetch, LAST) == [convert]
    settings("run_ahead = true\nkind = slurm\nnetwork_kind = local\n")
    assert run_ahead_tasks(fetch, LAST) == []
    fetch.wanted_by = ()


def test_a_task_travels_to_workers_in_words(tasks):
    words = next_of(tasks[1])
    assert words.words == ("ProcessMarkdown", words.params, tasks[1].fingerprint)
    assert '"dump": "2024-10"' in words.params
    assert not words.is_done(0)
