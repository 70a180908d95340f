"""Train the models of unwanted and of machine-made texts on labels by reading, and evaluate them.

    python -m skord.extras.unwanted.train unwanted --data DATA [--out models/unwanted/weights.json]
    python -m skord.extras.unwanted.train machine_made --data DATA [--out …/machine_made.json]

DATA holds the texts of the labels, found by their digests. Main texts of Nordic and Latvian pages
that were not read one by one count as good, with a third of the weight.

`unwanted` is evaluated by cross-validation over ten parts by site, the sample crawl one site. Its
limit is the lowest, in hundredths, that at most one good text in a hundred and no more than
`MOST_FALSE` of the marks among the texts that were read exceed. `machine_made` is trained on
`machine_made.jsonl` and evaluated on the texts of `labels.jsonl`, at `MADE_LIMIT`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skord.extras.unwanted import machine_made, signs
from skord.models.logistic import fit_logistic, probabilities
from skord.models.read_texts import SAMPLE, ReadText, read_labels, read_texts, wilson_interval
from skord.models.unwanted.interface import MACHINE_MADE, WEIGHTS, load_unwanted

LABELS = WEIGHTS.with_name("labels.jsonl")
PAGES = Path(__file__).parents[2] / "sample_crawl" / "pages"
PARTS = 10
OF_UNWANTED, OF_OTHERS = 4.0, 0.33
"""Weights of an unwanted text and of one that was not read one by one; any other weighs 1."""
PENALTY = 1.0
MOST_LOST = 0.01
MOST_FALSE = 0.2
"""Share of the marks of unwanted texts among those that were read."""
MADE_LIMIT = 0.5
STEPS = 50

Matrix = NDArray[np.float64]
Truths = NDArray[np.bool_]


def fit(rows: Matrix, truths: Truths, shares: Matrix) -> Matrix:
    """Weights, and last the bias."""
    return fit_logistic(rows, truths, shares, np.array([PENALTY] * rows.shape[1] + [1e-3]), STEPS)


def cross_validated(
    rows: Matrix, truths: Truths, shares: Matrix, part: NDArray[np.int64]
) -> Matrix:
    """Probabilities by models that were trained without the part."""
    scores = np.zeros(len(rows))
    for one in range(PARTS):
        own, out = part != one, part == one
        scores[out] = probabilities(rows[out], fit(rows[own], truths[own], shares[own]))
    return scores


def parts_by_site(texts: Sequence[ReadText]) -> NDArray[np.int64]:
    """The part of each text, the same for all of a site."""
    sites = sorted({text.site for text in texts})
    chance = np.random.default_rng(1).integers(0, PARTS, len(sites))
    part = dict(zip(sites, chance.tolist(), strict=True))
    return np.array([part[text.site] for text in texts])


def lowest_limit(scores: Matrix, is_read: Truths, unwanted: Truths) -> float:
    """The lowest limit at which few good texts are removed and few marks are false; else 1."""
    limit = 1.0
    for hundredth in range(95, 4, -1):
        over = scores >= hundredth / 100
        marked, false = int((over & is_read).sum()), int((over & is_read & ~unwanted).sum())
        lost = int((over & ~is_read).sum())
        if lost <= MOST_LOST * (~is_read).sum() and false <= MOST_FALSE * marked:
            limit = hundredth / 100
    return limit


def write_weights(path: Path, measures: Sequence[str], weights: Matrix, limit: float) -> None:
    """Write what `skord.models.unwanted.interface` reads; of the weights the last is the bias."""
    of_measures = zip(measures, weights[:-1].tolist(), strict=True)
    content = {"bias": round(float(weights[-1]), 4), "limit": limit, "weights": {
        name: round(value, 4) for name, value in of_measures
    }}  # fmt: skip
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def train_unwanted(data: Path) -> tuple[Matrix, float]:
    """Weights and limit; prints how many marks are right and what they miss."""
    labels = {row["text"]: row["kind"] for row in read_labels(LABELS)}
    texts = [
        text
        for text in read_texts(data, PAGES)
        if text.digest in labels or not text.source.startswith(("swecore", SAMPLE))
    ]
    texts = list({text.digest: text for text in texts}.values())
    is_read = np.array([text.digest in labels for text in texts])
    kinds = [labels.get(text.digest) for text in texts]
    unwanted = np.array([kind is not None for kind in kinds])
    shares = np.where(unwanted, OF_UNWANTED, np.where(is_read, 1.0, OF_OTHERS))
    rows = np.array([signs.measures_of(text.text, text.language) for text in texts])
    scores = cross_validated(rows, unwanted, shares, parts_by_site(texts))
    limit = lowest_limit(scores, is_read, unwanted)
    over = scores >= limit
    is_sample = np.array([text.source == SAMPLE for text in texts])
    print(f"limit {limit}: {is_read.sum()} read, {unwanted.sum()} of them unwanted")
    _print_shares(int((over & unwanted).sum()), int((over & is_read).sum()), int(unwanted.sum()))
    print(f"good ones lost: {(over & ~is_read).sum()} of {(~is_read).sum()}")
    print(f"sample crawl: {(over & unwanted & is_sample).sum()} of {(unwanted & is_sample).sum()}")
    _print_kinds(kinds, (kind for kind, is_over in zip(kinds, over, strict=True) if is_over))
    return fit(rows, unwanted, shares), limit


def train_machine_made(data: Path) -> Matrix:
    """Weights; prints how many marks are right among the texts that they were not trained on."""
    every = {text.digest: text for text in read_texts(data, PAGES)}
    trained = {row["text"]: row["kind"] for row in read_labels(MACHINE_MADE.with_suffix(".jsonl"))}
    tested = {row["text"]: row["kind"] for row in read_labels(LABELS)}
    good = [
        one.digest
        for one in every.values()
        if one.digest not in tested and not one.source.startswith(("swecore", SAMPLE))
    ]
    rows = {
        digest: machine_made.machine_made_measures(text.text, text.language)
        for digest, text in every.items()
    }
    is_made = np.array([kind is not None for kind in trained.values()] + [False] * len(good))
    shares = np.where(is_made, OF_UNWANTED, 1.0)
    shares[len(trained) :] = OF_OTHERS
    weights = fit(np.array([rows[one] for one in (*trained, *good)]), is_made, shares)
    scores = probabilities(np.array(list(rows.values())), weights)
    marked = {one for one, score in zip(rows, scores.tolist(), strict=True) if score >= MADE_LIMIT}
    unwanted = {digest for digest, kind in tested.items() if kind}
    _print_shares(len(marked & unwanted), len(marked & tested.keys()), len(unwanted))
    for kinds, name in ((tested, "evaluated on"), (trained, "trained on")):
        print(f"{name}:")
        _print_kinds(kinds.values(), (kinds[digest] for digest in marked & kinds.keys()))
    print(f"good ones lost: {len(marked & set(good))} of {len(good)}")
    spam = load_unwanted(WEIGHTS)
    found = {
        digest
        for digest in marked & unwanted
        if spam.probabilities(
            signs.measures_of(every[digest].text, every[digest].language)[None]
        )[0] >= spam.limit
    }  # fmt: skip
    print(f"of them not marked by unwanted_score: {len((marked & unwanted) - found)}")
    return weights


def _print_shares(right: int, marked: int, unwanted: int) -> None:
    print(f"right {right} of {marked}: {wilson_interval(right, marked)}")
    print(f"found {right} of {unwanted}: {wilson_interval(right, unwanted)}")


def _print_kinds(kinds: Iterable[str | None], marked: Iterable[str | None]) -> None:
    """How many of each kind are marked; None is wanted."""
    counts = Counter(marked)
    for kind, number in Counter(kinds).most_common():
        print(f"  {kind or 'wanted'}: {counts[kind]} of {number}")


def main() -> None:
    """Train, evaluate, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=("unwanted", "machine_made"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    measures: Sequence[str]
    if options.model == "unwanted":
        measures = signs.MEASURES
        weights, limit = train_unwanted(options.data)
    else:
        measures, limit = machine_made.MEASURES, MADE_LIMIT
        weights = train_machine_made(options.data)
    if options.out:
        write_weights(options.out, measures, weights, limit)


if __name__ == "__main__":
    main()
