"""What the tasks of a dump took so far: shards that are there, and the runs that the logs note."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.compute as pc

from skord.cli.planning.costs import PhaseSeen
from skord.core.failures import ConfigError
from skord.core.registry import task_class, task_classes
from skord.core.run_log import PhaseRun, noted_runs, runs_path
from skord.core.storage.column_store import SHARD, ColumnStore
from skord.core.storage.shard_files import ShardFooter
from skord.core.tasks.document_task import DocumentTask
from skord.crawl.http.ranges import ByteRange, coalesce_ranges
from skord.crawl.http.settings import CrawlSettings

KEPT_RAW = ("DownloadWET", "CCIndex")
"""Tasks that keep the crawl's own files."""


@dataclass(frozen=True)
class TaskSeen:
    """One task: its shards that are there, and what they took.

    Attributes:
        wet_bytes: of the WET files of those shards.
        kept_bytes: of all its files now.
        held_bytes: of all its files at their most, when a phase ended.
        raw_files: files of the crawl, as they came.
        shard_files: others that there are the more of, the more shards; and `single_files`.
        phases: as they ran, under the settings that made the shards.
    """

    task: str
    shards: int
    wet_bytes: int
    kept_bytes: int
    held_bytes: int
    raw_files: int
    shard_files: int
    single_files: int
    phases: Sequence[PhaseSeen]


@dataclass(frozen=True)
class Pilot:
    """What was done of one dump.

    Attributes:
        tasks: by name, those with a shard.
        wet_files: kept so far.
        pages: in the WET files that were read.
        selected: pages that CCNet took, and the WET bytes of the shards they are from.
        requests: byte ranges that hold the selected pages, neighbours together.
        fetched_bytes: of those ranges.
    """

    dump: str
    tasks: Mapping[str, TaskSeen]
    wet_files: int
    wet_bytes: int
    cdx_files: int
    cdx_bytes: int
    pages: int
    selected: int
    requests: int
    fetched_bytes: int

    def per_wet_byte(self, task: str, amount: float) -> float:
        """An amount of one task, for each byte of the WET files it had to do with."""
        seen = self.tasks.get(task)
        return amount / seen.wet_bytes if seen and seen.wet_bytes else 0.0


def read_pilot(store: ColumnStore, log_dir: Path, settings: CrawlSettings) -> Pilot:
    """Look at what there is of a dump."""
    wet = _bytes_of_shards(store, "DownloadWET")
    if not wet:
        raise ConfigError(
            f"{store.storage.shown_url} has no WET file of {store.dump}: plan from a "
            "part of the dump (--DownloadWET-share 0.01, as small a part of "
            "--DownloadWET-num-shards-wanted, a data_dir of its own), or from "
            "a sample crawl (`make sample`, then --pilot sample)"
        )
    cdx = _bytes_of_shards(store, "CCIndex")
    tasks = {
        name: seen for name in task_classes() if (seen := _task_seen(store, log_dir, name, wet))
    }
    spans = [
        span for n in sorted(store.numbers("WARCIndex")) for span in _spans(store, n, settings)
    ]
    return Pilot(
        dump=store.dump,
        tasks=tasks,
        wet_files=sum(files for files, _ in wet.values()),
        wet_bytes=sum(size for _, size in wet.values()),
        cdx_files=sum(files for files, _ in cdx.values()),
        cdx_bytes=sum(size for _, size in cdx.values()),
        pages=sum(one.counts.get("pages", 0) for one in _footers(store, "HashParagraphs")),
        selected=sum(one.rows for one in _footers(store, "CCNet")),
        requests=len(spans),
        fetched_bytes=sum(spans),
    )


def _bytes_of_shards(store: ColumnStore, task: str) -> dict[int, tuple[int, int]]:
    """For each shard of raw files, how many they are, and their bytes."""
    by_shard = {}
    for shard in sorted(store.numbers(task)):
        sizes = store.read_table(store.path(task, shard), ["bytes"])["bytes"]
        by_shard[shard] = (len(sizes), pc.sum(sizes).as_py() or 0)
    return by_shard


