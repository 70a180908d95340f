"""Signatures that near-duplicate documents share: 112 bytes of MinHash, and a digest.

A text is composed (NFC), its blanks are made one kind, it is normalised as SWEb does it (arXiv
2410.04456: lower case; `-` for everything that is neither letter, digit, `_` nor space) and cut
into all runs of 16 characters. One hash sends
each run to one of 112 bins, and each bin keeps the smallest hash it has seen: one-permutation
hashing (Li, Owen and Zhang 2012), with the empty bins of short texts filled from others
(Shrivastava 2017). Of each bin one byte is kept (b-bit minwise hashing, Li and König 2010).

Two texts whose sets of runs overlap with Jaccard similarity J agree in a byte with
probability J + (1 - J) / 256, so the bytes they share estimate J with a standard deviation of
0.04 or less; see `similarity_of`. Eight bytes side by side are one of 14 band keys. Two texts
share at least one with probability 1 - (1 - J^8)^14: 0.97 at J = 0.82, 0.57 at 0.70, 0.05 at
0.50. Bands, rows and runs are SWEb's; the keys of its published code are 112 times as much
work and do not show how similar two texts are. `published_minhash` has them, bit for bit.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike, NDArray

from skord.native import digests, sketches

U8 = NDArray[np.uint8]
U64 = NDArray[np.uint64]

NUM_BANDS = 14
ROWS_PER_BAND = 8
SIGNATURE_BYTES = NUM_BANDS * ROWS_PER_BAND
SHINGLE_CHARS = 16

SIGNATURE_SCHEMA = pa.schema(
    [("minhash", pa.binary(SIGNATURE_BYTES)), ("text_digest", pa.uint64())]
)
"""`minhash` is null for a text of fewer than 16 characters: it resembles nothing, and only
`text_digest` (XXH64 of the UTF-8 bytes of its `compared_form`) shows whether it is a copy."""

SIGNED_SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("id_digest", pa.uint64()),
        *SIGNATURE_SCHEMA,
    ]
)
"""A row for each document; where its text does not compete, all but `id` is null. `id_digest`
(XXH64) is there for every other one."""

_BLANKS = "[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"
_DECOMPOSED = "[\u0300-\u036f\u0653-\u0655\u1100-\u11ff\u2126\u212a\u212b\u3099\u309a]"
"""What texts hold that are not composed, as a rule: accents apart, Jamo, kana's sound marks."""

_ALL_CODE_POINTS = 0x110000
_LETTERS_END = 0x40000  # the planes above hold no letters, nor does Unicode plan any
_SURROGATES = range(0xD800, 0xE000)
_NEITHER_WORD_NOR_SPACE = re.compile(r"[^\w ]")
_ONE_FOR_ONE = str.maketrans("\u0130\u03a3\u03c2", "i\u03c3\u03c3")
"""The one letter whose lower case is two code points, and the one whose lower case depends on
its neighbours, as they count here."""


def minhash_signatures(texts: pa.Array | pa.ChunkedArray) -> pa.Table:
    """The columns of `SIGNATURE_SCHEMA` for each text; null for null.

    >>> texts = ["Tack för ditt besök!", "TACK FÖR DITT BESÖK?", "Tack!", None]
    >>> table = minhash_signatures(pa.array(texts))
    >>> minhash, digest = table["minhash"].to_pylist(), table["text_digest"].to_pylist()
    >>> minhash[0] == minhash[1], digest[0] == digest[1], minhash[2:], digest[3]
    (True, False, [None, None], None)
    """
    texts = compared_form(one_array(texts))
    starts, data = bytes_of(texts)
    rows = np.zeros((len(texts), SIGNATURE_BYTES), np.uint8)
    long_enough = np.zeros(len(texts), np.bool_)
    sketches(starts, data, normal_code_points(), SHINGLE_CHARS, SIGNATURE_BYTES, rows, long_enough)
    is_text = texts.is_valid().to_numpy(zero_copy_only=False)
    columns = [
        _fixed_size_binary(rows, long_enough & is_text),
        pa.array(digests_of(texts), mask=~is_text),
    ]
    return pa.table(columns, schema=SIGNATURE_SCHEMA)


def compared_form(texts: pa.Array) -> pa.Array:
    r"""The texts composed (NFC), with U+0020 for every other blank within a line.

    >>> compared_form(pa.array(["Ta\u0308ck\u00a0fo\u0308r\u2009allt", None])).to_pylist()
    ['Täck för allt', None]
    """
    for pattern, form in ((_DECOMPOSED, _compose), (_BLANKS, _with_plain_blanks)):
        rows = pc.match_substring_regex(texts, pattern)
        if pc.any(rows).as_py():  # most texts hold none
            texts = pc.replace_with_mask(texts, rows, form(texts.filter(rows)))
    return texts


def _compose(texts: pa.Array) -> pa.Array:
    return pc.utf8_normalize(texts, "NFC")


