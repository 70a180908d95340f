"""The file of a fastText classifier, read into arrays.

fastText (Joulin et al. 2016, "Bag of Tricks for Efficient Text Classification") has no
published format; this is what version 12 of its files holds: settings, dictionary, one
vector for each word and each bucket of character n-grams, one for each inner node of the
labels' tree. A compressed file (`.ftz`, Joulin et al. 2016, "FastText.zip") stores vectors as
codes of a product quantiser, and only those of the n-grams that matter.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LABEL_PREFIX = "__label__"
_MAGIC = 793712314
_VERSION = 12
_HIERARCHICAL = 1
_SUPERVISED = 3
_CENTROIDS = 256
_COUNT_AND_KIND = struct.Struct("<qb")

Vectors = NDArray[np.float32]


MAX_BUCKETS = 1 << 26
"""A quarter of a gigabyte of row numbers; fastText makes two million unless told otherwise."""


_LOSSES = (1, 2, 3, 4)
_MAX_DIMENSIONS, _MAX_NGRAM = 1 << 16, 64
_MOST_SEEN = 10**15
"""The tree of labels is built with this number for "none"."""

_LARGEST = 1e6
"""Far above every number of a trained vector."""


class DamagedModelError(ValueError):
    """The file is no fastText classifier, or not as it was written."""


class UnsupportedModelError(ValueError):
    """The file is no fastText classifier, or of a kind that is not read here."""


@dataclass(frozen=True, eq=False)
class FastTextModel:
    """A classifier with one level of words and a tree of labels.

    Attributes:
        shortest: characters of the shortest n-gram.
        longest: characters of the longest n-gram.
        buckets: how many n-gram hashes there are.
        words: a known word's row in `vectors`.
        row_of_bucket: a bucket's row, -1 where it was pruned; shape (buckets,).
        vectors: shape (rows, dimensions).
        node_vectors: of the tree's inner nodes, in the order in which it is built; as many
            rows as labels, of which the last is not used.
        labels: without prefix, as the file has them, most frequent first.
        label_counts: how often each was seen in training; decides the tree.
    """

    shortest: int
    longest: int
    buckets: int
    words: Mapping[bytes, int]
    row_of_bucket: NDArray[np.int32]
    vectors: Vectors
    node_vectors: Vectors
    labels: Sequence[str]
    label_counts: Sequence[int]


def parse_fasttext(data: bytes) -> FastTextModel:
    """The classifier in a `.bin` or `.ftz` file.

    Raises:
        UnsupportedModelError: it is none, is cut short, has n-grams of words, or no tree of
            labels (`-loss hs`).
    """
    try:
        return _parse_model(_Cursor(data))
    except (struct.error, ValueError, OverflowError, IndexError) as error:
        raise UnsupportedModelError(
            f"not a fastText classifier that is read here: {error}"
        ) from error


def check_fasttext(data: bytes) -> None:
    """Raise DamagedModelError unless every table of a fastText classifier adds up.

    The fasttext library believes all sizes that a file states: of a damaged one it ends the
    process, takes all memory, or answers from what lies beside. So sizes are held against one
    another and the end of the file, numbers against what the library computes with.
    """
    try:
        _check_tables(_Cursor(data), len(data))
    except (struct.error, ValueError, OverflowError) as error:
        raise DamagedModelError(f"it is damaged, or no fastText classifier: {error}") from error


def _check_tables(cursor: _Cursor, size: int) -> None:
    _require(cursor.take("2i") == (_MAGIC, _VERSION), "no version 12 header")
    settings = cursor.take("12id")
    dimensions = settings[0]
    word_ngrams, loss, model, buckets, shortest, longest = settings[5:11]
    _require(model == _SUPERVISED and loss in _LOSSES, "it is no classifier")
    _require(0 < dimensions <= _MAX_DIMENSIONS, f"vectors of {dimensions} numbers")
    _require(shortest >= 0 and 0 <= longest <= _MAX_NGRAM, "impossible lengths of n-grams")
    _require(1 <= word_ngrams <= _MAX_NGRAM and 0 <= buckets <= MAX_BUCKETS, "impossible n-grams")
    has_buckets = longest > 0 or word_ngrams > 1
    _require(buckets > 0 or not has_buckets, "n-grams without buckets")
    entries, words, labels, _, pruned = cursor.take("3i2q")
    _require(words >= 0 and labels > 0 and words + labels == entries, "its numbers of words differ")
    _require(entries <= size, "more words than bytes")
    counts = cursor.kinds(entries, words)
    _require(sum(counts) < _MOST_SEEN, "labels counted too often")
    _require(-1 <= pruned <= buckets, "its numbers of n-grams differ")
    kept = cursor.array("<i4", 2 * max(pruned, 0)).reshape(-1, 2)
    last = int(kept[:, 1].max()) + 1 if len(kept) else 0
    _require(not len(kept) or bool((kept >= 0).all()), "n-grams of negative numbers")
    (compressed,) = cursor.take("B")
    needed = words + (last if pruned >= 0 else buckets * has_buckets)
    _check_matrix(cursor, compressed, dimensions, needed, exact=False)
    (compressed,) = cursor.take("B")
    _check_matrix(cursor, compressed, dimensions, labels, exact=True)
    _require(cursor.offset == size, f"{size - cursor.offset} bytes after its end")


def _check_matrix(
    cursor: _Cursor, compressed: int, dimensions: int, needed: int, *, exact: bool
) -> None:
    """Of so many rows, or more of them, each with so many numbers."""
    _require(compressed in (0, 1), "a table that is neither compressed nor plain")
    if not compressed:
        rows, columns = cursor.take("2q")
        _check_shape(rows, columns, dimensions, needed, exact=exact)
        _check_numbers(cursor.array("<f4", rows * columns))
        return
    with_norms, rows, columns, num_codes = cursor.take("B2qi")
    _require(with_norms in (0, 1), "norms that are neither there nor not")
    _check_shape(rows, columns, dimensions, needed, exact=exact)
    cursor.array("u1", num_codes)
    _require(_check_quantiser(cursor, columns) * rows == num_codes, "its numbers of codes differ")
    if with_norms:
        cursor.array("u1", rows)
        _check_quantiser(cursor, 1)


def _check_shape(rows: int, columns: int, dimensions: int, needed: int, *, exact: bool) -> None:
    fits = rows == needed if exact else rows >= needed
    _require(fits and columns == dimensions, f"a table of {rows} by {columns}")


def _check_quantiser(cursor: _Cursor, columns: int) -> int:
    """How many codes it has for a row."""
    dimensions, pieces, width, last_width = cursor.take("4i")
    _require(
        dimensions == columns
        and pieces > 0
        and width > 0
        and last_width > 0
        and (pieces - 1) * width + last_width == dimensions,
        "the parts of its vectors do not add up",
    )
    _check_numbers(cursor.array("<f4", dimensions * _CENTROIDS))
    return int(pieces)


def _check_numbers(numbers: NDArray[np.float32]) -> None:
    _require(bool((np.abs(numbers) <= _LARGEST).all()), "numbers that no training gives")


def _require(holds: bool, fault: str) -> None:
    if not holds:
        raise ValueError(fault)


class _Cursor:
    """Reads little-endian values one after another."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._offset = 0

    def take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{layout}", self._data, self._offset)
        self._offset += struct.calcsize(f"<{layout}")
        return values

    @property
    def offset(self) -> int:
        """Where the next value begins."""
        return self._offset

    def kinds(self, entries: int, words: int) -> list[int]:
        """How often each label was seen, which come after so many words."""
        counts = []
        for number in range(entries):
            ((word, count),) = self.entries(1)
            kind = self._data[self._offset - 1]
            _require(kind == (number >= words) and count >= 0, "a word among the labels")
            word.decode()
            counts += [count] * (number >= words)
        return counts

    def array(self, dtype: str, count: int) -> NDArray[Any]:
        _require(count >= 0, "a table of negative size")
        values = np.frombuffer(self._data, dtype, count, self._offset)
        self._offset += values.nbytes
        return values

    def entries(self, count: int) -> list[tuple[bytes, int]]:
        """Words or labels with how often each came."""
        entries = []
        for _ in range(count):
            end = self._data.index(b"\0", self._offset)
            number, _ = _COUNT_AND_KIND.unpack_from(self._data, end + 1)
            entries.append((self._data[self._offset : end], number))
            self._offset = end + 1 + _COUNT_AND_KIND.size
        return entries


