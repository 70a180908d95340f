"""Pages of the WET files that a task keeps, or of a source, cut into title and lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from pipeline.ccnet.choices import Mode
from pipeline.ccnet.text_pages import TextBody, TextPage, split_block
from pipeline.core.dumps import source_of
from pipeline.core.storage.column_store import ColumnStore
from pipeline.crawl.cdx import twin_warc
from pipeline.crawl.files import check_kept, local_name
from pipeline.crawl.warc.framing import BadRecord, read_members
from pipeline.crawl.warc.gzip import Member
from pipeline.crawl.warc.wet import WETPage, pages_of
from pipeline.native import wet_page


def wet_pages(
    store: ColumnStore,
    task: str,
    shard: int,
    files: Iterable[Mapping[str, Any]],
    mode: str = Mode.DEFAULT,
) -> Iterator[TextPage | BadRecord]:
    """Every page of the WET files that `task` keeps, in crawl order.

    Args:
        store: holds the files.
        task: the name of the task that fetched them.
        shard: the shard of that task that lists them.
        files: rows of `keep_file`; those that failed hold no page.
        mode: how a text is cut into lines; a `Mode` or its value.

    Raises:
        ShardError: a file is not as it came.
    """
    for row in files:
        if row["failure"] is not None:
            continue
        check_kept(store, task, shard, row)
        warc_file = twin_warc(row["file"])
        with store.storage.stream(store.file_path(task, local_name(row["file"]))) as stream:
            yield from text_pages(stream, warc_file, mode)


def text_pages(
    stream: BinaryIO, warc_file: str, mode: str = Mode.DEFAULT
) -> Iterator[TextPage | BadRecord]:
    """Every page of a WET file, cut into title and lines; bad records in their places."""
    exact = Mode(mode) is Mode.EXACT
    for item in read_members(stream):
        fields = wet_page(item.data, exact) if isinstance(item, Member) else None
        if fields is None:
            for page in pages_of(item):
                yield page if isinstance(page, BadRecord) else text_page(page, warc_file, mode)
            continue
        refers_to, url, date, title, joined, nlines, length, digest, size = fields
        body = TextBody(joined, nlines, length)
        yield TextPage(refers_to, url, date, warc_file, title, body, digest, size)


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
    files = store.read_table(store.path(task, shard)).to_pylist()
    for page in wet_pages(store, task, shard, files, mode):
        if isinstance(page, BadRecord):
            counts[f"bad_record.{page.reason}"] += 1
        else:
            counts["pages"] += 1
            yield page
