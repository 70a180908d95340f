"""The figures of the CCNet paper out of columns."""

import json

import numpy as np

from pipeline.cli.study.ccnet_figures import (
    amounts,
    left_after_comparing,
    lines_of,
    perplexities,
    steps,
)
from pipeline.core.run_log import PhaseRun, runs_path


def page(language, bucket, text, perplexity=None):
    return {
        "language": language, "bucket": bucket, "raw_content": text, "perplexity": perplexity,
    }  # fmt: skip


PAGES = [
    page("sv", "head", "Ett. Två! Tre", 100.0),
    page("sv", "tail", "Fyra fem.", 3000.0),
    page("sv", "head", "Sex.", 104.0),
    page("fi", "all", "Yksi kaksi."),
]


def test_amounts_by_language_and_bucket():
    found = amounts(PAGES)

    assert [(row["language"], row["bucket"], row["documents"]) for row in found] == [
        ("sv", "head", 2), ("sv", "tail", 1), ("fi", "all", 1),
    ]  # fmt: skip
    assert [row["sentences"] for row in found] == [3, 1, 1]
    assert [row["words"] for row in found] == [4, 2, 2]


def test_fewer_paragraphs_are_left_the_more_is_compared():
    first = (np.array([1, 2, 3, 9], np.uint64), np.array([1, 1, 1, 2]))
    parts = [
        first,
        (np.array([2, 7], np.uint64), np.array([1, 1])),
        (np.array([3], np.uint64),) * 2,
    ]

    left = [row["left"] for row in left_after_comparing(parts)]

    assert left == [3 / 5, 2 / 5, 1 / 5]
    assert left_after_comparing([]) == []


def test_perplexities_are_those_of_pages_that_have_one():
    assert set(perplexities(PAGES)) == {"sv"}
    assert sum(perplexities(PAGES)["sv"]["pages"].values()) == 3


def test_steps_share_all_work(tmp_path):
    for task, seconds in (("HashParagraphs", 1.0), ("CCNet", 3.0)):
        path = runs_path(tmp_path, task, "2024-10")
        path.parent.mkdir(parents=True, exist_ok=True)
        run = PhaseRun(
            phase="shard", fingerprint="x", started=0.0, seconds=seconds, work_seconds=seconds,
            items=2, peak_rss_mb=100.0, errors={},
        )  # fmt: skip
        path.write_text(json.dumps(vars(run)) + "\n")

    found = steps(tmp_path, "2024-10")

    assert [(row["step"], row["share"]) for row in found] == [
        ("HashParagraphs", 0.25), ("CCNet", 0.75),
    ]  # fmt: skip
    figures = {
        "shards": 1, "amounts": amounts(PAGES), "left_after_comparing": [],
        "perplexity": perplexities(PAGES), "steps": found,
    }  # fmt: skip
    assert [line for line in lines_of(figures) if line.startswith("CCNet")]
