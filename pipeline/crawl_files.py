"""What comes before the selection: files that a dump's list names are kept, sites are chosen."""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import pyarrow as pa

from skord.core.config import sites
from skord.core.dumps import Source, SourceKind
from skord.core.failures import ConfigError, PipelineError
from skord.core.storage.column_store import SHARD
from skord.core.tasks.phases import Phase
from skord.core.tasks.sharded_task import ShardedTask
from skord.crawl.config import crawl_settings, open_crawl
from skord.crawl.files import DIGEST, keep_file, local_name
from skord.crawl.http.client import PathKind
from skord.crawl.sites import SiteRule
from skord.text.list_files import read_entries


def paths_schema() -> pa.Schema:
    """Of the table between two phases."""

    return pa.schema([("shard", pa.int32()), ("file", pa.string())])


class CrawlFiles(ShardedTask):
    """Subclass, then say which list, and which of its files belong to which shard.

    One row per file: `file` (path on the crawl), what `about` adds, `bytes`, `digest`, `failure`.
    The files lie under `files/`, as they came.
    """

    is_abstract: ClassVar[bool] = True

    kind: ClassVar[PathKind]
    """The dump's list of paths."""

    schema: ClassVar[pa.Schema]

    @abstractmethod
    def deal(self, paths: Sequence[str]) -> Mapping[str, int]:
        """The files wanted, in order, and the shard of each."""

    def about(self, path: str) -> Mapping[str, object]:
        """Further columns of a file."""
        del path
        return {}

    def phases(self) -> Sequence[Phase]:
        """First the dump's list of paths, then its files."""
        return [
            Phase("paths", lambda: 1, self.list_paths),
            Phase(SHARD, self.num_shards, self.run_shard),
        ]

    def check(self) -> None:
        """The endpoint's settings must be able to work."""
        crawl_settings()

    def list_paths(self, number: int) -> None:
        """Fetch the list and deal its files into shards."""

        shards = self.deal(open_crawl().paths_list(str(self.dump), self.kind))
        if not shards:
            raise ConfigError(
                f"the {self.kind} list of dump {self.dump} names no file of use: "
                "[crawl] base_url is not a crawl"
            )
        columns = {"shard": list(shards.values()), "file": list(shards)}
        table = pa.table(columns, schema=paths_schema())
        self.store.write_sorted(self._paths(number), table, self.fingerprint)

    def _paths(self, number: int = 0) -> str:
        return self.store.path(self.task_family, number, "paths")

    def num_shards(self) -> int:
        """As many as the files were dealt into."""
        return int(self.store.read_table(self._paths(), ["shard"])["shard"][-1].as_py()) + 1

    def run_shard(self, shard: int) -> None:
        """Have the shard's files, one after another."""

        files = self.store.read_slice(self._paths(), shard, shard + 1)["file"].to_pylist()
        crawl = open_crawl()
        path = self.store.path(self.task_family, shard)
        with self.store.writer(path, self.schema, self.fingerprint) as writer:
            for file in files:
                row = keep_file(crawl, self.store, self.task_family, file)
                writer.append({**self.about(file), **row})
                writer.counts.update(judged=1, bytes=row["bytes"] or 0)
                writer.counts.update([f"failure.{row['failure']}"] if row["failure"] else [])

    # -- what is kept --------------------------------------------------------------------

    def lost_beside(self, manifest: Mapping[str, Any], *, reads_all: bool = False) -> list[str]:
        """Where all is read, kept files of other bytes, too; those taken away are not missed."""
        lost = super().lost_beside(manifest, reads_all=reads_all)
        return [*lost, *(name for _, name in self._changed())] if reads_all else lost

    def _changed(self) -> Iterator[tuple[int, str]]:
        """Kept files that do not hold what came, by the shard that lists each."""
        storage = self.store.storage
        for shard in sorted(self.store.numbers(self.task_family)):
            with contextlib.suppress(PipelineError):
                for row in self.store.read_table(self._shard(shard)).to_pylist():
                    if not (row["file"] and row.get(DIGEST.name)):
                        continue
                    kept = self.store.file_path(self.task_family, local_name(row["file"]))
                    if storage.exists(kept) and storage.sha256(kept) != row[DIGEST.name]:
                        yield shard, f"files/{local_name(row['file'])}"

    def remove_beside(self, name: str) -> None:
        """Take away a kept file and the shard that lists it."""
        if not name.startswith("files/"):
            super().remove_beside(name)
            return
        for shard, changed in list(self._changed()):
            if changed == name:
                self.store.storage.delete(self._shard(shard))
                self.store.storage.delete(f"{self.store.folder(self.task_family)}/{name}")

    def _shard(self, number: int) -> str:
        return self.store.path(self.task_family, number)


def site_rule() -> SiteRule:
    """The pages of which sites are selected, as section [sites] says.

    Raises:
        ConfigError: a file of sites is not there, or is no text.
    """

    section = sites()
    return SiteRule(
        only=(*section.only, *read_entries(*section.only_files)),
        never=(*section.never, *read_entries(*section.never_files)),
        only_networks=tuple(section.only_networks),
        never_networks=tuple(section.never_networks),
    )


def check_sites(source: Source) -> None:
    """Raise ConfigError for an entry that cannot be read, or that the source has no answer to."""
    rule = site_rule()
    try:
        rule.check()
    except ValueError as error:
        raise ConfigError(f"[sites] {error}") from error
    if rule.needs_addresses and source.kind != SourceKind.WARC:
        raise ConfigError(
            "[sites] only_networks and never_networks: neither WET files nor the index say from "
            "which address a page came, only WARC records do: [source] kind = warc"
        )
