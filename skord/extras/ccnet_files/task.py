"""The selection in the forms that CCNet was published in: ExportCCNet, MinifyCCNet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby, islice
from typing import Any, ClassVar

import luigi
import pyarrow as pa

from pipeline.cc_net import CCNet, HashParagraphs
from pipeline.export import WithoutRemovedPages
from skord.core.failures import ConfigError, ShardError
from skord.core.storage.column_store import SHARD
from skord.core.tasks.phases import Phase
from skord.core.tasks.sharded_task import ShardedTask
from skord.crawl.cdx import segment_of
from skord.extras.ccnet_files.documents import SELECTION_COLUMNS, Row, files_of
from skord.extras.ccnet_files.files import (
    PARTS_SCHEMA,
    Choice,
    copy_parts,
    documents_in,
    packed_by_split,
    parts_in,
    publish_minified,
    published_name,
    rows_left,
    rows_of,
)
from skord.extras.ccnet_files.minified import MINIFIED_FROM, MINIFIED_SCHEMA, minified_row
from skord.models.language_id.lid176 import load_language_model
from skord.models.language_model.perplexity import Bucket
from skord.text.languages import check_languages

PLAN_SCHEMA = pa.schema(
    {"number": pa.int32(), "file": pa.string(), "shard": pa.int32(), "place": pa.int32()}
)
"""Which part of which shard belongs into which file, in order."""

ROW_GROUP_ROWS = 20_000
"""Rows in a row group of the small form: a fifth smaller than in groups of a few hundred."""


class CCNetFiles(WithoutRemovedPages):
    """Extend it for files of CCNet's selection, whose documents have an address and a digest."""

    is_abstract: ClassVar[bool] = True

    def upstream(self) -> Sequence[ShardedTask]:
        """The selection."""
        return [CCNet(**self.shared_params())]

    def selected_rows(self, shard: int, columns: Sequence[str]) -> Iterator[Row]:
        """The rows of a shard of the selection whose pages are not listed for removal."""
        rows = rows_of(self.store, self._selection(shard), columns)
        return rows_left(rows, self.removed())

    def pages_in_files(self) -> Iterator[tuple[str, str, str]]:
        """Every document of every file; of those that are listed, the id, which only CCNet knows."""
        removed = self.removed()
        ids: dict[tuple[str, str], str] = {}
        for shard in sorted(self.store.numbers(str(CCNet.__name__)) if removed else ()):
            for row in rows_of(self.store, self._selection(shard), ["id", "url", "digest"]):
                if (row["id"], row["url"]) in removed:
                    ids[row["url"], row["digest"] or ""] = row["id"]
        for name, url, digest in self._documents():
            yield name, ids.get((url, digest), ""), url

    def _documents(self) -> Iterator[tuple[str, str, str]]:
        folder = self.store.file_path(self.task_family, "").rstrip("/")
        for name in self.store.storage.names(folder):
            with self.store.storage.stream(f"{folder}/{name}") as stream:
                for url, digest in documents_in(stream):
                    yield name, url, digest

    def _selection(self, shard: int) -> str:
        return self.store.path(str(CCNet.__name__), shard)


