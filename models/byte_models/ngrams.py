"""An n-gram model of bytes, with Witten-Bell smoothing and exact counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ORDER = 6
"""Bytes of the longest n-gram; eight fill the integer that stands for one."""

Keys = NDArray[np.uint64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ByteNgrams:
    """Counts of all n-grams up to an order.

    Attributes:
        grams: of each order the distinct n-grams, sorted, and how often each occurs.
        contexts: of each order the distinct contexts, sorted, how often each occurs, and how many
            different bytes follow it.
    """

    grams: list[tuple[Keys, Floats]]
    contexts: list[tuple[Keys, Floats, Floats]]

    @classmethod
    def trained(cls, text: bytes, order: int = ORDER) -> ByteNgrams:
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

        >>> model = ByteNgrams.trained(b"ab" * 50)
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
