"""A task that publishes files under the removals that are listed, and is stale when more are."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import luigi
import pyarrow as pa

from pipeline.core.columns import ShardFooter
from pipeline.core.document_task import DocumentTask
from pipeline.core.failures import ConfigError, ShardError
from pipeline.core.sealed import Sealed
from pipeline.io.corpus_files import CorpusFiles
from pipeline.io.corpus_overlay import (
    CARD,
    FACTS,
    FILES,
    FORM,
    REMOVALS,
    figures_of,
    file_rows,
    form_of,
    overlaid,
    publish_card,
    write_row,
)
from pipeline.io.removals import list_names, load_removals
from pipeline.transforms.dataset_card import CardFacts


class Published(Sealed):
    """Exists once the task is sealed, and sealed under the removals that are listed now."""

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

    The phases `files` and `card` are stamped with the state of the lists besides the task's own
    stamp; all others, and the columns, do not depend on them.
    """

    def num_files(self) -> int:
        """How many files there will be."""
        raise NotImplementedError

    def rows(self, number: int, replaced: Counter[str]) -> Iterator[pa.Table]:
        """The rows of one file, removals not looked at; notes what was replaced in them."""
        raise NotImplementedError

    def form(self) -> dict[str, Any]:
        """How the files are written, in words for the manifest; see `CorpusForm`."""
        raise NotImplementedError

    def facts(self) -> CardFacts:
        """What the card says besides figures."""
        raise NotImplementedError

    def output(self) -> luigi.Target:
        """The seal, under the removals that are listed now."""
        return Published(self)

    def overlaid_stamp(self) -> str:
        """The stamp, and with it the lists of removals as they are now."""
        return overlaid(self.stamp, list_names(self.store.storage))

    def finder(self, phase: str) -> Callable[[int], ShardFooter | None]:
        """Published files are in place when they were written under the lists of now."""
        if phase not in (FILES, CARD):
            return super().finder(phase)
        store, stamp = self.store, self.overlaid_stamp()

        def find(number: int) -> ShardFooter | None:
            footer = store.footer(store.path(self.task_family, number, phase))
            return footer if footer and footer.stamp == stamp else None

        return find

    def write_file(self, number: int) -> None:
        """Write one file with all that goes with it, and note what it holds."""
        replaced: Counter[str] = Counter()
        stamp, removals = self.overlaid_stamp(), load_removals(self.store.storage)
        files = CorpusFiles(self.store, self.task_family)
        rows = self.rows(number, replaced)
        with files.writing(number, rows, removals, form_of(self.form())) as row:
            pass
        counts = [{"kind": kind, "number": n} for kind, n in sorted(replaced.items())]
        write_row(self.store, self.task_family, {**row, "replaced": counts}, stamp)

    def write_card(self, number: int) -> None:
        """Card and checksums; files that an earlier export left go."""
        del number
        rows = file_rows(self.store, self.task_family, self.num_files())
        publish_card(self.store, self.task_family, self.facts(), rows, self.overlaid_stamp())

    def summary(self) -> dict[str, Any]:
        """The manifest, with what the files hold and under which removals."""
        rows = file_rows(self.store, self.task_family, self.num_files())
        return {
            **super().summary(),
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
