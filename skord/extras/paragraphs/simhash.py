"""Signatures of short texts whose distance is how alike they are: SimHash.

Each distinct n-gram of 2 to 4 characters votes for or against each of 128 bits, by a hash of
its own; the majority decides (Charikar 2002, "Similarity estimation techniques from rounding
algorithms"). Two texts differ in a bit with probability θ/π, where cos θ is the share of their
n-grams that they have in common: in one bit of ten at 0.95, one of six at 0.87, half of them
where nothing is shared. An n-gram counts once however often it occurs, as otherwise lists
whose items all begin alike resemble each other more than they should.

Pairs are found as Manku, Jain and Das Sarma do ("Detecting near-duplicates for web crawling",
WWW 2007, section 3): the signatures are sorted several times, each time turned so that other
bits come first, and each is compared with those that follow it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

U64 = NDArray[np.uint64]
Places = NDArray[np.int64]

BITS = 128
ORDERS = (2, 3, 4)
"""Lengths of the n-grams, in characters (Uzushio's)."""

TURNS = 8
"""Sort orders; turn t begins with bit 16 t."""
_TURN_BITS = BITS // TURNS
_PREFIX_BITS = 8
PLACES = TURNS << _PREFIX_BITS
"""Turns times prefixes: signatures in different places are never compared."""

MAX_LENGTH_GAP = 50
MAX_LENGTH_GAP_SHARE = 0.3
"""Characters, and share of the longer text, by which near texts may differ (Uzushio's)."""

MAX_CHARS = 1 << 14
"""A longer text is known by its beginning."""

_BLOCK = 1 << 14  # characters in one go: some 6 MB of votes
_GRAM_BITS = np.uint64(44)
_GRAM_MASK = np.uint64((1 << 44) - 1)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def simhash_signatures(texts: Sequence[str]) -> U64:
    """Signatures of many texts, shape (len(texts), 2): high and low 64 bits.

    A text shorter than two characters has no n-gram, and zeros for a signature; of one longer
    than `MAX_CHARS` only the beginning counts.

    >>> texts = ["Dela på Facebook nu", "Dela på Facebook", "Om oss"]
    >>> one, other, third = simhash_signatures(texts)
    >>> int(hamming_distances(one, other)) < 32 < int(hamming_distances(one, third))
    True
    """
    texts = [text[:MAX_CHARS] for text in texts]
    votes = np.zeros((len(texts), BITS), np.int32)
    first = 0
    while first < len(texts):
        last, chars = first, 0
        while last < len(texts) and (last == first or chars + len(texts[last]) <= _BLOCK):
            chars += len(texts[last])
            last += 1
        votes[first:last] = _bit_votes(texts[first:last])
        first = last
    packed: U64 = np.packbits(votes > 0, axis=1).view(">u8").astype(np.uint64)
    return packed


def hamming_distances(one: U64, other: U64) -> NDArray[np.int64]:
    """In how many bits signatures differ; the last axis, of 2, is summed."""
    counts: NDArray[np.int64] = _set_bits(one ^ other).sum(axis=-1)
    return counts


def rotated_signatures(signature: U64, turn: int) -> tuple[NDArray[np.int32], U64]:
    """The place of each signature in one turn, and the signature as it is sorted there.

    >>> place, rolled = rotated_signatures(np.array([[0xABCD << 32, 7]], np.uint64), 1)
    >>> int(place[0]) == (1 << 8) + 0xAB, hex(rolled[0, 0]), int(rolled[0, 1]) == 7 << 16
    (True, '0xabcd000000000000', True)
    """
    shift = turn * _TURN_BITS
    high, low = (signature[:, 0], signature[:, 1])
    if shift >= 64:
        high, low, shift = low, high, shift - 64
    up, down = np.uint64(shift), np.uint64((64 - shift) % 64)
    if shift:
        high, low = (high << up) | (low >> down), (low << up) | (high >> down)
    prefix = (high >> np.uint64(64 - _PREFIX_BITS)).astype(np.int32)
    return prefix + np.int32(turn << _PREFIX_BITS), np.stack([high, low], axis=1)


def near_pairs(
    place: NDArray[np.int32],
    signature: U64,
    chars: NDArray[np.int32],
    window: int,
    max_distance: int,
) -> tuple[Places, Places]:
    """Rows that are near each other, the smaller row first.

    Rows ascend by place, then by signature, as turned, of shape (n, 2); each is compared with the
    `window` that follow it.
    """
    rows = np.arange(len(place))
    pairs: list[tuple[Places, Places]] = [(rows[:0], rows[:0])]
    for step in range(1, window + 1):
        one = rows[:-step][place[:-step] == place[step:]]
        if not len(one):
            break
        other = one + step
        gap = np.abs(chars[one] - chars[other])
        longer = np.maximum(chars[one], chars[other])
        near = gap <= np.minimum(MAX_LENGTH_GAP, MAX_LENGTH_GAP_SHARE * longer)
        one, other = one[near], other[near]
        near = hamming_distances(signature[one], signature[other]) <= max_distance
        pairs.append((one[near], other[near]))
    return np.concatenate([a for a, _ in pairs]), np.concatenate([b for _, b in pairs])


def _bit_votes(texts: Sequence[str]) -> NDArray[np.int32]:
    """Votes for less votes against each bit, shape (len(texts), 128)."""
    votes = np.zeros((len(texts), BITS), np.int32)
    grams = _distinct_grams(texts)
    text = (grams >> _GRAM_BITS).astype(np.int64)
    present, starts, counts = np.unique(text, return_index=True, return_counts=True)
    if len(present):
        grams &= _GRAM_MASK
        words = np.stack([_mixed_bits(grams), _mixed_bits(grams + _GOLDEN)], axis=1)
        bits = np.unpackbits(words.astype(">u8").view(np.uint8), axis=1)
        ayes = np.add.reduceat(bits, starts, axis=0, dtype=np.int32)
        votes[present] = 2 * ayes - counts[:, None].astype(np.int32)
    return votes


def _distinct_grams(texts: Sequence[str]) -> U64:
    """The distinct n-grams of each text: its number, and 44 bits of the n-gram's hash; sorted."""
    joined = "".join(texts).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(joined, "<u4").astype(np.uint64)
    text = np.repeat(np.arange(len(texts), dtype=np.uint64), [len(text) for text in texts])
    grams, hashes = [codes[:0]], codes
    for order in range(2, max(ORDERS) + 1):
        hashes = _mixed_bits(hashes[:-1] * _GOLDEN + codes[order - 1 :])
        begun = text[: len(hashes)]
        keys = (begun << _GRAM_BITS) | (hashes >> (np.uint64(64) - _GRAM_BITS))
        if order in ORDERS:
            grams.append(keys[begun == text[order - 1 :]])
    return np.unique(np.concatenate(grams))


def _mixed_bits(number: U64) -> U64:
    """The finaliser of splitmix64 (Steele, Lea and Flood 2014): every bit depends on all."""
    number = (number ^ (number >> np.uint64(30))) * _MIX[0]
    number = (number ^ (number >> np.uint64(27))) * _MIX[1]
    return number ^ (number >> np.uint64(31))


def _set_bits(words: U64) -> NDArray[np.int64]:
    """How many bits of each word are set: sums of neighbours, in ever wider fields."""
    one, two, four = (
        np.uint64(n) for n in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F)
    )
    words = words - ((words >> np.uint64(1)) & one)
    words = (words & two) + ((words >> np.uint64(2)) & two)
    words = (words + (words >> np.uint64(4))) & four
    counts: NDArray[np.int64] = ((words * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(
        np.int64
    )
    return counts
