"""The tables that the phases of CountParagraphs hand to one another. Pure.

How often a paragraph of a dump occurs, exactly and nearly, is found in steps that each see one
shard, one range of keys, or one range of signatures:

1. per shard, `DistinctParagraphs`: key, copies, signature and length of each text;
2. per range of keys, `merge_paragraph_counts`: the same over all shards; and `turned_rows`: eight
   rows for each text, sorted by where its signature lies in each sort order;
3. per range of those places, `near_rows`: which texts are near each other;
4. per range of keys, `totals_by_shard`: the two frequencies, for each shard that has the text;
5. per shard, `Frequencies` looks its paragraphs up.

Two texts are near when their signatures (`simhash`) differ in few bits and their
lengths by little. Near is not handed on: where A is near B and B near C, A and C need not be,
so no chain of small changes makes one of what has nothing in common.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.extras.paragraphs.simhash import (
    TURNS,
    U64,
    near_pairs,
    rotated_signatures,
    simhash_signatures,
)

DISTINCT_SCHEMA = pa.schema(
    [
        ("key", pa.uint64()),
        ("copies", pa.int64()),
        ("high", pa.uint64()),
        ("low", pa.uint64()),
        ("chars", pa.int32()),
    ]
)
TURNED_SCHEMA = pa.schema([("place", pa.int32()), *DISTINCT_SCHEMA])
NEAR_SCHEMA = pa.schema([("key", pa.uint64()), ("other", pa.uint64()), ("copies", pa.int64())])
TOTALS_SCHEMA = pa.schema(
    [("shard", pa.int32()), ("key", pa.uint64()), ("exact", pa.int32()), ("near", pa.int32())]
)
COUNT_COLUMNS = [("exact_freq", pa.list_(pa.int32())), ("near_freq", pa.list_(pa.int32()))]

_MOST = np.iinfo(np.int32).max


def text_key(text: str) -> int:
    """64 bits of BLAKE2b of a paragraph's plain text.

    >>> hex(text_key("Läs mer"))
    '0x5aa5885e032c4f51'
    """
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


class DistinctParagraphs:
    """The distinct paragraphs of one shard, whose documents are added one after another."""

    def __init__(self) -> None:
        self._copies: dict[int, int] = {}
        self._parts: list[tuple[U64, NDArray[np.int32]]] = []

    def add(self, texts: Sequence[str]) -> None:
        """Count the plain texts of some documents' paragraphs."""
        new: list[str] = []
        for text in texts:
            key = text_key(text)
            if key not in self._copies:
                self._copies[key] = 0
                new.append(text)
            self._copies[key] += 1
        chars = np.array([len(text) for text in new], np.int32)
        self._parts.append((simhash_signatures(new), chars))

    def table(self) -> pa.Table:
        """One row for each distinct text, sorted by key."""
        signature = np.concatenate([np.empty((0, 2), np.uint64), *(s for s, _ in self._parts)])
        keys = np.fromiter(self._copies, np.uint64, len(self._copies))
        copies = np.fromiter(self._copies.values(), np.int64, len(self._copies))
        chars = np.concatenate([np.empty(0, np.int32), *(c for _, c in self._parts)])
        order = np.argsort(keys)
        columns = [keys, copies, signature[:, 0], signature[:, 1], chars]
        return pa.table([column[order] for column in columns], schema=DISTINCT_SCHEMA)


def merge_paragraph_counts(parts: Sequence[pa.Table]) -> pa.Table:
    """The distinct texts of several shards' tables, or of the same slice of each."""
    table = pa.concat_tables([DISTINCT_SCHEMA.empty_table(), *parts])
    keys, first, number = np.unique(table["key"].to_numpy(), return_index=True, return_inverse=True)
    copies = np.bincount(number, table["copies"].to_numpy(), len(keys)).astype(np.int64)
    chosen = table.take(pa.array(first))
    return chosen.set_column(1, DISTINCT_SCHEMA.field("copies"), pa.array(copies))


