"""What a dump will take, before anything of it is submitted."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import asdict
from pathlib import Path

from pipeline.cc_net import DownloadWET
from pipeline.warc_processing import CCIndex
from skord.cli.look.status import dumps_with_data, source_has_task
from skord.cli.planning.costs import (
    PhaseCost,
    TaskSpace,
    forecast_phases,
    peak_bytes,
)
from skord.cli.planning.pilot import Pilot, TaskSeen, read_pilot
from skord.cli.planning.text import NETWORK, Plan, Whole, lines_of, plans_path
from skord.core.config import executor, open_storage
from skord.core.dumps import Source, check_dump, source_of
from skord.core.failures import ConfigError, PipelineError
from skord.core.preflight import check_settings
from skord.core.registry import task_class, task_classes
from skord.core.storage.column_store import SHARD, ColumnStore
from skord.core.storage.filesystem import Storage
from skord.core.tasks.declaration import TaskDeclaration
from skord.core.tasks.phases import evenly_spaced_paths
from skord.crawl.config import crawl_settings, open_crawl
from skord.crawl.http.client import Crawl, CrawlSettings
from skord.sources.shards import checked_files, num_shards

LISTS = "paths"
"""A phase that reads the lists of all files, whatever share of the files a pilot takes."""

PROBES = 8
"""Files of a list that are asked for their size; the others are taken to be as large."""


def run(options: argparse.Namespace) -> None:
    """Estimate, print, and keep it for `status`."""
    check_settings()
    storage = open_storage()
    check_dump(options.dump, storage)
    made = make_plan(options.dump, options.pilot, options.cores)
    text = json.dumps({**asdict(made), "core_s": made.core_s, "wall_s": made.wall_s}, indent=1)
    storage.write(plans_path(options.dump), text.encode())
    print(text if options.json else "\n".join(lines_of(made)))


def make_plan(dump: str, pilot_folder: Path | None, cores: int) -> Plan:
    """Estimate what a dump takes."""
    own = source_of(dump, open_storage())
    settings = CrawlSettings("http://localhost") if own.is_own else crawl_settings()
    store, log_dir = pilot_store(dump, pilot_folder)
    pilot = read_pilot(store, log_dir, settings)
    if own.is_own:
        whole = look_at_own(own, DownloadWET(dump=dump))
    else:
        with open_crawl() as crawl:
            whole = look_at(crawl, dump, pilot if pilot_folder is None else None)
    seen = list(pilot.tasks.values())
    costs = [cost for task in seen for cost in _costs(task, dump, pilot, whole)]
    spaces = [_space(task, whole, pilot) for task in seen]
    kept_files, peak_files = _files(seen, dump, pilot, whole)
    asked = pilot.per_wet_byte("WARCIndex", pilot.requests) * whole.wet_bytes
    fetched = pilot.per_wet_byte("WARCIndex", pilot.fetched_bytes) * whole.wet_bytes
    requests = whole.wet_files + whole.cdx_files + 2 + asked
    measured = {cost.task for cost in costs}
    return Plan(
        dump=dump,
        whole=whole,
        pilot=f"{pilot.wet_files:,} {'files' if own.is_own else 'WET files'} of {pilot.dump} "
        f"in {store.storage.shown_url}",
        cores=cores,
        pages=pilot.per_wet_byte("HashParagraphs", pilot.pages) * whole.wet_bytes,
        selected_seen=pilot.selected,
        selected=pilot.per_wet_byte("CCNet", pilot.selected) * whole.wet_bytes,
        requests=0 if own.is_own else requests,
        fetched_bytes=0 if own.is_own else whole.wet_bytes + whole.cdx_bytes + fetched,
        kept_bytes={space.task: space.kept_bytes for space in spaces},
        peak_bytes=peak_bytes(spaces),
        kept_files=kept_files,
        peak_files=peak_files,
        crawl_files=0 if own.is_own else whole.wet_files + whole.cdx_files,
        phases=forecast_phases(costs, cores),
        budget_s=0 if own.is_own else requests / settings.requests_per_s,
        not_told_apart=sorted(
            {cost.task for cost in costs if cost.scale > 1 and not cost.seen.has_repeats}
        ),
        unknown=[
            name
            for name, cls in task_classes().items()
            if name not in measured and not cls.on_request and source_has_task(name, own)
        ],
    )


def pilot_store(dump: str, folder: Path | None) -> tuple[ColumnStore, Path]:
    """Where the pilot's tables and logs are.

    Raises:
        ConfigError: the folder holds no run, or runs of several dumps but not of this one.
    """
    if folder is None:
        return ColumnStore(open_storage(), dump), Path(executor().log_dir)
    storage = Storage(str(folder / "data"))
    dumps = dumps_with_data(ColumnStore(storage, ""))
    if dump not in dumps and len(dumps) != 1:
        raise ConfigError(f"--pilot {folder}: data/ holds {', '.join(dumps) or 'no dump'}")
    return ColumnStore(storage, dump if dump in dumps else dumps[0]), folder / "logs"


def look_at(crawl: Crawl, dump: str, own: Pilot | None) -> Whole:
    """The dump's files, from its lists, and their bytes, from what is there or a few answers.

    `own` is what is there of the same dump, when it is the pilot of itself.
    """
    download = DownloadWET(dump=dump)
    wet = download.assign_shards(crawl.paths_list(dump, "wet"))
    cdx = list(CCIndex(dump=dump).assign_shards(crawl.paths_list(dump, "cc-index")))
    if own and own.wet_files:
        wet_bytes = own.wet_bytes / own.wet_files * len(wet)
    else:
        wet_bytes = _mean_size(crawl, list(wet)) * len(wet)
    if own and own.cdx_files:
        cdx_bytes = own.cdx_bytes / own.cdx_files * len(cdx)
    else:
        cdx_bytes = _mean_size(crawl, cdx) * len(cdx)
    return Whole(len(wet), wet_bytes, len(cdx), cdx_bytes, len(set(wet.values())))


def look_at_own(own: Source, download: DownloadWET) -> Whole:
    """The files of a source of one's own, all of them, whatever share a pilot takes."""
    sizes = checked_files(own).sizes
    shards = num_shards(sizes, download.num_shards_wanted)
    return Whole(len(sizes), sum(sizes.values()), 0, 0, shards)


