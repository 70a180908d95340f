"""What about the removals of a dump should make a person look: hosts that lose all, hot texts."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from skord.core.storage.column_store import ColumnStore
from skord.near_duplicates.files import RankedTexts, read_part
from skord.near_duplicates.tables import NO_RANK, url_hosts

logger = logging.getLogger("luigi-interface")

LARGEST = 10
"""Clusters that each group of shards names."""
SHOWN = 20
"""Alarms of one kind that the log and the manifest spell out."""

LOSSES_SCHEMA = pa.schema(
    [
        pa.field("kind", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("texts", pa.int64(), nullable=False),
        pa.field("removed", pa.int64(), nullable=False),
    ]
)
"""Kind `host`: the competing texts of a host. Kind `cluster`: a kept text's id and cluster."""


@dataclass(frozen=True)
class AlarmLimits:
    """Limits beyond which removals are reported.

    Args:
        host_share: share of a host's texts that are removed.
        cluster_share: share of a dump's texts that are one cluster.
        least_texts: that a host or cluster must have.
    """

    host_share: float
    cluster_share: float
    least_texts: int


def loss_rows(
    texts: RankedTexts, pages: str, decisions_path: str, shards: Sequence[int]
) -> pa.Table:
    """The table of `LOSSES_SCHEMA` for some shards.

    Args:
        pages: the task that has the column `url`.
        decisions_path: a row group of decisions for each shard.
    """
    counted, clusters = [], []
    for shard in shards:
        rank = pa.array(texts.ranks(shard))
        url = texts.store.read_table(texts.store.path(pages, shard), ["url"])["url"]
        decisions = read_part(texts.store, decisions_path, shard)
        gone = decisions.filter(decisions["duplicate_of"].is_valid())
        table = pa.table({"name": url_hosts(url), "rank": rank})
        table = table.filter(pc.not_equal(rank, NO_RANK))
        removed = pc.is_in(table["rank"], gone["rank"]).cast(pa.int64())
        counted.append(pa.table({"name": table["name"], "removed": removed}))
        clusters.append(gone.select(["duplicate_of", "cluster_size"]))
    by_host = (
        pa.concat_tables(counted)
        .group_by("name")
        .aggregate([("removed", "count"), ("removed", "sum")])
    )
    return pa.concat_tables([_host_rows(by_host), _cluster_rows(pa.concat_tables(clusters))])


def _host_rows(by_host: pa.Table) -> pa.Table:
    by_host = by_host.sort_by("name")
    kind = np.full(len(by_host), "host", object)
    columns = [pa.array(kind, pa.string()), by_host["name"], by_host["removed_count"]]
    return pa.table([*columns, by_host["removed_sum"]], names=LOSSES_SCHEMA.names).cast(
        LOSSES_SCHEMA
    )


def _cluster_rows(clusters: pa.Table) -> pa.Table:
    by_keeper = clusters.group_by("duplicate_of").aggregate([("cluster_size", "max")])
    order = [("cluster_size_max", "descending"), ("duplicate_of", "ascending")]
    largest = by_keeper.sort_by(order).slice(0, LARGEST)
    size = largest["cluster_size_max"].cast(pa.int64())
    columns = [pa.array(["cluster"] * len(largest), pa.string()), largest["duplicate_of"], size]
    return pa.table([*columns, pc.subtract(size, 1)], names=LOSSES_SCHEMA.names).cast(LOSSES_SCHEMA)


def duplicate_alarms(
    store: ColumnStore, paths: Sequence[str], num_texts: int, limits: AlarmLimits
) -> dict[str, list[str]]:
    """One sentence for each host and cluster beyond the limits, by kind."""
    rows = pa.concat_tables([LOSSES_SCHEMA.empty_table(), *map(store.read_table, paths)])
    by_host = (
        rows.filter(pc.equal(rows["kind"], "host"))
        .group_by("name")
        .aggregate([("texts", "sum"), ("removed", "sum")])
    )
    by_cluster = (
        rows.filter(pc.equal(rows["kind"], "cluster"))
        .group_by("name")
        .aggregate([("texts", "max")])
    )
    lost = [
        f"{row['name']} loses {row['removed_sum']:,} of {row['texts_sum']:,} texts"
        for row in by_host.sort_by(
            [("removed_sum", "descending"), ("name", "ascending")]
        ).to_pylist()
        if row["texts_sum"] >= limits.least_texts
        and row["removed_sum"] > limits.host_share * row["texts_sum"]
    ]
    hot = [
        f"{row['name']} stands for {row['texts_max']:,} of {num_texts:,} texts"
        for row in by_cluster.sort_by(
            [("texts_max", "descending"), ("name", "ascending")]
        ).to_pylist()
        if row["texts_max"] >= limits.least_texts
        and row["texts_max"] > limits.cluster_share * num_texts
    ]
    return {"host_lost": lost, "hot_cluster": hot}


def log_duplicate_alarms(task: str, losses: Mapping[str, Sequence[str]]) -> None:
    """Say in the log what was found."""
    for kind, lines in losses.items():
        for line in lines[:SHOWN]:
            logger.warning("%s: %s: %s", task, kind, line)
        if len(lines) > SHOWN:
            logger.warning("%s: %s: and %d more", task, kind, len(lines) - SHOWN)
