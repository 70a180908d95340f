"""Teach the model of unwanted texts from labels by reading, and tell its errors.

    python -m skord.extras.unwanted.train_unwanted [--data ../shared/data] [--out weights.json]

Every probability that is counted here comes from a model that saw no text of the same site: ten
parts by site, the sample crawl one site. Good texts are the main texts of Nordic and Latvian pages
that were not read one by one; they teach with a third of the weight. The limit is the lowest, in
hundredths, that at most one good text in a hundred and no more than `--false-share` of the marks
among the texts that were read exceed.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skord.extras.unwanted.signs import MEASURES, measures_of
from skord.models.read_texts import SAMPLE, ReadText, read_labels, read_texts
from skord.models.unwanted.interface import WEIGHTS

LABELS = WEIGHTS.with_name("labels.jsonl")
PAGES = Path(__file__).parents[2] / "sample_crawl" / "pages"
PARTS = 10
OF_UNWANTED, OF_OTHERS = 4.0, 0.33
"""Weights of an unwanted text and of one that was not read one by one; any other weighs 1."""
PENALTY = 1.0
MOST_LOST = 0.01
STEPS = 50

Matrix = NDArray[np.float64]


def fitted(rows: Matrix, unwanted: NDArray[np.bool_], shares: Matrix) -> Matrix:
    """Weights and bias of a logistic regression with a penalty, by Newton's method."""
    held = np.hstack([rows, np.ones((len(rows), 1))])
    penalty = np.diag([PENALTY] * rows.shape[1] + [1e-3])
    weights = np.zeros(held.shape[1])
    for _ in range(STEPS):
        said = 1 / (1 + np.exp(-np.clip(held @ weights, -30, 30)))
        slope = held.T @ (shares * (said - unwanted)) + penalty @ weights
        bend = (held.T * (shares * said * (1 - said))) @ held + penalty
        weights -= np.linalg.solve(bend, slope)
    return weights


def interval(right: int, number: int) -> str:
    """The share with Wilson's interval (1927) of 95 %.

    >>> interval(8, 10)
    '0.80 (0.49 to 0.94)'
    """
    share, z = right / max(number, 1), 1.96
    middle = (share + z * z / (2 * number)) / (1 + z * z / number)
    half = (
        z * math.sqrt(share * (1 - share) / number + (z / number / 2) ** 2) / (1 + z * z / number)
    )
    return f"{share:.2f} ({middle - half:.2f} to {middle + half:.2f})"


def parts_of(texts: list[ReadText]) -> NDArray[np.int64]:
    """The part of each text, the same for all of a site."""
    sites = sorted({text.site for text in texts})
    chance = np.random.default_rng(1).integers(0, PARTS, len(sites))
    part = dict(zip(sites, chance.tolist(), strict=True))
    return np.array([part[text.site] for text in texts])


def out_of_part(
    rows: Matrix, unwanted: NDArray[np.bool_], shares: Matrix, part: NDArray[np.int64]
) -> Matrix:
    """Probabilities by models that were taught without the part."""
    said = np.zeros(len(rows))
    for one in range(PARTS):
        own, out = part != one, part == one
        weights = fitted(rows[own], unwanted[own], shares[own])
        said[out] = 1 / (1 + np.exp(-(rows[out] @ weights[:-1] + weights[-1])))
    return said


def limit_of(
    said: Matrix, is_read: NDArray[np.bool_], unwanted: NDArray[np.bool_], false_share: float
) -> float:
    """The lowest limit at which few good texts go and few marks are false; else 1."""
    limit = 1.0
    for hundredth in range(95, 4, -1):
        over = said >= hundredth / 100
        marked, false = int((over & is_read).sum()), int((over & is_read & ~unwanted).sum())
        lost = int((over & ~is_read).sum())
        print(
            f"from {hundredth / 100}: {marked} of the read ones, {false} wrongly; {lost} good ones"
        )
        if lost <= MOST_LOST * (~is_read).sum() and false <= false_share * marked:
            limit = hundredth / 100
    return limit


def tell(
    said: Matrix,
    limit: float,
    texts: list[ReadText],
    kinds: list[str | None],
    is_read: NDArray[np.bool_],
) -> None:
    """Precision and recall among the texts that were read, and what good ones are lost."""
    over = said >= limit
    unwanted = np.array([kind is not None for kind in kinds])
    is_sample = np.array([text.source == SAMPLE for text in texts])
    right, marked = int((over & unwanted).sum()), int((over & is_read).sum())
    print(f"limit {limit}: {is_read.sum()} read, {unwanted.sum()} of them unwanted")
    print(f"right {right} of {marked}: {interval(right, marked)}")
    print(f"found {right} of {unwanted.sum()}: {interval(right, int(unwanted.sum()))}")
    print(f"good ones lost: {(over & ~is_read).sum()} of {(~is_read).sum()}")
    print(f"sample crawl: {(over & unwanted & is_sample).sum()} of {(unwanted & is_sample).sum()}")
    counts = Counter(kind for kind, is_over in zip(kinds, over, strict=True) if kind and is_over)
    for kind, number in Counter(kind for kind in kinds if kind).most_common():
        print(f"  {kind}: {counts[kind]} of {number}")


def write_weights(path: Path, measures: Sequence[str], weights: Matrix, limit: float) -> None:
    """Write what `skord.models.unwanted.interface` reads; of the weights the last is the bias."""
    of_measures = zip(measures, weights[:-1].tolist(), strict=True)
    told = {"bias": round(float(weights[-1]), 4), "limit": limit, "weights": {
        name: round(value, 4) for name, value in of_measures
    }}  # fmt: skip
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Teach, tell, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--false-share", type=float, default=0.2)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    labels = {row["text"]: row["kind"] for row in read_labels(LABELS)}
    texts = [
        text
        for text in read_texts(options.data, PAGES)
        if text.digest in labels or not text.source.startswith(("swecore", SAMPLE))
    ]
    texts = list({text.digest: text for text in texts}.values())
    is_read = np.array([text.digest in labels for text in texts])
    kinds = [labels.get(text.digest) for text in texts]
    unwanted = np.array([kind is not None for kind in kinds])
    shares = np.where(unwanted, OF_UNWANTED, np.where(is_read, 1.0, OF_OTHERS))
    rows = np.array([measures_of(text.text, text.language) for text in texts])
    said = out_of_part(rows, unwanted, shares, parts_of(texts))
    limit = limit_of(said, is_read, unwanted, options.false_share)
    tell(said, limit, texts, kinds, is_read)
    weights = fitted(rows, unwanted, shares)
    if options.out:
        write_weights(options.out, MEASURES, weights, limit)


if __name__ == "__main__":
    main()
