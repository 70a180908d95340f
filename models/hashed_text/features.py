"""Hashed words, pairs of words, and runs of three to five characters of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.native import word_grams
from skord.text.words import string_buffers

BUCKETS = 1 << 14
"""Of each block, where a model does not say otherwise; a power of two."""
BLOCKS = 3
"""Words; pairs of words; runs of characters."""
SIZE = BLOCKS * BUCKETS
RUNS = (3, 4, 5)
"""Characters of a run."""
MAX_CHARS = 6_000
"""Of a text that are read."""

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
Floats = NDArray[np.float32]

_BLANKS = re.compile(r"\s+")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_DROPPED = np.uint64(20)
"""Low bits of a hash, which do not choose the bucket."""


class Text(NamedTuple):
    """Buckets of one text that are not empty, ascending, and 1 + log of their counts."""

    buckets: I64
    values: Floats


def text_features(texts: Sequence[str], buckets: int = BUCKETS) -> Iterator[Text]:
    """The features of each text, one after another, in so many buckets a block."""
    modulus = np.uint64(buckets)
    cut = [_BLANKS.sub(" ", text[:MAX_CHARS]).lower() for text in texts]
    starts, held = string_buffers(pa.array(cut, pa.large_string()))
    for text, words, pairs in zip(
        cut,
        _word_gram_buckets(starts, held, 1, modulus),
        _word_gram_buckets(starts, held, 2, modulus),
        strict=True,
    ):
        runs = _character_run_buckets(text, modulus)
        places = np.concatenate([words, pairs + modulus, runs + np.uint64(2) * modulus])
        places = np.sort(places.astype(np.uint32))
        firsts = np.flatnonzero(np.append(True, places[1:] != places[:-1]))
        counts = np.diff(np.append(firsts, len(places)))
        yield Text(places[firsts].astype(np.int64), (1 + np.log(counts)).astype(np.float32))


def normalised_buckets(text: Text, rarity: Floats) -> Floats:
    """Values of a text's buckets weighted by rarity, each block of length 1."""
    values = text.values * rarity.take(text.buckets)
    ends = np.searchsorted(text.buckets, np.arange(1, BLOCKS + 1) * (len(rarity) // BLOCKS))
    start = 0
    for end in ends.tolist():
        block = values[start:end]
        block /= max(float(np.sqrt(np.sum(block * block, dtype=np.float64))), 1e-9)
        start = end
    return values


def _word_gram_buckets(
    starts: I64, held: NDArray[np.uint8], length: int, modulus: np.uint64
) -> Iterator[U64]:
    """Buckets of each text's runs of so many words."""
    raw, sizes = word_grams(starts, held, length)
    buckets = (np.frombuffer(raw, np.uint64) >> _DROPPED) % modulus
    end = 0
    for size in np.frombuffer(sizes, np.uint32).tolist():
        yield buckets[end : end + size]
        end += size


def _character_run_buckets(text: str, modulus: np.uint64) -> U64:
    """Buckets of the runs of characters, two blanks before and behind the text."""
    codes = np.frombuffer(f"  {text}  ".encode("utf-32-le", "surrogatepass"), np.uint32)
    codes = codes.astype(np.uint64)
    hashes = np.zeros(len(codes), np.uint64)
    buckets = []
    for at in range(RUNS[-1]):
        number = max(len(codes) - at, 0)
        hashes = (hashes[:number] ^ codes[at : at + number]) * _FACTOR
        hashes ^= hashes >> np.uint64(29)
        if at + 1 in RUNS:
            buckets.append((hashes >> _DROPPED) & (modulus - np.uint64(1)))
    return np.concatenate(buckets)
