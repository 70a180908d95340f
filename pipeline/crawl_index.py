"""Where each selected page's record lies: CCIndex → WARCIndex.

Their commands name the module `pipeline.warc_processing`, which has both.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial

import luigi
import numpy as np
import pyarrow as pa

from pipeline.cc_net import CCNet, DownloadWET
from pipeline.core.columns import FAILURE, SHARD
from pipeline.core.document_task import DocumentTask, Process
from pipeline.core.phases import Phase
from pipeline.core.sharded_task import ShardedTask
from pipeline.crawl_files import CrawlFiles
from pipeline.io.cdx_files import cdx_lines, is_cdx
from pipeline.io.raw_files import local_name
from pipeline.transforms.captures import (
    CAPTURES_SCHEMA,
    WANTED_SCHEMA,
    Keys,
    capture_keys,
    locate,
    wanted_captures,
)
from pipeline.transforms.cdx import timestamp_of


class CCIndex(CrawlFiles):
    """Keep the dump's index files (cdx), one shard each: 300 in a dump of Common Crawl.

    One row: `file` (path on the crawl), `bytes`, `failure`. The files lie under `files/`.
    """

    kind = "cc-index"
    schema = pa.schema([("file", pa.string()), ("bytes", pa.int64()), FAILURE])

    max_failure_share = luigi.FloatParameter(
        default=0.0, significant=False, description="a missing index file loses pages: none may"
    )

    def deal(self, paths: Sequence[str]) -> Mapping[str, int]:
        """The files that hold lines, each its own shard."""
        return {path: shard for shard, path in enumerate(filter(is_cdx, paths))}


class WARCIndex(DocumentTask):
    """Point at each selected page's record in the crawl.

    Columns: `warc_file`, `warc_record_offset` and `warc_record_length` (bytes of the gzip
    member), `payload_digest` (SHA-1, base32), `http_status`, `mime`.
    """

    reads = {CCNet: ["url", "warc_file", "warc_date"]}
    schema = pa.schema(
        [
            ("warc_file", pa.string()),
            ("warc_record_offset", pa.int64()),
            ("warc_record_length", pa.int32()),
            ("payload_digest", pa.string()),
            ("http_status", pa.int16()),
            ("mime", pa.string()),
        ]
    )

    def upstream(self) -> Sequence[ShardedTask]:
        """The selected pages and the index."""
        return [CCNet(**self.shared_params()), CCIndex(**self.shared_params())]

    def phases(self) -> Sequence[Phase]:
        """Keys of the wanted captures, then each index file against them, then the join."""
        return [
            Phase("wanted", self.num_shards, self.list_wanted, transient=True),
            Phase("captures", self._num_cdx, self.find_captures, transient=True),
            Phase(SHARD, self.num_shards, self.run_shard),
        ]

    def _num_cdx(self) -> int:
        return CCIndex(**self.shared_params()).num_shards()

    def list_wanted(self, shard: int) -> None:
        """Sorted keys of the shard's captures."""
        path = self.store.path(CCNet.get_task_family(), shard)
        pages = self.store.read_table(path, ["url", "warc_date"])
        keys = capture_keys(
            pages["url"].to_pylist(), map(timestamp_of, pages["warc_date"].to_pylist())
        )
        table = pa.table({"key": keys}, schema=WANTED_SCHEMA)
        self.store.write_sorted(
            self.store.path(self.task_family, shard, "wanted"), table, self.stamp
        )

    def find_captures(self, number: int) -> None:
        """The lines of one index file that may be wanted, sorted by the shard they concern."""
        counts: Counter[str] = Counter()
        family = CCIndex.get_task_family()
        file = self.store.read_table(self.store.path(family, number))["file"][0].as_py()
        with self.store.storage.stream(self.store.file_path(family, local_name(file))) as stream:
            lines = cdx_lines(stream, counts)
            found = wanted_captures(lines, self._wanted(), self._shard_of_file(), counts)
            rows = [
                {**asdict(capture), "shard": shard, "warc_file": capture.filename}
                for shard, capture in found
            ]
        table = pa.Table.from_pylist(rows, schema=CAPTURES_SCHEMA)
        table = table.sort_by([(name, "ascending") for name in ("shard", "warc_file", "offset")])
        path = self.store.path(self.task_family, number, "captures")
        self.store.write_sorted(path, table, self.stamp, **counts)

    def _wanted(self) -> Keys:
        paths = [
            self.store.path(self.task_family, shard, "wanted") for shard in range(self.num_shards())
        ]
        keys = [self.store.read_table(path)["key"].to_numpy() for path in paths]
        return np.sort(np.concatenate(keys))

    def _shard_of_file(self) -> dict[str, int]:
        family = DownloadWET.get_task_family()
        return {
            file: shard
            for shard in range(self.num_shards())
            for file in self.store.read_table(self.store.path(family, shard))[
                "warc_file"
            ].to_pylist()
        }

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """Gather what the index files say about this shard."""
        captures = [
            self.store.read_slice(
                self.store.path(self.task_family, number, "captures"), shard, shard + 1
            )
            for number in range(self._num_cdx())
        ]
        yield partial(self._locate, pa.concat_tables(captures))

    def shard_counts(self, shard: int) -> Mapping[str, int]:
        """What the index files held, noted once: lines, and those that could not be read."""
        counts: Counter[str] = Counter()
        for number in range(self._num_cdx() if shard == 0 else 0):
            footer = self.store.footer(self.store.path(self.task_family, number, "captures"))
            counts.update(footer.counts if footer else {})
        return {f"index.{name}": number for name, number in counts.items()}

    def _locate(self, captures: pa.Table, batch: pa.Table) -> pa.Table:
        places = zip(
            batch["CCNet.warc_file"].to_pylist(),
            batch["CCNet.url"].to_pylist(),
            map(timestamp_of, batch["CCNet.warc_date"].to_pylist()),
            strict=True,
        )
        rows = locate(list(places), captures.to_pylist())
        return pa.Table.from_pylist(rows, schema=self.schema.append(FAILURE))
