"""Compare corpora by what models learn from equal amounts of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ORDER = 6
"""Bytes of the longest n-gram; eight fill the integer that stands for one."""

Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class ByteNgrams:
    """An n-gram model of bytes, with Witten-Bell smoothing and exact counts.

    Attributes:
        grams: of each order the distinct n-grams, sorted, and how often each occurs.
        contexts: of each order the distinct contexts, sorted, how often each occurs, and how many
            different bytes follow it.
    """

    grams: list[tuple[Keys, Floats]]
    contexts: list[tuple[Keys, Floats, Floats]]

    @classmethod
    def train(cls, text: bytes, order: int = ORDER) -> ByteNgrams:
        """The model of a text."""
        data = np.frombuffer(text, np.uint8).astype(np.uint64)
        grams, contexts = [], []
        for length in range(1, order + 1):
            keys, counts = np.unique(_packed_ngrams(data, length), return_counts=True)
            grams.append((keys, counts.astype(np.float64)))
            heads, firsts = np.unique(keys >> np.uint64(8), return_index=True)
            totals = np.add.reduceat(counts, firsts) if len(keys) else np.empty(0)
            kinds = np.diff([*firsts, len(keys)])
            contexts.append((heads, totals.astype(np.float64), kinds.astype(np.float64)))
        return cls(grams, contexts)

    def bits(self, text: bytes) -> Floats:
        """Bits that each byte of a text takes: -log2 of its probability.

        >>> model = ByteNgrams.train(b"ab" * 50)
        >>> model.bits(b"abab").round(1).tolist()
        [1.0, 0.0, 0.0, 0.0]
        """
        data = np.frombuffer(text, np.uint8).astype(np.uint64)
        likely = np.full(len(data), 1 / 256)
        for length, (grams, contexts) in enumerate(
            zip(self.grams, self.contexts, strict=True), start=1
        ):
            keys = _packed_ngrams(data, length)
            held = slice(length - 1, None)
            counts = _looked_up(grams[0], keys, grams[1])
            heads = keys >> np.uint64(8)
            totals = _looked_up(contexts[0], heads, contexts[1])
            kinds = _looked_up(contexts[0], heads, contexts[2])
            mixed = (counts + kinds * likely[held]) / np.maximum(totals + kinds, 1)
            likely[held] = np.where(totals > 0, mixed, likely[held])
        bits: Floats = -np.log2(likely)
        return bits


def _packed_ngrams(data: Keys, length: int) -> Keys:
    """Each run of so many bytes as one integer, the last byte lowest."""
    number = max(len(data) - length + 1, 0)
    keys = np.zeros(number, np.uint64)
    for place in range(length):
        keys = (keys << np.uint64(8)) | data[place : place + number]
    return keys


def _looked_up(known: Keys, keys: Keys, values: Floats) -> Floats:
    if not len(known):
        return np.zeros(len(keys))
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    counts: Floats = np.where(known[places] == keys, values[places], 0.0)
    return counts


@dataclass(frozen=True)
class NetworkRecipe:
    """Every number of the training.

    Attributes:
        context: bytes that are looked at.
        hidden: units of each of two layers.
        batch: bytes foretold in a step.
        rate: of Adam at the beginning; it falls to a tenth.
    """

    context: int = 16
    width: int = 24
    hidden: int = 256
    steps: int = 1500
    batch: int = 1024
    rate: float = 2e-3


def network_bits(
    text: bytes, held_out: bytes, seed: int, recipe: NetworkRecipe | None = None
) -> NDArray[np.float64]:
    """Bits that each byte of a held-out text takes a network trained on another.

    Args:
        text: to train on; as many steps whatever its length.
        seed: of the first weights and the order of training; the same one gives the same bits.
    """
    import torch  # noqa: PLC0415 - takes a second, and only this needs it

    recipe = recipe or NetworkRecipe()
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    chance = np.random.default_rng(seed)
    model = torch.nn.Sequential(
        torch.nn.Embedding(256, recipe.width),
        torch.nn.Flatten(),
        torch.nn.Linear(recipe.context * recipe.width, recipe.hidden),
        torch.nn.GELU(),
        torch.nn.Linear(recipe.hidden, recipe.hidden),
        torch.nn.GELU(),
        torch.nn.Linear(recipe.hidden, 256),
    )
    windows = _byte_windows(text, recipe.context)
    optimiser = torch.optim.Adam(model.parameters(), lr=recipe.rate)
    falling = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.1, recipe.steps)
    for _ in range(recipe.steps):
        rows = torch.from_numpy(windows[chance.integers(0, len(windows), recipe.batch)])
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(rows[:, :-1]), rows[:, -1])
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        falling.step()
    held = _byte_windows(held_out, recipe.context)
    with torch.no_grad():
        parts = [
            torch.nn.functional.cross_entropy(
                model(rows[:, :-1]), rows[:, -1], reduction="none"
            ).numpy()
            for first in range(0, len(held), 8192)
            for rows in [torch.from_numpy(held[first : first + 8192].astype(np.int64))]
        ]
    bits: NDArray[np.float64] = np.concatenate(parts).astype(np.float64) / np.log(2)
    return bits


def _byte_windows(text: bytes, context: int) -> NDArray[np.int64]:
    """For each byte those before it, then itself; zeros before the start."""
    data = np.frombuffer(b"\0" * context + text, np.uint8)
    view = np.lib.stride_tricks.sliding_window_view(data, context + 1)
    return view.astype(np.int64)


RESAMPLES = 2000
DOCUMENT_END = b"\n\0"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Figure:
    """Bits per byte, with the bounds of 95 % of resampled sets of held-out documents.

    Attributes:
        model: `ngrams` or `network`.
        bits: per byte of held-out text, over all seeds.
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
        held_out: documents that are in none of them.
        seeds: a training each; the documents are drawn anew, too.
        most_bytes: taken of each corpus, if the smallest has as many.
    """
    documents = [text.encode("utf-8", "replace") + DOCUMENT_END for text in held_out]
    sizes = np.array(list(map(len, documents)), np.float64)
    whole, ends = b"".join(documents), np.cumsum(sizes).astype(np.int64)

    def by_document(bits: Floats) -> Floats:
        sums: Floats = np.add.reduceat(bits, [0, *ends[:-1].tolist()])
        return sums

    models: dict[str, Callable[[bytes, int], Floats]] = {
        "ngrams": lambda text, _: ByteNgrams.train(text).bits(whole)
    }
    if with_network:
        models["network"] = lambda text, seed: network_bits(text, whole, seed)
    taken = 0
    bits: dict[tuple[str, str], Floats] = {}
    for seed in seeds:
        amounts = equal_amounts(corpora, seed, most_bytes)
        taken = len(next(iter(amounts.values())))
        for model, bits_of in models.items():
            for name, text in amounts.items():
                means = by_document(bits_of(text, seed)) / len(seeds)
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
