"""Hashed words and runs of four characters of a text, and weights over them, as plain arrays."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.core.failures import ConfigError
from pipeline.native import word_grams

REGISTERS = ("narrative", "information", "opinion", "persuasion", "discussion", "how_to")
"""Labels, in the order of the weights' columns; CORE's NA, IN, OP, IP, ID, HI."""

CODES = ("NA", "IN", "OP", "IP", "ID", "HI")
BUCKETS = 1 << 14
"""Of words; of runs of characters there are as many, behind them."""
RUN = 4
MAX_CHARS = 20_000
"""Of a text that are read."""

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
Floats = NDArray[np.float32]

_BLANKS = re.compile(r"\s+")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_MODULUS = np.uint64(BUCKETS)


class Text(NamedTuple):
    """Buckets of one text that are not empty, ascending, and 1 + log of their counts."""

    buckets: I64
    values: Floats


class Weights(NamedTuple):
    """A linear model.

    Attributes:
        rarity: inverse document frequency of each bucket, shape (2 * BUCKETS,); float32.
        weights: shape (2 * BUCKETS, registers); float32.
        shares: of each register among the texts that taught it, added to the sums.
        limits: score from which a text is of any register, shape (1,).
    """

    rarity: Floats
    weights: Floats
    shares: Floats
    limits: Floats


def text_features(texts: Sequence[str]) -> Iterator[Text]:
    """The features of each text, one after another."""
    cut = [_BLANKS.sub(" ", text[:MAX_CHARS]).lower() for text in texts]
    array = pa.array(cut, pa.large_string())
    _, offsets, data = array.buffers()
    starts = np.frombuffer(offsets, np.int64)[: len(cut) + 1]
    held = np.frombuffer(data, np.uint8) if data and data.size else np.zeros(1, np.uint8)
    raw, sizes = word_grams(starts, held, 1)
    words = (np.frombuffer(raw, np.uint64) >> np.uint64(20)) % _MODULUS
    end = 0
    for text, size in zip(cut, np.frombuffer(sizes, np.uint32).tolist(), strict=True):
        own = words[end : end + size]
        end += size
        counts = np.bincount(
            np.concatenate([own, _runs(text) + _MODULUS]).astype(np.int64), minlength=2 * BUCKETS
        )
        buckets = np.flatnonzero(counts)
        yield Text(buckets, (1 + np.log(counts[buckets])).astype(np.float32))


def _runs(text: str) -> U64:
    """Buckets of the runs of four characters, two blanks before and behind the text."""
    codes = np.frombuffer(f"  {text}  ".encode("utf-32-le", "surrogatepass"), np.uint32)
    codes = codes.astype(np.uint64)
    number = len(codes) - RUN + 1
    hashes = np.zeros(number, np.uint64)
    for at in range(RUN):
        hashes = (hashes ^ codes[at : at + number]) * _FACTOR
        hashes ^= hashes >> np.uint64(29)
    return (hashes >> np.uint64(20)) % _MODULUS


def read_weights(path: Path) -> tuple[Weights, str]:
    """Weights out of an .npz of plain arrays, and the start of their SHA-256.

    Raises:
        ConfigError: it is none.
    """
    try:
        raw = path.read_bytes()
        with np.load(path, allow_pickle=False) as arrays:
            weights = Weights(*(arrays[name].astype(np.float32) for name in Weights._fields))
    except (OSError, ValueError, KeyError) as error:
        raise ConfigError(f"{path} holds no weights of registers ({error})") from error
    if weights.weights.shape != (2 * BUCKETS, len(REGISTERS)):
        raise ConfigError(f"{path} holds weights of another shape: train them again")
    return weights, hashlib.sha256(raw).hexdigest()[:12]
