"""Deal work into shards and ranges: the same answer everywhere, for ever."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from pipeline.ccnet.paragraph_keys import Keys
from pipeline.ccnet.repeats import Counts, RepeatedKeys, merge_counts

REPEATS_SCHEMA = pa.schema(
    [("shard", pa.int32()), ("key", pa.uint64()), ("first_shard", pa.int32())]
)
"""Columns of `group_by_owner`."""


def deal(items: int, groups: int) -> list[int]:
    """The group of each item: contiguous groups whose sizes differ by at most one.

    There are never more groups than items, so none is empty. Group g begins with item
    g * items // groups, as cc_net's shards do, so that both mean the same files.

    >>> deal(7, 3)
    [0, 0, 1, 1, 2, 2, 2]
    >>> deal(2, 1000)
    [0, 1]
    """
    groups = min(groups, items)
    return [((item + 1) * groups - 1) // items for item in range(items)]


def thin(paths: Sequence[str], share: float) -> list[str]:
    """A share of the paths, evenly spaced and at least one; all of them for 1.

    >>> thin(["a", "b", "c", "d"], 0.5)
    ['a', 'c']
    >>> thin(["a", "b", "c"], 0.01)
    ['a']

    Raises:
        ValueError: the share is not above 0 and at most 1.
    """
    if not 0 < share <= 1:
        raise ValueError(f"a share is above 0 and at most 1, not {share:g}")
    number = max(1, round(len(paths) * share)) if paths else 0
    return [paths[n * len(paths) // number] for n in range(number)]


def repeats_by_shard(parts: Sequence[tuple[Keys, Counts]], group_shards: int = 0) -> pa.Table:
    """Which paragraphs two or more pages hold, for each shard those that it holds itself.

    Args:
        parts: sorted distinct keys of each shard and how many pages hold each, by its number, or
            the same slice of the key space of each.
        group_shards: how many shards are compared with one another: the first so many, the
            next so many, and so on (cc_net: 50). 0 compares the whole dump.

    Returns:
        Rows sorted by shard, then key; `first_shard` is the first of the group that holds it.

    >>> held = [(np.array([7], np.uint64), np.array([1]))] * 3
    >>> repeats_by_shard(held)["first_shard"].to_pylist()
    [0, 0, 0]
    >>> repeats_by_shard(held, group_shards=2)["shard"].to_pylist()
    [0, 1]
    """
    size = group_shards or max(len(parts), 1)
    tables = [
        _repeats_of_group(parts[first : first + size], first)
        for first in range(0, len(parts), size)
    ]
    return pa.concat_tables([REPEATS_SCHEMA.empty_table(), *tables])


def _repeats_of_group(parts: Sequence[tuple[Keys, Counts]], first: int) -> pa.Table:
    repeated = RepeatedKeys.of_counts(*merge_counts(parts))
    return group_by_owner([keys for keys, _ in parts], repeated, first)


def group_by_owner(keys: Sequence[Keys], repeated: RepeatedKeys, first: int = 0) -> pa.Table:
    """Hand each shard those of its keys that are repeated.

    Args:
        keys: sorted keys of each shard, by its number.
        repeated: the keys that two or more pages hold.
        first: the number of the first of these shards.

    Returns:
        Rows sorted by shard, then key.
    """
    places = [repeated.places(part) for part in keys]
    placed = [place[place >= 0] for place in places]
    place = np.concatenate([np.empty(0, np.int64), *placed])
    shard = np.repeat(np.arange(len(keys)), [len(part) for part in placed])
    columns = [shard + first, repeated.keys[place], repeated.first_shard[place] + first]
    return pa.table(dict(zip(REPEATS_SCHEMA.names, columns, strict=True))).cast(REPEATS_SCHEMA)
