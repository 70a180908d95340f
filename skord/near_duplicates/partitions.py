"""How the keys of near-duplicates are cut: groups of bands, and partitions by value. Pure."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from skord.near_duplicates.minhash import NUM_BANDS

NUM_KEYS = NUM_BANDS + 1
"""Keys of a text: 14 bands, and the digest of the whole text, which even short ones have."""

MOST_BANDS = 4
"""Bands that are compared at once. To read the signatures again for others costs less than memory
for the keys of all, which must be asked for, cleared and walked through."""
ITEM_KEYS = 200_000_000
"""Keys that one work item compares, or those of one group: some ten seconds' work, in
which the memory of one group serves the next."""


def items_within(memory_mb: int, texts: int) -> list[list[range]]:
    """The bands that each work item compares, in groups that are compared at once.

    Args:
        memory_mb: as many as fit are in a group; each takes 12 bytes a text.

    >>> items_within(400, 1_000_000)
    [[range(0, 4), range(4, 8), range(8, 12), range(12, 15)]]
    >>> [len(groups) for groups in items_within(400, 30_000_000)]
    [6, 6, 3]
    >>> len(items_within(0, 1)[0])
    15
    """
    fit = min(max(memory_mb * 1_000_000 // max(12 * texts, 1), 1), MOST_BANDS)
    size = -(-NUM_KEYS // -(-NUM_KEYS // fit))
    groups = [range(at, min(at + size, NUM_KEYS)) for at in range(0, NUM_KEYS, size)]
    together = max(ITEM_KEYS // max(size * texts, 1), 1)
    return [groups[at : at + together] for at in range(0, len(groups), together)]


def of_partition(table: pa.Table, partition: int, num_partitions: int) -> pa.Table:
    """The rows whose keys belong to the partition, of a table that may hold others.

    >>> keys = pa.table({"key": pa.array([1, 2**63], pa.uint64()), "rank": [5, 6]})
    >>> of_partition(keys, 1, 2)["rank"].to_pylist()
    [6]
    """
    high = table["key"].to_numpy() >> np.uint64(32)
    partitions = (high * np.uint64(num_partitions)) >> np.uint64(32)
    inside = partitions == partition
    return table if inside.all() else table.filter(pa.array(inside))


def overlapping_partitions(partition: int, num_partitions: int, others: int) -> range:
    """Which of `others` partitions hold keys of this one.

    >>> [list(overlapping_partitions(1, own, others)) for own, others in ((4, 2), (2, 4), (3, 2))]
    [[0], [2, 3], [0, 1]]
    """
    last = ((partition + 1) * others - 1) // num_partitions
    return range(partition * others // num_partitions, last + 1)
