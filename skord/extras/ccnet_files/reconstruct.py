"""Rebuild the documents of a file of the small form from WET files, a row for each.

See `skord.extras.ccnet_files.minified` for that form. What is rebuilt has CCNet's own columns, so
that it can be published or worked on as what was selected here.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from skord.ccnet.choices import Mode
from skord.ccnet.text_pages import split_lines
from skord.core.failures import ConfigError, DocumentError, FailureCode
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.crawl.cdx import twin_warc
from skord.crawl.files import local_name
from skord.crawl.http.client import Crawl
from skord.crawl.http.errors import NotOnCrawlError
from skord.crawl.warc.wet import BadRecord, WETPage, read_wet
from skord.extras.ccnet_files.documents import Row, published_document
from skord.extras.ccnet_files.files import rows_of
from skord.extras.ccnet_files.minified import (
    MINIFIED_SCHEMA,
    MinifiedFailure,
    of_published_minified,
)
from skord.publishing.rebuild import failures_in
from skord.text.json_lines import read_json_lines, write_json_lines

RECONSTRUCTED_SCHEMA = pa.schema(
    [
        ("record_id", pa.string()),
        ("url", pa.string()),
        ("digest", pa.string()),
        ("cc_segment", pa.string()),
        ("warc_file", pa.string()),
        ("warc_date", pa.string()),
        ("title", pa.string()),
        ("raw_content", pa.string()),
        ("line_ids", pa.list_(pa.uint32())),
        ("original_nlines", pa.int32()),
        ("original_length", pa.int32()),
        ("content_length", pa.int32()),
        ("length", pa.int32()),
        ("language", pa.string()),
        ("language_score", pa.float64()),
        ("perplexity", pa.float64()),
        ("bucket", pa.string()),
        ("mode", pa.string()),
        ("failure", pa.string()),
    ]
)
"""Columns of what is rebuilt, named as in CCNet, where `record_id` is the `id`; those that the
small form has not are null where it failed."""


class RebuildFailure(FailureCode):
    """Why a document cannot be rebuilt."""

    no_digest = "no_digest"
    """The document cannot be found among the records of its WET file."""
    bad_segment = "bad_segment"
    """`cc_segment` is not the path of a WET file."""
    wet_missing = "wet_missing"
    """There is no such WET file where they were sought."""
    not_in_wet = "not_in_wet"
    """No record of the WET file has the digest, and none has the URL."""
    digest_mismatch = "digest_mismatch"
    """The WET file has a record of the URL, with another digest: its text is another one."""
    no_such_line = "no_such_line"
    """The record has fewer lines than were kept of it: they were split by another rule."""


PUBLISHED_ENDINGS = (".json.gz", ".json")
"""Names of files in the published form; all others are Parquet."""

_BATCH_ROWS = 10_000


def is_published(path: Path) -> bool:
    """Whether a file is in the published form, by its name."""
    return path.name.endswith(PUBLISHED_ENDINGS)


def stem_of(path: Path) -> str:
    """The name without the ending of its form.

    >>> stem_of(Path("a/sv_head_0000.json.gz")), stem_of(Path("00003.parquet"))
    ('sv_head_0000', '00003')
    """
    for ending in (*PUBLISHED_ENDINGS, ".parquet"):
        if path.name.endswith(ending):
            return path.name.removesuffix(ending)
    return path.name


def read_minified(path: Path, mode: str = "") -> pa.Table:
    """A file of the small form, in either form; a bad line is a row with its failure.

    Memory is the file's rows as columns, some 200 bytes each.

    `mode` is put in the place of what the rows say, unless empty.

    Raises:
        ConfigError: a Parquet file that is none, or has other columns.
        ShardError: a JSON file is damaged.
    """
    table = _published_table(path) if is_published(path) else _parquet_table(path)
    if not mode:
        return table
    column = table.column_names.index("mode")
    return table.set_column(column, "mode", pa.array([mode] * len(table), pa.string()))


def _published_table(path: Path) -> pa.Table:
    rows = map(_row_of_line, read_json_lines(path))
    batches = iter(lambda: list(islice(rows, _BATCH_ROWS)), [])
    tables = [pa.Table.from_pylist(batch, schema=MINIFIED_SCHEMA) for batch in batches]
    return pa.concat_tables([MINIFIED_SCHEMA.empty_table(), *tables])


def _parquet_table(path: Path) -> pa.Table:
    try:
        return pq.read_table(path, columns=MINIFIED_SCHEMA.names).cast(MINIFIED_SCHEMA)
    except (pa.ArrowInvalid, ValueError, KeyError) as error:
        raise ConfigError(
            f"{path} is not a file of MinifyCCNet ({error}): name its .parquet files, or "
            "published ones that end in .json.gz"
        ) from error


def _row_of_line(document: object) -> dict[str, Any]:
    try:
        return of_published_minified(document)
    except DocumentError:
        return dict.fromkeys(MINIFIED_SCHEMA.names)


def by_segment(table: pa.Table) -> Iterator[tuple[str | None, list[dict[str, Any]]]]:
    """The rows of each WET file together, in the order in which the files first appear."""
    segments = table["cc_segment"].combine_chunks().dictionary_encode()
    codes = segments.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    order = np.argsort(codes, kind="stable")
    sorted_codes = codes[order]
    starts = np.flatnonzero(np.diff(sorted_codes, prepend=-2))
    for start, end in zip(starts, [*starts, len(order)][1:], strict=True):
        code = int(sorted_codes[start])
        segment = None if code < 0 else segments.dictionary[code].as_py()
        yield segment, table.take(pa.array(order[start:end])).to_pylist()


def reconstruct_file(
    path: Path, out: ColumnStore, source: WETSource, mode: str = ""
) -> Counter[str]:
    """Write `{stem}.parquet` with a row for each row of the file: the document, or why not.

    A file that was written before from the same rows without a failure is left as it is.

    `mode` is the rule by which lines were counted, where the file does not say it truly.

    Returns:
        `documents`, `failure.{code}`, `bad_record.{reason}`: how many.

    Raises:
        CrawlError: the endpoint could not be reached; running again continues with this file.
    """
    target = f"{stem_of(path)}.parquet"
    fingerprint = _fingerprint(path, mode)
    footer = out.footer(target)
    if footer and footer.fingerprint == fingerprint and not failures_in(footer.counts):
        return Counter(footer.counts)
    with out.writer(target, RECONSTRUCTED_SCHEMA, fingerprint) as writer:
        for segment, rows in by_segment(read_minified(path, mode)):
            for row in _rebuilt(segment, rows, source, writer.counts):
                writer.append(row)
                writer.counts["documents"] += 1
                if row["failure"]:
                    writer.counts[f"failure.{row['failure']}"] += 1
        return Counter(writer.counts)


def _fingerprint(path: Path, mode: str) -> str:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    digest.update(mode.encode())
    return digest.hexdigest()[:16]


def publish_rebuilt(path: Path, out: ColumnStore) -> None:
    """Write `{stem}.json.gz` beside: the documents that were rebuilt, as published."""
    rows = rows_of(out, f"{stem_of(path)}.parquet", RECONSTRUCTED_SCHEMA.names)
    documents = (published_document(row) for row in rows if not row["failure"])
    with out.storage.writing(f"{stem_of(path)}.json.gz") as partial:
        write_json_lines(partial, documents)


def _rebuilt(
    segment: str | None,
    rows: list[dict[str, Any]],
    source: WETSource,
    counts: Counter[str],
) -> list[dict[str, Any]]:
    """The documents of one WET file; in memory until all of them are there."""
    if segment is None:
        return [_failed(row, MinifiedFailure.not_minified) for row in rows]
    try:
        wet_path = check_segment(segment)
    except DocumentError as error:
        return [_failed(row, error.code) for row in rows]
    with source.open(wet_path) as stream:
        if stream is None:
            return [_failed(row, RebuildFailure.wet_missing) for row in rows]
        return rebuild_segment(rows, _pages(read_wet(stream), counts))


def _pages(records: Iterator[WETPage | BadRecord], counts: Counter[str]) -> Iterator[WETPage]:
    for record in records:
        if isinstance(record, BadRecord):
            counts[f"bad_record.{record.reason}"] += 1
        else:
            yield record


def _failed(row: Row, code: FailureCode) -> dict[str, Any]:
    return {**row, "failure": str(code)}


# -- documents of one WET file -------------------------------------------------------------


def check_segment(segment: str | None) -> str:
    """The path of a WET file, when it is one that may be opened.

    Raises:
        DocumentError: it is not, or leads out of the crawl.
    """
    try:
        twin_warc(segment or "")
    except ValueError as error:
        raise DocumentError(RebuildFailure.bad_segment, str(error)) from error
    if ".." in str(segment).split("/"):
        raise DocumentError(RebuildFailure.bad_segment, str(segment))
    return str(segment)


def rebuild_page(row: Row, page: WETPage) -> dict[str, Any]:
    """The selected page, made again from the record that it was made from.

    Raises:
        DocumentError: the record lacks a line.
    """
    title, lines = split_lines(page.text, row["mode"])
    ids = row["line_ids"]
    if ids and max(ids) >= len(lines):
        detail = f"line {max(ids)} of {len(lines)}"
        raise DocumentError(RebuildFailure.no_such_line, detail)
    text = "\n".join(lines[i] for i in ids)
    characters = sum(map(len, lines)) + max(len(lines) - 1, 0)
    exact = Mode(row["mode"]) is Mode.EXACT
    return {
        **row,
        "record_id": page.refers_to,
        "warc_file": twin_warc(row["cc_segment"]),
        "warc_date": page.date,
        "title": title,
        "raw_content": text,
        "original_nlines": len(lines),
        "original_length": page.content_length if exact else characters,
        "content_length": page.content_length,
        "length": len(text),
        "failure": None,
    }


def rebuild_segment(rows: Sequence[Row], pages: Iterable[WETPage]) -> list[dict[str, Any]]:
    """Rebuild the wanted documents of one WET file.

    A record is found by its whole digest. Where several have the same, so the same text, the
    one with the document's URL gives date and id.

    Returns:
        One row for each of `rows`, in their order: the page, or a failure.
    """
    search = _Search(rows)
    for page in pages:
        search.see(page)
    return search.rows_of_all()


class _Search:
    """Wanted rows, and what the records seen so far made of them."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.by_digest: dict[str, list[int]] = {}
        for number, row in enumerate(rows):
            self.by_digest.setdefault(row["digest"] or "", []).append(number)
        self.nameless = frozenset(self.by_digest.pop("", []))
        self.urls = frozenset(row["url"] for row in rows)
        self.urls_seen: set[str] = set()
        self.rebuilt: dict[int, dict[str, Any]] = {}
        self.settled: set[int] = set()

    def see(self, page: WETPage) -> None:
        """Rebuild what is wanted of one record."""
        if page.url in self.urls:
            self.urls_seen.add(page.url)
        for number in self.by_digest.get(page.digest, ()):
            same_url = page.url == self.rows[number]["url"]
            if number not in self.rebuilt or (same_url and number not in self.settled):
                self.rebuilt[number] = self._rebuilt(self.rows[number], page)
            if same_url:
                self.settled.add(number)

    def _rebuilt(self, row: Row, page: WETPage) -> dict[str, Any]:
        try:
            return rebuild_page(row, page)
        except DocumentError as error:
            return _failed(row, error.code)

    def rows_of_all(self) -> list[dict[str, Any]]:
        """One row for each that was wanted."""
        return [
            self.rebuilt[number] if number in self.rebuilt else self._missing(number, row)
            for number, row in enumerate(self.rows)
        ]

    def _missing(self, number: int, row: Row) -> dict[str, Any]:
        if number in self.nameless:
            return _failed(row, RebuildFailure.no_digest)
        if row["url"] in self.urls_seen:
            return _failed(row, RebuildFailure.digest_mismatch)
        return _failed(row, RebuildFailure.not_in_wet)


