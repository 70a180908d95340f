"""Compare corpora by what models learn from equal amounts of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skord.models.byte_models.network import network_bits
from skord.models.byte_models.ngrams import ByteNgrams

RESAMPLES = 2000
DOCUMENT_END = b"\n\0"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Figure:
    """Bits per byte, with the bounds of 95 % of resampled sets of held-out documents.

    Attributes:
        corpus: its name.
        model: `ngrams` or `network`.
        bits: per byte of held-out text, over all seeds.
        low, high: bounds.
        against_first: the difference to the first corpus on the same documents, with its bounds;
            None for the first.
    """

    corpus: str
    model: str
    bits: float
    low: float
    high: float
    against_first: tuple[float, float, float] | None


def equal_amounts(
    corpora: Mapping[str, Sequence[str]], seed: int, most_bytes: int
) -> dict[str, bytes]:
    """As many bytes of each corpus, of documents in random order.

    Raises:
        ValueError: a corpus has no text.
    """
    joined = {}
    for name, texts in corpora.items():
        shuffled = list(texts)
        random.Random(seed).shuffle(shuffled)
        joined[name] = b"".join(text.encode("utf-8", "replace") + DOCUMENT_END for text in shuffled)
        if not joined[name]:
            raise ValueError(f"{name} has no text")
    size = min([most_bytes, *map(len, joined.values())])
    return {name: data[:size] for name, data in joined.items()}


def compare_byte_models(
    corpora: Mapping[str, Sequence[str]],
    held_out: Sequence[str],
    seeds: Sequence[int],
    most_bytes: int,
    *,
    with_network: bool = True,
) -> tuple[list[Figure], int]:
    """Bits per byte of each corpus and model, and the bytes that each was trained on.

    Args:
        corpora: name to texts.
        held_out: documents that are in none of them.
        seeds: a training each; the documents are drawn anew, too.
        most_bytes: taken of each corpus, if the smallest has as many.
        with_network: train the network, too.
    """
    documents = [text.encode("utf-8", "replace") + DOCUMENT_END for text in held_out]
    sizes = np.array(list(map(len, documents)), np.float64)
    whole, ends = b"".join(documents), np.cumsum(sizes).astype(np.int64)

    def by_document(bits: Floats) -> Floats:
        sums: Floats = np.add.reduceat(bits, [0, *ends[:-1].tolist()])
        return sums

    models: dict[str, Callable[[bytes, int], Floats]] = {
        "ngrams": lambda text, _: ByteNgrams.trained(text).bits(whole)
    }
    if with_network:
        models["network"] = lambda text, seed: network_bits(text, whole, seed)
    taken = 0
    bits: dict[tuple[str, str], Floats] = {}
    for seed in seeds:
        amounts = equal_amounts(corpora, seed, most_bytes)
        taken = len(next(iter(amounts.values())))
        for model, told in models.items():
            for name, text in amounts.items():
                means = by_document(told(text, seed)) / len(seeds)
                bits[model, name] = bits.get((model, name), np.zeros(len(sizes))) + means
    chance = np.random.default_rng(seeds[0])
    drawn = chance.integers(0, len(sizes), (RESAMPLES, len(sizes)))
    first = next(iter(corpora))
    return [
        _compression_figure(
            name, model, bits[model, name], bits[model, first] if name != first else None,
                sizes, drawn)
        for model in models
        for name in corpora
    ], taken  # fmt: skip


def _compression_figure(
    name: str,
    model: str,
    bits: Floats,
    first: Floats | None,
    sizes: Floats,
    drawn: NDArray[np.int64],
) -> Figure:
    totals = sizes[drawn].sum(axis=1)
    low, high = np.percentile(bits[drawn].sum(axis=1) / totals, [2.5, 97.5])
    against = None
    if first is not None:
        gaps = (bits - first)[drawn].sum(axis=1) / totals
        bounds = np.percentile(gaps, [2.5, 97.5])
        against = (float((bits - first).sum() / sizes.sum()), float(bounds[0]), float(bounds[1]))
    return Figure(name, model, float(bits.sum() / sizes.sum()), float(low), float(high), against)