class ExportCCNet(CCNetFiles):
    """Every selected page as published: `files/{language}_{bucket}_{n:04d}.json.gz`.

    Pages that a removal list names are left out.

    One row per file: `file`, `documents`, `bytes`. The manifest lists them too. Fields are
    those of `skord.extras.ccnet_files.documents.published_document`. A file is gzip members of some
    megabytes laid end to end, so that files can be concatenated, and read in parts.
    """

    on_request = True
    publishes_files = True

    schema = pa.schema({"file": "string", "documents": "int64", "bytes": "int64"})

    target_bytes = luigi.IntParameter(
        default=4 << 30, description="packed size of a file to aim for, as cc_net's 4G"
    )
    only_languages: Sequence[str] = luigi.TupleParameter(
        default=(), description="languages of the files; all that were selected when empty"
    )
    only_buckets: Sequence[str] = luigi.TupleParameter(
        default=(),
        description="buckets of the files: head, middle, tail, all; every one when empty",
    )

    def check(self) -> None:
        """What is chosen must be something that can be there."""
        unknown = sorted(set(self.only_buckets) - set(Bucket))
        if unknown:
            raise ConfigError(
                f"[ExportCCNet] only_buckets: there is no {unknown[0]!r}, only {', '.join(Bucket)}"
            )
        model = load_language_model(CCNet(**self.shared_params()).lid_model_path)
        try:
            check_languages(self.only_languages, model.labels)
        except ValueError as error:
            raise ConfigError(f"[ExportCCNet] only_languages: {error}") from error

    def phases(self) -> Sequence[Phase]:
        """Pack each shard by language and bucket, share the parts out, lay them end to end."""
        return [
            Phase("parts", self.num_shards, self.pack_shard, transient=True),
            Phase("plan", lambda: 1, self.plan),
            Phase(SHARD, self._num_files, self.write_file),
        ]

    def pack_shard(self, shard: int) -> None:
        """The shard's documents as gzip members."""
        rows = self.selected_rows(shard, SELECTION_COLUMNS)
        choice = Choice(self.only_languages, self.only_buckets)
        with self.store.writer(
            self._parts(shard), PARTS_SCHEMA, self.fingerprint, incompressible=["member"]
        ) as writer:
            for part in packed_by_split(rows, choice):
                writer.write(pa.Table.from_pylist([part], schema=PARTS_SCHEMA))
                writer.counts.update(documents=part["documents"])

    def plan(self, number: int) -> None:
        """Which parts make up which file; files of an earlier export that are none go."""
        parts = [
            part
            for shard in range(self.num_shards())
            for part in parts_in(self.store, self._parts(shard), shard)
        ]
        files = list(files_of(parts, self.target_bytes))
        rows = [
            {"number": n, "file": name, "shard": part.shard, "place": part.place}
            for n, (name, held) in enumerate(files)
            for part in held
        ]
        path = self.store.path(self.task_family, number, "plan")
        table = pa.Table.from_pylist(rows, schema=PLAN_SCHEMA)
        self.store.write_sorted(path, table, self.fingerprint, files=len(files))
        storage, names = self.store.storage, {name for name, _ in files}
        for name in storage.names(self.store.file_path(self.task_family, "").rstrip("/")):
            if name not in names:
                storage.delete(self.store.file_path(self.task_family, name))

    def write_file(self, number: int) -> None:
        """Lay the parts of one file end to end."""
        plan = self.store.read_slice(self._plan(), number, number + 1).to_pylist()
        name = plan[0]["file"]
        documents = 0
        with (
            self.store.storage.writing(self.store.file_path(self.task_family, name)) as partial,
            partial.open("wb") as out,
        ):
            for shard, held in groupby(plan, lambda row: int(row["shard"])):
                places = [int(row["place"]) for row in held]
                documents += copy_parts(self.store, self._parts(shard), places, out)
            size = out.tell()
        path = self.store.path(self.task_family, number)
        with self.store.writer(path, self.schema, self.fingerprint) as writer:
            writer.append({"file": name, "documents": documents, "bytes": size})
            writer.counts.update(documents=documents, bytes=size)

    def _parts(self, shard: int) -> str:
        return self.store.path(self.task_family, shard, "parts")

    def _plan(self) -> str:
        return self.store.path(self.task_family, 0, "plan")

    def _num_files(self) -> int:
        """As many as planned; one more than there are, so that one is missing, before that."""
        footer = self.store.footer(self._plan())
        if footer is None or footer.fingerprint != self.fingerprint:
            made = self.store.storage.names(self.store.folder(self.task_family))
            return sum(name.endswith(".parquet") for name in made) + 1
        return int(footer.counts["files"])

    def summary(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """The manifest, with every file."""
        paths = [self.store.path(self.task_family, n) for n in range(manifest["num_shards"])]
        files = [row for path in paths for row in self.store.read_table(path).to_pylist()]
        return {**super().summary(manifest), "files": files}

    def check_counts(self, manifest: dict[str, Any]) -> None:
        """Every document that was packed must be in a file."""
        footers = [self.store.footer(self._parts(shard)) for shard in range(self.num_shards())]
        packed = sum(f.counts.get("documents", 0) for f in footers if f)
        written = manifest["counts"].get("documents", 0)
        if all(footers) and packed != written:
            raise ShardError(
                f"ExportCCNet {self.dump}: {packed} documents packed, {written} in files: "
                "remove its shards and run again"
            )


class MinifyCCNet(CCNetFiles):
    """The selection without its texts: what `python -m pipeline reconstruct` needs of it.

    One row per selected page, in order; columns as in `skord.extras.ccnet_files.minified.MINIFIED_SCHEMA`.
    Pages that a removal list names are left out.
    """

    on_request = True

    published_form = luigi.BoolParameter(
        default=False,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="also write the JSON files that cc_net's reproduce reads, under files/; "
        "it counts lines as [HashParagraphs] mode = exact does",
    )

    def run_shard(self, shard: int) -> None:
        """Take from each row what is needed to find its page and lines again."""
        whole = self.selected_rows(shard, MINIFIED_FROM)
        rows: Iterator[Row] = map(partial(minified_row, mode=self._mode()), whole)
        if self.published_form:
            self._remove_files(shard)
            rows = publish_minified(self.store, self.task_family, rows)
        path = self.store.path(self.task_family, shard)
        with self.store.writer(path, MINIFIED_SCHEMA, self.fingerprint) as writer:
            while batch := list(islice(rows, ROW_GROUP_ROWS)):
                writer.write(pa.Table.from_pylist(batch, schema=MINIFIED_SCHEMA))
                failures = [f"failure.{row['failure']}" for row in batch if row["failure"]]
                writer.counts.update(failures, judged=len(batch))

    def _remove_files(self, shard: int) -> None:
        """Take away what an earlier run published of the shard: not all of it may come again."""
        selected = rows_of(self.store, self._selection(shard), ["warc_file"])
        for segment in {segment_of(row["warc_file"]) for row in selected}:
            name = published_name(segment)
            self.store.storage.delete(self.store.file_path(self.task_family, name))

    def _documents(self) -> Iterator[tuple[str, str, str]]:
        """Those of the published form, and the rows."""
        yield from super()._documents()
        for number in sorted(self.store.numbers(self.task_family)):
            path = self.store.path(self.task_family, number)
            for row in rows_of(self.store, path, ["url", "digest"]):
                yield f"{number:05d}.parquet", row["url"], row["digest"]

    def _mode(self) -> str:
        """The rule by which the selection split lines."""
        return str(HashParagraphs(**self.shared_params()).mode)
