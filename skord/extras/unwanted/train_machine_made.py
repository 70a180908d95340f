"""Teach the model of machine-made texts, and tell its errors on pages that taught it nothing.

    python -m skord.extras.unwanted.train_machine_made [--data ../shared/data] [--limit 0.5]
        [--out models/unwanted/machine_made.json]

Taught are the pages of `machine_made.jsonl` and, with a third of the weight, main texts of Nordic
and Latvian pages as good ones; the 300 texts of `labels.jsonl` are only tested on.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import numpy as np

from skord.extras.unwanted.machine_made import MEASURES, machine_made_measures
from skord.extras.unwanted.signs import measures_of
from skord.extras.unwanted.train_unwanted import (
    LABELS,
    OF_OTHERS,
    OF_UNWANTED,
    PAGES,
    fitted,
    interval,
    write_weights,
)
from skord.models.read_texts import SAMPLE, read_labels, read_texts
from skord.models.unwanted.interface import MACHINE_MADE, WEIGHTS, load_unwanted

TAUGHT = MACHINE_MADE.with_suffix(".jsonl")


def main() -> None:
    """Teach, tell, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--limit", type=float, default=0.5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    every = {text.digest: text for text in read_texts(options.data, PAGES)}
    taught = {row["text"]: row["kind"] for row in read_labels(TAUGHT)}
    tested = {row["text"]: row["kind"] for row in read_labels(LABELS)}
    good = [
        one.digest
        for one in every.values()
        if one.digest not in tested and not one.source.startswith(("swecore", SAMPLE))
    ]
    signs = {
        digest: machine_made_measures(text.text, text.language) for digest, text in every.items()
    }

    is_made = np.array([taught[digest] is not None for digest in taught] + [False] * len(good))
    shares = np.where(is_made, OF_UNWANTED, 1.0)
    shares[len(taught) :] = OF_OTHERS
    weights = fitted(np.array([signs[digest] for digest in (*taught, *good)]), is_made, shares)
    said = {
        digest: float(1 / (1 + np.exp(-(row @ weights[:-1] + weights[-1]))))
        for digest, row in signs.items()
    }

    marked = {digest for digest, score in said.items() if score >= options.limit}
    unwanted = {digest for digest, kind in tested.items() if kind}
    right, number = len(marked & unwanted), len(marked & tested.keys())
    print(f"right {right} of {number}: {interval(right, number)}")
    print(f"found {right} of {len(unwanted)}: {interval(right, len(unwanted))}")
    for kinds, name in ((tested, "tested"), (taught, "taught")):
        found = Counter(kinds[digest] for digest in marked & kinds.keys())
        for kind, count in Counter(filter(None, kinds.values())).most_common():
            print(f"  {name}, {kind}: {found[kind]} of {count}")
        print(f"  {name}, wanted: {found[None]} of {sum(kind is None for kind in kinds.values())}")
    print(f"good ones lost: {len(marked & set(good))} of {len(good)}")
    rest = every.keys() - tested.keys() - taught.keys() - set(good)
    print(f"others, not read: {len(marked & rest)} of {len(rest)}")
    spam = load_unwanted(WEIGHTS)
    of_spam = {
        digest
        for digest in tested
        if spam.probabilities(measures_of(every[digest].text, every[digest].language)[None])[0]
        >= spam.limit
    }
    print(f"of them not marked by unwanted_score: {len((marked & unwanted) - of_spam)}")
    if options.out:
        write_weights(options.out, MEASURES, weights, options.limit)


if __name__ == "__main__":
    main()
