"""What tasks that publish files under the removals that are listed have in common."""

from __future__ import annotations

import contextlib
import json
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, ClassVar

import pyarrow as pa

from skord.core.failures import ConfigError, PipelineError, ShardError
from skord.core.storage.column_store import BESIDE, ShardFooter
from skord.core.tasks.document_task import DocumentTask
from skord.publishing.card.dataset_card import CardFacts
from skord.publishing.files import CorpusFiles
from skord.publishing.manifest import (
    CARD,
    FACTS,
    FILES,
    FORM,
    REMOVALS,
    file_rows,
    overlaid_by_removals,
)
from skord.publishing.removals.apply import figures_of, form_of, publish_card, write_row
from skord.publishing.removals.lists import list_names, load_removals


class PublishingTask(DocumentTask):
    """Subclass, then say what the files hold (`rows`), how they are written, and what is told.

    The phases `files` and `card` bear the state of the lists besides the task's own fingerprint;
    all others, and the columns, do not depend on them.
    """

    is_abstract: ClassVar[bool] = True

    publishes_files: ClassVar[bool] = True

    @abstractmethod
    def num_files(self) -> int:
        """How many files there will be."""

    @abstractmethod
    def rows(self, number: int, replaced: Counter[str]) -> Iterator[pa.Table]:
        """The rows of one file, removals not looked at; notes what was replaced in them."""

    @abstractmethod
    def form(self) -> dict[str, Any]:
        """How the files are written, in words for the manifest; see `CorpusForm`."""

    @abstractmethod
    def facts(self) -> CardFacts:
        """What the card says besides figures."""

    @property
    def is_made(self) -> bool:
        """Whether it is complete, its files included, under the removals that are listed now."""
        if not super().is_made:
            return False
        try:
            manifest = self.store.manifest(self.task_family) or {}
            return bool(manifest[REMOVALS] == list(list_names(self.store.storage)))
        except (ConfigError, OSError, ValueError, KeyError):
            return False

    # -- published files -----------------------------------------------------------------

    def beside(self) -> Iterator[str]:
        """What is published, in place of what its phases noted of it."""
        yield FILES
        yield from (name for name in super().beside() if name not in (f"_{FILES}", f"_{CARD}"))

    def noted_beside(self, manifest: Mapping[str, Any]) -> Mapping[str, int]:
        """Published files as the card's table lists them, and the tables that tell of them."""
        published = {f"{FILES}/{one['name']}": one["bytes"] for one in self._listed()}
        return {**super().noted_beside(manifest), **published}

    def lost_beside(self, manifest: Mapping[str, Any], *, reads_all: bool = False) -> list[str]:
        """Published files that are missing or not those that were written."""
        tables = [self.store.path(self.task_family, 0, CARD)]
        number = range(int(manifest["num_files"]))
        tables += [self.store.path(self.task_family, one, FILES) for one in number]
        folder = f"{self.store.folder(self.task_family)}/"
        broken = [path for path in tables if self._is_unreadable(path, reads_all=reads_all)]
        lost = super().lost_beside(manifest, reads_all=reads_all)
        return sorted({*lost, *(path.removeprefix(folder) for path in broken)})

    def _is_unreadable(self, path: str, *, reads_all: bool) -> bool:
        try:
            if reads_all:
                return self.store.fault_of(path) is not None
            return self.store.footer(path) is None
        except PipelineError:
            return True

    def _listed(self) -> list[dict[str, Any]]:
        """Every published file that a table still tells of: `name`, `bytes`, `sha256`."""
        store, family = self.store, self.task_family
        rows: list[dict[str, Any]] = []
        with contextlib.suppress(PipelineError):
            rows += store.read_table(store.path(family, 0, CARD)).to_pylist()
        known = {row["name"] for row in rows}
        for number in sorted(store.numbers(family, FILES)):
            with contextlib.suppress(PipelineError):
                (row,) = store.read_table(store.path(family, number, FILES)).to_pylist()
                rows += (one for one in row["written"] if one["name"] not in known)
        return rows

    def fault_beside(self, name: str) -> str | None:
        """Whether a published file has the checksum that it was written with."""
        folder, _, inner = name.partition("/")
        if folder != FILES:
            return super().fault_beside(name)
        digests = {one["name"]: one["sha256"] for one in self._listed()}
        path = self.store.file_path(self.task_family, inner)
        is_whole = self.store.storage.sha256(path) == digests.get(inner)
        return None if is_whole else "it has another checksum"

    def remove_beside(self, name: str) -> None:
        """Take away a published file, and the notes that its number and the card were written."""
        store, family = self.store, self.task_family
        number = re.search(r"-(\d{5})\.(?:parquet|jsonl\.gz)$", name)
        if name.startswith(f"{FILES}/") and number:
            store.storage.delete(store.path(family, int(number[1]), FILES))
        store.storage.delete(store.path(family, 0, CARD))
        store.storage.delete(f"{store.folder(family)}/{name}")

    # -- phases --------------------------------------------------------------------------

    def overlaid_fingerprint(self) -> str:
        """The fingerprint, and with it the lists of removals as they are now."""

        return overlaid_by_removals(self.fingerprint, list_names(self.store.storage))

    def finder(self, phase: str) -> Callable[[int], ShardFooter | None]:
        """Published files are in place when they were written under the lists of now."""

        if phase not in (FILES, CARD):
            return super().finder(phase)
        store, fingerprint = self.store, self.overlaid_fingerprint()

        def find(number: int) -> ShardFooter | None:
            footer = store.footer(store.path(self.task_family, number, phase))
            return footer if footer and footer.fingerprint == fingerprint else None

        return find

    def write_file(self, number: int) -> None:
        """Write one file with all that goes with it, and note what it holds."""

        replaced: Counter[str] = Counter()
        fingerprint, removals = self.overlaid_fingerprint(), load_removals(self.store.storage)
        files = CorpusFiles(self.store, self.task_family)
        rows = self.rows(number, replaced)
        with files.writing(number, rows, removals, form_of(self.form())) as row:
            pass
        counts = [{"kind": kind, "number": n} for kind, n in sorted(replaced.items())]
        write_row(self.store, self.task_family, {**row, "replaced": counts}, fingerprint)

    def write_card(self, number: int) -> None:
        """Card and checksums; files that an earlier export left go."""

        del number
        rows = file_rows(self.store, self.task_family, self.num_files())
        publish_card(self.store, self.task_family, self.facts(), rows, self.overlaid_fingerprint())

    def summary(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """The manifest, with what the files hold and under which removals."""

        rows = file_rows(self.store, self.task_family, self.num_files())
        # What is published, removals change later; the card's table lists it.
        beside = {n: size for n, size in manifest[BESIDE].items() if not n.startswith(f"{FILES}/")}
        return {
            **manifest,
            BESIDE: beside,
            **figures_of(rows),
            REMOVALS: list(list_names(self.store.storage)),
            FORM: self.form(),
            FACTS: json.loads(json.dumps(asdict(self.facts()))),
        }

    def check_counts(self, manifest: dict[str, Any]) -> None:
        """Every chosen document is in a file or was removed; nobody listed more meanwhile."""

        if not all(map(self.finder(FILES), range(manifest["num_files"]))):
            raise ShardError("removals were listed while the files were written: run again")
        figures = manifest["figures"]
        written = sum(documents for documents, _ in figures["languages"].values())
        chosen = manifest["counts"].get("in_corpus", 0)
        if written + sum(figures["removed"].values()) != chosen:
            raise ShardError(
                f"{self.task_family} {self.dump}: {chosen} documents chosen, {written} in files: "
                "remove its folder and run again"
            )
