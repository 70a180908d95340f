"""Signatures that near-duplicate documents share: MinHash with 14 bands of 8 rows.

Two documents whose sets of 16-character shingles overlap with Jaccard similarity J share at
least one band key with probability 1 - (1 - J^8)^14: 0.97 at J = 0.82, 0.57 at 0.70, 0.05
at 0.50 (Broder 1997; Leskovec et al., "Mining of Massive Datasets", chapter 3). Bands, rows,
shingles, normalisation and random numbers are those of SWEb (arXiv 2410.04456) and the keys
are bit for bit those of its published code, whose `shinglesize=4` means 2**4 characters.

A shingle's hash is the polynomial sum of z^i c_i over its code points; a row of the signature is
the minimum of (a x + b) mod P over all shingle hashes x, with P = 2**61 - 1; a band key is the sum
of its rows, each times its c, mod P.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.native import published_keys
from skord.near_duplicates.minhash import bytes_of, normal_code_points, one_array

U64 = NDArray[np.uint64]
Flags = NDArray[np.bool_]

NUM_BANDS = 14
ROWS_PER_BAND = 8
SHINGLE_CHARS = 16
SEED = 0x5EED
P = 2**61 - 1
BAND_COLUMNS = tuple(f"minhash_bucket_{band}" for band in range(NUM_BANDS))
"""Column names of the band keys: the published ones."""
PUBLISHED_SCHEMA = pa.schema([(name, pa.uint64()) for name in BAND_COLUMNS])

_NEITHER_WORD_NOR_SPACE = re.compile(r"[^\w ]")


def normalize_for_minhash(text: str) -> str:
    """Lower case, and `-` for everything that is neither letter, digit, `_` nor space.

    >>> normalize_for_minhash("Hej, Åsa!\\n")
    'hej- åsa--'
    """
    return _NEITHER_WORD_NOR_SPACE.sub("-", text.lower())


def published_signatures(texts: pa.Array | pa.ChunkedArray) -> pa.Table:
    """The 14 published columns for each text; null for null and for under 16 characters.

    A shorter text has no shingle, so it resembles nothing. (The published code gives all such
    texts the same keys.)

    >>> table = published_signatures(pa.array(["Tack för ditt besök!", "Tack!", "ΣΊΣΥΦΟΣ" * 3]))
    >>> table["minhash_bucket_0"].is_valid().to_pylist()
    [True, False, True]
    """
    texts = one_array(texts)
    keys, made, odd = _keys(texts)
    if odd.any():
        normal = [normalize_for_minhash(text.as_py()) for text in texts.filter(pa.array(odd))]
        keys[odd], made[odd], _ = _keys(pa.array(normal, pa.string()))
    null = ~(made & texts.is_valid().to_numpy(zero_copy_only=False))
    columns = [pa.array(column, mask=null) for column in np.ascontiguousarray(keys.T)]
    return pa.table(columns, schema=PUBLISHED_SCHEMA)


def _keys(texts: pa.Array) -> tuple[U64, Flags, Flags]:
    """Keys of each text, shape (texts, 14), whether it has any, and whether it is left out.

    Left out are texts with letters that cannot be normalised one for one, as they stand.
    """
    starts, data = bytes_of(texts)
    keys = np.zeros((len(texts), NUM_BANDS), np.uint64)
    made, odd = np.zeros(len(texts), np.bool_), np.zeros(len(texts), np.bool_)
    a, b, c, z = _permutation_numbers()
    table = _one_for_one_code_points()
    published_keys(starts, data, table, (a, b, c, int(z[0])), NUM_BANDS, keys, made, odd)
    return keys, made, odd


@cache
def _one_for_one_code_points() -> NDArray[np.uint32]:
    """What the normalisation makes of each code point; two of them are not one for one.

    `İ` becomes two, and `Σ` one of two, by the letters around it. Of what `normalize_for_minhash`
    returns every code point stays as it is.
    """
    table = normal_code_points().copy()
    table[[ord("İ"), ord("Σ")]] = 2**32 - 1
    table[ord("ς")] = ord("ς")
    return table


class _Numbers(NamedTuple):
    """The random numbers of the published code: `a`, `b`, `c` of shape (112,), `z` of (1,)."""

    a: U64
    b: U64
    c: U64
    z: U64


@cache
def _permutation_numbers() -> _Numbers:
    generator = np.random.default_rng(seed=SEED)
    rows = NUM_BANDS * ROWS_PER_BAND
    return _Numbers(
        *(
            generator.integers(low=low, high=P, size=size, dtype=np.uint64)
            for low, size in ((1, rows), (0, rows), (1, rows), (1, 1))
        )
    )
