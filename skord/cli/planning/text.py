"""What was estimated of a dump, as values and as lines for people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from skord.cli.planning.costs import PhaseForecast
from skord.core.storage.column_store import SHARD

MINUTE_S = 60.0
HOUR_S = 3600.0

Z95 = 1.96
"""Standard deviations to either side that hold 95 of 100 draws of a normal distribution."""

NETWORK = ("DownloadWET", "CCIndex", "FetchHTMLDocuments")
"""Tasks whose time is the endpoint's rather than the processor's."""


def plans_path(dump: str) -> str:
    """Where the last plan for a dump lies, under the data folder."""
    return f"_plans/{dump}.json"


@dataclass(frozen=True)
class Whole:
    """The dump as a whole: its files, their bytes, and how many shards it is divided into."""

    wet_files: int
    wet_bytes: float
    cdx_files: int
    cdx_bytes: float
    shards: int


@dataclass(frozen=True)
class Plan:
    """What was estimated.

    Attributes:
        pilot: what it is estimated from.
        selected_seen: pages selected in the pilot.
        kept_bytes: by task, in the end.
        peak_bytes: on disk at most.
        kept_files: inodes of files in the end, and `peak_files` at most; folders and logs are few
            beside them.
        crawl_files: of those, the files of the crawl as they came.
        phases: in the order in which they run.
        budget_s: what the requests take at least, by `[crawl] requests_per_s`.
        not_told_apart: tasks with phases of which each process made one item, so that what a
            process does once is not known.
        unknown: tasks of which nothing was measured.
    """

    dump: str
    whole: Whole
    pilot: str
    cores: int
    pages: float
    selected: float
    selected_seen: int
    requests: float
    fetched_bytes: float
    kept_bytes: Mapping[str, float]
    peak_bytes: float
    kept_files: int
    peak_files: int
    crawl_files: int
    phases: Sequence[PhaseForecast]
    budget_s: float
    not_told_apart: Sequence[str]
    unknown: Sequence[str]

    @property
    def core_s(self) -> float:
        """CPU seconds in all."""
        return sum(phase.core_s for phase in self.phases)

    @property
    def wall_s(self) -> float:
        """Seconds from start to end; what waits for the endpoint takes as long as its rate limit demands."""
        network = sum(phase.wall_s for phase in self.phases if phase.task in NETWORK)
        rest = sum(phase.wall_s for phase in self.phases if phase.task not in NETWORK)
        return rest + max(network, self.budget_s)


def lines_of(plan: Plan) -> Iterator[str]:
    """The plan for people."""
    whole = plan.whole
    yield f"dump {plan.dump}, estimated from {plan.pilot}"
    yield (
        f"{whole.wet_files:,} {'WET files' if whole.cdx_files else 'files'} with "
        f"{shown_size(whole.wet_bytes)}, "
        f"{whole.cdx_files:,} index files with {shown_size(whole.cdx_bytes)}, "
        f"{whole.shards:,} shards"
    )
    yield (
        f"{plan.pages:,.0f} pages, {plan.selected:,.0f} selected; {plan.requests:,.0f} requests "
        f"for {shown_size(plan.fetched_bytes)}"
    )
    if plan.selected_seen:
        chance = 100 * Z95 / math.sqrt(plan.selected_seen)
        yield (
            f"{plan.selected_seen:,} pages selected in the pilot: the number of all is known to "
            f"{chance:.0f} % either way, and what depends on it no better"
        )
    yield ""
    yield f"{'task':<20}{'phase':<12}{'items':>10}{'CPU':>12}{'time':>10}{'memory':>10}{'kept':>12}"
    last = ""
    for phase in plan.phases:
        kept = shown_size(plan.kept_bytes[phase.task]) if phase.phase == SHARD else ""
        gpu = "  on a GPU each" if phase.on_gpu else ""
        yield (
            f"{phase.task if phase.task != last else '':<20}{phase.phase:<12}{phase.items:>10,}"
            f"{shown_time(phase.core_s):>12}{shown_time(phase.wall_s):>10}"
            f"{shown_size(phase.peak_mb * 1e6):>10}{kept:>12}{gpu}"
        )
        last = phase.task
    gpu_s = sum(p.wall_s * min(plan.cores, p.items) for p in plan.phases if p.on_gpu)
    yield ""
    yield (
        f"in all {shown_time(plan.core_s)} of one core's work"
        + (f", {shown_time(gpu_s)} of a GPU" if gpu_s else "")
        + f"; {shown_time(plan.wall_s)} with {plan.cores:,} at once; disk "
        f"{shown_size(sum(plan.kept_bytes.values()))} in the end, "
        f"{shown_size(plan.peak_bytes)} at most"
    )
    yield (
        f"files (inodes): {plan.kept_files:,} in the end, {plan.crawl_files:,} of them the crawl's "
        f"own, {plan.peak_files:,} at most; a job array writes two more for each of its items"
    )
    yield (
        f"the requests alone take {shown_time(plan.budget_s)} by [crawl] requests_per_s; "
        "what the endpoint and the line allow is not known beforehand"
    )
    if plan.not_told_apart:
        yield (
            f"CPU is a guess for {', '.join(plan.not_told_apart)}: each process of the pilot made "
            "one item, and what of that it does once, such as loading a model, is taken to be as "
            "elsewhere; a larger pilot, or one with [executor] workers = 1, shows more"
        )
    if plan.unknown:
        yield f"not in this: {', '.join(plan.unknown)}, of which nothing was measured"


def shown_time(seconds: float) -> str:
    """A span of time for people.

    >>> shown_time(12.34), shown_time(600), shown_time(86_400 * 4)
    ('12.3 s', '10.0 min', '96.0 h')
    """
    if seconds < 2 * MINUTE_S:
        return f"{seconds:,.1f} s"
    return (
        f"{seconds / MINUTE_S:,.1f} min" if seconds < 2 * HOUR_S else f"{seconds / HOUR_S:,.1f} h"
    )


def shown_size(number: float) -> str:
    """Bytes for people, in powers of ten.

    >>> shown_size(270_292), shown_size(8.6e12)
    ('270.3 kB', '8.6 TB')
    """
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if number < 1000:
            return f"{number:,.1f} {unit}"
        number /= 1000
    return f"{number:,.1f} PB"