def _with_plain_blanks(texts: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(texts, _BLANKS, " ")


def signed_texts(ids: pa.Array, texts: pa.Array, competes: pa.Array) -> pa.Table:
    """The columns of `SIGNED_SCHEMA`; texts and booleans may be null.

    >>> texts, competes = pa.array(["Tack!", "Hej!"]), pa.array([True, None])
    >>> table = signed_texts(pa.array(["a", "b"]), texts, competes)
    >>> [name for name in table.column_names if table[name].null_count == 0]
    ['id']
    >>> table["id_digest"].null_count, table["text_digest"].null_count
    (1, 1)
    """
    no_text = pa.scalar(None, texts.type)
    signs = minhash_signatures(pc.if_else(competes, texts, no_text))
    id_digest = pa.array(digests_of(ids), mask=signs["text_digest"].is_null().to_numpy())
    return pa.table([ids, id_digest, *signs.columns], schema=SIGNED_SCHEMA)


def digests_of(texts: pa.Array | pa.ChunkedArray) -> U64:
    """XXH64, seed 0, of the UTF-8 bytes of each string, shape (texts,).

    >>> [hex(digest) for digest in digests_of(pa.array(["", "a"])).tolist()]
    ['0xef46db3751d8e999', '0xd24ec4f1a98c6e5b']
    """
    starts, data = bytes_of(one_array(texts))
    text_digests = np.zeros(len(starts) - 1, np.uint64)
    digests(starts, data, text_digests)
    return text_digests


def signature_rows(minhash: pa.Array | pa.ChunkedArray) -> U8:
    """The signatures as an array of shape (texts, 112); what stands for a null is undefined.

    >>> signature_rows(minhash_signatures(pa.array(["x" * 16]))["minhash"]).shape
    (1, 112)
    """
    array = one_array(minhash)
    if not len(array):
        return np.zeros((0, SIGNATURE_BYTES), np.uint8)
    rows = np.frombuffer(array.buffers()[1], np.uint8).reshape(-1, SIGNATURE_BYTES)
    return rows[array.offset : array.offset + len(array)]


def band_keys(rows: U8) -> U64:
    """The 14 band keys of each signature, shape (texts, 14)."""
    keys: U64 = np.ascontiguousarray(rows).view("<u8").astype(np.uint64, copy=False)
    return keys


def similarity_of(equal_bytes: ArrayLike) -> NDArray[np.float32]:
    """Estimated Jaccard similarity of two texts that agree in so many of the 112 bytes.

    >>> similarity_of([0, 73, 112]).astype(float).round(2).tolist()
    [0.0, 0.65, 1.0]
    """
    share = np.asarray(equal_bytes) / SIGNATURE_BYTES
    estimate: NDArray[np.float32] = np.maximum((share * 256 - 1) / 255, 0).astype(np.float32)
    return estimate


def least_equal_bytes(similarity: float) -> int:
    """The fewest equal bytes whose estimate reaches the similarity.

    >>> least_equal_bytes(0.65), least_equal_bytes(1.0)
    (73, 112)
    """
    estimates = similarity_of(np.arange(SIGNATURE_BYTES + 1))
    return int(np.searchsorted(estimates, np.float32(similarity)))


def one_array(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The column in one piece."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        return array.chunk(0) if array.num_chunks else pa.array([], array.type)
    return array


def bytes_of(texts: pa.Array) -> tuple[U64, U8]:
    """Where each text begins, shape (texts + 1,), and all UTF-8 bytes; no copy of the latter."""
    width = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    _, offsets, data = texts.buffers()
    starts = np.zeros(len(texts) + 1, np.uint64)
    if offsets is not None and len(texts):
        bounds = np.frombuffer(offsets, width)[texts.offset : texts.offset + len(texts) + 1]
        starts = bounds.astype(np.uint64)
    empty = data is None or not data.size
    return starts, np.zeros(1, np.uint8) if empty else np.frombuffer(data, np.uint8)


def _fixed_size_binary(rows: U8, valid: NDArray[np.bool_]) -> pa.Array:
    """Rows of equal size as an Arrow column."""
    bitmap = pa.py_buffer(np.packbits(valid, bitorder="little"))
    column = pa.binary(rows.shape[1])
    return pa.Array.from_buffers(column, len(rows), [bitmap, pa.py_buffer(rows)])


@cache
def normal_code_points() -> NDArray[np.uint32]:
    """What the normalisation makes of each code point, shape (0x110000,)."""
    points = np.arange(_LETTERS_END, dtype=np.uint32)
    points = points[(points < _SURROGATES.start) | (points >= _SURROGATES.stop)]
    letters = points.tobytes().decode("utf-32-le").translate(_ONE_FOR_ONE)
    lower = _NEITHER_WORD_NOR_SPACE.sub("-", letters.lower())
    table = np.full(_ALL_CODE_POINTS, ord("-"), np.uint32)
    table[points] = np.frombuffer(lower.encode("utf-32-le"), np.uint32)
    table.flags.writeable = False
    return table
