"""Known pages before a real run: what ends it, and that nothing of them is left or published."""

import json

import pytest

from tests.graph.bench import Bench
from tests.graph.test_sources import skord, store

pytestmark = pytest.mark.slow

TEXT = (
    "Kommunen bygger en ny skola vid stationen och arbetet börjar till våren. Ordföranden säger att "
    "barnen får bättre plats, och att föräldrarna har väntat länge på det. Skolan blir klar om två "
    "år. Då flyttar de äldsta eleverna in i det gamla huset, som rustas upp under tiden. "
    "Matsalen får nya fönster mot parken."
)


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path / "bench", "http://nowhere.example")


@pytest.fixture
def run_with(bench, tmp_path):
    """Runs Deduplicate over one text of one's own, with known pages before."""
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps({"url": "https://a.se/", "text": TEXT}) + "\n")

    def run(*more):
        words = ("--dump", "mine", "--source", str(path), "--kind", "texts")
        return skord(bench, "run", "Deduplicate", *words, "--canaries-enabled", *more)

    return run


def test_pages_that_end_well_leave_nothing_behind(run_with, bench):
    status, output = run_with()

    assert status == 0, output
    assert output.count("9 known pages end as they should") == 1
    assert "canaries" not in output.partition("known pages")[2]
    assert store(bench, "mine").manifest("Deduplicate")["rows"] == 1
    left = [path for path in (bench.folder / "data").rglob("*") if "canar" in str(path.name)]
    assert left == []


WRONGS = {
    "CCNet": ("--CCNet-min-score", "0.9999"),
    "ConvertToMarkdown": ("--ConvertToMarkdown-max-html-chars", "500"),
    "FilterDocuments": ("--FilterDocuments-limits", '{"num_words": [0, 5]}'),
    "Deduplicate": ("--Deduplicate-similarity-limit", "0.99"),
}


@pytest.mark.parametrize("task", WRONGS)
def test_a_setting_that_breaks_a_task_ends_the_run_before_it_starts(run_with, bench, task):
    status, output = run_with("--CCNet-languages", "sv", *WRONGS[task])

    assert status == 1
    assert output.splitlines()[-1].startswith(f"{task}: a known page does not end as it should: ")
    assert not store(bench, "mine").storage.names("DownloadWET")
