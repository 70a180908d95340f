"""Crawl files kept as they came: fetch them into the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

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


DIGEST = pa.field("digest", pa.string())
"""SHA-256 of a kept file, in hexadecimal; shards of before it was noted have no such column."""


def check_kept(store: ColumnStore, task: str, shard: int, row: Mapping[str, Any]) -> None:
    """Compare a kept file with what `keep_file` noted of it: size and digest.

    Where they differ, the file and the shard that lists it are removed, so that the next run of
    the command fetches that file again and nothing else.

    Raises:
        DamagedError: the file is missing, or is not what came.
    """
    kept = store.file_path(task, local_name(row["file"]))
    size, digest = store.storage.size(kept), row.get(DIGEST.name)
    if size == row["bytes"] and digest in (None, store.storage.sha256(kept)):
        return
    store.storage.delete(kept)
    store.storage.delete(store.path(task, shard))
    if size is None:
        fault = f"is gone where {row['bytes']:,} bytes came"
    elif size != row["bytes"]:
        fault = f"has {size:,} bytes where {row['bytes']:,} bytes came"
    else:
        fault = "does not hold the bytes that came"
    raise DamagedError(
        f"{store.storage.shown(kept)} {fault}: give the command again, and it is fetched again"
    )


def keep_file(crawl: Crawl, store: ColumnStore, task: str, path: str) -> dict[str, Any]:
    """Have one crawl file in the store, fetching it unless it is there already.

    A file appears under its name only after its length was checked. One that is there, of which
    no shard has the digest, is believed where it can be unpacked.

    Returns:
        The columns `file`, `bytes`, `digest`, `failure`.

    Raises:
        ShardError: the endpoint could not be reached; running again goes on from here.
    """
    kept, is_gzip = store.file_path(task, local_name(path)), path.endswith(".gz")
    storage = store.storage
    if not storage.exists(kept) or (is_gzip and storage.gzip_fault(kept)):
        try:
            with storage.writing(kept) as partial:
                crawl.download(path, partial, gzip=is_gzip)
        except NotOnCrawlError:
            failure = str(FileFailure.not_on_crawl)
            return {"file": path, "bytes": None, DIGEST.name: None, "failure": failure}
    size, digest = storage.size(kept), storage.sha256(kept)
    return {"file": path, "bytes": size, DIGEST.name: digest, "failure": None}