def _mean_size(crawl: Crawl, paths: Sequence[str]) -> float:
    asked = evenly_spaced_paths(paths, min(1.0, PROBES / len(paths)))
    sizes = [size for path in asked if (size := crawl.size(path))]
    if not sizes:
        raise ConfigError(f"{crawl.settings.base_url} does not say how large {asked[0]} is")
    return sum(sizes) / len(sizes)


def _costs(task: TaskSeen, dump: str, pilot: Pilot, whole: Whole) -> Iterator[PhaseCost]:
    built = task_class(task.task)(dump=dump)
    sizes = _sizes(built, whole)
    for phase in task.phases:
        of_index = task.task == "CCIndex" or phase.name == "captures"
        yield PhaseCost(
            task.task,
            phase,
            scale=1.0 if phase.name == LISTS else _scale(task, pilot, whole, of_index=of_index),
            whole_items=sizes.get(phase.name) or _guessed(whole, of_index=of_index),
            on_gpu=built.gpus > 0,
            waits=built.gpus > 0 or task.task in NETWORK,
        )


def _scale(task: TaskSeen, pilot: Pilot, whole: Whole, *, of_index: bool) -> float:
    if of_index:
        return whole.cdx_bytes / pilot.cdx_bytes if pilot.cdx_bytes else 1.0
    return whole.wet_bytes / task.wet_bytes if task.wet_bytes else 1.0


def _sizes(task: TaskDeclaration, whole: Whole) -> dict[str, int]:
    """Items of the phases, as far as that is known before there are shards."""
    foreseen, counts = copy(task), {}
    shards = _guessed(whole, of_index=isinstance(task, CCIndex))
    foreseen.num_shards = lambda: shards  # type: ignore[method-assign]  # it asks for the seal
    for phase in foreseen.phases():
        try:
            counts[phase.name.split("-")[0]] = phase.size()
        except PipelineError:
            continue
    return counts


def _guessed(whole: Whole, *, of_index: bool) -> int:
    return whole.cdx_files if of_index else whole.shards


def _files(seen: Sequence[TaskSeen], dump: str, pilot: Pilot, whole: Whole) -> tuple[int, int]:
    """Files in the end and at most: a task's earlier phases are gone when it is complete."""
    kept = peak = 0.0
    for task in seen:
        index = task.task == "CCIndex"
        files, there = (
            (whole.cdx_files, pilot.cdx_files) if index else (whole.wet_files, pilot.wet_files)
        )
        more = max(_guessed(whole, of_index=index) / task.shards, 1.0)
        raw = task.raw_files * files / max(there, 1)
        between = [
            size
            for name, size in _sizes(task_class(task.task)(dump=dump), whole).items()
            if name != SHARD
        ]
        kept += raw + task.shard_files * more + task.single_files
        peak = max(peak, kept + sum(between))
    return round(kept), round(peak)


def _space(task: TaskSeen, whole: Whole, pilot: Pilot) -> TaskSpace:
    scale = _scale(task, pilot, whole, of_index=task.task == "CCIndex")
    return TaskSpace(task.task, task.kept_bytes * scale, task.held_bytes * scale)
