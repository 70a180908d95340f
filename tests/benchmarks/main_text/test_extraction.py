"""What the benchmark of extractors counts."""

from __future__ import annotations

import gzip
import json

import pytest

from benchmarks.main_text import extraction
from skord.core.failures import ConfigError
from tests.conftest import run_python

TEXT = "Kommunen bygger en ny bro över ån, och den skall stå klar redan i vår."
HTML = f"<nav>Meny</nav><main><h1>Ny bro</h1><p>{TEXT}</p></main>"


def scored(name: str, gold: str = f"Ny bro\n{TEXT}", site: str = "a.se", kind: str = "article"):
    return extraction.ScoredPage(name, site, None, HTML, gold, "Ny bro", ("all", kind))


def whole(html: str, url: str | None) -> str:
    del url
    return f"Meny Ny bro {TEXT}" if "bro" in html else ""


def nothing(html: str, url: str | None) -> str:
    del html, url
    return ""


def test_figures_are_of_words_runs_titles_and_empties():
    page = scored("a")
    figures = extraction.figures(whole, page)
    assert figures.words == pytest.approx(2 * 17 / (18 + 17))
    assert 0.9 < figures.runs < 1
    assert figures.title is True
    assert extraction.figures(nothing, page)[:4] == (0, 0, False, True)
    assert extraction.figures(whole, scored("b", gold="Text.")).title is None
    assert extraction.figures(nothing, scored("c", gold="")).words == 1


def test_the_interval_holds_the_mean_and_is_of_sites():
    low, high = extraction.interval([0, 1] * 50, [str(n) for n in range(100)])
    assert low < 0.5 < high
    assert high - low < 0.3
    assert extraction.interval([0, 1, 0, 1], ["a"] * 4) == (0.5, 0.5)


def test_the_table_has_every_group_and_the_losses_name_the_better_one():
    pages = [scored(str(n), kind="forum" if n else "article") for n in range(6)]
    actual = {
        name: [extraction.figures(one, page) for page in pages]
        for name, one in ((extraction.OURS, nothing), ("whole", whole))
    }
    rows = extraction.table(pages, actual).split("\n")
    assert len(rows) == 2 + 2 * 2
    assert rows[2].startswith("| all | 6 | skord | 0.000 | 0.000-0.000 | 0.000 | 0.00 of 6 | 6 |")
    assert rows[5].startswith("| forum | 5 | whole | 0.971 |")
    assert extraction.losses(pages, actual, most=1) == "0: whole is 0.971 ahead"
    assert extraction.losses(pages, {extraction.OURS: actual["whole"]}) == ""


def test_an_extractor_is_named_or_imported():
    extractors = extraction.extractors(["tests.benchmarks.main_text.test_extraction:whole"])
    assert list(extractors) == ["skord", "tests.benchmarks.main_text.test_extraction:whole"]
    assert TEXT in extractors["skord"](HTML, None)
    assert extractors["skord"]("", None) == ""
    for name in ("absent", "absent:x", "json:absent"):
        with pytest.raises(ConfigError, match="no extractor"):
            extraction.extractors([name])


def test_pages_of_a_file_are_scored_from_the_shell(tmp_path):
    record = {
        "id": "a", "split_key": "a.se", "url": None, "html": HTML, "lang": "sv",
        "page_type": "article", "gold_text": f"Ny bro\n{TEXT}", "title": "Ny bro",
    }  # fmt: skip
    path = tmp_path / "pages.jsonl.gz"
    with gzip.open(path, "wt") as lines:
        lines.writelines(json.dumps(record | {"id": str(n)}) + "\n" for n in range(5))
    command = ["-m", "benchmarks.main_text.extraction", "--pages", str(path)]
    done = run_python(*command)
    assert done.returncode == 0, done.stderr
    assert "| sv | 5 | skord |" in done.stdout
    refused = run_python(*command, "--peers", "absent")
    assert refused.returncode == 2
    assert "install it, or give module:function" in refused.stderr
