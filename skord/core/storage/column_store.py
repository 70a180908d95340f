"""The column store: one folder of Parquet shards per task, all sharing one index.

    {data_dir}/{task}/{dump}/00042.parquet       shard 42 of the task's own columns
    {data_dir}/{task}/{dump}/_{phase}/00007.…    what an earlier phase of the task made
    {data_dir}/{task}/{dump}/files/…             raw crawl files, as they came
    {data_dir}/{task}/{dump}/_manifest.json      written last; its presence means complete
    {data_dir}/_complete/{task}/{dump}           written before it, and never taken away

Row *i* of row group *g* of shard *n* is the same document in every task that shares
the index. This module is the only maker of these paths. Each footer holds the *fingerprint*
of what made the file, its *counts*, and a digest of its id column, so that sharing an
index is checked without reading it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from skord.core.failures import ConfigError, DamagedError, PipelineError, ShardError
from skord.core.storage.filesystem import FileState, Storage
from skord.core.storage.shard_files import (
    FOOTER,
    GROUPING,
    SHARD,
    UNSIGNED,
    DigestedFile,
    ShardFooter,
    ShardWriter,
    parquet_leaves,
    rows_within,
    whole_metadata,
)
from skord.core.storage.shared_columns import ID

__all__ = ["GROUPING", "SHARD", "ColumnStore", "ShardFooter", "ShardWriter"]

SUFFIX = ".parquet"

MANIFEST = "_manifest.json"

MADE = "_complete"
"""The folder of notes, one for each task that was ever complete."""

CHANGED_READ = 64
"""Of a complete task's files, so many that were changed later are read to see whether they are
the same."""

DAMAGED = ".damaged"
"""The ending of a shard set aside, until its task is complete again."""

NUMBER = b"shard"
"""The key of a footer that says which number the file has."""

IDS = "ids"
"""The key of a manifest under which a digest of all shards' ids stands; early ones have none."""

BESIDE = "beside"
"""The key of a manifest under which files beside the shards stand, with their bytes."""

CHECKSUM = "checksum"
"""The key of a manifest under which its own digest stands; and of a footer, the data's."""

logger = logging.getLogger("luigi-interface")

ROW_GROUP_ROWS = 1 << 20
"""Rows in a row group of the sorted tables that phases hand to one another."""


