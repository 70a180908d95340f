"""Compiled loops over words: how often they recur, alone and in runs. See `text_kernels`.

Equal words have equal numbers. They are counted in open hash tables that all texts of a call
share; a slot belongs to the text whose stamp it bears, so that nothing has to be cleared.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
I32 = NDArray[np.int32]
Floats = NDArray[np.float64]

_MIX = np.uint64(0xD6E8FEB86659FD93)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
FIRST_DUPLICATE = 5
"""Runs of this many words or more count wherever they recur; of shorter ones, only the most
frequent does."""


@numba.njit(nogil=True, cache=True)
def slot_of(keys: U64, stamps: I32, stamp: int, mask: np.uint64, key: np.uint64) -> np.uint64:
    """Where a key lies in the table, or may be put: a slot of another stamp is free."""
    one = np.uint64(1)
    at = ((key ^ (key >> _HALF)) * _MIX >> _HALF) & mask
    while stamps[at] == stamp and keys[at] != key:
        at = (at + one) & mask
    return at


@numba.njit(nogil=True, cache=True)
def table_mask(size: int) -> np.uint64:
    """One less than a power of two that leaves half of the slots free."""
    slots = 16
    while slots < 2 * size:
        slots *= 2
    return np.uint64(slots - 1)


@numba.njit(nogil=True, cache=True)
def _most(starts: I64) -> int:
    most = 0
    for text in range(len(starts) - 1):
        most = max(most, starts[text + 1] - starts[text])
    return most


@numba.njit(nogil=True, cache=True)
def entropies(words: U64, starts: I64, found: Floats) -> None:
    """Entropy of each text's words, in nats."""
    slots = int(table_mask(_most(starts))) + 1
    keys, counts = np.empty(slots, np.uint64), np.empty(slots, np.int32)
    stamps = np.full(slots, -1, np.int32)
    for text in range(len(starts) - 1):
        total = starts[text + 1] - starts[text]
        mask = table_mask(total)
        used = np.empty(total, np.uint64)
        distinct = 0
        for at in range(starts[text], starts[text + 1]):
            slot = slot_of(keys, stamps, text, mask, words[at])
            if stamps[slot] != text:
                stamps[slot], keys[slot], counts[slot] = text, words[at], 0
                used[distinct] = slot
                distinct += 1
            counts[slot] += 1
        entropy = 0.0
        for place in range(distinct):
            share = counts[used[place]] / total
            entropy -= share * np.log(share)
        found[text] = max(entropy, 0.0)


@numba.njit(nogil=True, cache=True)
def recurring_grams(
    words: U64, chars: I32, starts: I64, longest: int, top: I64, duplicate: I64
) -> None:
    """Characters in recurring runs of words.

    Args:
        words: by number.
        chars: how long each is.
        starts: where each text's begin.
        longest: words in the longest run.
        top: shape (texts, longest + 1); set for runs of 2 to 4 words: characters of the run
            that recurs most, the first among equals, blanks between words included, times how
            often; 0 when none recurs.
        duplicate: of the same shape; for longer runs: characters of words that stand in a run
            that has stood before, each counted once.
    """
    slots = int(table_mask(_most(starts))) + 1
    keys, counts = np.empty(slots, np.uint64), np.empty(slots, np.int32)
    stamps = np.full(slots, -1, np.int32)
    stamp = -1
    for text in range(len(starts) - 1):
        first, end = starts[text], starts[text + 1]
        mask = table_mask(end - first)
        grams = words[first:end].copy()
        for size in range(2, longest + 1):
            num_grams = end - first - size + 1
            if num_grams < 2:
                break
            for at in range(num_grams):
                grams[at] = grams[at] * _FACTOR + words[first + at + size - 1]
            stamp += 1
            recurs = _count(grams[:num_grams], keys, counts, stamps, stamp, mask)
            if not recurs:
                break
            lengths = chars[first:end]
            if size < FIRST_DUPLICATE:
                top[text, size] = _top(grams[:num_grams], lengths, size, keys, counts, stamps,
                                       stamp, mask)  # fmt: skip
            else:
                stamp += 1
                duplicate[text, size] = _duplicate(grams[:num_grams], lengths, size, keys, stamps,
                                                   stamp, mask)  # fmt: skip


@numba.njit(nogil=True, cache=True)
def _count(grams: U64, keys: U64, counts: I32, stamps: I32, stamp: int, mask: np.uint64) -> bool:
    """Count the runs; returns whether one recurs."""
    recurs = False
    for gram in grams:
        slot = slot_of(keys, stamps, stamp, mask, gram)
        if stamps[slot] != stamp:
            stamps[slot], keys[slot], counts[slot] = stamp, gram, 0
        counts[slot] += 1
        recurs |= counts[slot] > 1
    return recurs


@numba.njit(nogil=True, cache=True)
def _top(
    grams: U64,
    chars: I32,
    size: int,
    keys: U64,
    counts: I32,
    stamps: I32,
    stamp: int,
    mask: np.uint64,
) -> int:
    most, place = 0, 0
    for at in range(len(grams)):
        times = counts[slot_of(keys, stamps, stamp, mask, grams[at])]
        if times > most:
            most, place = times, at
    return int(most) * (int(chars[place : place + size].sum()) + size - 1)


@numba.njit(nogil=True, cache=True)
def _duplicate(
    grams: U64, chars: I32, size: int, keys: U64, stamps: I32, stamp: int, mask: np.uint64
) -> int:
    found, at, counted = 0, 0, 0
    for at in range(len(grams)):
        slot = slot_of(keys, stamps, stamp, mask, grams[at])
        if stamps[slot] != stamp:
            stamps[slot], keys[slot] = stamp, grams[at]
            continue
        for place in range(max(at, counted), at + size):
            found += chars[place]
        counted = at + size
    return found


@numba.njit(nogil=True, cache=True)
def listed(words: U64, starts: I64, lists: U64, list_of: I32, instances: I64, types: I64) -> None:
    """How many words of each text are on its list, and how many different ones.

    Args:
        words: by number.
        starts: where each text's begin.
        lists: shape (lists, slots): open hash tables, 0 where nothing is.
        list_of: which list each text is held against; -1: none.
        instances: to be filled, as is
        types:
    """
    mask = np.uint64(lists.shape[1] - 1)
    seen = np.full(lists.shape, -1, np.int32)
    for text in range(len(starts) - 1):
        row = list_of[text]
        if row < 0:
            continue
        for at in range(starts[text], starts[text + 1]):
            slot = words[at] & mask
            while lists[row, slot] not in (words[at], np.uint64(0)):
                slot = (slot + np.uint64(1)) & mask
            if lists[row, slot]:
                instances[text] += 1
                types[text] += seen[row, slot] != text
                seen[row, slot] = text
