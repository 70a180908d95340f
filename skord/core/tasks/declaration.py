"""What an author declares of a task, and the fingerprint that follows from it."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, ClassVar

import luigi

from skord.core.config import pipeline
from skord.core.failures import ConfigError, ShardError
from skord.core.storage.column_store import (
    BESIDE,
    CHANGED_READ,
    DAMAGED,
    GROUPING,
    SHARD,
    SUFFIX,
    ColumnStore,
)
from skord.core.storage.filesystem import FileState, Storage
from skord.core.storage.shard_files import ShardFooter
from skord.core.tasks.languages_parameter import LanguagesParameter, languages_option
from skord.core.tasks.phases import Phase

_known_fingerprints: ContextVar[dict[str, str] | None] = ContextVar("fingerprints", default=None)
_known_stores: ContextVar[dict[str, ColumnStore] | None] = ContextVar("stores", default=None)


@contextlib.contextmanager
def cached_settings() -> Iterator[None]:
    """While it lasts, no setting and no data change: what follows from them is worked out once."""
    fingerprints, stores = _known_fingerprints.set({}), _known_stores.set({})
    try:
        yield
    finally:
        _known_fingerprints.reset(fingerprints)
        _known_stores.reset(stores)


class TaskDeclaration(luigi.Task):
    """What a task reads, which phases it has, and what decides its bytes.

    `skord.core.driver` runs what is declared here; authors extend `ShardedTask`, which binds
    the two to Luigi.
    """

    version: ClassVar[int] = 1
    """Raise it when the same input should give other output."""

    settled: tuple[str, ColumnStore] | None = None
    """Fingerprint and store while an item is made: worked out once, and compared."""

    schema: ClassVar[Any]
    """A `pa.Schema`: the columns that others may read."""

    is_at_work: bool = False
    """Whether it is being made: only then a damaged shard is set aside, to be made again."""

    was_made: bool = False
    """Whether a run under way found it complete, and so made nothing."""

    wanted_by: tuple[TaskDeclaration, ...] = ()
    """The tasks that wait for this one in the run under way."""

    on_request: ClassVar[bool] = False
    """Whether it stands beside the way from DownloadWET to the corpus, for those who ask for it."""

    leads_to: ClassVar[str] = ""
    """The task that publishes what comes of this one, where that is not the corpus."""

    publishes_files: ClassVar[bool] = False
    """Whether what it makes is files for users, in the folder `files` of the task's."""

    folders: ClassVar[Sequence[str]] = ()
    """Folders beside the shards and phases that belong to what it makes, such as `files`."""

    is_abstract: ClassVar[bool] = False
    """Said in a class's own body: it is there to be subclassed, and no task of the graph."""

    dump: str = luigi.Parameter(description="a dump's id, such as 2024-10")
    languages: Sequence[str] = LanguagesParameter(
        default=(),
        significant=False,
        description="codes of the languages to select; what [CCNet] says when left out",
    )
    replace: bool = luigi.BoolParameter(
        default=False, significant=False, description="remake columns made with other settings"
    )
    mem_gb: float = luigi.FloatParameter(
        default=2.0, significant=False, description="memory that one worker may take"
    )
    max_failure_share: float = luigi.FloatParameter(
        default=0.05, significant=False, description="refuse to complete above this share of rows"
    )

    @classmethod
    @functools.cache
    def get_params(cls) -> Sequence[tuple[str, luigi.Parameter[Any]]]:
        """As Luigi finds them, in each class once."""
        found: Sequence[tuple[str, luigi.Parameter[Any]]] = super().get_params()
        return found

    # -- what an author declares ---------------------------------------------------

    def upstream(self) -> Sequence[TaskDeclaration]:
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
            raise ShardError(f"{first.task_family} {self.dump} is not complete: run it first")
        return int(manifest["num_shards"])

    def run_shard(self, shard: int) -> None:
        """Make one shard and write it whole."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise ConfigError when this task could not run; cheap."""

    def check_online(self) -> None:
        """Raise ConfigError when what it needs from elsewhere cannot be reached; after all others."""

    def check_reads(self) -> None:
        """Raise ConfigError when it reads a column that no task upstream declares; cheap."""

    def fingerprint_parts(self) -> Iterable[str]:
        """Whatever else decides the bytes: a model's digest, a converter's version."""
        return ()

    @property
    def gpus(self) -> int:
        """How many GPUs an item computes on, where there are any."""
        return 0

    @property
    def needs_network(self) -> bool:
        """Whether its items ask the crawl's servers, or pages' sites, for anything."""
        return False

    @property
    def reads_same_shard(self) -> bool:
        """Whether shard k needs nothing but shard k of the tasks upstream."""
        return False

    @property
    def is_made(self) -> bool:
        """Whether it is complete itself, whatever became of the tasks upstream; cheap."""
        raise NotImplementedError

    def set_aside_lost(self) -> Iterator[str]:
        """Take away what is damaged of a complete task, so that it is made again.

        Yields:
            A sentence for each kind of thing that is missing or damaged.
        """
        store, family = self.store, self.task_family
        manifest = store.manifest(family)
        if manifest is None or manifest.get("stamp") != self.fingerprint:
            return
        lost = store.lost_shards(family, manifest)
        if lost:
            yield store.lost_sentence(family, lost)
        for number in lost:
            store.storage.delete(store.path(family, number))
        for name in self.lost_beside(manifest):
            self.remove_beside(name)
            yield f"{family} {self.dump}: {name} is missing or damaged"

    # -- files beside the shards ---------------------------------------------------------

    def beside(self) -> Iterator[str]:
        """Folders of the task's whose files the manifest notes: those of phases, and `folders`."""
        yield from self.folders
        for phase in self.phases():
            if phase.name != SHARD and not phase.transient:
                yield f"_{phase.name}"

    def files_beside(self) -> dict[str, FileState]:
        """The files in the folders `beside`, by their paths below the task's own."""
        storage, folder = self.store.storage, self.store.folder(self.task_family)
        return {
            f"{inner}/{name}": state
            for inner in self.beside()
            for name, state in storage.tree_states(f"{folder}/{inner}").items()
            if not name.endswith(DAMAGED)
        }

    def noted_beside(self, manifest: Mapping[str, Any]) -> Mapping[str, int]:
        """Files beside the shards that a complete task promises, to their bytes."""
        noted: Mapping[str, int] = manifest.get(BESIDE, {})
        return noted

    def lost_beside(self, manifest: Mapping[str, Any], *, reads_all: bool = False) -> list[str]:
        """Files beside the shards that are missing, or not those that were noted.

        Args:
            reads_all: whether each is read whole; else those that were changed since are, and of
                the others the sizes are compared.
        """
        noted = self.noted_beside(manifest)
        if not noted and not reads_all:
            return []
        states = self.files_beside()
        path = self.store.manifest_path(self.task_family)
        completed = self.store.storage.modified_ns(path)
        lost, changed = [], []
        for name, size in noted.items():
            state = states.get(name)
            if state is None or state.size != size:
                lost.append(name)
            elif reads_all or state.modified_ns > completed:
                changed.append(name)
        if reads_all:  # an earlier version noted fewer folders
            changed += states.keys() - noted.keys()
        if reads_all or len(changed) <= CHANGED_READ:
            lost += filter(self.fault_beside, changed)
        return sorted(lost)

    def fault_beside(self, name: str) -> str | None:
        """What is wrong with the content of a file beside the shards, as far as it can be checked."""
        path = f"{self.store.folder(self.task_family)}/{name}"
        if name.endswith(SUFFIX):
            return self.store.fault_of(path)
        return self.store.storage.gzip_fault(path) if name.endswith(".gz") else None

    def remove_beside(self, name: str) -> None:
        """Take away a file beside the shards and what notes that it was made."""
        storage, family = self.store.storage, self.task_family
        storage.delete(f"{self.store.folder(family)}/{name}")
        if name.partition("/")[0] in (f"_{phase.name}" for phase in self.phases()):
            return
        number = re.search(r"(?<!\d)\d{5}(?=\.[a-z.]+$)", name)
        numbers = [int(number[0])] if number else self.store.numbers(family)
        for one in numbers:
            storage.delete(self.store.path(family, one))

    def may_be_replaced(self, manifest: Mapping[str, Any]) -> bool:
        """Whether what is complete with another fingerprint is made again without being asked."""
        del manifest
        return False

    def check_counts(self, manifest: dict[str, Any]) -> None:
        """Raise ShardError when rows were lost; called before the manifest is written."""

    def filters(self) -> Sequence[str]:
        """The filters in force, each counted in the manifest as `filter.NAME`."""
        return ()

    def summary(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """The manifest as it is written; given is what the shards' footers add up to."""
        return manifest

    # -- state ---------------------------------------------------------------------------

    @property
    def store(self) -> ColumnStore:
        """Where this dump's columns lie."""
        if self.settled:
            return self.settled[1]
        known = _known_stores.get()
        if known is None or self.is_at_work:
            return self._opened()
        dump = str(self.dump)
        return known[dump] if dump in known else known.setdefault(dump, self._opened())

    def _opened(self) -> ColumnStore:
        settings = pipeline()
        return ColumnStore(
            Storage(settings.data_dir),
            str(self.dump),
            settings.batch_documents,
            sets_aside=self.is_at_work,
        )

    @property
    def fingerprint(self) -> str:
        """Of version, significant settings and fingerprints upstream: where equal, equal bytes."""
        if self.settled:
            return self.settled[0]
        known = _known_fingerprints.get()
        return self._fingerprint({} if known is None else known)

    def _fingerprint(self, known: dict[str, str]) -> str:
        """The fingerprint; each task upstream is asked once, on however many ways it is reached."""
        if self.task_id not in known:
            decisive = [
                self.task_family,
                self.version,
                self.to_str_params(only_significant=True),
                list(self.fingerprint_parts()),
                [task._fingerprint(known) for task in self.upstream()],
            ]
            text = json.dumps(decisive, sort_keys=True)
            known[self.task_id] = hashlib.sha256(text.encode()).hexdigest()[:16]
        return known[self.task_id]

    def shared_params(self) -> dict[str, Any]:
        """What every task of one graph has in common; pass it to the tasks upstream."""
        return {"dump": self.dump, "replace": self.replace, **languages_option(self.languages)}

    def done(self, phase: str, number: int) -> bool:
        """Whether the item is in place and needs no more work."""
        return self.finder(phase)(number) is not None

    def finder(self, phase: str) -> Callable[[int], ShardFooter | None]:
        """Gives the footer of an item that is in place and needs no more work, or None.

        The store and the fingerprint are worked out once, for a phase may have 10,000 items.
        """
        store, fingerprint, grouping = self.store, self.fingerprint, self.grouping(phase)

        def find(number: int) -> ShardFooter | None:
            footer = store.footer(store.path(self.task_family, number, phase))
            if (
                footer is None
                or footer.fingerprint != fingerprint
                or footer.counts.get(GROUPING) != grouping
            ):
                return None
            return footer if self.is_whole(footer) else None

        return find

    def in_place(self, phase: str, size: int) -> dict[int, ShardFooter]:
        """The footers of the items of a phase that need no more work.

        One listing shows which have no file at all: of 10,000 that are still to come, nothing
        else is asked.
        """
        held = self.store.numbers(self.task_family, phase)
        asked = [number for number in range(size) if number in held]
        footers = self.store.storage.each(self.finder(phase), asked)
        return {n: footer for n, footer in zip(asked, footers, strict=True) if footer}

    def grouping(self, phase: str) -> int | None:
        """The setting by which a phase's work is grouped into items, if no fingerprint covers it.

        Items bear it as a count, `GROUPING`; those of another grouping are made again.
        """
        del phase
        return None

    def is_whole(self, footer: ShardFooter) -> bool:
        """Whether a file of ours is all that can be had; if not, it is made again."""
        del footer
        return True

    def run_item(self, phase: str, number: int, *, counted: bool = False) -> None:
        """Make one item of one phase; what an executor calls.

        Args:
            counted: who asks knows that there is such an item. How many there are is known from the
                task before, once that is complete.
        """
        phases = {p.name: p for p in self.phases()}
        if phase not in phases:
            raise ConfigError(f"{self.task_family} has no phase {phase!r}: {', '.join(phases)}")
        if not counted and number not in range(size := phases[phase].size()):
            raise ConfigError(f"{self.task_family} {phase} has items 0 to {size - 1}")
        phases[phase].run(number)


def with_all_upstream(tasks: Iterable[TaskDeclaration]) -> list[TaskDeclaration]:
    """The tasks and all that they need, each once, those upstream first."""
    known: dict[str, TaskDeclaration] = {}

    def visit(task: TaskDeclaration) -> None:
        if task.task_id not in known:
            for needed in task.upstream():
                visit(needed)
            known[task.task_id] = task

    for task in tasks:
        visit(task)
    return list(known.values())