@dataclass(frozen=True)
class ColumnStore:
    """All columns of one dump.

    Attributes:
        batch_rows: documents in a row group that is written.
        sets_aside: whether a shard that cannot be read is moved away, so that the next run makes
            it again. So it is where a task is at work; who only looks changes nothing.
    """

    storage: Storage
    dump: str
    batch_rows: int = 500
    sets_aside: bool = False

    # -- paths -------------------------------------------------------------------

    def folder(self, task: str) -> str:
        """Where everything of one task and dump lies."""
        return f"{task}/{self.dump}"

    def path(self, task: str, number: int, phase: str = SHARD) -> str:
        """The Parquet file of one item of one phase."""
        inner = "" if phase == SHARD else f"_{phase}/"
        return f"{self.folder(task)}/{inner}{number:05d}.parquet"

    def file_path(self, task: str, name: str) -> str:
        """Where a raw crawl file is kept."""
        return f"{self.folder(task)}/files/{name}"

    def manifest_path(self, task: str) -> str:
        """The file whose presence means that every shard is in place."""
        return f"{self.folder(task)}/{MANIFEST}"

    # -- what is there -----------------------------------------------------------

    def footer(self, path: str) -> ShardFooter | None:
        """The footer of a shard; None when the file is absent.

        Raises:
            ConfigError: the file is no Parquet, or was not written by this pipeline.
        """
        if not self.storage.exists(path):
            return None
        with self.open_parquet(path) as file:
            metadata = file.metadata.metadata or {}
            if b"stamp" not in metadata:
                raise ConfigError(
                    f"{self.storage.shown(path)} was not written by this pipeline: move it "
                    "away, or set [pipeline] data_dir to another folder"
                )
            self._check_place(path, metadata.get(NUMBER))
            ids = metadata.get(b"ids")
            return ShardFooter(
                fingerprint=metadata[b"stamp"].decode(),
                rows=file.metadata.num_rows,
                counts=json.loads(metadata[b"counts"]),
                ids=ids.decode() if ids else None,
                has_checksum=CHECKSUM.encode() in metadata,
            )

    def _check_place(self, path: str, number: bytes | None) -> None:
        """Refuse the file of another shard that was copied here; early footers name none."""
        if number is not None and number.decode() != _number_of(path):
            raise ConfigError(
                f"{self.storage.shown(path)} is a copy of shard {number.decode()}: remove it and "
                "give the command again, and it is made again"
            )

    def open_parquet(self, path: str) -> pq.ParquetFile:
        """Open one Parquet file; the caller closes it.

        Raises:
            DamagedError: the file cannot be read as Parquet.
        """
        source = self.storage.open(path)
        try:
            return pq.ParquetFile(
                source,
                metadata=whole_metadata(source),
                pre_buffer=False,
                page_checksum_verification=True,
            )
        except (pa.ArrowInvalid, OSError) as error:
            source.close()
            raise self._damaged(path, error) from error

    @contextmanager
    def _noticing_damage(self, path: str) -> Iterator[None]:
        """Around reading: damage inside a file is reported, and the file made again."""
        try:
            yield
        except (pa.ArrowInvalid, OSError) as error:
            raise self._damaged(path, error) from error

    def _damaged(self, path: str, error: Exception) -> Exception:
        """The sentence for a damaged shard, which a task at work sets aside."""
        if isinstance(error, OSError) and (error.errno or "AWS Error" in str(error)):
            return error  # it could not be reached, and may be whole
        reason = " ".join(str(error).split())  # Arrow's own words run over lines
        what = f"{self.storage.shown(path)} cannot be read as Parquet ({reason})"
        if not _number_of(path):
            return DamagedError(what)
        if not self.sets_aside:
            return DamagedError(
                f"{what}: skord study verify --dump {self.dump} --repair makes it again"
            )
        aside = f"{path}{DAMAGED}"
        with contextlib.suppress(OSError):
            self.storage.move(path, aside)
        return DamagedError(
            f"{what}: it is set aside as {self.storage.shown(aside)}; give the command again, and "
            "it is made again"
        )

    def has(self, path: str, fingerprint: str) -> bool:
        """Whether the file is there and was made from the same settings and inputs."""
        footer = self.footer(path)
        return footer is not None and footer.fingerprint == fingerprint

    def manifest(self, task: str) -> dict[str, Any] | None:
        """The manifest of a complete task; None when it is not complete."""
        path = self.manifest_path(task)
        if not self.storage.exists(path):
            return None
        manifest = _whole_manifest(self.storage.read(path))
        if manifest is None:
            logger.warning("%s is damaged and does not count", self.storage.shown(path))
        return manifest

    def complete_manifest(self, task: str) -> dict[str, Any]:
        """The manifest of a task that a person wants to look at.

        Raises:
            ConfigError: it is not complete here.
            DamagedError: shards that it notes are missing, or are other ones.
        """
        manifest = self.whole_manifest(task)
        if manifest is None:
            raise ConfigError(
                f"{task} {self.dump} is not complete in {self.storage.shown_url}: "
                f"skord run {task} {'--dump' if self.dump[:1].isdigit() else '--input'} {self.dump}"
            )
        return manifest

    def numbers(self, task: str, phase: str = SHARD) -> set[int]:
        """Items of a phase of which there is a file; one listing of the folder."""
        folder = self.path(task, 0, phase).rpartition("/")[0]
        names = (name.removesuffix(SUFFIX) for name in self.storage.names(folder) if SUFFIX in name)
        return {int(name) for name in names if name.isdigit()}

    def shard_bytes(self, task: str) -> dict[int, int]:
        """The size of every shard that is there, by its number; one listing of the folder."""
        sizes = self.storage.sizes(self.folder(task))
        return {
            int(name.removesuffix(SUFFIX)): size
            for name, size in sorted(sizes.items())
            if name.endswith(SUFFIX) and name.removesuffix(SUFFIX).isdigit()
        }

    def lost_shards(
        self, task: str, manifest: Mapping[str, Any], *, reads_changed: bool = True
    ) -> list[int]:
        """Shards of a complete task that are missing or not those that its manifest noted.

        One listing shows sizes, and which files were changed after the manifest was written. Those
        are read whole, unless they are so many that the folder must be a copy with new dates, or
        the caller reads what it needs of them itself.
        """
        states = self.storage.states(self.folder(task))
        completed = states.get(MANIFEST, FileState(0, 0)).modified_ns
        noted = manifest.get("bytes", [])
        lost, changed = [], []
        for number in range(manifest["num_shards"]):
            state = states.get(f"{number:05d}{SUFFIX}")
            if state is None or (number < len(noted) and state.size != noted[number]):
                lost.append(number)
            elif state.modified_ns > completed:
                changed.append((number, state))
        if reads_changed and len(changed) <= CHANGED_READ:
            lost += [
                number
                for number, state in changed
                if _fault_of(self, self.path(task, number), manifest["stamp"], state)
            ]
        return sorted(lost)

    def lost_sentence(self, task: str, lost: Sequence[int]) -> str:
        """The sentence on a complete task's shards that are lost."""
        shown = ", ".join(f"{number:05d}" for number in lost[:10]) + (" …" * (len(lost) > 10))
        plural, are = ("", "is") if len(lost) == 1 else ("s", "are")
        return f"{task} {self.dump}: shard{plural} {shown} {are} missing or damaged"

    def whole_manifest(self, task: str, *, reads_changed: bool = True) -> dict[str, Any] | None:
        """The manifest of a task whose shards are to be read; None when it is not complete.

        Raises:
            DamagedError: shards that it notes are missing, or are other ones.
        """
        manifest = self.manifest(task)
        if manifest is None:
            return None
        if lost := self.lost_shards(task, manifest, reads_changed=reads_changed):
            raise DamagedError(
                f"{self.lost_sentence(task, lost)}: skord run {task} --dump {self.dump} makes them "
                "again"
            )
        return manifest

    def write_manifest(self, task: str, manifest: Mapping[str, Any]) -> None:
        """Write the manifest: from here on the task is complete."""
        manifest = {**manifest, CHECKSUM: _manifest_checksum(manifest)}
        text = json.dumps(manifest, indent=2, sort_keys=True) + "\n"
        self.storage.write(self.manifest_path(task), text.encode())

    def delete_manifest(self, task: str) -> None:
        """Take the manifest away before shards are replaced."""
        self.storage.delete(self.manifest_path(task))

    def note_made(self, task: str) -> None:
        """Note, outside the task's own folder, that there is one; nothing takes the note away."""
        if not self.was_made(task):
            self.storage.write(made_path(task, self.dump), b"complete\n")

    def was_made(self, task: str) -> bool:
        """Whether the task was complete once, be its folder there or not."""
        return self.storage.exists(made_path(task, self.dump))

    # -- writing -----------------------------------------------------------------

    @contextmanager
    def writer(
        self,
        path: str,
        schema: pa.Schema,
        fingerprint: str,
        *,
        incompressible: Sequence[str] = (),
        differences: Sequence[str] = (),
        indexed: bool = True,
    ) -> Iterator[ShardWriter]:
        """Write one file that appears whole or not at all, fingerprint and counts in its footer.

        Args:
            path: from `path`.
            schema: the declared columns; never inferred.
            fingerprint: of the task that writes.
            incompressible: columns of compressed or random bytes; they are written as they are.
            differences: columns of sorted integers; each is written as what it is more than the
                one before, which is smaller than a dictionary and sooner made.
            indexed: whether a column `id` is the shared index; a digest of it goes to the footer.
        """
        leaves = {leaf: field for field in schema for leaf in parquet_leaves(field)}
        plain = {
            leaf
            for leaf, field in leaves.items()
            if field.name in incompressible or pa.types.is_boolean(field.type)
        }
        varied = [leaf for leaf in leaves if leaf not in plain and leaf != ID.name]
        deltas = [leaf for leaf, field in leaves.items() if field.name in differences]
        options = {
            "compression": {leaf: "NONE" if leaf in plain else "ZSTD" for leaf in leaves},
            "use_dictionary": [leaf for leaf in varied if leaf not in deltas],
            "column_encoding": dict.fromkeys(deltas, "DELTA_BINARY_PACKED"),
            "write_statistics": varied,  # the least id or signature is of use to nobody
            "write_page_checksum": True,
        }
        with (
            self.storage.writing(lambda: writer.path) as partial,
            partial.open("wb") as file,
            DigestedFile(file) as digested,
            pq.ParquetWriter(digested, schema, **options) as parquet,
        ):
            indexed = indexed and ID.name in schema.names
            writer = ShardWriter(parquet, schema, self.batch_rows, path, indexed)
            yield writer
            writer.flush()
            metadata = {"stamp": fingerprint, "counts": json.dumps(writer.counts, sort_keys=True)}
            if indexed:
                metadata["ids"] = writer.ids.hexdigest()
            if number := _number_of(writer.path):
                metadata[NUMBER.decode()] = number
            metadata[CHECKSUM] = f"{digested.size}:{digested.digest.hexdigest()}"
            metadata[FOOTER.decode()] = UNSIGNED
            digested.begin_footer()
            parquet.add_key_value_metadata(metadata)

    # -- reading -----------------------------------------------------------------

    def fault_of(self, path: str) -> str | None:
        """Read a whole file and compare it with its footer: what is wrong in a few words, or None.

        Bytes are compared with the footer's digest of them, pages with their checksums, ids with
        theirs; files of before there were digests, with what there is.
        """
        try:
            with self.open_parquet(path) as file:
                metadata = file.metadata.metadata or {}
                self._check_place(path, metadata.get(NUMBER))
                stored = metadata.get(CHECKSUM.encode())
                if stored and stored.decode() != self._digest_of(path, stored.decode()):
                    return "its bytes are not those that were written"
                ids = hashlib.blake2b(digest_size=16)
                for batch in file.iter_batches(self.batch_rows):
                    if b"ids" in metadata:
                        ids.update("\n".join([*batch[ID.name].to_pylist(), ""]).encode())
                if b"ids" in metadata and ids.hexdigest() != metadata[b"ids"].decode():
                    return "its ids are not those that its footer notes"
        except (PipelineError, pa.ArrowException, OSError, ValueError) as error:
            return str(error)
        return None

    def _digest_of(self, path: str, stored: str) -> str:
        """The digest of as many bytes as the footer notes."""
        size = int(stored.partition(":")[0])
        digest = hashlib.blake2b(digest_size=16)
        with self.storage.open(path) as file:
            left = size
            while left and (piece := file.read(min(left, 8 << 20))):
                digest.update(piece)
                left -= len(piece)
        return f"{size - left}:{digest.hexdigest()}"

    def side_by_side(
        self, shard: int, wanted: Mapping[str, Sequence[str]], first: int = 0
    ) -> Iterator[tuple[int, pa.Table]]:
        """Columns of several tasks for the same documents, one row group after another.

        Args:
            wanted: task name → its columns. A column is named `Task.column` in the
                result, and the shared index is `id`.
            first: the row group to begin with.

        Yields:
            (row group number, table).

        Raises:
            ShardError: a task's shard is missing or does not share the index.
        """
        paths = {task: self.path(task, shard) for task in wanted}
        self._check_shared_index(paths)
        files = {task: self.open_parquet(path) for task, path in paths.items()}
        try:
            groups = {task: file.num_row_groups for task, file in files.items()}
            if len(set(groups.values())) > 1:
                raise ShardError(f"shard {shard:05d} is cut into row groups differently: {groups}")
            for group in range(first, next(iter(groups.values()))):
                yield group, self._joined(files, paths, wanted, group)
        finally:
            for file in files.values():
                file.close()

    def _check_shared_index(self, paths: Mapping[str, str]) -> None:
        ids: dict[str, str | None] = {}
        for task, path in paths.items():
            footer = self.footer(path)
            if footer is None:
                raise ShardError(f"{self.storage.shown(path)} is missing: run {task} first")
            ids[task] = footer.ids
        if len(set(ids.values())) > 1:
            raise ShardError(
                f"{', '.join(map(self.storage.shown, paths.values()))} do not share one index: "
                "they come from different runs; remove the stale ones and run again"
            )

    def write_sorted(self, path: str, table: pa.Table, fingerprint: str, **counts: int) -> None:
        """Write a table that is sorted by its first column, for `read_slice`."""
        key = table.schema[0]
        differences = [key.name] if pa.types.is_integer(key.type) else []
        with self.writer(path, table.schema, fingerprint, differences=differences) as writer:
            for start in range(0, len(table), ROW_GROUP_ROWS):
                writer.write(table.slice(start, ROW_GROUP_ROWS))
            writer.counts.update(counts)

    def read_slice(self, path: str, low: int, high: int) -> pa.Table:
        """Rows of a file whose first column lies in [low, high).

        Only the row groups that can hold such rows are read: few of what `write_sorted` wrote.
        """
        with self.open_parquet(path) as file:
            statistics = (
                (group, file.metadata.row_group(group).column(0).statistics)
                for group in range(file.num_row_groups)
            )
            groups = [
                group
                for group, group_range in statistics
                if group_range.min < high and group_range.max >= low
            ]
            with self._noticing_damage(path):
                tables = [rows_within(file.read_row_group(group), low, high) for group in groups]
                empty = file.schema_arrow.empty_table()
        return pa.concat_tables([empty, *tables])

    def read_table(self, path: str, columns: Sequence[str] | None = None) -> pa.Table:
        """The whole of a small file, or some of its columns.

        Raises:
            ShardError: the file is missing.
        """
        if not self.storage.exists(path):
            raise ShardError(f"{self.storage.shown(path)} is missing: run the task that makes it")
        with self.open_parquet(path) as file:
            wanted = list(columns) if columns is not None else None
            with self._noticing_damage(path):
                return file.read(columns=wanted, use_threads=False)

    def _joined(
        self,
        files: Mapping[str, pq.ParquetFile],
        paths: Mapping[str, str],
        wanted: Mapping[str, Sequence[str]],
        group: int,
    ) -> pa.Table:
        names: list[str] = []
        columns: list[pa.ChunkedArray] = []
        for task, file in files.items():
            extra = [] if columns else [ID.name]
            with self._noticing_damage(paths[task]):
                part = file.read_row_group(group, columns=[*extra, *wanted[task]])
            names += [*extra, *(f"{task}.{name}" for name in wanted[task])]
            columns += [part[name] for name in [*extra, *wanted[task]]]
        return pa.table(columns, names=names)


