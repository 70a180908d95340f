"""The file of a fastText classifier, read into arrays.

fastText (Joulin et al. 2016, "Bag of Tricks for Efficient Text Classification") has no
published format; this is what version 12 of its files holds: settings, dictionary, one
vector for each word and each bucket of character n-grams, one for each inner node of the
labels' tree. A compressed file (`.ftz`, Joulin et al. 2016, "FastText.zip") stores vectors as
codes of a product quantiser, and only those of the n-grams that matter.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

LABEL_PREFIX = "__label__"
MAGIC = b"\xba\x16\x4f\x2f"
"""How a file of fastText begins."""
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


@dataclass(frozen=True, eq=False)
class FastTextModel:
    """A classifier. What is large is put together when it is first asked for.

    Attributes:
        shortest: characters of the shortest n-gram.
        longest: characters of the longest n-gram.
        buckets: how many n-gram hashes there are.
        words: a known word's row in `vectors`.
        labels: without prefix, as the file has them, most frequent first.
        label_counts: how often each was seen in training; decides the tree.
        is_tree_of_words: it reads one word at a time, with its n-grams, and has a tree of labels
            (`-loss hs`).
        kept: bucket and row, behind those of words, of the n-grams that were not pruned, shape
            (n, 2); None where none was.
        row_table, node_table: what makes `vectors` and `node_vectors`.
    """

    shortest: int
    longest: int
    buckets: int
    words: Mapping[bytes, int]
    labels: Sequence[str]
    label_counts: Sequence[int]
    is_tree_of_words: bool
    kept: NDArray[np.int32] | None
    row_table: Callable[[], Vectors]
    node_table: Callable[[], Vectors]

    @cached_property
    def row_of_bucket(self) -> NDArray[np.int32]:
        """A bucket's row, -1 where it was pruned; shape (buckets,)."""
        size = len(self.words)
        if self.kept is None:
            return np.arange(size, size + self.buckets, dtype=np.int32)
        rows = np.full(self.buckets, -1, np.int32)
        rows[self.kept[:, 0]] = size + self.kept[:, 1]
        return rows

    @cached_property
    def vectors(self) -> Vectors:
        """Of words and of n-grams, shape (rows, dimensions)."""
        return self.row_table()

    @cached_property
    def node_vectors(self) -> Vectors:
        """Of the tree's inner nodes, in the order in which it is built.

        There are as many rows as labels, of which the last is not used.
        """
        return self.node_table()


def read_fasttext(data: bytes) -> FastTextModel:
    """The classifier in a `.bin` or `.ftz` file whose tables all add up.

    The fasttext library believes all sizes that a file states: of a damaged one it ends the
    process, takes all memory, or answers from what lies beside. So sizes are held against one
    another and the end of the file, numbers against what the library computes with.

    Raises:
        DamagedModelError: it is none, or damaged.
    """
    try:
        return _read_model(_Cursor(data), len(data))
    except (struct.error, ValueError, OverflowError) as error:
        raise DamagedModelError(f"it is damaged, or no fastText classifier: {error}") from error


def _read_model(cursor: _Cursor, size: int) -> FastTextModel:
    is_known = cursor.take("4s") == (MAGIC,) and cursor.take("i") == (_VERSION,)
    _require(is_known, "no version 12 header")
    settings = cursor.take("12id")
    dimensions = settings[0]
    word_ngrams, loss, model, buckets, shortest, longest = settings[5:11]
    _require(model == _SUPERVISED and loss in _LOSSES, "it is no classifier")
    _require(0 < dimensions <= _MAX_DIMENSIONS, f"vectors of {dimensions} numbers")
    _require(shortest >= 0 and 0 <= longest <= _MAX_NGRAM, "impossible lengths of n-grams")
    _require(1 <= word_ngrams <= _MAX_NGRAM and 0 <= buckets <= MAX_BUCKETS, "impossible n-grams")
    has_buckets = longest > 0 or word_ngrams > 1
    _require(buckets > 0 or not has_buckets, "n-grams without buckets")
    entries, num_words, num_labels, _, pruned = cursor.take("3i2q")
    fits = num_words >= 0 and num_labels > 0 and num_words + num_labels == entries
    _require(fits, "its numbers of words differ")
    _require(entries <= size, "more words than bytes")
    words = {word: row for row, (word, _) in enumerate(cursor.entries(num_words, is_label=False))}
    labels = cursor.entries(num_labels, is_label=True)
    _require(sum(count for _, count in labels) < _MOST_SEEN, "labels counted too often")
    _require(-1 <= pruned <= buckets, "its numbers of n-grams differ")
    kept = cursor.array("<i4", 2 * max(pruned, 0)).reshape(-1, 2)
    last = int(kept[:, 1].max()) + 1 if len(kept) else 0
    _require(bool((kept >= 0).all() and (kept[:, 0] < buckets).all()), "impossible n-grams kept")
    needed = num_words + (last if pruned >= 0 else buckets * has_buckets)
    row_table = _read_matrix(cursor, dimensions, needed, exact=False)
    node_table = _read_matrix(cursor, dimensions, num_labels, exact=True)
    _require(cursor.offset == size, f"{size - cursor.offset} bytes after its end")
    return FastTextModel(
        shortest=shortest,
        longest=longest,
        buckets=buckets,
        words=words,
        labels=[word.decode().removeprefix(LABEL_PREFIX) for word, _ in labels],
        label_counts=[count for _, count in labels],
        is_tree_of_words=(word_ngrams, loss) == (1, _HIERARCHICAL) and longest > 0,
        kept=kept if pruned >= 0 else None,
        row_table=row_table,
        node_table=node_table,
    )


