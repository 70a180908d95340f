"""Teach the registers from labelled pages, and measure on others.

    python -m models.registers.train TRAIN.tsv.gz TEST.tsv.gz [--nordic DATA] [--out weights.npz]
        [--seeds 5] [--fasttext]

Files: one page a line, CORE's codes with blanks between, a tab, the text. Penalty and limits are
those of the best micro-F1 in five parts of these pages, a limit for each register; the test
pages are looked at once. `--nordic` adds the texts of `nordic.jsonl`, found by their digests in
DATA, and tells how well they are labelled by models that saw nothing of the same site, and by one
that was taught Swedish alone. `--seeds` repeats everything on so many splits of all pages, near
duplicates on one side, and `--fasttext` teaches fastText on the same ones.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.hashed_text.linear import Weights, write_weights
from models.hashed_text.ridge import (
    counted,
    kernel_of,
    out_of_part,
    primal,
    rarity_of,
    solved,
    weighted,
)
from models.read_texts import read_labels, read_texts
from models.registers.interface import RegisterModel
from models.registers.labels import CODES

Truths = NDArray[np.bool_]
Scores = NDArray[np.float64]
PENALTIES = (0.05, 0.1, 0.2, 0.4)
LIMITS = np.arange(0.1, 0.7, 0.02)
PARTS = 5
TRUST = 0.02
"""What micro-F1 must gain for a limit of one register to move by 1 from that of all."""
TEST_SHARE = 0.3
NEAR = 0.3
"""Share of runs of five words, by cosine, from which on two pages are one for a split."""


def read(path: Path) -> tuple[list[str], Truths]:
    """Texts, and which of the registers each is; registers that are not taught are left out."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        pairs = [line.rstrip("\n").split("\t", 1) for line in lines]
    return [text for _, text in pairs], truths([codes for codes, _ in pairs])


def truths(labels: Sequence[str]) -> Truths:
    """Which of the registers each of these codes, with blanks between, name."""
    return np.array([[code in codes.split() for code in CODES] for codes in labels])


def micro_f1(said: Truths, true: Truths) -> float:
    """Over all pages and registers together."""
    return float(2 * (said & true).sum() / max(said.sum() + true.sum(), 1))


def in_parts(number: int) -> NDArray[np.int64]:
    """The part of each page, by chance of a given seed."""
    return np.random.default_rng(1).integers(0, PARTS, number)


def limits_of(scores: Scores, truth: Truths) -> Scores:
    """A limit for each register: that of all, moved where it gains enough."""
    common = max((micro_f1(scores >= limit, truth), limit) for limit in LIMITS)[1]
    limits = np.full(truth.shape[1], common)
    for _ in range(2):
        for place in range(truth.shape[1]):
            tried = []
            for limit in LIMITS:
                limits[place] = limit
                gain = micro_f1(scores >= limits, truth) - TRUST * abs(limit - common)
                tried.append((gain, limit))
            limits[place] = max(tried)[1]
    return limits


class Chosen(NamedTuple):
    """What the parts of the training pages say is best, and the micro-F1 there."""

    penalty: float
    limits: Scores
    micro_f1: float


def chosen(kernel: Scores, labels: Truths, part: NDArray[np.int64]) -> Chosen:
    """Penalty and limits."""
    shares = labels.mean(axis=0)
    ones = np.ones(len(labels))
    tried = []
    for penalty in PENALTIES:
        scores = out_of_part(kernel, labels - shares, penalty, ones, part) + shares
        limits = limits_of(scores, labels)
        tried.append(Chosen(penalty, limits, micro_f1(scores >= limits, labels)))
    return max(tried, key=lambda one: one.micro_f1)


