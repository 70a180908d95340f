"""Teach the registers from labelled pages, and measure on others.

    python -m models.registers.train TRAIN.tsv.gz TEST.tsv.gz [--out weights.npz] [--fasttext]

Files: one page a line, CORE's codes with blanks between, a tab, the text. Least squares with a
penalty (Hoerl & Kennard 1970) in the dual, over tf-idf of hashed words and runs of characters.
Penalty and limit are those of the best micro-F1 in five parts of the training pages; the test pages
are looked at once. `--fasttext` teaches fastText on the same pages (one against all, words and
pairs, dimension and epochs by the same five parts) for comparison.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.registers.features import BUCKETS, CODES, Weights, text_features
from models.registers.interface import RegisterModel

Matrix = NDArray[np.float32]
Truths = NDArray[np.bool_]
PENALTIES = (0.03, 0.1, 0.3, 1.0)
LIMITS = np.arange(0.15, 0.6, 0.01)
PARTS = 5


def read(path: Path) -> tuple[list[str], Truths]:
    """Texts, and which of the registers each is; registers that are not taught are left out."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        pairs = [line.rstrip("\n").split("\t", 1) for line in lines]
    labels = np.array([[code in codes.split() for code in CODES] for codes, _ in pairs])
    return [text for _, text in pairs], labels


def micro_f1(said: Truths, true: Truths) -> float:
    """Over all pages and registers together."""
    return float(2 * (said & true).sum() / max(said.sum() + true.sum(), 1))


def counted(texts: Sequence[str]) -> Matrix:
    """Rows of 1 + log of counts."""
    rows = np.zeros((len(texts), 2 * BUCKETS), np.float32)
    for row, text in zip(rows, text_features(texts), strict=True):
        row[text.buckets] = text.values
    return rows


def rarity(rows: Matrix) -> Matrix:
    """Inverse document frequencies; 0 for what is in one text only."""
    frequency = (rows > 0).sum(axis=0)
    frequencies = np.log((1 + len(rows)) / (1 + frequency)) * (frequency > 1)
    return np.asarray(frequencies, np.float32)


def weighted(rows: Matrix, rare: Matrix) -> Matrix:
    """Rows of length 1."""
    values = rows * rare
    return np.asarray(values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-9))


def solved(kernel: NDArray[np.float64], labels: Truths, penalty: float) -> tuple[Any, Any]:
    """Dual weights and shares."""
    shares = labels.mean(axis=0)
    return np.linalg.solve(kernel + penalty * np.eye(len(kernel)), labels - shares), shares


def in_parts(number: int) -> NDArray[np.int64]:
    """The part of each page, by chance of a given seed."""
    return np.random.default_rng(1).integers(0, PARTS, number)


def train(texts: Sequence[str], labels: Truths) -> Weights:
    """The model with the best penalty and limit."""
    rows = counted(texts)
    rare = rarity(rows)
    matrix = weighted(rows, rare)
    kernel = (matrix @ matrix.T).astype(np.float64)
    part = in_parts(len(texts))
    tried = []
    for penalty in PENALTIES:
        scores = np.zeros(labels.shape)
        for one in range(PARTS):
            own, out = part != one, part == one
            dual, shares = solved(kernel[np.ix_(own, own)], labels[own], penalty)
            scores[out] = kernel[np.ix_(out, own)] @ dual + shares
        tried += [(micro_f1(scores >= limit, labels), penalty, limit) for limit in LIMITS]
    best, penalty, limit = max(tried)
    print(f"in five parts: micro-F1 {best:.3f} with penalty {penalty}, limit {limit:.2f}")
    dual, shares = solved(kernel, labels, penalty)
    primal = (matrix.T @ dual).astype(np.float32)
    return Weights(rare, primal, shares.astype(np.float32), np.array([limit], np.float32))


def fasttext_scores(
    texts: Sequence[str], labels: Truths, others: Sequence[str], dim: int, epochs: int
) -> Any:
    """fastText's probabilities of each register, by a build of it that can be taught."""
    import fasttext  # noqa: PLC0415 - only for the comparison; the usual package only predicts

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.txt")
        path.write_text("".join(
            " ".join(f"__label__{code}" for code, is_one in zip(CODES, row, strict=True) if is_one)
            + f" {text.lower()}\n" for text, row in zip(texts, labels, strict=True)
        ))  # fmt: skip
        model = fasttext.train_supervised(
            str(path), loss="ova", wordNgrams=2, dim=dim, epoch=epochs, lr=0.5, bucket=200_000,
            minCount=2, thread=1, verbose=0, seed=1,
        )  # fmt: skip
    scores = np.zeros((len(others), len(CODES)))
    for row, text in zip(scores, others, strict=True):
        for score, label in model.f.predict(f"{text.lower()}\n", -1, 0.0, "strict"):
            code = label.removeprefix("__label__")
            if code in CODES:
                row[CODES.index(code)] = score
    return scores


def compared(texts: Sequence[str], labels: Truths, others: Sequence[str]) -> tuple[Any, float]:
    """fastText's scores of other texts, and the limit; its settings by one of the five parts."""
    part = in_parts(len(texts))
    own, out = np.flatnonzero(part > 0), np.flatnonzero(part == 0)

    def pick(places: Any) -> list[str]:
        return [texts[place] for place in places]

    tried = []
    for dim, epochs in ((50, 25), (50, 60), (100, 100)):
        scores = fasttext_scores(pick(own), labels[own], pick(out), dim, epochs)
        tried += [(micro_f1(scores >= t, labels[out]), t, dim, epochs) for t in LIMITS]
    best, limit, dim, epochs = max(tried)
    print(f"fastText in a fifth: {best:.3f} with dim {dim}, {epochs} epochs, limit {limit:.2f}")
    return fasttext_scores(texts, labels, others, dim, epochs), limit


def main() -> None:
    """Teach, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--fasttext", action="store_true")
    options = parser.parse_args()
    texts, labels = read(options.train)
    others, truth = read(options.test)
    weights = train(texts, labels)
    if options.out:
        half = {name: value.astype(np.float16) for name, value in weights._asdict().items()}
        np.savez_compressed(options.out, **half)
    model = RegisterModel(weights, "")
    start = time.process_time()
    scores = model.scores(others)
    rate = len(others) / (time.process_time() - start)
    said = scores >= weights.limits[0]
    print(f"test: micro-F1 {micro_f1(said, truth):.3f}, {rate:,.0f} texts a second of CPU")
    for code, mine, true in zip(CODES, said.T, truth.T, strict=True):
        print(f"  {code}: F1 {micro_f1(mine, true):.3f} of {true.sum()}")
    if options.fasttext:
        result, limit = compared(texts, labels, others)
        print(f"fastText, test: micro-F1 {micro_f1(result >= limit, truth):.3f}")


if __name__ == "__main__":
    main()
