"""A Luigi task that is one or more arrays of elements, each written once and stamped."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import luigi

from pipeline.core.column_store import CUT, SHARD, ColumnStore
from pipeline.core.config import executor, open_storage, pipeline
from pipeline.core.executor import executor_from_config
from pipeline.core.failures import ConfigError, ShardError
from pipeline.core.languages_parameter import LanguagesParameter, languages_said
from pipeline.core.phases import Phase, ShardReport
from pipeline.core.preflight import check_graph
from pipeline.core.run_log import note_run, runs_path
from pipeline.core.shard_files import BEGUN, ShardFooter
from pipeline.core.target import Sealed

logger = logging.getLogger("luigi-interface")

TELL_S = 1.0
"""Luigi's scheduler hears of a phase's progress no more often than this."""


class ShardedTask(luigi.Task):
    """Subclass, then say what comes before (`upstream`) and what the phases are.

    The last phase writes the shards proper; each shard appears whole, bears the stamp of
    the settings and inputs it was made from, and is made again only when that differs.
    """

    version: ClassVar[int] = 1
    """Raise it when the same input should give other output."""

    settled: tuple[str, ColumnStore] | None = None
    """Stamp and store while an element is made: worked out once, and the stamp compared."""

    on_request: ClassVar[bool] = False
    """Whether it stands beside the way from DownloadWET to the corpus, for those who ask for it."""

    is_abstract: ClassVar[bool] = False
    """Said in a class's own body: it is there to be subclassed, and no task of the graph."""

    dump: str = luigi.Parameter(description="a dump's id, such as 2024-10")
    languages: Sequence[str] = LanguagesParameter(
        default=(),
        significant=False,
        description="codes of the languages to select; what [CCNet] says when left out",
    )
    replace: bool = luigi.BoolParameter(
        default=False, significant=False, description="remake columns sealed with other settings"
    )
    mem_gb: float = luigi.FloatParameter(
        default=2.0, significant=False, description="memory that one worker may take"
    )
    max_failure_share: float = luigi.FloatParameter(
        default=0.05, significant=False, description="refuse to seal above this share of rows"
    )

    # -- what an author declares ---------------------------------------------------

    def upstream(self) -> Sequence[ShardedTask]:
        """The tasks whose shards this one reads."""
        return []

    def phases(self) -> Sequence[Phase]:
        """The arrays of work, in order; the last is named `shard`."""
        return [Phase(SHARD, self.num_shards, self.run_shard)]

    def num_shards(self) -> int:
        """How many shards there are: as many as the first task upstream has."""
        first = self.upstream()[0]
        manifest = self.store.manifest(first.task_family)
        if manifest is None:
            raise ShardError(f"{first.task_family} {self.dump} is not sealed: run it first")
        return int(manifest["num_shards"])

    def run_shard(self, shard: int) -> None:
        """Make one shard and write it whole."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise ConfigError when this task could not run; cheap."""

    def stamp_parts(self) -> Iterable[str]:
        """Whatever else decides the bytes: a model's digest, a converter's version."""
        return ()

    @property
    def gpus(self) -> int:
        """How many GPUs an element computes on, where there are any."""
        return 0

    # -- Luigi -----------------------------------------------------------------------

    def requires(self) -> Sequence[ShardedTask]:
        """The tasks upstream, after everything that can be known beforehand was checked."""
        check_graph(self)
        return self.upstream()

    def output(self) -> luigi.Target:
        """The seal; reading it is cheap and never raises."""
        return Sealed(self)

    def run(self) -> None:
        """Run the elements that are missing, then seal."""
        check_graph(self)
        self.store.unseal(self.task_family)
        self._sweep()
        try:
            for phase in self.phases():
                if not (phase.transient and self._kept_is_done()):
                    self._run_phase(phase)
        finally:
            self._sweep()
        self._seal()

    def _sweep(self) -> None:
        swept = self.store.storage.sweep()
        if swept:
            logger.info("removed %d half-written files of killed processes", swept)

    def _run_phase(self, phase: Phase) -> None:
        size = phase.size()
        find = self.finder(phase.name)
        missing = [number for number in range(size) if not find(number)]
        if not missing:
            return
        started = time.time()
        with closing(executor_from_config().map(self, phase.name, missing)) as made:
            reports = list(self._told(made, phase.name, size, size - len(missing)))
        log = runs_path(Path(executor().log_dir), self.task_family, str(self.dump))
        store = self.store
        held_bytes = store.storage.tree_bytes(store.folder(self.task_family))
        note_run(log, phase.name, self.stamp, started, reports, held_bytes)
        failed = sorted((r for r in reports if r.error), key=lambda report: report.number)
        if failed:
            logs = sorted({report.log for report in failed if report.log})
            raise ShardError(
                f"{self.task_family} {self.dump}: {len(failed)} of {size} elements of phase "
                f"{phase.name} failed, first {failed[0].number}: {failed[0].error}"
                + (f" (traceback: {logs[0]})" if logs else "")
            )

    def _told(
        self, reports: Iterable[ShardReport], phase: str, size: int, done: int
    ) -> Iterator[ShardReport]:
        """The reports as they come, and how far the phase is to Luigi's scheduler."""
        failed, told_at = 0, 0.0
        for report in reports:
            failed, done = failed + bool(report.error), done + (not report.error)
            if time.monotonic() > told_at + TELL_S or done + failed == size:
                told_at = time.monotonic()
                self._tell(f"{phase}: {done} of {size} elements done, {failed} failed", done / size)
            yield report

    def _tell(self, words: str, share: float) -> None:
        """Have Luigi's scheduler show it, if a worker of Luigi's runs this task."""
        message: Any = self.set_status_message
        percentage: Any = self.set_progress_percentage
        if message and percentage:
            message(words)
            percentage(round(100 * share))

    # -- state ---------------------------------------------------------------------------

    @property
    def store(self) -> ColumnStore:
        """Where this dump's columns lie."""
        if self.settled:
            return self.settled[1]
        return ColumnStore(open_storage(), str(self.dump), pipeline().batch_documents)

    @property
    def stamp(self) -> str:
        """Version, significant settings and stamps upstream: equal stamp, equal bytes."""
        return self.settled[0] if self.settled else self._stamp({})

    def _stamp(self, known: dict[str, str]) -> str:
        """The stamp; each task upstream is asked once, on however many ways it is reached."""
        if self.task_id not in known:
            said = [
                self.task_family,
                self.version,
                self.to_str_params(only_significant=True),
                list(self.stamp_parts()),
                [task._stamp(known) for task in self.upstream()],
            ]
            text = json.dumps(said, sort_keys=True)
            known[self.task_id] = hashlib.sha256(text.encode()).hexdigest()[:16]
        return known[self.task_id]

    def shared_params(self) -> dict[str, Any]:
        """What every task of one graph has in common; pass it to the tasks upstream."""
        return {"dump": self.dump, "replace": self.replace, **languages_said(self.languages)}

    def done(self, phase: str, number: int) -> bool:
        """Whether the element is in place and needs no more work."""
        return self.finder(phase)(number) is not None

    def finder(self, phase: str) -> Callable[[int], ShardFooter | None]:
        """Gives the footer of an element that is in place and needs no more work, or None.

        The store and the stamp are worked out once, for a phase may have 10,000 elements.
        """
        store, stamp, cut = self.store, self.stamp, self.cut(phase)

        def find(number: int) -> ShardFooter | None:
            footer = store.footer(store.path(self.task_family, number, phase))
            if footer is None or footer.stamp != stamp or footer.counts.get(CUT) != cut:
                return None
            return footer if self.is_whole(footer) else None

        return find

    def cut(self, phase: str) -> int | None:
        """The setting by which a phase's work is dealt over its elements, if no stamp tells it.

        Elements bear it as a count, `CUT`; those of another cut are made again.
        """
        del phase
        return None

    def is_whole(self, footer: ShardFooter) -> bool:
        """Whether a file of ours is all that can be had; if not, it is made again."""
        del footer
        return True

    def _kept_is_done(self) -> bool:
        """Whether nothing is missing that what does not stay could be needed for."""
        kept = (phase for phase in reversed(self.phases()) if not phase.transient)
        return all(all(map(self.finder(phase.name), range(phase.size()))) for phase in kept)

    def run_element(self, phase: str, number: int) -> None:
        """Make one element of one phase; what an executor calls."""
        found = {p.name: p for p in self.phases()}
        if phase not in found:
            raise ConfigError(f"{self.task_family} has no phase {phase!r}: {', '.join(found)}")
        size = found[phase].size()
        if not 0 <= number < size:
            raise ConfigError(f"{self.task_family} {phase} has elements 0 to {size - 1}")
        found[phase].run(number)

    # -- sealing -------------------------------------------------------------------------

    def _seal(self) -> None:
        manifest = self.summary()
        failures = {k: v for k, v in manifest["counts"].items() if k.startswith("failure.")}
        share = sum(failures.values()) / max(manifest["counts"].get("judged", 0), 1)
        if share > self.max_failure_share:
            raise ShardError(
                f"{self.task_family} {self.dump}: {share:.1%} of the rows failed ({failures}), "
                f"more than max_failure_share = {self.max_failure_share:g}: mend the cause and "
                f"remove the shards, or raise [{self.task_family}] max_failure_share"
            )
        self.check_counts(manifest)
        for name in [BEGUN, *(phase.name for phase in self.phases() if phase.transient)]:
            self.store.storage.delete_folder(f"{self.store.folder(self.task_family)}/_{name}")
        self._remove_beyond(manifest["num_shards"])
        self.store.seal(self.task_family, manifest)

    def _remove_beyond(self, num_shards: int) -> None:
        """Take away what is left of a cut into more files, so that nobody reads it with these."""
        store, number = self.store, num_shards
        while self.cut(SHARD) and store.storage.exists(store.path(self.task_family, number)):
            store.storage.delete(store.path(self.task_family, number))
            number += 1

    def check_counts(self, manifest: dict[str, Any]) -> None:
        """Raise ShardError when rows were lost; called before sealing."""

    def summary(self) -> dict[str, Any]:
        """The manifest: shards, rows and counts added up from the shards' footers."""
        counts: Counter[str] = Counter()
        rows = 0
        num_shards = self.phases()[-1].size()
        store, stamp = self.store, self.stamp
        for shard in range(num_shards):
            path = store.path(self.task_family, shard)
            footer = store.footer(path)
            if footer is None or footer.stamp != stamp:
                raise ShardError(f"{store.storage.shown(path)} is missing or stale: run again")
            rows += footer.rows
            counts.update(footer.counts)
        counts.pop(CUT, None)
        return {
            "task": self.task_family,
            "dump": str(self.dump),
            "stamp": stamp,
            "settings": self.to_str_params(only_significant=True),
            "num_shards": num_shards,
            "rows": rows,
            "counts": dict(counts),
        }
