"""Deal work into shards and ranges: the same answer everywhere, for ever."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from pipeline.transforms.paragraphs import Keys, RepeatedKeys

REPEATS_SCHEMA = pa.schema(
    [("shard", pa.int32()), ("key", pa.uint64()), ("first_shard", pa.int32())]
)
"""Columns of `group_by_owner`."""


def deal(items: int, groups: int) -> list[int]:
    """The group of each item: contiguous groups whose sizes differ by at most one.

    There are never more groups than items, so none is empty.

    >>> deal(7, 3)
    [0, 0, 0, 1, 1, 2, 2]
    >>> deal(2, 1000)
    [0, 1]
    """
    groups = min(groups, items)
    return [item * groups // items for item in range(items)]


def key_range(part: int, parts: int) -> tuple[int, int]:
    """The half-open range of 64-bit keys that belongs to one of `parts` equal parts.

    >>> key_range(1, 2) == (2**63, 2**64)
    True
    """
    return (part << 64) // parts, ((part + 1) << 64) // parts


def group_by_owner(keys: Sequence[Keys], repeated: RepeatedKeys) -> pa.Table:
    """Hand each shard those of its keys that are repeated.

    Args:
        keys: sorted keys of each shard, by its number.
        repeated: the keys that two or more pages hold.

    Returns:
        Rows sorted by shard, then key.
    """
    places = [repeated.places(part) for part in keys]
    found = [place[place >= 0] for place in places]
    place = np.concatenate([np.empty(0, np.int64), *found])
    shard = np.repeat(np.arange(len(keys)), [len(part) for part in found])
    columns = [shard, repeated.keys[place], repeated.first_shard[place]]
    return pa.table(dict(zip(REPEATS_SCHEMA.names, columns, strict=True))).cast(REPEATS_SCHEMA)
