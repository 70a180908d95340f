"""Teach the educational score from pairs of texts that were read.

    python -m skord.models.education.train DATA [--out weights.npz]

DATA holds the texts of `pairs.jsonl`, found by their digests. Least squares on the differences of
two texts' features, 1 where the first teaches more and -1 where the second does. Told are the
shares of pairs put in the right order by models that saw no text of the same sites nor of a chain
of pairs with them; and by the length of the texts, and by the perplexity of the project's language
models. The penalty is the best of the four other parts.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skord.models.education.interface import WEIGHTS
from skord.models.hashed_text.features import SIZE, text_features
from skord.models.hashed_text.linear import Weights, write_weights
from skord.models.hashed_text.ridge import (
    Doubles,
    Matrix,
    kernel_of,
    log_count_rows,
    primal_weights,
    solve_ridge,
    weight_by_rarity,
)
from skord.models.language_model.interface import load_language_models
from skord.models.read_texts import ReadText, read_labels, read_texts

PAIRS = WEIGHTS.with_name("pairs.jsonl")
PENALTIES = (0.1, 0.3, 1.0, 3.0)
PARTS = 5
PERPLEXITY_CHARS = 3_000

Places = NDArray[np.int64]


def rarity_over(texts: Sequence[str]) -> Matrix:
    """Inverse document frequency of each bucket; 0 for what is in one text only."""
    frequency = np.zeros(SIZE)
    for text in text_features(texts):
        frequency[text.buckets] += 1
    frequencies = np.log((1 + len(texts)) / (1 + frequency)) * (frequency > 1)
    return np.asarray(frequencies, np.float32)


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


def by_other_parts(kernel: Doubles, better: Doubles, part: Places) -> NDArray[np.bool_]:
    """Whether each pair is put in its order by a model that did not see its part."""
    right = np.zeros(len(better), np.bool_)
    for one in range(PARTS):
        own, out = np.flatnonzero(part != one), np.flatnonzero(part == one)
        penalty = max(
            (_share_right(kernel, better, own, part[own], penalty), penalty)
            for penalty in PENALTIES
        )[1]
        right[out] = _right_orders(kernel, better, own, out, penalty)
    return right


def _right_orders(
    kernel: Doubles, better: Doubles, own: Places, out: Places, penalty: float
) -> NDArray[np.bool_]:
    dual = solve_ridge(kernel[np.ix_(own, own)], better[own], penalty, np.ones(len(own)))
    return np.asarray((kernel[np.ix_(out, own)] @ dual > 0) == (better[out] > 0))


def _share_right(
    kernel: Doubles, better: Doubles, places: Places, part: Places, penalty: float
) -> float:
    right = [
        _right_orders(kernel, better, places[part != one], places[part == one], penalty)
        for one in np.unique(part)
    ]
    return float(np.concatenate(right).mean())


def accuracy_interval(right: NDArray[np.bool_]) -> str:
    """With the interval of 95 % of a normal distribution."""
    middle = float(right.mean())
    half = 1.96 * math.sqrt(middle * (1 - middle) / len(right))
    return f"{middle:.3f} ± {half:.3f}"


def text_perplexities(texts: Sequence[ReadText]) -> Doubles:
    """Of the start of each text by the shipped model of its language; NaN without one."""
    models = load_language_models("embedded")
    known = [
        models.score(text.language, [text.text[:PERPLEXITY_CHARS]], exact=False)[0].page
        for text in texts
    ]
    return np.array([math.nan if one is None else one for one in known])


def pairs_of(texts: Mapping[str, int]) -> tuple[Places, Places, Doubles]:
    """Places of the first and second texts, and 1 where the first teaches more, else -1."""
    rows = read_labels(PAIRS)
    firsts, seconds = (np.array([texts[row[name]] for row in rows]) for name in ("first", "second"))
    better = np.array([1.0 if row["better"] == "first" else -1.0 for row in rows])
    return firsts, seconds, better


def main() -> None:
    """Teach, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    every = list({text.digest: text for text in read_texts(options.data)}.values())
    wanted = {row[name] for row in read_labels(PAIRS) for name in ("first", "second")}
    texts = [text for text in every if text.digest in wanted]
    firsts, seconds, better = pairs_of({text.digest: place for place, text in enumerate(texts)})
    rarity = rarity_over([text.text for text in every])
    rows = weight_by_rarity(log_count_rows([text.text for text in texts]), rarity)
    differences = rows[firsts] - rows[seconds]
    kernel = kernel_of(differences)
    part = parts_of_pairs(texts, firsts, seconds)
    print(f"{len(texts)} texts, {len(better)} pairs, parts of {np.bincount(part).tolist()}")
    print("right order:", accuracy_interval(by_other_parts(kernel, better, part)))
    lengths = np.array([len(text.text) for text in texts])
    print("by length:", accuracy_interval((lengths[firsts] > lengths[seconds]) == (better > 0)))
    surprise = text_perplexities(texts)
    known = ~np.isnan(surprise[firsts]) & ~np.isnan(surprise[seconds])
    lower = (surprise[firsts] < surprise[seconds]) == (better > 0)
    print(f"by perplexity ({known.sum()} pairs):", accuracy_interval(lower[known]))
    every_pair = np.arange(len(better))
    penalty = max((_share_right(kernel, better, every_pair, part, one), one) for one in PENALTIES)[
        1
    ]
    weights = primal_weights(
        differences, solve_ridge(kernel, better[:, None], penalty, np.ones(len(better)))
    )
    scores = rows @ weights[:, 0]
    spread = float(scores.std())
    shift = np.array([-scores.mean() / spread], np.float32)
    if options.out:
        limits = np.zeros(1, np.float32)
        write_weights(options.out, Weights(rarity, weights / spread, shift, limits))
    print(f"penalty {penalty}")


if __name__ == "__main__":
    main()
