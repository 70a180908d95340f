"""Crawl files kept as they came: fetch them into the store, read WET pages out of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pipeline.ccnet.text_pages import Mode, TextPage, split_block
from pipeline.core.column_store import ColumnStore
from pipeline.core.failures import FailureCode
from pipeline.crawl.cdx import twin_warc
from pipeline.crawl.http.client import Crawl
from pipeline.crawl.http.errors import NotOnCrawlError
from pipeline.crawl.warc.wet import BadRecord, WETPage, read_wet


class FileFailure(FailureCode):
    """Why a crawl file is not there."""

    not_on_crawl = "not_on_crawl"
    """The dump's path list names it, the endpoint does not have it (404)."""


def local_name(path: str) -> str:
    """The name under which a crawl file is kept: its own, which is unique in a dump.

    >>> local_name("crawl-data/CC-MAIN-2024-10/segments/17/wet/CC-MAIN-1-2-00000.warc.wet.gz")
    'CC-MAIN-1-2-00000.warc.wet.gz'
    """
    return path.rsplit("/", 1)[-1]


def keep_file(crawl: Crawl, store: ColumnStore, task: str, path: str) -> dict[str, Any]:
    """Have one crawl file in the store, fetching it unless it is there already.

    A kept file was whole when it came: it appears under its name only after its length was
    checked.

    Returns:
        The columns `file`, `bytes`, `failure`.

    Raises:
        ShardError: the endpoint could not be reached; running again goes on from here.
    """
    kept = store.file_path(task, local_name(path))
    size = store.storage.size(kept)
    if size is not None:
        return {"file": path, "bytes": size, "failure": None}
    try:
        with store.storage.writing(kept) as partial:
            crawl.download(path, partial, gzip=path.endswith(".gz"))
    except NotOnCrawlError:
        return {"file": path, "bytes": None, "failure": str(FileFailure.not_on_crawl)}
    return {"file": path, "bytes": store.storage.size(kept), "failure": None}


def wet_pages(
    store: ColumnStore, task: str, files: Iterable[Mapping[str, Any]], mode: str = Mode.DEFAULT
) -> Iterator[TextPage | BadRecord]:
    """Every page of the WET files that `task` keeps, in crawl order.

    Args:
        store: holds the files.
        task: the name of the task that fetched them.
        files: rows of `keep_file`; those that failed hold no page.
        mode: how a text is cut into lines; a `Mode` or its value.
    """
    for row in files:
        if row["failure"] is not None:
            continue
        warc_file = twin_warc(row["file"])
        with store.storage.stream(store.file_path(task, local_name(row["file"]))) as stream:
            for page in read_wet(stream):
                yield page if isinstance(page, BadRecord) else text_page(page, warc_file, mode)


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
