"""A source's files in shards: divided, checked before work starts, read, and read again."""

from __future__ import annotations

import functools
import io
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from hashlib import blake2b
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from skord.core.dumps import Source, SourceKind
from skord.core.failures import ConfigError, FailureCode, ShardError
from skord.core.storage.column_store import ColumnStore, ShardWriter
from skord.core.storage.shared_columns import FAILURE, ID
from skord.core.tasks.phases import contiguous_groups, evenly_spaced_paths
from skord.crawl.config import crawl_settings, open_crawl
from skord.crawl.files import keep_file, local_name
from skord.crawl.warc.framing import BadRecord, RecordFailure
from skord.sources.files import (
    BUCKET,
    DAMAGE,
    ROWS_NAME,
    SourceFiles,
    files_of,
    root_and_path,
    shown_path,
)
from skord.sources.pages import PAGES_SCHEMA, PassedOver, SourcePage, pages_of
from skord.sources.rows import check_columns
from skord.sources.warc_files import NotWARCError, check_start

READ_VERSION = 2
"""Raised when other pages, or other texts of them, are read from the same files of one's own."""

SHARD_BYTES = 64 << 20
"""Of a source's files that make a shard, where they are more than one."""

SMALL_BYTES = 32 << 20
"""Of files of one's own that are made into a corpus in one process."""

DAMAGED = (
    RecordFailure.BAD_GZIP,
    RecordFailure.BAD_WARC,
    RecordFailure.BAD_LENGTH,
    RecordFailure.TOO_LARGE,
)
"""What is wrong with a file; other records that cannot be used are no pages, and many archives
hold such."""

LOOKED_AT = 200
"""Files whose beginnings are looked at before work starts."""

FILES_SCHEMA = pa.schema(
    [("file", pa.string()), ("warc_file", pa.string()), ("bytes", pa.int64()), FAILURE]
)
"""Columns of the files of a shard."""

logger = logging.getLogger("luigi-interface")


class SourceFileFailure(FailureCode):
    """Why a file of a source was not read."""

    unreadable = "unreadable"
    """It is gone, or no file of its kind, or damaged from its start."""


@functools.cache
def checked_files(source: Source) -> SourceFiles:
    """The source's files, if it can be read as its kind.

    Raises:
        ConfigError: there are none, or one of the first is of another kind.
    """
    files = files_of(source)
    if files.is_list:
        if files.fetched:
            crawl_settings()
            _check_names(files.fetched)
        return files
    needed = [source.content_column]
    if source.kind == SourceKind.PAGES:
        needed = [source.url_column, *needed]
    for name in list(files.sizes)[:LOOKED_AT]:
        if source.kind != SourceKind.WARC and not ROWS_NAME.search(name):
            continue
        try:
            with files.open(name) as file:
                if source.kind == SourceKind.WARC:
                    check_start(file, name)
                else:
                    check_columns(file, name, needed)
        except (NotWARCError, OSError) as error:
            raise ConfigError(str(error)) from error
    return files


def is_small(source: Source) -> bool:
    """Whether its files lie here, and are so small that one process has them soon."""
    try:
        files = checked_files(source)
    except ConfigError:
        return False
    return not files.is_list and files.root.is_local and sum(files.sizes.values()) <= SMALL_BYTES


def _check_names(names: Sequence[str]) -> None:
    """Files fetched are kept by their own names."""
    counted = Counter(map(local_name, names))
    twice = next((name for name, times in counted.items() if times > 1), None)
    if twice:
        raise ConfigError(f"two files of the list are called {twice}: make a source of each")


