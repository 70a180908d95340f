"""Train the registers on labelled pages, and evaluate on others.

    python -m skord.models.registers.train TRAIN.tsv.gz TEST.tsv.gz [--nordic DATA] [--out weights.npz]

Files: one page a line, CORE's codes with blanks between, a tab, the text. Penalty, second
stage and limits are those of the best micro-F1 in five parts of these pages; the test pages are
evaluated once. `--nordic` adds the texts of `nordic.jsonl`, found by their digests in
DATA, and reports how well they are labelled by models that saw nothing of the same site, and by one
that was trained on Swedish alone. It takes 6 GB.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skord.models.hashed_text.linear import Weights
from skord.models.hashed_text.ridge import (
    kernel_of,
    log_count_rows,
    out_of_part,
    primal_weights,
    rarity_of,
    solve_ridge,
    weight_by_rarity,
)
from skord.models.read_texts import read_labels, read_texts
from skord.models.registers.interface import (
    BUCKETS,
    CODES,
    RegisterModel,
    RegisterWeights,
    apply_limits,
    second_inputs,
    write_registers,
)

Truths = NDArray[np.bool_]
Scores = NDArray[np.float64]
PENALTIES = (0.02, 0.05, 0.1, 0.2, 0.4)
LIMITS = np.arange(0.1, 0.7, 0.02)
NORDIC = Path(__file__).with_name("nordic.jsonl")
PARTS = 5
LEAST = np.arange(0.02, 0.7, 0.04)
SECOND_PENALTY = 1.0


def read(path: Path) -> tuple[list[str], Truths]:
    """Texts, and which of the registers each is; other registers are left out."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        pairs = [line.rstrip("\n").split("\t", 1) for line in lines]
    return [text for _, text in pairs], truths([codes for codes, _ in pairs])


def truths(labels: Sequence[str]) -> Truths:
    """Which of the registers each of these codes, with blanks between, name."""
    return np.array([[code in codes.split() for code in CODES] for codes in labels])


def micro_f1(predicted: Truths, true: Truths) -> float:
    """Over all pages and registers together."""
    return float(2 * (predicted & true).sum() / max(int(predicted.sum() + true.sum()), 1))


def in_parts(number: int) -> NDArray[np.int64]:
    """The part of each page, by chance of a given seed."""
    return np.random.default_rng(1).integers(0, PARTS, number)


def limits_of(scores: Scores, truth: Truths) -> tuple[float, float]:
    """The limit of all registers and the least for the highest of a text, by micro-F1."""
    tried = [
        (micro_f1(apply_limits(scores, np.full(len(CODES), limit), least), truth), limit, least)
        for limit in LIMITS
        for least in LEAST[limit >= LEAST]
    ]
    return max(tried)[1:]


def second_stage(scores: Scores, labels: Truths) -> Scores:
    """Weights of `second_inputs`, by least squares with a penalty but on the constant."""
    inputs = second_inputs(scores)
    penalty = np.diag([SECOND_PENALTY] * (inputs.shape[1] - 1) + [1e-6])
    return np.asarray(np.linalg.solve(inputs.T @ inputs + penalty, inputs.T @ labels), np.float64)


class Selection(NamedTuple):
    """The best settings by cross-validation, and the micro-F1 there.

    Attributes:
        limits: of all registers, and the least of a text's highest score.
        second: weights of the second stage, from scores of models that did not see the page.
    """

    micro_f1: float
    penalty: float
    limits: tuple[float, float]
    second: Scores


def select_by_parts(kernel: Scores, labels: Truths, part: NDArray[np.int64]) -> Selection:
    """Penalty, second stage and limits."""
    shares = labels.mean(axis=0)
    ones = np.ones(len(labels))
    tried = []
    for penalty in PENALTIES:
        first = out_of_part(kernel, labels - shares, penalty, ones, part) + shares
        scores = np.zeros(first.shape)
        for one in np.unique(part):
            own, out = part != one, part == one
            scores[out] = second_inputs(first[out]) @ second_stage(first[own], labels[own])
        limit, least = limits_of(scores, labels)
        predicted = apply_limits(scores, np.full(len(CODES), limit), least)
        second = second_stage(first, labels)
        tried.append(Selection(micro_f1(predicted, labels), penalty, (limit, least), second))
    return max(tried, key=lambda one: one.micro_f1)


