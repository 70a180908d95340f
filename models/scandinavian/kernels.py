"""Compiled loops of the classifier: n-grams to scores, and one pass of training.

Numba compiles them on the first call and keeps the result beside this file; importing it takes
half a second, so this module is imported only where texts are at hand.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint8]
Weights = NDArray[np.float32]
Steps = NDArray[np.int8]
Sums = NDArray[np.int32]
I64 = NDArray[np.int64]
Floats = NDArray[np.float32]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_BLANK = 1


@numba.njit(nogil=True, cache=True)
def letters(data: Codes, starts: I64, table: Codes, most: int, out: Codes, out_starts: I64) -> None:
    """Texts in UTF-8 as letters of a small alphabet, runs of anything else as one blank.

    Args:
        data: all texts.
        starts: where each begins.
        table: letter of each code point below its length; the last stands for all above.
        most: letters of a text that are written.
        out: to be filled; a text begins and ends with a blank.
        out_starts: likewise, where each text's letters begin.
    """
    size = 0
    for text in range(len(starts) - 1):
        at, end = starts[text], starts[text + 1]
        out[size] = _BLANK
        size += 1
        while at < end and size - out_starts[text] < most:
            code = np.int64(data[at])
            at += 1
            if code >= 0x80:
                more = 1 if code < 0xE0 else 2 if code < 0xF0 else 3
                code &= 0x3F >> more
                for _ in range(more):
                    code = (code << 6) | np.int64(data[at] & 0x3F)
                    at += 1
            letter = table[code] if code < len(table) else table[-1]
            if letter == 0 or (letter == _BLANK and out[size - 1] == _BLANK):
                continue
            out[size] = letter
            size += 1
        if out[size - 1] != _BLANK:
            out[size] = _BLANK
            size += 1
        out_starts[text + 1] = size


@numba.njit(nogil=True, cache=True)
def add_up(letters: Codes, longest: int, weights: Weights | Steps, sums: Floats | Sums) -> int:
    """Add the weights of all n-grams of one text to `sums`; returns how many there are."""
    shift = _shift(len(weights))
    count = 0
    for first in range(len(letters)):
        gram = np.uint64(0)
        for at in range(first, min(first + longest, len(letters))):
            gram = (gram + np.uint64(letters[at])) * _FACTOR
            row = ((gram ^ (gram >> _HALF)) * _MIX) >> shift
            for label in range(len(sums)):
                sums[label] += weights[row, label]
            count += 1
    return count


@numba.njit(nogil=True, cache=True)
def _shift(rows: int) -> np.uint64:
    bits = 0
    while (1 << bits) < rows:
        bits += 1
    return np.uint64(64 - bits)


@numba.njit(nogil=True, cache=True)
def sums_of_steps(
    letters: Codes, starts: I64, longest: int, steps: Steps, sums: Sums, counts: I64
) -> None:
    """Sums of the stored weights of each text's n-grams, and how many n-grams it has.

    Args:
        letters: of all texts.
        starts: where each text's begin.
        longest: letters of the longest n-gram.
        steps: the weights as they are stored, which fit into the processor's cache.
        sums: shape (texts, labels), zeros, to be filled, as is
        counts:
    """
    for text in range(len(starts) - 1):
        shown = letters[starts[text] : starts[text + 1]]
        counts[text] = add_up(shown, longest, steps, sums[text])


@numba.njit(nogil=True, cache=True)
def train_pass(
    letters: Codes,
    starts: I64,
    order: I64,
    answers: I64,
    longest: int,
    weights: Weights,
    rate: float,
    next_rate: float,
) -> float:
    """One pass of stochastic gradient descent on the softmax; returns the mean loss.

    Args:
        letters: of all texts.
        starts: where each text's begin.
        order: the texts as they are shown.
        answers: label of each text.
        longest: letters of the longest n-gram.
        weights: shape (rows, labels), a power of two of rows; changed.
        rate: step at the beginning of the pass, and
        next_rate: at its end.
    """
    labels = weights.shape[1]
    shift = _shift(len(weights))
    sums, loss = np.zeros(labels, np.float32), 0.0
    for step in range(len(order)):
        text = order[step]
        shown = letters[starts[text] : starts[text + 1]]
        sums[:] = 0
        count = add_up(shown, longest, weights, sums)
        if count == 0:
            continue
        sums /= count
        shares = np.exp(sums - sums.max())
        shares /= shares.sum()
        loss -= np.log(max(shares[answers[text]], 1e-12))
        now = rate + (next_rate - rate) * step / len(order)
        shares[answers[text]] -= 1
        for first in range(len(shown)):
            gram = np.uint64(0)
            for at in range(first, min(first + longest, len(shown))):
                gram = (gram + np.uint64(shown[at])) * _FACTOR
                row = ((gram ^ (gram >> _HALF)) * _MIX) >> shift
                for label in range(labels):
                    weights[row, label] -= now * shares[label] / count
    return loss / len(order)
