"""Pages of the WET files that a task keeps, or of a source, cut into title and lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np

from skord.ccnet.choices import Mode, Normalisation
from skord.ccnet.line_hashing import PageKeys, page_keys
from skord.ccnet.paragraph_keys import key_table
from skord.ccnet.text_pages import TextPage, TextPages, split_block
from skord.core.dumps import source_of
from skord.core.storage.column_store import ColumnStore
from skord.crawl.cdx import twin_warc
from skord.crawl.files import check_kept, local_name
from skord.crawl.warc.framing import BadRecord, WARCRecord, read_members
from skord.crawl.warc.gzip import Member
from skord.crawl.warc.wet import WETPage, pages_of
from skord.native import member_keys, wet_pages

MEMBERS_AT_ONCE = 1024
"""That are read together. Pages of a language are scored together, while its model is near."""

BYTES_AT_ONCE = 8 << 20
"""That they have, unpacked, before the last of them."""

Item = Member | WARCRecord | BadRecord

READ_BY_PYTHON = -1
"""What `member_keys` gives in place of how many lines a page has."""


def files_of_shard(store: ColumnStore, task: str, shard: int) -> Iterator[tuple[BinaryIO, str]]:
    """The WET files of DownloadWET's shard, open, and the paths of their WARC files.

    Raises:
        ShardError: a file is not as it came.
    """
    for row in store.read_table(store.path(task, shard)).to_pylist():
        if row["failure"] is not None:
            continue
        check_kept(store, task, shard, row)
        with store.storage.stream(store.file_path(task, local_name(row["file"]))) as stream:
            yield stream, twin_warc(row["file"])


def text_pages(
    stream: BinaryIO, warc_file: str, counts: Counter[str], mode: str = Mode.DEFAULT
) -> Iterator[TextPages]:
    """Every page of a WET file that can be read, cut into title and lines.

    Args:
        warc_file: path of the WARC file that holds the responses.
        counts: see `pages_of_shard`.
        mode: how texts are cut into lines.
    """
    for items in _together(read_members(stream)):
        read, columns, numbers = wet_pages(_unpacked(items), Mode(mode) is Mode.EXACT)
        pages = TextPages.from_native(columns, numbers, warc_file)
        counts["pages"] += len(pages)
        start = end = 0
        for item, was_read in zip(items, read, strict=True):
            if was_read:
                end += 1
                continue
            yield pages.part(start, end)
            yield TextPages.of(_pages_of(item, warc_file, mode, counts))
            start = end
        yield pages.part(start, end) if start else pages


def _together(items: Iterator[Item]) -> Iterator[list[Item]]:
    """At most `MEMBERS_AT_ONCE` items, or fewer that are large."""
    together: list[Item] = []
    size = 0
    for item in items:
        together.append(item)
        size += len(item.data) if isinstance(item, Member) else 0
        if len(together) == MEMBERS_AT_ONCE or size > BYTES_AT_ONCE:
            yield together
            together, size = [], 0
    if together:
        yield together


def _unpacked(items: Iterable[Item]) -> list[bytes]:
    return [item.data if isinstance(item, Member) else b"" for item in items]


def _pages_of(item: Item, warc_file: str, mode: str, counts: Counter[str]) -> Iterator[TextPage]:
    """The pages of what compiled code leaves to Python."""
    for page in pages_of(item):
        if isinstance(page, BadRecord):
            counts[f"bad_record.{page.reason}"] += 1
        else:
            counts["pages"] += 1
            yield text_page(page, warc_file, mode)


def wet_keys(
    stream: BinaryIO,
    counts: Counter[str],
    min_chars: int,
    mode: str = Mode.DEFAULT,
    normalisation: str = Normalisation.PUBLISHED,
) -> Iterator[PageKeys]:
    """The keys of the lines of a WET file's pages, those of `text_pages` that are long enough.

    Args:
        counts: see `pages_of_shard`.
        min_chars: pages with fewer characters, title left out, take no part.
        mode: how texts are cut into lines.
        normalisation: which spellings of a paragraph count as the same.
    """
    table, exact = key_table(Normalisation(normalisation)), Mode(mode) is Mode.EXACT
    for items in _together(read_members(stream)):
        read, numbers = member_keys(table, _unpacked(items), exact, min_chars)
        keys, lengths = np.frombuffer(read, np.uint64), np.frombuffer(numbers, np.int64).tolist()
        counts["pages"] += len(items) - lengths.count(READ_BY_PYTHON)
        waiting: list[int] = []
        for item, length in zip(items, lengths, strict=True):
            if length >= 0:
                waiting.append(length)
            if length != READ_BY_PYTHON:
                continue
            end = sum(waiting)
            yield keys[:end], waiting
            keys, waiting = keys[end:], []
            pages = TextPages.of(_pages_of(item, "", mode, counts))
            yield page_keys(pages, min_chars, normalisation)
        yield keys, waiting


def text_page(page: WETPage, warc_file: str, mode: str = Mode.DEFAULT) -> TextPage:
    """A page of a WET file, cut into title and lines."""
    title, body = split_block(page.block, mode)
    return TextPage(
        page.refers_to,
        page.url,
        page.date,
        warc_file,
        title,
        body,
        digest=page.digest,
        content_length=page.content_length,
    )


def own_pages(
    store: ColumnStore, path: str, counts: Counter[str], mode: str = Mode.DEFAULT
) -> Iterator[TextPages]:
    """The pages of a source in the order of its files.

    Args:
        path: of the table of pages, `sources.pages.PAGES_SCHEMA`.
        counts: gets `pages`.
        mode: how a text is cut into lines.
    """
    columns = [
        "id",
        "url",
        "warc_date",
        "warc_file",
        "payload_digest",
        "text",
        "content_length",
        "ip",
    ]
    with store.open_parquet(path) as file:
        for batch in file.iter_batches(256, columns=columns):
            counts["pages"] += len(batch)
            yield TextPages.of(_own_page(row, mode) for row in batch.to_pylist())


def _own_page(row: Mapping[str, Any], mode: str) -> TextPage:
    title, body = split_block(row["text"].encode(), mode)
    return TextPage(
        row["id"],
        row["url"],
        row["warc_date"],
        row["warc_file"],
        title,
        body,
        digest=f"sha1:{row['payload_digest']}",
        content_length=row["content_length"],
        ip=row["ip"],
    )


def pages_of_shard(
    store: ColumnStore, task: str, shard: int, own: str, counts: Counter[str], mode: str
) -> Iterator[TextPages]:
    """The pages of DownloadWET's shard in crawl order.

    Args:
        own: the folder of pages of a source of one's own.
        counts: gets `pages`, and `bad_record.…` for each record that cannot be read.
        mode: how texts are cut into lines.
    """
    if source_of(store.dump, store.storage).is_own:
        yield from own_pages(store, store.path(task, shard, own), counts, mode)
        return
    for stream, warc_file in files_of_shard(store, task, shard):
        yield from text_pages(stream, warc_file, counts, mode)


def keys_of_shard(
    store: ColumnStore,
    task: str,
    shard: int,
    own: str,
    counts: Counter[str],
    mode: str,
    min_chars: int,
    normalisation: str,
) -> Iterator[PageKeys]:
    """The keys of the lines of DownloadWET's shard in crawl order; see there, and `wet_keys`."""
    if source_of(store.dump, store.storage).is_own:
        for pages in pages_of_shard(store, task, shard, own, counts, mode):
            yield page_keys(pages, min_chars, normalisation)
        return
    for stream, _ in files_of_shard(store, task, shard):
        yield from wet_keys(stream, counts, min_chars, mode, normalisation)
