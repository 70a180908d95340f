"""What tasks that publish files under the removals that are listed have in common."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any, ClassVar

import luigi
import pyarrow as pa

from skord.core.failures import ConfigError, ShardError
from skord.core.storage.column_store import ShardFooter
from skord.core.tasks.document_task import DocumentTask
from skord.core.tasks.sharded_task import ManifestTarget
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


class Published(ManifestTarget):
    """Exists once the task is complete, and complete under the removals that are listed now."""

    def exists(self) -> bool:
        """Cheap, and never raises."""

        if not super().exists():
            return False
        try:
            store = self.task.store
            manifest = store.manifest(self.task.task_family) or {}
            return bool(manifest[REMOVALS] == list(list_names(store.storage)))
        except (ConfigError, OSError, ValueError, KeyError):
            return False


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

    def output(self) -> luigi.Target:
        """The manifest, under the removals that are listed now."""
        return Published(self)

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
        return {
            **manifest,
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
