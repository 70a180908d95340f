"""Texts graded in a second of CPU, cold and warm.

    make bench-grade ARGS="--texts ../shared/data/text --documents 400"

Texts are runs of 600 words out of files `LANG/*.txt.gz` (a sentence a line), or, without them,
of the sample crawl's pages, repeated. Each language is graded by a fresh process: first cold (no
word seen, no state of the automaton made; what a short job sees), then the same texts again
(warm; what a long job comes to). Loading is grammar, list of forms and all imports of them;
memory is what a process with all six graders holds after grading. CPU time of one core. The paper
(Dzerins and Dzonsons) tells of two minutes for a document, by a full parser on an unknown machine:
another work, so no ratio is printed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measuring import print_table

WORDS = 600


def texts(language: str, folder: Path | None, documents: int) -> list[str]:
    """Texts of about 600 words, from all over the files."""
    words = list(_words(language, folder))
    count = max(1, min(documents, len(words) // WORDS))
    step = len(words) // count
    return [" ".join(words[at * step : at * step + WORDS]) for at in range(count)]


def _words(language: str, folder: Path | None) -> Iterator[str]:
    """Words with the signs on them, and ends of lines."""
    for line in _lines(language, folder):
        yield from line.split()
        yield "\n"


def _lines(language: str, folder: Path | None) -> Iterator[str]:
    if folder is None:
        from skord.sample_crawl.page_source import bundled_pages  # noqa: PLC0415

        for page in bundled_pages():
            if page.lang == language:
                yield from page.text.split("\n")
        return
    for path in sorted((folder / language).glob("*.txt.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield from file


def grade_alone(language: str, documents: list[str]) -> dict[str, float]:
    """Load, grade cold and warm; CPU seconds."""
    start = time.process_time()
    from skord.models.grammar.interface import load_grader  # noqa: PLC0415 - its import is measured

    grader = load_grader(language)
    loaded = time.process_time()
    for text in documents:
        grader.grade(text)
    cold = time.process_time()
    for text in documents:
        grader.grade(text)
    return {"load_s": loaded - start, "cold_s": cold - loaded, "warm_s": time.process_time() - cold}


def memory_of_all(languages: list[str], folder: Path | None) -> float:
    """Peak memory in MB of a process that has graded in every language."""
    for language in languages:
        grade_alone(language, texts(language, folder, 100))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--texts", type=Path, help="folder of LANG/*.txt.gz")
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--alone", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Print the table and the multiple."""
    chosen = parsed()
    languages = ["lv", "sv", "da", "nb", "nn", "is"]
    if chosen.alone == "all":
        print(json.dumps(memory_of_all(languages, chosen.texts)))
        return
    if chosen.alone:
        drawn = texts(chosen.alone, chosen.texts, chosen.documents)
        print(json.dumps({"documents": len(drawn), **grade_alone(chosen.alone, drawn)}))
        return
    rows, colds, warms = [], [], []
    for language in languages:
        runs = [_apart(language) for _ in range(chosen.repeat)]
        documents = runs[0]["documents"]
        cold, warm, load = (
            statistics.median(run[name] for run in runs) for name in ("cold_s", "warm_s", "load_s")
        )
        colds.append(documents / cold)
        warms.append(documents / warm)
        rows.append([language, int(documents), load, int(colds[-1]), int(warms[-1])])
    print_table(["", "documents", "load s", "cold docs/s", "warm docs/s"], rows)
    print(f"\nall six graders in one process: {_apart('all'):.0f} MB at most")
    cold, warm = statistics.median(colds), statistics.median(warms)
    print(
        f"grade: {warm:,.0f} documents a second warm and {cold:,.0f} cold, median language "
        "(goals 1,000 and 300)"
    )


def _apart(language: str) -> Any:
    command = [sys.executable, "-m", "benchmarks.grade", *sys.argv[1:], "--alone", language]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()