def _read_matrix(
    cursor: _Cursor, dimensions: int, needed: int, *, exact: bool
) -> Callable[[], Vectors]:
    """What makes a table of so many rows, or more of them, each with so many numbers."""
    (compressed,) = cursor.take("B")
    _require(compressed in (0, 1), "a table that is neither compressed nor plain")
    with_norms = cursor.take("B")[0] if compressed else 0
    _require(with_norms in (0, 1), "norms that are neither there nor not")
    rows, columns = cursor.take("2q")
    fits = (rows == needed if exact else rows >= needed) and columns == dimensions
    _require(fits, f"a table of {rows} by {columns}")
    if not compressed:
        return partial(cursor.numbers(rows * columns).reshape, rows, columns)
    (num_codes,) = cursor.take("i")
    codes = cursor.array("u1", num_codes)
    pieces = _read_quantiser(cursor, columns)
    _require(len(pieces) * rows == num_codes, "its numbers of codes differ")
    vectors = partial(_decoded, codes.reshape(rows, -1), pieces)
    if not with_norms:
        return vectors
    norms = cursor.array("u1", rows).reshape(rows, 1)
    return partial(_scaled, vectors, partial(_decoded, norms, _read_quantiser(cursor, 1)))


def _read_quantiser(cursor: _Cursor, columns: int) -> Sequence[Vectors]:
    """Of each piece of a vector what its codes stand for, shape (codes, columns of the piece)."""
    dimensions, pieces, width, last_width = cursor.take("4i")
    widths_fit = min(pieces, width, last_width) > 0 and dimensions == columns
    _require(
        widths_fit and (pieces - 1) * width + last_width == dimensions,
        "the parts of its vectors do not add up",
    )
    centroids = cursor.numbers(dimensions * _CENTROIDS)
    ends = [_CENTROIDS * width * piece for piece in range(1, pieces)]
    return [part.reshape(_CENTROIDS, -1) for part in np.split(centroids, ends)]


def _decoded(codes: NDArray[np.uint8], pieces: Sequence[Vectors]) -> Vectors:
    """Vectors put together from the pieces that the codes, shape (rows, pieces), name."""
    return np.hstack([table[codes[:, at]] for at, table in enumerate(pieces)])


def _scaled(vectors: Callable[[], Vectors], norms: Callable[[], Vectors]) -> Vectors:
    return vectors() * norms()


def _require(holds: bool, fault: str) -> None:
    if not holds:
        raise ValueError(fault)


class _Cursor:
    """Reads little-endian values one after another."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.offset = 0

    def take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{layout}", self._data, self.offset)
        self.offset += struct.calcsize(f"<{layout}")
        return values

    def array(self, dtype: str, count: int) -> NDArray[Any]:
        _require(count >= 0, "a table of negative size")
        values = np.frombuffer(self._data, dtype, count, self.offset)
        self.offset += values.nbytes
        return values

    def numbers(self, count: int) -> Vectors:
        values: Vectors = self.array("<f4", count)
        _require(bool((np.abs(values) <= _LARGEST).all()), "numbers that no training gives")
        return values

    def entries(self, count: int, *, is_label: bool) -> list[tuple[bytes, int]]:
        """Words or labels with how often each came."""
        entries = []
        for _ in range(count):
            end = self._data.index(b"\0", self.offset)
            number, kind = _COUNT_AND_KIND.unpack_from(self._data, end + 1)
            word = self._data[self.offset : end]
            _require(kind == is_label and number >= 0, "a word among the labels")
            word.decode()
            entries.append((word, number))
            self.offset = end + 1 + _COUNT_AND_KIND.size
        return entries
