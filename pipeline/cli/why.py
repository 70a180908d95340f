"""The whole story of one page: its row in every table, and where and why it ended."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.cli.status import dumps_with_data
from pipeline.cli.verdicts import NEAR_DUPLICATE, reasons_to_end
from pipeline.core.column_store import ColumnStore
from pipeline.core.config import open_storage
from pipeline.core.document_task import DocumentTask
from pipeline.core.dumps import check_dump
from pipeline.core.failures import ConfigError
from pipeline.core.preflight import check_settings
from pipeline.core.registry import task_classes
from pipeline.publishing.apply_removals import removed_pages
from pipeline.quality_filtering import FilterDocuments

LONG = 200
"""Characters of a value that are shown."""

TEXTS = {"ProcessMarkdown": "text", "ConvertToMarkdown": "content", "CCNet": "raw_content"}
"""Where a sentence is looked for, the last form of the text first."""

EXPORT = "ExportCorpus"

BESIDE = ("DetectReservations",)
"""Tasks on request that tell of a page; shown where they have run."""

Row = Mapping[str, Any]


def run(options: argparse.Namespace) -> None:
    """Print the story of a page, or of those that hold the words."""
    check_settings()
    storage = open_storage()
    dumps = [options.dump] if options.dump else dumps_with_data(ColumnStore(storage, ""))
    if (options.page is None) == (options.text is None):
        raise ConfigError("why: give either a URL or id, or --text and words of the page")
    if not dumps:
        raise ConfigError(
            f"nothing in {storage.shown_url} yet: name another folder with --data-dir"
        )
    for dump in dumps:
        check_dump(dump, storage)
        store = ColumnStore(storage, dump)
        pages = [options.page] if options.page else pages_with(store, options.text)
        if not pages:
            print(f"no page of dump {dump} has these words, selected pages being looked at")
        for page in pages:
            print("\n".join(story(store, page)))


def story(store: ColumnStore, page: str) -> Iterator[str]:
    """Lines for people about the page with this URL or id.

    Yields:
        Its row in every table it reached, and last the task and reason where it ended.
    """
    found = False
    for shard in range(_num_shards(store)):
        for phase in ("shard", "refused"):
            path = store.path("CCNet", shard, phase)
            if store.storage.exists(path):
                for row in _matching(store, path, page):
                    found = True
                    yield from _of_row(store, shard, row, refused=phase == "refused")
    if not found:
        yield (
            f"CCNet has selected no page of dump {store.dump} yet: run the graph first"
            if not _num_shards(store)
            else f"{page} is not among the pages of dump {store.dump}: it was not crawled, has no "
            "readable WET record, or is spelt otherwise (http or https, www, final slash)"
        )


def pages_with(store: ColumnStore, sentence: str, most: int = 10) -> list[str]:
    """Ids of pages whose text holds these words, in any case of letters.

    The extracted text is looked at first, then the Markdown, then the WET text, and the first
    of them that has any page decides.

    Args:
        store: of the dump.
        sentence: looked for as it stands.
        most: pages that are enough.
    """
    for task, column in TEXTS.items():
        found: list[str] = []
        for shard in range(_num_shards(store)):
            path = store.path(task, shard)
            if len(found) < most and store.storage.exists(path):
                found += _holding(store, path, column, sentence)
        if found:
            return found[:most]
    return []


def _holding(store: ColumnStore, path: str, column: str, sentence: str) -> Iterator[str]:
    with store.open_parquet(path) as file:
        for group in range(file.num_row_groups):
            table = file.read_row_group(group, columns=["id", column])
            hit = pc.match_substring(table[column], sentence, ignore_case=True)
            yield from table["id"].filter(pc.fill_null(hit, False)).to_pylist()


def _num_shards(store: ColumnStore) -> int:
    names = store.storage.names(store.folder("CCNet"))
    numbers = [int(name[:5]) for name in names if name[:5].isdigit()]
    return max(numbers, default=-1) + 1


def _matching(store: ColumnStore, path: str, page: str) -> list[Row]:
    """Rows with this URL or id; the two columns are read first, the rest only on a hit."""
    keys = store.read_table(path, ["id", "url"])
    hit = pc.or_(pc.equal(keys["id"], page), pc.equal(keys["url"], page))
    if not pc.any(hit).as_py():
        return []
    rows: list[Row] = store.read_table(path).filter(hit).to_pylist()
    return rows


def _of_row(store: ColumnStore, shard: int, row: Row, *, refused: bool) -> Iterator[str]:
    yield f"{row['url']}  {row['id']}  dump {store.dump} shard {shard:05d}"
    if refused:
        yield from _table("CCNet (refused)", row)
        yield f"=> ended in CCNet: {row['reason']}{_refusal_detail(row, store)}"
        return
    yield from _table("CCNet", row)
    yield from _later_tables(store, shard, str(row["id"]))


def _refusal_detail(row: Row, store: ColumnStore) -> str:
    settings: Mapping[str, str] = (store.manifest("CCNet") or {}).get("settings", {})
    if row["reason"] == "language" and settings:
        return (
            f" (best is {row['language']} at {row['language_score']:.2f}; wanted "
            f"{settings.get('rule')} of {settings.get('languages')} at "
            f"{settings.get('min_score')} or more)"
        )
    if row["reason"] == "too_short":
        return f" ({row['original_length']} characters, HashParagraphs min_chars not reached)"
    return ""


def _later_tables(store: ColumnStore, shard: int, page_id: str) -> Iterator[str]:
    for name, cls in task_classes().items():
        if not issubclass(cls, DocumentTask) or cls.on_request:
            continue
        path = store.path(name, shard)
        if not store.storage.exists(path):
            yield f"=> {name} has not come to it yet"
            return
        table = store.read_table(path)
        row = table.filter(pc.equal(table["id"], page_id)).to_pylist()[0]
        yield from _table(name, row, _limits(cls, store.dump))
        verdict = _verdict(cls, row, store.dump)
        if verdict:
            yield f"=> ended in {name}: {verdict}"
            return
    yield from _beside(store, shard, page_id)
    removed = removed_pages(store, EXPORT).get(page_id)
    if removed:
        yield f"=> kept, and taken out of what is published by a list: {removed}"
    elif left_out := _row_of(store, EXPORT, shard, page_id).get("left_out"):
        yield f"=> kept, and left out of what is published: {left_out}"
    else:
        yield "=> kept"


def _beside(store: ColumnStore, shard: int, page_id: str) -> Iterator[str]:
    for task in BESIDE:
        row = _row_of(store, task, shard, page_id)
        yield from (
            _table(task, {n: v for n, v in row.items() if n != "reservations"}) if row else ()
        )
        for one in row.get("reservations") or ():
            yield f"    {one['source']} for {one['agent']}: “{one['words']}”"


def _row_of(store: ColumnStore, task: str, shard: int, page_id: str) -> Row:
    """The page's row in a task's table; empty where the task has not run."""
    path = store.path(task, shard)
    if not store.storage.exists(path):
        return {}
    table = store.read_table(path)
    rows: list[Row] = table.filter(pc.equal(table["id"], page_id)).to_pylist()
    return rows[0] if rows else {}


def _limits(cls: type[DocumentTask], dump: str) -> Mapping[str, tuple[float, float]]:
    """The limits in force on columns of this task."""
    task = cls(dump=dump)
    return task.feature_limits() if isinstance(task, FilterDocuments) else {}


def _verdict(cls: type[DocumentTask], row: Row, dump: str) -> str:
    """Why the page goes no further than this task; empty when it does."""
    reasons = reasons_to_end(row)
    if reasons == (NEAR_DUPLICATE,):
        alike = f"similarity {row['similarity']:.2f}"
        return f"near-duplicate of {row['duplicate_of']} ({alike}), which is kept"
    if row["failure"] or not reasons:
        return "".join(reasons)
    limits = _limits(cls, dump)
    return "; ".join(
        f"{name} = {row[name]:g}"
        + (f", limits {_range(limits[name])}" if name in limits else ", by limits since changed")
        for name in reasons
    )


def _table(
    task: str, row: Row, limits: Mapping[str, tuple[float, float]] | None = None
) -> Iterator[str]:
    yield f"  {task}"
    for name, value in row.items():
        if name not in ("id", "url") and value is not None:
            limited = f"  (limits {_range(limits[name])})" if limits and name in limits else ""
            yield f"    {name}: {_short(value)}{limited}"


def _range(pair: tuple[float, float]) -> str:
    """Limits as a person reads them.

    >>> _range((3, float("inf"))), _range((0.0, 0.05))
    ('from 3', '0 to 0.05')
    """
    low, high = pair
    if math.isinf(high):
        return f"from {low:g}"
    return f"up to {high:g}" if math.isinf(low) else f"{low:g} to {high:g}"


def _short(value: object) -> str:
    if isinstance(value, bytes):
        return f"{len(value):,} bytes"
    text = str(value).replace("\n", "⏎")
    return text if len(text) <= LONG else f"{text[:LONG]}… ({len(text):,} characters)"


def kept_texts(store: ColumnStore, number: int) -> list[tuple[str, str]]:
    """The first texts that every task kept, as (URL, text)."""
    wanted = {
        "ConvertToMarkdown": ["url"],
        "ProcessMarkdown": ["text"],
        "Deduplicate": ["dedup_keep"],
    }
    found: list[tuple[str, str]] = []
    for shard in range(_num_shards(store)):
        for _, batch in store.side_by_side(shard, wanted):
            keep = pc.fill_null(batch["Deduplicate.dedup_keep"], pa.scalar(value=False))
            kept = batch.filter(keep).slice(0, number - len(found))
            texts = kept["ProcessMarkdown.text"].to_pylist()
            found += zip(kept["ConvertToMarkdown.url"].to_pylist(), texts, strict=True)
            if len(found) >= number:
                return found
    return found