def train(texts: Sequence[str], labels: Truths, deciding: int | None = None) -> Weights:
    """The model with the best penalty and limits.

    Args:
        texts: that teach.
        labels: of each.
        deciding: the first so many choose penalty and limits; all when None.
    """
    rows = counted(texts)
    rarity = rarity_of(rows)
    matrix = weighted(rows, rarity)
    kernel = kernel_of(matrix)
    first = slice(deciding)
    best = chosen(kernel[first, first], labels[first], in_parts(len(labels[first])))
    print(f"in five parts: micro-F1 {best.micro_f1:.3f} with penalty {best.penalty}")
    shares = labels.mean(axis=0)
    dual = solved(kernel, labels - shares, best.penalty, np.ones(len(labels)))
    return Weights(
        rarity,
        primal(matrix, dual),
        shares.astype(np.float32),
        best.limits.astype(np.float32),
    )


def near_groups(texts: Sequence[str]) -> NDArray[np.int64]:
    """A number for each text, the same for near duplicates."""
    sets = []
    for text in texts:
        words = text[:8000].lower().split()
        sets.append({hash(tuple(words[at : at + 5])) for at in range(max(len(words) - 4, 1))})
    holders: dict[int, list[int]] = {}
    group = np.arange(len(texts))
    for place, runs in enumerate(sets):
        near = {other for run in runs for other in holders.get(run, ())}
        for other in near:
            shared = len(runs & sets[other])
            if shared / np.sqrt(len(runs) * len(sets[other])) > NEAR:
                group[group == group[place]] = group[other]
        for run in runs:
            holders.setdefault(run, []).append(place)
    return group


def splits(group: NDArray[np.int64], number: int) -> Iterator[tuple[Any, Any]]:
    """Places of the pages that teach and of those that test, by so many seeds."""
    groups = np.unique(group)
    for seed in range(number):
        chance = np.random.default_rng(100 + seed)
        out = chance.permutation(groups)[: int(len(groups) * TEST_SHARE)]
        is_out = np.isin(group, out)
        yield np.flatnonzero(~is_out), np.flatnonzero(is_out)


def fasttext_scores(
    texts: Sequence[str], labels: Truths, others: Sequence[str], dim: int, epochs: int
) -> Any:
    """fastText's probabilities of each register, by a build of it that can be taught."""
    import fasttext  # noqa: PLC0415 - only for the comparison; the usual package only predicts

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.txt")
        path.write_text("".join(
            " ".join(f"__label__{code}" for code, is_one in zip(CODES, row, strict=True) if is_one)
            + f" {text[:6000].lower()}\n" for text, row in zip(texts, labels, strict=True)
        ))  # fmt: skip
        model = fasttext.train_supervised(
            str(path), loss="ova", wordNgrams=2, dim=dim, epoch=epochs, lr=0.5, bucket=200_000,
            minCount=2, thread=1, verbose=0, seed=1,
        )  # fmt: skip
    scores = np.zeros((len(others), len(CODES)))
    for row, text in zip(scores, others, strict=True):
        for probability, label in model.f.predict(f"{text[:6000].lower()}\n", -1, 0.0, "strict"):
            code = label.removeprefix("__label__")
            if code in CODES:
                row[CODES.index(code)] = probability
    return scores


def compared(texts: Sequence[str], labels: Truths, others: Sequence[str]) -> tuple[Any, float]:
    """fastText's scores of other texts, and the limit; its settings by one of the five parts."""
    part = in_parts(len(texts))
    own, out = np.flatnonzero(part > 0), np.flatnonzero(part == 0)

    def pick(places: Any) -> list[str]:
        return [texts[place] for place in places]

    tried = []
    for dim, epochs in ((16, 30), (16, 60)):
        scores = fasttext_scores(pick(own), labels[own], pick(out), dim, epochs)
        tried += [(micro_f1(scores >= t, labels[out]), t, dim, epochs) for t in LIMITS]
    _, limit, dim, epochs = max(tried)
    return fasttext_scores(texts, labels, others, dim, epochs), limit


def repeated(texts: Sequence[str], labels: Truths, seeds: int, with_fasttext: bool) -> None:
    """Tell the micro-F1 of each split."""
    for own, out in splits(near_groups(texts), seeds):
        lesson, test = [texts[at] for at in own], [texts[at] for at in out]
        weights = train(lesson, labels[own])
        scores = RegisterModel(weights).scores(test)
        told = f"split: {micro_f1(scores >= weights.limits, labels[out]):.3f}"
        if with_fasttext:
            found, limit = compared(lesson, labels[own], test)
            told += f", fastText {micro_f1(found >= limit, labels[out]):.3f}"
        print(told, flush=True)


