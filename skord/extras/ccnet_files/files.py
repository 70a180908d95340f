"""CCNet's shards read row by row, and packed by language and bucket as it published them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, BinaryIO

import pyarrow as pa

from skord.core.failures import DocumentError
from skord.core.storage.column_store import ColumnStore
from skord.crawl.files import local_name
from skord.extras.ccnet_files.documents import Part, Row, published_document
from skord.extras.ccnet_files.minified import published_minified
from skord.publishing.manifest import RemovedPages
from skord.text.json_lines import JSONMember, write_json_lines
from skord.text.languages import LABEL_OF_CODE

PARTS_SCHEMA = pa.schema(
    [
        ("language", pa.string()),
        ("bucket", pa.string()),
        ("documents", pa.int64()),
        ("raw_bytes", pa.int64()),
        ("bytes", pa.int64()),
        ("member", pa.binary()),
    ]
)
"""Columns of a shard's parts: one gzip member, with what it holds, in a row group of its own."""


@dataclass(frozen=True)
class Choice:
    """Which documents are exported; nothing named means all."""

    languages: Sequence[str]
    buckets: Sequence[str]

    def takes(self, document: Mapping[str, Any]) -> bool:
        """Whether the document is among them."""
        labels = [LABEL_OF_CODE.get(code, code) for code in self.languages]
        language = not labels or document["language"] in labels
        return language and (not self.buckets or document["bucket"] in self.buckets)


def rows_of(store: ColumnStore, path: str, columns: Sequence[str]) -> Iterator[Row]:
    """Rows of a shard, one row group in memory at a time; columns that it lacks are left out."""
    with store.open_parquet(path) as file:
        names = [name for name in columns if name in file.schema_arrow.names]
        for group in range(file.num_row_groups):
            yield from file.read_row_group(group, columns=names).to_pylist()


def rows_left(rows: Iterable[Row], removed: RemovedPages) -> Iterator[Row]:
    """Rows of pages that are not listed for removal."""
    return (row for row in rows if (row["id"], row["url"]) not in removed)


def documents_in(stream: BinaryIO) -> Iterator[tuple[str, str]]:
    """Address and digest of each document in a published file."""
    with gzip.open(stream) as lines:
        for document in map(json.loads, lines):
            yield document["url"], document["digest"]


def packed_by_split(rows: Iterable[Row], choice: Choice) -> Iterator[dict[str, Any]]:
    """Published documents as gzip members, each of one language and bucket.

    Memory is one open member for each language and bucket.

    Yields:
        Rows of `PARTS_SCHEMA`; within a language and bucket in the order of the documents.
    """
    members: dict[tuple[str, str], JSONMember] = {}
    for row in rows:
        document = published_document(row)
        if not choice.takes(document):
            continue
        split = (document["language"], document["bucket"])
        member = members.setdefault(split, JSONMember())
        member.add(document)
        if member.is_full:
            yield _part_row(split, members.pop(split))
    for split in sorted(members):
        yield _part_row(split, members[split])


def _part_row(split: tuple[str, str], member: JSONMember) -> dict[str, Any]:
    packed = member.close()
    values = (*split, member.documents, member.raw_bytes, len(packed), packed)
    return dict(zip(PARTS_SCHEMA.names, values, strict=True))


def parts_in(store: ColumnStore, path: str, shard: int) -> list[Part]:
    """What the parts of one shard are, without the parts themselves."""
    table = store.read_table(path, ["language", "bucket", "bytes"])
    return [
        Part(row["language"], row["bucket"], shard, place, row["bytes"])
        for place, row in enumerate(table.to_pylist())
    ]


def copy_parts(store: ColumnStore, path: str, places: Sequence[int], out: BinaryIO) -> int:
    """Append some parts of a shard to a file; returns how many documents they hold."""
    documents = 0
    with store.open_parquet(path) as file:
        for place in places:
            row = file.read_row_group(place, columns=["documents", "member"])
            out.write(row["member"][0].as_py())
            documents += row["documents"][0].as_py()
    return documents


def publish_minified(
    store: ColumnStore, task: str, rows: Iterable[Row]
) -> Iterator[dict[str, Any]]:
    """Write the published small form, a JSON file for each WET file, and pass the rows on.

    Files are named after the WET files, as cc_net's `reproduce` looks for them. A document
    that has no such form is left out of them; its row has the reason.

    Rows of a WET file follow one another.
    """
    for segment, group in groupby(rows, lambda row: str(row["cc_segment"])):
        held = [_published_or_failed(row) for row in group]
        with store.storage.writing(store.file_path(task, published_name(segment))) as partial:
            write_json_lines(partial, [document for _, document in held if document])
        yield from (row for row, _ in held)


def published_name(segment: str) -> str:
    """The file in the published small form for a WET file."""
    return local_name(segment).replace(".warc.wet.gz", ".json.gz")


def _published_or_failed(row: Row) -> tuple[dict[str, Any], dict[str, Any] | None]:
    try:
        return dict(row), published_minified(row)
    except DocumentError as error:
        return {**row, "failure": str(error.code)}, None