def made_path(task: str, dump: str = "") -> str:
    """Path of the note that a task was complete for a dump, or the folder of its notes."""
    return f"{MADE}/{task}/{dump}".rstrip("/")


def _number_of(path: str) -> str | None:
    """The number under which a work item's file lies.

    >>> _number_of("CCNet/2024-10/00042.parquet"), _number_of("mine.parquet")
    ('00042', None)
    """
    name = path.rpartition("/")[2].removesuffix(SUFFIX)
    return name if "/" in path and name.isdigit() else None


@functools.lru_cache(maxsize=1024)
def _fault_of(store: ColumnStore, path: str, fingerprint: str, state: FileState) -> str | None:
    """What is wrong with a file in this state; asked again and again, it is read once."""
    del state
    if fault := store.fault_of(path):
        return fault
    footer = store.footer(path)
    return None if footer and footer.fingerprint == fingerprint else "it has another fingerprint"


def _manifest_checksum(manifest: Mapping[str, Any]) -> str:
    text = json.dumps(manifest, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _whole_manifest(content: bytes) -> dict[str, Any] | None:
    """What a manifest says, unless it was damaged or edited; early ones have no checksum."""
    try:
        manifest = json.loads(content)
    except ValueError:
        return None
    if not isinstance(manifest, dict):
        return None
    checksum = manifest.pop(CHECKSUM, None)
    return manifest if checksum in (None, _manifest_checksum(manifest)) else None