def _parse_model(cursor: _Cursor) -> FastTextModel:
    if cursor.take("2i") != (_MAGIC, _VERSION):
        raise ValueError("no version 12 header")
    settings = cursor.take("12id")
    word_ngrams, loss, model, buckets, shortest, longest = settings[5:11]
    if (word_ngrams, loss, model) != (1, _HIERARCHICAL, _SUPERVISED) or longest < 1:
        raise ValueError("it is not of one word at a time with a tree of labels")
    if not 0 <= buckets <= MAX_BUCKETS:
        raise ValueError(f"it has {buckets} buckets of n-grams")
    size, num_words, _, _, pruned = cursor.take("3i2q")
    entries = cursor.entries(size)
    kept = cursor.array("<i4", 2 * max(pruned, 0)).reshape(-1, 2)
    vectors = _read_matrix(cursor, *cursor.take("?"))
    return FastTextModel(
        shortest=shortest,
        longest=longest,
        buckets=buckets,
        words={word: row for row, (word, _) in enumerate(entries[:num_words])},
        row_of_bucket=_rows_of_buckets(buckets, num_words, kept if pruned >= 0 else None),
        vectors=vectors,
        node_vectors=_read_matrix(cursor, *cursor.take("?")),
        labels=[word.decode().removeprefix(LABEL_PREFIX) for word, _ in entries[num_words:]],
        label_counts=[count for _, count in entries[num_words:]],
    )


def _rows_of_buckets(
    buckets: int, num_words: int, kept: NDArray[np.int32] | None
) -> NDArray[np.int32]:
    if kept is None:
        return np.arange(num_words, num_words + buckets, dtype=np.int32)
    rows = np.full(buckets, -1, np.int32)
    rows[kept[:, 0]] = num_words + kept[:, 1]
    return rows


def _read_matrix(cursor: _Cursor, compressed: bool) -> Vectors:
    if not compressed:
        rows, columns = cursor.take("2q")
        return cursor.array("<f4", rows * columns).reshape(rows, columns)
    (with_norms,) = cursor.take("?")
    rows, _, num_codes = cursor.take("2qi")
    vectors = _quantised_matrix(cursor, cursor.array("u1", num_codes).reshape(rows, -1))
    if with_norms:
        vectors *= _quantised_matrix(cursor, cursor.array("u1", rows).reshape(rows, 1))
    return vectors


def _quantised_matrix(cursor: _Cursor, codes: NDArray[np.uint8]) -> Vectors:
    """Vectors put together from the pieces that the codes, shape (rows, pieces), name."""
    dimensions, pieces, width, last_width = cursor.take("4i")
    centroids = cursor.array("<f4", dimensions * _CENTROIDS)
    parts = []
    for piece in range(pieces):
        columns = last_width if piece == pieces - 1 else width
        start = piece * _CENTROIDS * width
        table = centroids[start : start + _CENTROIDS * columns].reshape(_CENTROIDS, columns)
        parts.append(table[codes[:, piece]])
    return np.hstack(parts)