def _task_seen(
    store: ColumnStore, log_dir: Path, task: str, wet: Mapping[int, tuple[int, int]]
) -> TaskSeen | None:
    shards = sorted(store.numbers(task))
    if not shards:
        return None
    footer = store.footer(store.path(task, shards[-1]))
    runs = [
        run
        for run in noted_runs(runs_path(log_dir, task, store.dump))
        if footer and run.fingerprint == footer.fingerprint
    ]
    amounts = _amounts(store, task, shards, wet)
    tree = store.storage.tree(store.folder(task))
    kept = sum(tree.values())
    folders = Counter(str(Path(path).parent) for path in tree)
    raw_files = folders["files"] if task in KEPT_RAW else 0
    alone = sum(folder != "." and number == 1 for folder, number in folders.items())
    singles = ("_manifest.json" in tree) + (alone if len(shards) > 1 else 0)
    per_crawl_file = task == "CCIndex"
    return TaskSeen(
        task=task,
        shards=len(shards),
        wet_bytes=sum(
            wet[shard][1] for shard in (wet if per_crawl_file else shards) if shard in wet
        ),
        kept_bytes=kept,
        held_bytes=max([kept, *(run.held_bytes for run in runs)]),
        raw_files=raw_files,
        shard_files=len(tree) - raw_files - singles,
        single_files=singles,
        phases=[
            _phase(name, [run for run in runs if run.phase == name], amounts)
            for name in dict.fromkeys(run.phase for run in runs)
        ],
    )


def _phase(name: str, runs: Sequence[PhaseRun], amounts: Mapping[int, float]) -> PhaseSeen:
    """What the runs of a phase took together."""
    items, processes = sum(run.items for run in runs), sum(run.processes for run in runs)
    alike = len(runs) == 1 and name == SHARD
    firsts = [amounts.get(n, 1.0) if alike else 1.0 for run in runs for n in run.first_items]
    amount = sum(firsts) if len(firsts) == processes else processes
    return PhaseSeen(
        name=name.split("-", maxsplit=1)[0],
        items=items,
        seconds=sum(run.cpu_seconds or run.work_seconds for run in runs),
        first_s=sum(run.first_cpu_s for run in runs),
        first_share=min(amount / max(items, 1), 1.0),
        peak_mb=max(run.peak_rss_mb for run in runs),
        ready_s=sum(run.ready_cpu_seconds for run in runs) / max(processes, 1),
        processes=processes,
        wall_s=sum(run.work_seconds for run in runs),
    )


def _amounts(
    store: ColumnStore, task: str, shards: Sequence[int], wet: Mapping[int, tuple[int, int]]
) -> dict[int, float]:
    """How much each shard had to do, as a multiple of the mean: pages where they are rows."""
    if issubclass(task_class(task), DocumentTask):
        footers = {shard: store.footer(store.path(task, shard)) for shard in shards}
        sizes = {shard: footer.rows for shard, footer in footers.items() if footer}
    else:
        sizes = {shard: wet[shard][1] for shard in shards if shard in wet}
    mean = sum(sizes.values()) / max(len(sizes), 1)
    return {shard: size / mean for shard, size in sizes.items()} if mean else {}


def _spans(store: ColumnStore, shard: int, settings: CrawlSettings) -> list[int]:
    """Bytes of each request that the pages of one shard need."""
    names = ["warc_file", "warc_record_offset", "warc_record_length"]
    table = store.read_table(store.path("WARCIndex", shard), names).drop_null()
    by_file: dict[str, list[ByteRange]] = {}
    for file, offset, length in zip(*(table[name].to_pylist() for name in names), strict=True):
        by_file.setdefault(file, []).append(ByteRange(offset, length))
    spans = (
        span
        for ranges in by_file.values()
        for span in coalesce_ranges(ranges, settings.coalesce_gap_bytes, settings.max_request_bytes)
    )
    return [span.end - span.start for span in spans]


def _footers(store: ColumnStore, task: str) -> list[ShardFooter]:
    footers = (store.footer(store.path(task, shard)) for shard in sorted(store.numbers(task)))
    return [footer for footer in footers if footer]
