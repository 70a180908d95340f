"""Crawl files kept as they came: fetch them into the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skord.core.failures import DamagedError, FailureCode
from skord.core.storage.column_store import ColumnStore
from skord.crawl.http.client import Crawl
from skord.crawl.http.errors import NotOnCrawlError


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


def check_kept(store: ColumnStore, task: str, shard: int, row: Mapping[str, Any]) -> None:
    """Compare a kept file with what `keep_file` noted of it.

    Where they differ, the file and the shard that lists it are removed, so that the next run of
    the command fetches that file again and nothing else.

    Raises:
        DamagedError: the file is missing, or has another size than it came with.
    """
    kept = store.file_path(task, local_name(row["file"]))
    size = store.storage.size(kept)
    if size == row["bytes"]:
        return
    store.storage.delete(kept)
    store.storage.delete(store.path(task, shard))
    raise DamagedError(
        f"{store.storage.shown(kept)} has {'gone' if size is None else f'{size:,} bytes'} where "
        f"{row['bytes']:,} bytes came: give the command again, and it is fetched again"
    )


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