def num_shards(sizes: Mapping[str, int], wanted: int, shard_bytes: int = SHARD_BYTES) -> int:
    """Into how many shards files go: one for some 64 MiB, one each for files yet to be fetched.

    >>> num_shards({"a": 10, "b": 20}, 1000), num_shards({"a": 0, "b": 0}, 1000)
    (1, 2)
    """
    total = sum(sizes.values())
    by_size = -(-total // shard_bytes) if total else len(sizes)
    return max(1, min(wanted, len(sizes), by_size))


def files_by_shard(
    source: Source, share: float, wanted: int, shard_bytes: int = SHARD_BYTES
) -> dict[str, list[Any]]:
    """The files by name, or a share of them, and the shard of each, as columns."""
    sizes = checked_files(source).sizes
    names = evenly_spaced_paths(list(sizes), share)
    groups = num_shards({name: sizes[name] for name in names}, wanted, shard_bytes)
    return {"shard": contiguous_groups(len(names), groups), "file": names}


def write_own(
    source: Source,
    store: ColumnStore,
    task: str,
    shard: int,
    names: Sequence[str],
    fingerprint: str,
    beside: str,
) -> None:
    """Read some files: their pages go beside the shard, and a row for each file into it.

    Args:
        source: what the files are of.
        store: of the dump; keeps files that are fetched, too.
        names: of the files, in order.
        beside: the folder of their pages.
    """
    counts: Counter[str] = Counter()
    with store.writer(store.path(task, shard, beside), PAGES_SCHEMA, fingerprint) as pages:
        rows = list(_read_pages(source, source_opener(source, store, task), names, pages, counts))
    with store.writer(store.path(task, shard), FILES_SCHEMA, fingerprint) as writer:
        for row in rows:
            writer.append(row)
            counts.update(judged=1, bytes=row["bytes"])
            counts.update([f"failure.{row['failure']}"] if row["failure"] else [])
        writer.counts.update(counts)


def _read_pages(
    source: Source,
    opened: Callable[[str], BinaryIO],
    names: Sequence[str],
    pages: ShardWriter,
    counts: Counter[str],
) -> Iterator[dict[str, Any]]:
    met: set[str] = set()
    for name in names:
        failure = None
        size = 0
        try:
            with opened(name) as file:
                size = file.seek(0, io.SEEK_END)
                file.seek(0)
                if source.kind == SourceKind.WARC:
                    check_start(file, name)
                _append_pages(pages_of(source, file, name, size), pages, counts, met)
        except (*DAMAGE, ValueError, NotWARCError) as error:
            logger.warning("%s: %s", name, error)
            failure = str(SourceFileFailure.unreadable)
        yield {"file": name, "warc_file": name, "bytes": size, "failure": failure}


def _append_pages(
    read: Iterable[SourcePage | PassedOver | BadRecord],
    pages: ShardWriter,
    counts: Counter[str],
    met: set[str],
) -> None:
    for page in read:
        counts["judged"] += 1
        if isinstance(page, BadRecord):
            is_damage = page.reason in DAMAGED
            counts[f"{'bad_record' if is_damage else 'passed_over'}.{page.reason}"] += 1
        elif isinstance(page, PassedOver):
            counts[f"passed_over.{page}"] += 1
        elif page.id in met:
            counts[f"passed_over.{PassedOver.same_id}"] += 1
        else:
            met.add(page.id)
            pages.append(asdict(page))
            counts["pages"] += 1


def source_opener(source: Source, store: ColumnStore, task: str) -> Callable[[str], BinaryIO]:
    """Opens a file of the source by its name; one that is elsewhere is fetched once and kept."""
    files = files_of(source)
    if not files.is_list:
        return files.open

    def fetched(name: str) -> BinaryIO:
        if name.startswith(BUCKET):
            return files.open(name)
        # Of an address its own host is asked, of a path alone the crawl's endpoint.
        root, path = root_and_path(name) if "://" in name else ("", name)
        row = keep_file(open_crawl(root), store, task, path.lstrip("/") if root else path)
        if row["failure"]:
            raise ShardError(f"{name} is not there: take it out of the list, and run again")
        kept = SourceFiles(store.storage, {})
        return kept.open(store.file_path(task, local_name(name)))

    return fetched


def log_lost_pages(source: Source, counts: Mapping[str, int]) -> None:
    """Say what of a source is no page.

    Raises:
        ShardError: nothing is.
    """
    parts = {
        name.partition(".")[2]: number
        for name, number in counts.items()
        if name.startswith(("passed_over.", "bad_record."))
    }
    listed = ", ".join(f"{name} {number:,}" for name, number in sorted(parts.items()))
    if not counts.get("pages"):
        raise ShardError(
            f"{shown_path(source.path)} holds no page or text ({listed or 'its files are empty'}): "
            "look at the files, and whether they are what they are taken for"
        )
    if listed:
        logger.info(
            "%s: %s pages; besides: %s", shown_path(source.path), f"{counts['pages']:,}", listed
        )


def log_shared_ids(store: ColumnStore, task: str, num_shards: int, beside: str) -> int:
    """Say how many pages bear the record id of a page in another shard; returns the number.

    Within a shard such a record is passed over (`same_id`). Across shards each stays a row, and
    what is asked or removed by its id means all of them.
    """
    paths = [store.path(task, shard, beside) for shard in range(num_shards)]
    keys = [_id_keys(store.read_table(path, [ID.name])[ID.name]) for path in paths]
    whole = np.concatenate(keys)
    shared = len(whole) - len(np.unique(whole))
    if shared:
        logger.warning(
            "%s pages have the WARC-Record-ID of a page in another shard: each is kept, and what "
            "is removed by that id goes in all of them",
            f"{shared:,}",
        )
    return shared


def _id_keys(ids: pa.ChunkedArray) -> npt.NDArray[np.uint64]:
    digests = b"".join(blake2b(one.as_py().encode(), digest_size=8).digest() for one in ids)
    return np.frombuffer(digests, np.uint64)


def log_refusals(counts: Mapping[str, int], min_chars: int, languages: Sequence[str]) -> None:
    """Name the settings by which pages of one's own were refused."""
    settings = {
        "too_short": f"shorter than [HashParagraphs] min_chars = {min_chars} characters",
        "language": f"in none of [CCNet] languages = {','.join(languages)}",
        "all_repeated": "nothing but paragraphs of other pages ([CCNet] paragraphs)",
    }
    for reason, meaning in settings.items():
        if refused := counts.get(f"refused.{reason}", 0):
            logger.warning(
                "%s of %s pages are %s, and left out (%s)",
                f"{refused:,}",
                f"{counts.get('pages', 0):,}",
                meaning,
                reason,
            )