# -- WET files -----------------------------------------------------------------------------


class WETSource(Protocol):
    """Opens WET files by their path on the crawl."""

    def open(self, path: str) -> AbstractContextManager[BinaryIO | None]:
        """The file, read forwards; None when there is no such file."""
        ...


class StoredWET:
    """WET files in a folder or bucket, under their path on the crawl or their name alone.

    Both a copy of `crawl-data/` and the `files/` of DownloadWET are such a folder.
    """

    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    @contextlib.contextmanager
    def open(self, path: str) -> Iterator[BinaryIO | None]:
        """The file, or None."""
        for name in (path, local_name(path)):
            if self.storage.exists(name):
                with self.storage.stream(name) as stream:
                    yield cast("BinaryIO", stream)
                return
        yield None


class CrawledWET:
    """WET files fetched from the endpoint, one at a time, and not kept."""

    def __init__(self, crawl: Crawl) -> None:
        self.crawl = crawl

    @contextlib.contextmanager
    def open(self, path: str) -> Iterator[BinaryIO | None]:
        """The file, or None where the endpoint has none.

        Raises:
            CrawlError: the endpoint could not be reached, or refused.
        """
        with tempfile.TemporaryDirectory() as folder:
            fetched = Path(folder, local_name(path))
            try:
                self.crawl.download(path, fetched, gzip=path.endswith(".gz"))
            except NotOnCrawlError:
                yield None
                return
            with fetched.open("rb") as stream:
                yield stream
