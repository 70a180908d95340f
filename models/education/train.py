"""Train the educational score on pairs of texts that were read.

    python -m skord.models.education.train DATA [--out weights.npz]

DATA holds the texts of `pairs.jsonl`, found by their digests. Least squares on the differences of
two texts' features, 1 where the first teaches more and -1 where the second does. Reported are the
shares of pairs put in the right order by models that saw no text of the same sites nor of a chain
of pairs with them, and by the length of the texts. The penalty is the best by cross-validation.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skord.models.education.interface import WEIGHTS
from skord.models.hashed_text.features import SIZE, text_features
from skord.models.hashed_text.linear import Weights, write_weights
from skord.models.hashed_text.ridge import (
    Doubles,
    Places,
    kernel_of,
    log_count_rows,
    out_of_part,
    primal_weights,
    rarity_of_counts,
    solve_ridge,
    weight_by_rarity,
)
from skord.models.read_texts import ReadText, read_labels, read_texts, wilson_interval

PAIRS = WEIGHTS.with_name("pairs.jsonl")
PENALTIES = (0.1, 0.3, 1.0, 3.0)
PARTS = 5


def parts_of_pairs(texts: Sequence[ReadText], firsts: Places, seconds: Places) -> Places:
    """The part of each pair: no site and no chain of pairs is in two of them."""
    group = np.arange(len(texts))
    first_of_site: dict[str, int] = {}
    edges = [
        (first_of_site.setdefault(text.site, place), place) for place, text in enumerate(texts)
    ]
    for one, other in [*edges, *zip(firsts.tolist(), seconds.tolist(), strict=True)]:
        group[group == group[other]] = group[one]
    names, numbers = np.unique(group[firsts], return_counts=True)
    filled = np.zeros(PARTS, np.int64)
    part: dict[int, int] = {}
    for place in np.argsort(-numbers, kind="stable").tolist():
        part[int(names[place])] = int(np.argmin(filled))
        filled[np.argmin(filled)] += numbers[place]
    return np.array([part[int(name)] for name in group[firsts]])


def best_penalty(kernel: Doubles, better: Doubles, part: Places) -> float:
    """The penalty with which most pairs are put in their order by models without their part."""
    return max((_in_order(kernel, better, part, one).mean(), one) for one in PENALTIES)[1]


def by_other_parts(kernel: Doubles, better: Doubles, part: Places) -> NDArray[np.bool_]:
    """Whether each pair is put in its order by a model that did not see its part.

    The penalty of each part's model is chosen on the other parts, too.
    """
    right = np.zeros(len(better), np.bool_)
    for one in range(PARTS):
        own, out = np.flatnonzero(part != one), part == one
        penalty = best_penalty(kernel[np.ix_(own, own)], better[own], part[own])
        right[out] = _in_order(kernel, better, part, penalty)[out]
    return right


def _in_order(kernel: Doubles, better: Doubles, part: Places, penalty: float) -> NDArray[np.bool_]:
    scores = out_of_part(kernel, better[:, None], penalty, np.ones(len(better)), part)[:, 0]
    return np.asarray((scores > 0) == (better > 0))


def pairs_of(texts: Mapping[str, int]) -> tuple[Places, Places, Doubles]:
    """Places of the first and second texts, and 1 where the first teaches more, else -1."""
    rows = read_labels(PAIRS)
    firsts, seconds = (np.array([texts[row[name]] for row in rows]) for name in ("first", "second"))
    better = np.array([1.0 if row["better"] == "first" else -1.0 for row in rows])
    return firsts, seconds, better


def main() -> None:
    """Train, evaluate, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    every = list({text.digest: text for text in read_texts(options.data)}.values())
    wanted = {row[name] for row in read_labels(PAIRS) for name in ("first", "second")}
    texts = [text for text in every if text.digest in wanted]
    firsts, seconds, better = pairs_of({text.digest: place for place, text in enumerate(texts)})
    frequency = np.zeros(SIZE, np.int64)
    for features in text_features([text.text for text in every]):
        frequency[features.buckets] += 1
    rarity = rarity_of_counts(frequency, len(every))
    rows = weight_by_rarity(log_count_rows([text.text for text in texts]), rarity)
    differences = rows[firsts] - rows[seconds]
    kernel = kernel_of(differences)
    part = parts_of_pairs(texts, firsts, seconds)
    print(f"{len(texts)} texts, {len(better)} pairs, parts of {np.bincount(part).tolist()}")
    print("right order:", _share_of(by_other_parts(kernel, better, part)))
    lengths = np.array([len(text.text) for text in texts])
    print("by length:", _share_of((lengths[firsts] > lengths[seconds]) == (better > 0)))
    penalty = best_penalty(kernel, better, part)
    print(f"penalty {penalty}")
    dual = solve_ridge(kernel, better[:, None], penalty, np.ones(len(better)))
    weights = primal_weights(differences, dual)
    scores = rows @ weights[:, 0]
    spread = float(scores.std())
    shift = np.array([-scores.mean() / spread], np.float32)
    if options.out:
        limits = np.zeros(1, np.float32)
        write_weights(options.out, Weights(rarity, weights / spread, shift, limits))


def _share_of(right: NDArray[np.bool_]) -> str:
    return wilson_interval(int(right.sum()), len(right))


if __name__ == "__main__":
    main()
