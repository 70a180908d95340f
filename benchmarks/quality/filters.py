"""FilterDocuments against SWEb's own feature functions: the same texts, and how much less CPU.

    make bench-filters PEER=path/to/SWEb

Each side runs in a process of its own, by turns; seconds are of CPU and leave out start-up,
the peer's compilation and, on both sides, fastText; the whole is, here, all else that
FilterDocuments does with a row group, and the signatures of ComputeSignatures, which SWEb's task
computes too. The texts are real sentences of five languages, put together to Markdown pages of
some 3,000 characters. Values of the four measures are compared.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.ccnet.corpus import Sentences, sentences_of
from benchmarks.measuring import print_table
from benchmarks.settings import SHARED_TEXT

MEASURES = (
    "content_length",
    "ratio_alphanumeric_chars",
    "ratio_headings_per_non_heading_word",
    "unigram_entropy",
)
SEED = 12


def main() -> None:
    args = _arguments()
    with tempfile.TemporaryDirectory(prefix="bench-filters-") as name:
        work = Path(name)
        texts = list(pages(sentences_of(args.text), args.pages))
        (work / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
        runs = [_one_run(args.peer, work) for _ in range(args.runs)]
    _report(runs, texts)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--peer", type=Path, required=True, help="a checkout of SWEb")
    parser.add_argument("--text", type=Path, default=SHARED_TEXT, help="{language}/*.txt.gz")
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--runs", type=int, default=5)
    return parser.parse_args()


def pages(sentences: Sentences, number: int) -> Iterator[str]:
    """Pages of paragraphs of one to six sentences, a heading before every fourth."""
    chosen = random.Random(SEED)
    languages = sorted(sentences)
    for page in range(number):
        pool = sentences[languages[page % len(languages)]]
        blocks: list[str] = []
        while sum(map(len, blocks)) < chosen.uniform(1500, 4500):
            if len(blocks) % 4 == 0:
                blocks.append(f"## {chosen.choice(pool)[:40]}")
            blocks.append(" ".join(chosen.choices(pool, k=chosen.randint(1, 6))))
        yield "\n\n".join(blocks)


def _one_run(peer: Path, work: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    script = Path(__file__).parent / "peer.py"
    commands: dict[str, list[str | Path]] = {
        "peer": [sys.executable, "-W", "ignore", script, peer.resolve()],
        "ours": [sys.executable, "-m", "benchmarks.quality.ours"],
    }
    results = []
    for name, command in commands.items():
        result = work / f"{name}.json"
        subprocess.run([*command, work / "texts.json", result], check=True)
        results.append(json.loads(result.read_text(encoding="utf-8")))
    return results[0], results[1]


def _report(runs: Sequence[tuple[dict[str, Any], dict[str, Any]]], texts: Sequence[str]) -> None:
    theirs, ours = runs[0]
    furthest = max(
        abs(a[name] - b[name])
        for a, b in zip(theirs["values"], ours["values"], strict=True)
        for name in MEASURES
    )
    print(f"{len(texts)} pages of {sum(map(len, texts)) / len(texts):.0f} characters;", end=" ")
    print(f"the four measures differ by at most {furthest:.1e}")

    def micros(side: int, *names: str) -> float:
        sums = [sum(float(run[side][name]) for name in names) for run in runs]
        return statistics.median(sums) / len(texts) * 1e6

    whole = statistics.median(
        [run[1]["task_s"] - run[1]["language_s"] + run[1]["signature_s"] for run in runs]
    )
    rows = [
        ("SWEb's set, decided", micros(0, "features_s"), micros(1, "sweb_s")),
        (
            "SWEb's set and languages",
            micros(0, "features_s"),
            micros(1, "sweb_s", "divided_s"),
        ),
        ("every set, decided", micros(0, "features_s"), micros(1, "all_s")),
        ("signature", micros(0, "signature_s"), micros(1, "signature_s")),
        (
            "the whole",
            micros(0, "features_s", "signature_s"),
            whole / len(texts) * 1e6,
        ),
    ]
    print_table(
        ["µs of CPU a page", "SWEb", "here", "×"],
        [(name, a, b, a / b) for name, a, b in rows],
    )
    print(f"fastText's scores, here: {micros(1, 'language_s'):.0f} µs a page, not counted above")
    shares = [row[1] / row[2] for row in rows]
    print(
        f"filters: {shares[0]:.1f}× SWEb's set, {shares[1]:.1f}× with the languages told apart, "
        f"{shares[4]:.1f}× the whole with every set"
    )


if __name__ == "__main__":
    main()