def turned_rows(distinct: pa.Table) -> pa.Table:
    """The texts once for each sort order of their signatures, by place; too short ones never."""
    long = distinct.filter(pa.array(distinct["chars"].to_numpy() >= 2))
    signature = _signature_columns(long)
    parts = [TURNED_SCHEMA.empty_table()]
    for turn in range(TURNS):
        place, rolled = rotated_signatures(signature, turn)
        columns = [place, long["key"], long["copies"], rolled[:, 0], rolled[:, 1], long["chars"]]
        parts.append(pa.table(columns, schema=TURNED_SCHEMA))
    return pa.concat_tables(parts).sort_by("place")


def near_rows(parts: Sequence[pa.Table], window: int, max_distance: int) -> pa.Table:
    """Each text of some whole places with each other that is near it, sorted by key.

    The parts are `turned_rows`, or the same places of several; each row is compared with `window`
    others in either direction, near if no more than `max_distance` of 128 bits differ.
    """
    table = pa.concat_tables([TURNED_SCHEMA.empty_table(), *parts])
    names = [("place", "ascending"), ("high", "ascending"), ("low", "ascending")]
    table = table.sort_by([*names, ("key", "ascending")])
    one, other = near_pairs(
        table["place"].to_numpy(),
        _signature_columns(table),
        table["chars"].to_numpy(),
        window,
        max_distance,
    )
    left, right = np.concatenate([one, other]), np.concatenate([other, one])
    keys, copies = table["key"].to_numpy(), table["copies"].to_numpy()
    pairs = pa.table([keys[left], keys[right], copies[right]], schema=NEAR_SCHEMA)
    return _without_repeats(pairs)


def totals_by_shard(
    distinct: pa.Table, near: Sequence[pa.Table], held: Sequence[NDArray[np.uint64]]
) -> pa.Table:
    """The frequencies of one range of keys, of texts that do not stand alone.

    Args:
        distinct: `merge_paragraph_counts` of the range.
        near: the range's rows of every `near_rows`; a pair may be in several.
        held: for each shard, its keys in the range.

    Returns:
        Sorted by shard, then key; each shard finds the texts that it holds.
    """
    keys, copies = distinct["key"].to_numpy(), distinct["copies"].to_numpy()
    pairs = _without_repeats(pa.concat_tables([NEAR_SCHEMA.empty_table(), *near]))
    at = np.searchsorted(keys, pairs["key"].to_numpy())
    more = np.bincount(at, pairs["copies"].to_numpy(), len(keys)).astype(np.int64)
    total = copies + more
    parts = [TOTALS_SCHEMA.empty_table()]
    for shard, own in enumerate(held):
        place = np.searchsorted(keys, own)
        place = np.sort(place[total[place] > 1])
        exact, all_of_them = (np.minimum(n[place], _MOST) for n in (copies, total))
        columns = [np.full(len(place), shard), keys[place], exact, all_of_them]
        parts.append(
            pa.table(dict(zip(TOTALS_SCHEMA.names, columns, strict=True))).cast(TOTALS_SCHEMA)
        )
    return pa.concat_tables(parts)


class Frequencies:
    """How often the paragraphs of one shard occur in the dump.

    Args:
        parts: the shard's rows of every `totals_by_shard`; a text that is in none occurs once.
    """

    def __init__(self, parts: Iterable[pa.Table]) -> None:
        table = pa.concat_tables([TOTALS_SCHEMA.empty_table(), *parts])
        values = zip(table["exact"].to_pylist(), table["near"].to_pylist(), strict=True)
        self._of = dict(zip(table["key"].to_pylist(), values, strict=True))

    def __call__(self, texts: Sequence[str]) -> tuple[list[int], list[int]]:
        """Exact and near frequency of each of a document's paragraphs."""
        counts = [self._of.get(text_key(text), (1, 1)) for text in texts]
        return [exact for exact, _ in counts], [near for _, near in counts]


def _signature_columns(table: pa.Table) -> U64:
    return np.stack([table["high"].to_numpy(), table["low"].to_numpy()], axis=1)


def _without_repeats(pairs: pa.Table) -> pa.Table:
    """Each pair once, sorted by key and other."""
    key, other = pairs["key"].to_numpy(), pairs["other"].to_numpy()
    order = np.lexsort((other, key))
    key, other = key[order], other[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (key[1:] != key[:-1]) | (other[1:] != other[:-1])
    return pairs.take(pa.array(order[new]))