def by_site(
    texts: Sequence[str], labels: Truths, others: Sequence[str], truth: Truths, sites: Sequence[str]
) -> tuple[Truths, Truths]:
    """What models say of other texts: one taught `texts` alone, and those taught other sites, too.

    The limit, one for all registers, is that of the best micro-F1 on the other sites.
    """
    rows = counted([*texts, *others])
    rarity = rarity_of(rows)
    kernel = kernel_of(weighted(rows, rarity))
    shares = labels.mean(axis=0)
    targets = np.vstack([labels, truth]) - shares
    number = len(texts)
    alone = out_of_part(
        kernel, targets, 0.2, np.ones(len(rows)), np.repeat([0, 1], [number, len(others)])
    )[number:] + shares  # fmt: skip
    names = sorted(set(sites))
    part = np.array([-1] * number + [names.index(site) for site in sites])
    taught = np.zeros(truth.shape)
    for one in range(len(names)):
        own, out = np.flatnonzero(part != one), np.flatnonzero(part == one)
        dual = solved(kernel[np.ix_(own, own)], targets[own], 0.2, np.ones(len(own)))
        taught[out - number] = kernel[np.ix_(out, own)] @ dual + shares
    return tuple(_by_other_sites(scores, truth, part[number:]) for scores in (alone, taught))  # type: ignore[return-value]


def _by_other_sites(scores: Scores, truth: Truths, part: NDArray[np.int64]) -> Truths:
    said = np.zeros(truth.shape, np.bool_)
    for one in np.unique(part):
        rest = part != one
        limit = max((micro_f1(scores[rest] >= t, truth[rest]), t) for t in LIMITS)[1]
        said[~rest] = scores[~rest] >= limit
    return said


def nordic(data: Path) -> tuple[list[str], Truths, list[str], list[str]]:
    """Texts of `nordic.jsonl`, their registers, sites and languages."""
    rows = {row["text"]: row for row in read_labels(Path(__file__).with_name("nordic.jsonl"))}
    found = [text for text in read_texts(data) if text.digest in rows]
    codes = [rows[text.digest]["registers"] for text in found]
    return (
        [text.text for text in found],
        truths(codes),
        [text.site for text in found],
        [text.language for text in found],
    )


def main() -> None:
    """Teach, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--nordic", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--fasttext", action="store_true")
    options = parser.parse_args()
    texts, labels = read(options.train)
    others, truth = read(options.test)
    if options.seeds:
        repeated([*texts, *others], np.vstack([labels, truth]), options.seeds, options.fasttext)
    added: list[str] = []
    added_labels = labels[:0]
    if options.nordic:
        added, added_labels, sites, languages = nordic(options.nordic)
        alone, taught = by_site(texts, labels, added, added_labels, sites)
        for name, said in (("Swedish alone", alone), ("and other sites", taught)):
            told = {
                one: round(micro_f1(said[place], added_labels[place]), 3)
                for one in sorted(set(languages))
                if (place := np.array(languages) == one).any()
            }
            print(f"{name}: micro-F1 {micro_f1(said, added_labels):.3f}", told)
    weights = train([*texts, *added], np.vstack([labels, added_labels]), len(texts))
    if options.out:
        write_weights(options.out, weights)
    model = RegisterModel(weights)
    start = time.process_time()
    scores = model.scores(others)
    rate = len(others) / (time.process_time() - start)
    said = scores >= weights.limits
    print(f"test: micro-F1 {micro_f1(said, truth):.3f}, {rate:,.0f} texts a second of CPU")
    for code, mine, true in zip(CODES, said.T, truth.T, strict=True):
        print(f"  {code}: F1 {micro_f1(mine, true):.3f} of {true.sum()}")


if __name__ == "__main__":
    main()
