"""Signatures that near-duplicate documents share: MinHash with 14 bands of 8 rows.

Two documents whose sets of 16-character shingles overlap with Jaccard similarity J share at
least one band key with probability 1 - (1 - J^8)^14: 0.97 at J = 0.82, 0.57 at 0.70, 0.05
at 0.50 (Broder 1997; Leskovec et al., "Mining of Massive Datasets", chapter 3). Bands, rows,
shingles, normalisation and random numbers are those of SWEb (arXiv 2410.04456) and the keys
are bit for bit those of its published code, whose `shinglesize=4` means 2**4 characters.

A row of the signature is the minimum of (a x + b) mod P over all shingle hashes x, with
P = 2**61 - 1. Computed exactly, that is some twenty array operations for each of the 112
pairs (a, b). Here a fixed-point approximation in wrapping 64-bit arithmetic (two
multiplications, two additions) finds the few shingles that can hold the minimum, and only
those are computed exactly; `_minimum_candidates` gives the error bound that makes this safe.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.native import published_keys
from skord.near_duplicates.minhash import bytes_of, normal_code_points, one_array

U64 = NDArray[np.uint64]

NUM_BANDS = 14
ROWS_PER_BAND = 8
SHINGLE_CHARS = 16
SEED = 0x5EED
P = 2**61 - 1
BAND_COLUMNS = tuple(f"minhash_bucket_{band}" for band in range(NUM_BANDS))
"""Column names of the band keys: the published ones."""
PUBLISHED_SCHEMA = pa.schema([(name, pa.uint64()) for name in BAND_COLUMNS])

_NEITHER_WORD_NOR_SPACE = re.compile(r"[^\w ]")
_GROUP = 16  # shingles that share one column of the approximation
_BLOCK = _GROUP * 256  # shingles in one go: 112 x 256 numbers of 8 bytes stay in the cache
_MAX_ERROR = np.uint64(2**33)


def normalize_for_minhash(text: str) -> str:
    """Lower case, and `-` for everything that is neither letter, digit, `_` nor space.

    >>> normalize_for_minhash("Hej, Åsa!\\n")
    'hej- åsa--'
    """
    return _NEITHER_WORD_NOR_SPACE.sub("-", text.lower())


def band_keys(text: str) -> U64 | None:
    """The document's 14 band keys, shape (14,); None if it has fewer than 16 characters.

    A shorter text has no shingle, so it resembles nothing. (The published code gives all such
    texts the same keys.)

    >>> band_keys("Tack för ditt besök!") is None, band_keys("Tack!") is None
    (False, True)
    """
    shingles = shingle_hashes(text)
    if not len(shingles):
        return None
    blocks = [shingles[at : at + _BLOCK] for at in range(0, len(shingles), _BLOCK)]
    rows: U64 = np.minimum.reduce([_permutation_minima(block) for block in blocks])
    weighted = _times_plus(_permutation_numbers().c, rows, np.uint64(0)).reshape(
        NUM_BANDS, ROWS_PER_BAND
    )
    sums: U64 = _modulo_p(weighted.sum(axis=1, dtype=np.uint64))
    return sums


def published_signatures(texts: pa.Array | pa.ChunkedArray) -> pa.Table:
    """The 14 published columns for each text; null for null and for under 16 characters.

    >>> table = published_signatures(pa.array(["Tack för ditt besök!", "Tack!", "ΣΊΣΥΦΟΣ" * 3]))
    >>> table["minhash_bucket_0"].is_valid().to_pylist()
    [True, False, True]
    """
    texts = one_array(texts)
    starts, data = bytes_of(texts)
    keys = np.zeros((len(texts), NUM_BANDS), np.uint64)
    made, odd = np.zeros(len(texts), np.bool_), np.zeros(len(texts), np.bool_)
    numbers = _permutation_numbers()
    a, b, c, z = numbers.a, numbers.b, numbers.c, int(numbers.z[0])
    table = _one_for_one_code_points()
    published_keys(starts, data, table, a, b, c, z, NUM_BANDS, keys, made, odd)
    for row in np.flatnonzero(odd).tolist():
        row_keys = band_keys(texts[row].as_py())
        made[row] = row_keys is not None
        keys[row] = 0 if row_keys is None else row_keys
    null = ~(made & texts.is_valid().to_numpy(zero_copy_only=False))
    columns = [pa.array(column, mask=null) for column in np.ascontiguousarray(keys.T)]
    return pa.table(columns, schema=PUBLISHED_SCHEMA)


@cache
def _one_for_one_code_points() -> NDArray[np.uint32]:
    """What the normalisation makes of each code point; two of them are left to `band_keys`.

    `İ` becomes two, and `Σ` one of two, by the letters around it.
    """
    table = normal_code_points().copy()
    table[[ord("İ"), ord("Σ")]] = 2**32 - 1
    table[ord("ς")] = ord("ς")
    return table


def shingle_hashes(text: str) -> U64:
    """Distinct hashes of all runs of 16 characters, ascending, each below P.

    The hash of a run is the polynomial sum of z^i c_i over its code points, built by doubling:
    runs of 2 from runs of 1, up to runs of 16.
    """
    encoded = normalize_for_minhash(text).encode("utf-32-le", "surrogatepass")
    hashes: U64 = np.frombuffer(encoded, dtype="<u4").astype(np.uint64)
    if len(hashes) < SHINGLE_CHARS:
        return np.empty(0, dtype=np.uint64)
    power, width = _permutation_numbers().z, 1
    while width < SHINGLE_CHARS:
        hashes = _times_plus(power, hashes[width:], hashes[:-width])
        power, width = _times_plus(power, power, np.uint64(0)), 2 * width
    hashes.sort()
    distinct: U64 = hashes[np.append(True, hashes[1:] != hashes[:-1])]
    return distinct


@dataclass(frozen=True, eq=False)
class _Numbers:
    """The random numbers of the published code, and what the approximation derives of them.

    `a`, `b`, `c` have shape (112,), `z` shape (1,). `high`, `low` and `offset` have shape
    (112, 1) and are the fractions a 2^29 / P, a / P and b / P in units of 2^-64.
    """

    a: U64
    b: U64
    c: U64
    z: U64
    high: U64
    low: U64
    offset: U64


@cache
def _permutation_numbers() -> _Numbers:
    generator = np.random.default_rng(seed=SEED)
    rows = NUM_BANDS * ROWS_PER_BAND
    a, b, c, z = (
        generator.integers(low=low, high=P, size=size, dtype=np.uint64)
        for low, size in ((1, rows), (0, rows), (1, rows), (1, 1))
    )
    return _Numbers(
        a, b, c, z, _fractional_parts(a, 29), _fractional_parts(a, 0), _fractional_parts(b, 0)
    )


def _fractional_parts(numerators: U64, shift: int) -> U64:
    """The fractional part of n 2^shift / P as 64-bit fixed point, rounded down; a column."""
    exact = [((number << shift) % P << 64) // P for number in numerators.tolist()]
    return np.array(exact, dtype=np.uint64)[:, None]


def _permutation_minima(shingles: U64) -> U64:
    """Exact minimum of (a x + b) mod P over a block of shingles, for each of the 112 rows."""
    filled = np.pad(shingles, (0, -len(shingles) % _GROUP), mode="edge")
    groups = filled.reshape(-1, _GROUP).T
    minima = np.empty(len(_permutation_numbers().a), dtype=np.uint64)
    column, certain = _minimum_candidates(groups)
    minima[certain] = _exact_minima(groups[:, column[certain]].T, certain)
    for row in np.flatnonzero(~certain):
        minima[row] = _exact_minima(shingles[None, :], np.array([row]))[0]
    return minima


def _exact_minima(shingles: U64, rows: NDArray[np.generic]) -> U64:
    """Minimum over the last axis of `shingles`, shape (rows, n), each under its own row."""
    numbers = _permutation_numbers()
    values = _times_plus(numbers.a[rows][:, None], shingles, numbers.b[rows][:, None])
    minima: U64 = values.min(axis=1)
    return minima


def _minimum_candidates(groups: U64) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """For each row, the column of `groups` that holds the minimum, and whether that is sure.

    With x = h 2^29 + l, the number (a x + b) mod P, as a fraction of P in units of 2^-64, is
    t = h high + l low + offset modulo 2^64 if the three were exact. They are rounded down by
    less than one unit each, so the sum falls short by less than h + l + 1 < 2^33. Adding 2^33
    gives t < s <= t + 2^33, unless s wrapped around, in which case s < 2^33. Hence the
    minimum lies in a column whose smallest s is within 2^33 of the smallest of all; if two
    columns are that close, or an s may have wrapped, the answer is not sure. As shingles are
    distinct, that happens to some row of about one in 3,000 pages of 3,000 characters.
    """
    numbers = _permutation_numbers()
    offset = numbers.offset + _MAX_ERROR
    smallest = np.full((len(numbers.a), groups.shape[1]), 2**64 - 1, dtype=np.uint64)
    first, second = np.empty_like(smallest), np.empty_like(smallest)
    for shingles in groups:
        np.multiply(numbers.high, shingles >> np.uint64(29), out=first)
        np.multiply(numbers.low, shingles & np.uint64(2**29 - 1), out=second)
        np.add(first, second, out=first)
        np.add(first, offset, out=first)
        np.minimum(smallest, first, out=smallest)
    column = smallest.argmin(axis=1)
    lowest = smallest[np.arange(len(column)), column][:, None]
    close = (smallest - lowest <= _MAX_ERROR).sum(axis=1)
    return column, (close == 1) & (lowest[:, 0] >= _MAX_ERROR)


def _times_plus(a: U64, x: U64, b: U64 | np.uint64) -> U64:
    """(a x + b) mod P of numbers below P, without a product of more than 64 bits.

    With a = a2 2^32 + a1 and x alike, a x = a2 x2 2^64 + (a1 x2 + a2 x1) 2^32 + a1 x1; since
    2^61 = 1 modulo P, each term folds into its low 61 bits plus the rest.
    """
    half, low = np.uint64(32), np.uint64(2**32 - 1)
    a1, a2, x1, x2 = a & low, a >> half, x & low, x >> half
    small, middle, large = a1 * x1, a1 * x2 + a2 * x1, a2 * x2
    total = b + (small & _P) + (small >> np.uint64(61))
    total += ((middle << half) & _P) + (middle >> np.uint64(29))
    total += ((large << np.uint64(3)) & _P) + (large >> np.uint64(58))
    return _modulo_p(total)


_P = np.uint64(P)


def _modulo_p(number: U64) -> U64:
    """Number mod P of any 64-bit number: fold once, then subtract P where that is possible."""
    folded = (number & _P) + (number >> np.uint64(61))
    reduced: U64 = np.minimum(folded, folded - _P)
    return reduced
