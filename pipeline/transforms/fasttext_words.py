"""The words of texts as fastText sees them: where they are, and what vectors they add up to.

A word is known again by a 64-bit hash. Two words of one hash would be taken for one; among a
million words that happens once in tens of millions of runs. A word's vectors are its own, where
the model knows it, and those of its character n-grams, which fastText finds by a 32-bit hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.transforms.fasttext_model import END_OF_LINE, LABEL_PREFIX, FastTextModel

Hashes = NDArray[np.uint64]
Rows = NDArray[np.int64]
Sums = NDArray[np.float64]

_FACTOR = 0x9E3779B97F4A7C15
_MIX = np.uint64(0xFF51AFD7ED558CCD)
_FNV_START = np.uint32(2166136261)
_FNV_FACTOR = np.uint32(16777619)


def _powers(factor: int, count: int) -> Hashes:
    return np.cumprod(
        np.concatenate((np.ones(1, np.uint64), np.full(count - 1, factor, np.uint64))),
        dtype=np.uint64,
    )


@dataclass(frozen=True, eq=False)
class Tokens:
    """The words of some texts, in order.

    Attributes:
        data: the texts as UTF-8, each followed by a line break.
        start: where each word begins in `data`.
        end: where it ends.
        hashes: of each word, 64 bits, never 0.
        of_text: for each text, its first word; one entry more than texts.
    """

    data: bytes
    start: Rows
    end: Rows
    hashes: Hashes
    of_text: Rows


class Tokenizer:
    """Cuts texts at the bytes that fastText takes for white space."""

    def __init__(self) -> None:
        self._space = np.zeros(256, np.bool_)
        self._space[list(b" \n\r\t\v\f\0")] = True
        self._powers = _powers(_FACTOR, 1)
        self._inverse = self._powers

    def __call__(self, texts: Sequence[str]) -> Tokens:
        """The words of `texts`; a lone surrogate, which fastText does not take, becomes `?`."""
        encoded = [text.encode("utf-8", "replace") for text in texts]
        data = b"\n".join([*encoded, b""])
        codes = np.frombuffer(data, np.uint8)
        edges = self._edges(codes)
        start, end = edges[0::2], edges[1::2]
        first_bytes = np.cumsum([0, *(len(text) + 1 for text in encoded)])
        return Tokens(
            data, start, end, self._hashes(codes, start, end), np.searchsorted(start, first_bytes)
        )

    def _edges(self, codes: NDArray[np.uint8]) -> Rows:
        """Where words begin and end, by turns."""
        space = self._space.take(codes)
        edges = np.flatnonzero(space[1:] != space[:-1]) + 1
        return edges if len(codes) == 0 or space[0] else np.concatenate(([0], edges))

    def _hashes(self, codes: NDArray[np.uint8], start: Rows, end: Rows) -> Hashes:
        """Each word as a polynomial modulo 2**64, from the running sum over all bytes."""
        if len(codes) >= len(self._powers):
            self._powers = _powers(_FACTOR, 2 * len(codes))
            self._inverse = _powers(pow(_FACTOR, -1, 1 << 64), 2 * len(codes))
        running = np.zeros(len(codes) + 1, np.uint64)
        np.cumsum((codes + np.uint64(1)) * self._powers[: len(codes)], out=running[1:])
        hashes = (running[end] - running[start]) * self._inverse[start]
        hashes[hashes == 0] = 1
        return hashes


class WordTable:
    """Row numbers by hash, in a table that is half empty at the least.

    >>> table = WordTable(4)
    >>> table.insert(np.array([11, 12], np.uint64), first_row=0)
    >>> rows, known = table.find(np.array([12, 13], np.uint64))
    >>> int(rows[0]), known.tolist()
    (1, [True, False])
    """

    def __init__(self, max_words: int) -> None:
        bits = max(max_words, 1).bit_length() + 1
        self._mask = (1 << bits) - 1
        self._shift = np.uint64(64 - bits)
        self._hashes = np.zeros(1 << bits, np.uint64)
        self._rows = np.zeros(1 << bits, np.int32)

    def clear(self) -> None:
        """Forget all rows."""
        self._hashes[:] = 0

    def find(self, hashes: Hashes) -> tuple[Rows, NDArray[np.bool_]]:
        """The row of each hash, and which of them have one."""
        places = self._places(hashes)
        held = self._hashes[places]
        other = np.flatnonzero((held != hashes) & (held != 0))
        while len(other):
            places[other] = (places[other] + 1) & self._mask
            held = self._hashes[places[other]]
            other = other[(held != hashes[other]) & (held != 0)]
        return self._rows[places].astype(np.int64), self._hashes[places] == hashes

    def insert(self, hashes: Hashes, first_row: int) -> None:
        """Give distinct new hashes the rows from `first_row` on."""
        places = self._places(hashes)
        waiting = np.arange(len(hashes))
        while len(waiting):
            free = waiting[self._hashes[places[waiting]] == 0]
            self._hashes[places[free]] = hashes[free]  # of two with one place, the later wins
            placed = free[self._hashes[places[free]] == hashes[free]]
            self._rows[places[placed]] = first_row + placed
            waiting = waiting[self._hashes[places[waiting]] != hashes[waiting]]
            places[waiting] = (places[waiting] + 1) & self._mask

    def _places(self, hashes: Hashes) -> Rows:
        return ((hashes ^ (hashes >> np.uint64(31))) * _MIX >> self._shift).astype(np.int64)


def word_sums(model: FastTextModel, words: Sequence[bytes]) -> Sums:
    """The sum of each word's own vector and those of its n-grams, and how many they are.

    Shape (words, dimensions + 1). A word that looks like a label has none.
    """
    rows, word_of = _vectors_of(model, words)
    sums = np.zeros((len(words), model.vectors.shape[1] + 1))
    starts = np.searchsorted(word_of, np.arange(len(words)))
    spoken = np.flatnonzero(np.diff(np.append(starts, len(rows))))
    if len(spoken):
        added = model.vectors.take(rows, axis=0).astype(np.float64)
        sums[spoken, :-1] = np.add.reduceat(added, starts[spoken], axis=0)
        sums[:, -1] = np.bincount(word_of, minlength=len(words))
    return sums


def _vectors_of(model: FastTextModel, words: Sequence[bytes]) -> tuple[Rows, Rows]:
    """Rows of the words' vectors, and beside each the word it belongs to, ascending."""
    codes = np.frombuffer(b"<" + b"><".join(words) + b">", np.uint8)
    start = np.flatnonzero((codes & 0xC0) != 0x80)  # of each character
    first_bytes = np.cumsum([0, *(len(word) + 2 for word in words[:-1])])
    begins = np.zeros(len(codes), np.int64)
    begins[first_bytes] = 1
    word_of = np.cumsum(begins)[start] - 1
    rows = np.full((len(start), 2 + model.longest - model.shortest), -1, np.int32)
    for length, hashes, whole in _ngram_hashes(codes, start, word_of, model.longest):
        if length >= model.shortest:
            found = model.row_of_bucket.take(hashes % np.uint32(model.buckets))
            rows[:, 1 + length - model.shortest] = np.where(whole, found, -1)
    for word in _silent(words):
        rows[word_of == word] = -1
    rows[np.searchsorted(start, first_bytes), 0] = [model.words.get(word, -1) for word in words]
    chosen = rows >= 0
    return rows[chosen].astype(np.int64), np.repeat(word_of, np.count_nonzero(chosen, axis=1))


