"""Pages of the WET files that a task keeps, or of a source, cut into title and lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import BinaryIO

import numpy as np

from pipeline.ccnet.choices import Mode, Normalisation
from pipeline.ccnet.line_hashing import PageKeys, keys_by_part, page_keys
from pipeline.ccnet.paragraph_keys import key_table
from pipeline.ccnet.text_pages import TextBody, TextPage, split_block
from pipeline.core.dumps import source_of
from pipeline.core.storage.column_store import ColumnStore
from pipeline.crawl.cdx import twin_warc
from pipeline.crawl.files import check_kept, local_name
from pipeline.crawl.warc.framing import BadRecord, WARCRecord, read_members
from pipeline.crawl.warc.gzip import Member
from pipeline.crawl.warc.wet import WETPage, pages_of
from pipeline.native import member_keys, wet_page

MEMBERS_AT_ONCE = 256
"""Whose paragraphs are hashed together."""

TOLD_BY_PYTHON = -1
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
    stream: BinaryIO, warc_file: str, mode: str = Mode.DEFAULT
) -> Iterator[TextPage | BadRecord]:
    """Every page of a WET file, cut into title and lines; bad records in their places."""
    exact = Mode(mode) is Mode.EXACT
    for item in read_members(stream):
        fields = wet_page(item.data, exact) if isinstance(item, Member) else None
        if fields is None:
            yield from _pages_of(item, warc_file, mode)
            continue
        refers_to, url, date, title, joined, nlines, length, digest, size = fields
        body = TextBody(joined, nlines, length)
        yield TextPage(refers_to, url, date, warc_file, title, body, digest, size)


def _pages_of(
    item: Member | WARCRecord | BadRecord, warc_file: str, mode: str
) -> Iterator[TextPage | BadRecord]:
    for page in pages_of(item):
        yield page if isinstance(page, BadRecord) else text_page(page, warc_file, mode)


def wet_keys(
    stream: BinaryIO,
    counts: Counter[str],
    min_chars: int,
    mode: str = Mode.DEFAULT,
    normalisation: str = Normalisation.PUBLISHED,
) -> Iterator[PageKeys]:
    """The keys of the lines of a WET file's pages, those of `text_pages` that are long enough.

    Args:
        stream: the file.
        counts: see `pages_of_shard`.
        min_chars: pages with fewer characters, title left out, take no part.
        mode: how texts are cut into lines.
        normalisation: which spellings of a paragraph count as the same.
    """
    table, exact = key_table(Normalisation(normalisation)), Mode(mode) is Mode.EXACT
    items = read_members(stream)
    while chunk := list(islice(items, MEMBERS_AT_ONCE)):
        members = [item.data if isinstance(item, Member) else b"" for item in chunk]
        told, numbers = member_keys(table, members, exact, min_chars)
        keys, lengths = np.frombuffer(told, np.uint64), np.frombuffer(numbers, np.int64).tolist()
        counts["pages"] += len(chunk) - lengths.count(TOLD_BY_PYTHON)
        waiting: list[int] = []
        for item, length in zip(chunk, lengths, strict=True):
            if length >= 0:
                waiting.append(length)
            if length != TOLD_BY_PYTHON:
                continue
            end = sum(waiting)
            yield keys[:end], waiting
            keys, waiting = keys[end:], []
            pages = _counted(_pages_of(item, "", mode), counts)
            yield page_keys([page for page in pages if page.length >= min_chars], normalisation)
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
) -> Iterator[TextPage]:
    """The pages of a source in the order of its files.

    Args:
        store: holds them.
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
            for row in batch.to_pylist():
                counts["pages"] += 1
                title, body = split_block(row["text"].encode(), mode)
                yield TextPage(
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
) -> Iterator[TextPage]:
    """The pages of DownloadWET's shard in crawl order.

    Args:
        store: of the dump.
        task: DownloadWET's name.
        shard: its number.
        own: the folder of pages of a source of one's own.
        counts: gets `pages`, and `bad_record.…` for each record that cannot be read.
        mode: how texts are cut into lines.
    """
    if source_of(store.dump, store.storage).is_own:
        yield from own_pages(store, store.path(task, shard, own), counts, mode)
        return
    for stream, warc_file in files_of_shard(store, task, shard):
        yield from _counted(text_pages(stream, warc_file, mode), counts)


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
        pages = pages_of_shard(store, task, shard, own, counts, mode)
        yield from keys_by_part(pages, min_chars, normalisation)
        return
    for stream, _ in files_of_shard(store, task, shard):
        yield from wet_keys(stream, counts, min_chars, mode, normalisation)


def _counted(pages: Iterable[TextPage | BadRecord], counts: Counter[str]) -> Iterator[TextPage]:
    for page in pages:
        if isinstance(page, BadRecord):
            counts[f"bad_record.{page.reason}"] += 1
        else:
            counts["pages"] += 1
            yield page
