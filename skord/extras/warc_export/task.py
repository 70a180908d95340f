"""Fetched records as WARC files for others: ExportWARC."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar

import luigi
import pyarrow as pa

from pipeline.cc_net import CCNet
from pipeline.dedup import Deduplicate
from pipeline.export import WithoutRemovedPages
from pipeline.warc_processing import FetchHTMLDocuments, WARCIndex
from skord.core.failures import DamagedError
from skord.core.storage.column_store import ShardWriter
from skord.core.storage.shared_columns import FAILURE, ID
from skord.core.tasks.document_task import DocumentTask, Process
from skord.core.tasks.sharded_task import ShardedTask
from skord.extras.warc_export.warc_files import WARCFile, index_lines, pages_in, warcinfo_member
from skord.publishing.manifest import RemovedPages

KEPT = "kept"


class ExportWARC(WithoutRemovedPages, DocumentTask):
    """Write fetched records into WARC files, one for each shard, with an index (CDXJ) beside it.

    Under `files/` lie `NNNNN.warc.gz`, a `warcinfo` record and the records of the pages, each a
    gzip member as it came, and `NNNNN.cdxj`, a line for each in the order of addresses as Common
    Crawl's index has it. Pages that a removal list names are left out.

    Columns: `file` (that the page's record is in; null where it is not written), `offset` (in
    bytes, where the record's gzip member begins there), `length` (bytes of the member).
    """

    version = 2

    on_request: ClassVar[bool] = True

    schema = pa.schema({"file": "string", "offset": "int64", "length": "int32"})

    pages = luigi.ChoiceParameter(
        choices=["fetched", KEPT],
        default="fetched",
        description="every page that was fetched, or those that Deduplicate kept",
    )

    def columns_read(self) -> Mapping[type[ShardedTask], Sequence[str]]:
        """The record and its columns of the index; Deduplicate's where only kept pages are written."""
        always: dict[type[ShardedTask], Sequence[str]] = {
            FetchHTMLDocuments: ["record"],
            WARCIndex: ["payload_digest", "http_status", "mime"],
            CCNet: ["url", "warc_date"],
        }
        return {**always, Deduplicate: ["dedup_keep"]} if self.pages == KEPT else always

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """The shard's file, which appears with its index when the last record is in it."""
        name = f"{shard:05d}.warc.gz"
        store, removed = self.store, self.removed()
        with store.storage.writing(store.file_path(self.task_family, name)) as partial_file:
            with partial_file.open("wb") as out:
                file = WARCFile(name, out)
                file.append(warcinfo_member(str(self.dump), name))
                yield partial(self._write, file, removed)
            lines = index_lines(file.entries)
        store.storage.write(store.file_path(self.task_family, f"{shard:05d}.cdxj"), lines)

    def resume(self, partial_path: str, writer: ShardWriter) -> int:
        """Nothing is skipped: a file is written whole."""
        del partial_path, writer
        return 0

    def pages_in_files(self) -> Iterator[tuple[str, str, str]]:
        """Every record of every file."""
        folder = self.store.file_path(self.task_family, "").rstrip("/")
        for name in self.store.storage.names(folder):
            if not name.endswith(".warc.gz"):
                continue
            with self.store.storage.stream(f"{folder}/{name}") as stream:
                try:
                    yield from ((name, page_id, url) for page_id, url in pages_in(stream))
                except DamagedError as error:
                    raise DamagedError(
                        f"{self.store.storage.shown(f'{folder}/{name}')}: {error}: skord study verify "
                        f"--dump {self.dump} --repair makes it again"
                    ) from error

    def _write(self, file: WARCFile, removed: RemovedPages, batch: pa.Table) -> pa.Table:

        rows = []
        plain = batch.rename_columns([name.rpartition(".")[2] for name in batch.column_names])
        for row in plain.to_pylist():
            is_listed = (row[ID.name], row["url"]) in removed
            is_in = not is_listed and row.get("dedup_keep", True)
            place = file.append(row["record"], row) if is_in else {}
            rows.append({**place, FAILURE.name: None})
        return pa.Table.from_pylist(rows, schema=self.schema.append(FAILURE))

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """Records that were written."""
        return Counter(records=len(table) - table["file"].null_count)