def train(texts: Sequence[str], labels: Truths, deciding: int | None = None) -> RegisterWeights:
    """The model with the best penalty and limits.

    Args:
        labels: of each.
        deciding: the first so many choose penalty, second stage and limits; all when None.
    """
    rows = log_count_rows(texts, BUCKETS)
    rarity = rarity_of(rows)
    matrix = weight_by_rarity(rows, rarity)
    kernel = kernel_of(matrix)
    first = slice(deciding)
    best = select_by_parts(kernel[first, first], labels[first], in_parts(len(labels[first])))
    limit, least = best.limits
    print(
        f"in five parts: micro-F1 {best.micro_f1:.3f} with penalty {best.penalty}, limit "
        f"{limit:.2f}, least {least:.2f}"
    )
    shares = labels.mean(axis=0)
    dual = solve_ridge(kernel, labels - shares, best.penalty, np.ones(len(labels)))
    limits = np.full(len(CODES), limit, np.float32)
    linear = Weights(rarity, primal_weights(matrix, dual), shares.astype(np.float32), limits)
    return RegisterWeights(linear, best.second.astype(np.float32), np.array([least], np.float32))


def labels_of(weights: RegisterWeights, texts: Sequence[str]) -> Truths:
    """A model's labels of texts."""
    scores = RegisterModel(weights).scores(texts)
    return apply_limits(scores, weights.first.limits, float(weights.least[0]))


def by_site(
    texts: Sequence[str], labels: Truths, others: Sequence[str], truth: Truths, sites: Sequence[str]
) -> tuple[Truths, Truths]:
    """Predicted labels of other texts: trained on `texts` alone, and on other sites too.

    The limit, one for all registers, is that of the best micro-F1 on the other sites.
    """
    rows = log_count_rows([*texts, *others], BUCKETS)
    rarity = rarity_of(rows)
    kernel = kernel_of(weight_by_rarity(rows, rarity))
    shares = labels.mean(axis=0)
    targets = np.vstack([labels, truth]) - shares
    number = len(texts)
    alone = out_of_part(
        kernel, targets, 0.2, np.ones(len(rows)), np.repeat([0, 1], [number, len(others)])
    )[number:] + shares  # fmt: skip
    names = sorted(set(sites))
    part = np.array([-1] * number + [names.index(site) for site in sites])
    with_sites = out_of_part(kernel, targets, 0.2, np.ones(len(rows)), part)[number:] + shares
    return tuple(_by_other_sites(scores, truth, part[number:]) for scores in (alone, with_sites))  # type: ignore[return-value]


def _by_other_sites(scores: Scores, truth: Truths, part: NDArray[np.int64]) -> Truths:
    predicted = np.zeros(truth.shape, np.bool_)
    for one in np.unique(part):
        rest = part != one
        limit = max((micro_f1(scores[rest] >= t, truth[rest]), t) for t in LIMITS)[1]
        predicted[~rest] = scores[~rest] >= limit
    return predicted


def nordic(data: Path) -> tuple[list[str], Truths, list[str], list[str]]:
    """Texts of `nordic.jsonl`, their registers, sites and languages."""
    rows = {row["text"]: row for row in read_labels(NORDIC)}
    found = [text for text in read_texts(data) if text.digest in rows]
    codes = [rows[text.digest]["registers"] for text in found]
    return (
        [text.text for text in found],
        truths(codes),
        [text.site for text in found],
        [text.language for text in found],
    )


def main() -> None:
    """Train, evaluate, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--nordic", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    texts, labels = read(options.train)
    others, truth = read(options.test)
    added: list[str] = []
    added_labels = labels[:0]
    if options.nordic:
        added, added_labels, sites, languages = nordic(options.nordic)
        alone, with_sites = by_site(texts, labels, added, added_labels, sites)
        for name, predicted in (("Swedish alone", alone), ("and other sites", with_sites)):
            by_language = {
                one: round(micro_f1(predicted[place], added_labels[place]), 3)
                for one in sorted(set(languages))
                if (place := np.array(languages) == one).any()
            }
            print(f"{name}: micro-F1 {micro_f1(predicted, added_labels):.3f}", by_language)
    weights = train([*texts, *added], np.vstack([labels, added_labels]), len(texts))
    if options.out:
        write_registers(options.out, weights)
    start = time.process_time()
    predicted = labels_of(weights, others)
    rate = len(others) / (time.process_time() - start)
    print(f"test: micro-F1 {micro_f1(predicted, truth):.3f}, {rate:,.0f} texts a second of CPU")
    for code, mine, true in zip(CODES, predicted.T, truth.T, strict=True):
        print(f"  {code}: F1 {micro_f1(mine, true):.3f} of {true.sum()}")


if __name__ == "__main__":
    main()