def _silent(words: Sequence[bytes]) -> list[int]:
    """Which of the words are never taken apart: a line break, and what looks like a label."""
    label = LABEL_PREFIX.encode()
    return [n for n, word in enumerate(words) if word == END_OF_LINE or word.startswith(label)]


def _ngram_hashes(
    codes: NDArray[np.uint8], start: Rows, word_of: Rows, longest: int
) -> Iterator[tuple[int, NDArray[np.uint32], NDArray[np.bool_]]]:
    """FNV-1a of the n-gram that begins with each character, for lengths from 1 to `longest`.

    fastText takes bytes for signed numbers when it hashes them.

    Yields:
        (length, hashes, which of them are n-grams); all shapes (characters,). The bounds of a
        word alone are none, and none goes past them.
    """
    signed = codes.view(np.int8).astype(np.int32).view(np.uint32)
    width = np.diff(np.append(start, len(codes)))
    hashes = np.full(len(start), _FNV_START, np.uint32)
    for length in range(1, longest + 1):
        char = np.minimum(np.arange(length - 1, len(start) + length - 1), len(start) - 1)
        place = start[char]
        hashes = (hashes ^ signed.take(place)) * _FNV_FACTOR
        for byte in range(1, int(width.max())):
            longer = np.flatnonzero(width[char] > byte)
            hashes[longer] = (hashes[longer] ^ signed.take(place[longer] + byte)) * _FNV_FACTOR
        whole = word_of[char] == word_of
        whole[len(start) - length + 1 :] = False
        yield length, hashes, whole & ~_at_edge(word_of) if length == 1 else whole


def _at_edge(word_of: Rows) -> NDArray[np.bool_]:
    """True for the first and the last character of each word."""
    changes = word_of[1:] != word_of[:-1]
    return np.concatenate(([True], changes)) | np.concatenate((changes, [True]))
