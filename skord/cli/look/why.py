"""The whole story of one page: its row in every table, and where and why it ended."""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.export import OFF, ExportCorpus
from pipeline.quality_filtering import FilterDocuments
from skord.cli.declarations import WhyPart
from skord.cli.json_output import print_json
from skord.cli.look.funnel import NEAR_DUPLICATE, reasons_to_end
from skord.cli.look.status import dumps_with_data
from skord.core.config import open_storage
from skord.core.dumps import check_dump
from skord.core.error_messages import printable
from skord.core.failures import ConfigError
from skord.core.preflight import check_settings
from skord.core.readable import check_readable
from skord.core.registry import task_classes
from skord.core.storage.column_store import ColumnStore
from skord.core.tasks.document_task import DocumentTask
from skord.extras import TaskModule, declared
from skord.publishing.manifest import removed_pages
from skord.publishing.pseudonyms import marked_personal_data
from skord.quality.features import features_of_extras, tasks_on_request
from skord.rights.reservations import deciding_reservations

LONG = 200
"""Characters of a value that are shown."""

TEXTS = {"ProcessMarkdown": "text", "ConvertToMarkdown": "content", "CCNet": "raw_content"}
"""Where a sentence is looked for, the last form of the text first."""

_MOST_PAGES = 10
"""Told of, of those that hold a sentence."""

EXPORT = str(ExportCorpus.__name__)

BESIDE = (
    "DetectReservations",
    *(task for module in declared(TaskModule) for task in module.of_pages),
)
"""Tasks on request that describe a page; shown where they have run."""

Row = Mapping[str, Any]

Limits = Mapping[str, tuple[float, float]]

_NEXT = "the next export leaves the page out"


@dataclass(frozen=True)
class PageStory:
    """One page through the tables of a dump.

    Attributes:
        tables: task to the page's row in it, in the order of the graph; the refused pages' table
            is `CCNet (refused)`.
        limits: task to the limits in force on its columns.
        outcome: `ended` in `task` for `reason`; `waits` for `task`; `removed` by a list that
            `reason` names; `left_out` of what is published for `reason`; or `kept`.
        undecided: what a kept page bears that no export has decided by, in sentences.
    """

    dump: str
    shard: int
    id: str
    url: str
    tables: Mapping[str, Row]
    limits: Mapping[str, Limits]
    outcome: str
    task: str | None = None
    reason: str | None = None
    undecided: tuple[str, ...] = ()


def run(options: argparse.Namespace) -> None:
    """Print the story of a page, or of those that hold the words."""
    check_settings()
    storage = open_storage()
    dumps = [options.dump] if options.dump else dumps_with_data(ColumnStore(storage, ""))
    if options.text is not None and not options.text.strip():
        raise ConfigError("why: --text is empty: give words of the page")
    if (options.page is None) == (options.text is None):
        raise ConfigError("why: give either a URL or id, or --text and words of the page")
    if not dumps:
        raise ConfigError(
            f"nothing in {storage.shown_url} yet: name another folder with --data-dir"
        )
    stories: list[PageStory] = []
    for dump in dumps:
        check_dump(dump, storage)
        check_readable(dump)
        store = ColumnStore(storage, dump)
        pages = [options.page] if options.page else pages_with(store, options.text)
        if options.json:
            stories += (one for page in pages for one in capture_stories(store, page))
            continue
        if not pages:
            print(f"no selected page of {dump} has these words")
        for page in pages:
            print("\n".join(page_story(store, page)))
    if options.json:
        print_json(stories)


def page_story(store: ColumnStore, page: str) -> Iterator[str]:
    """Lines for people about the page with this URL or id.

    Yields:
        Its row in every table it reached, and last the task and reason where it ended.
    """
    any_page = False
    for one in capture_stories(store, page):
        any_page = True
        yield from _lines_of(one)
    if not any_page:
        yield (
            f"CCNet has selected no page of dump {store.dump} yet: run the graph first"
            if not _num_shards(store)
            else f"{page} is not among the pages of dump {store.dump}: it was not crawled, has no "
            "readable WET record, or is spelt otherwise (http or https, www, final slash)"
        )


def capture_stories(store: ColumnStore, page: str) -> Iterator[PageStory]:
    """What became of each capture of the page with this URL or id."""
    for shard in range(_num_shards(store)):
        for phase in ("shard", "refused"):
            path = store.path("CCNet", shard, phase)
            if store.storage.exists(path):
                for row in _matching(store, path, page):
                    yield _story(store, shard, row, refused=phase == "refused")


def pages_with(store: ColumnStore, sentence: str) -> list[str]:
    """Ids of pages whose text holds these words, in any case of letters.

    The extracted text is looked at first, then the Markdown, then the WET text, and the first
    of them that has any page decides.
    """
    for task, column in TEXTS.items():
        pages: list[str] = []
        for shard in range(_num_shards(store)):
            path = store.path(task, shard)
            if len(pages) < _MOST_PAGES and store.storage.exists(path):
                pages += _holding(store, path, column, sentence)
        if pages:
            return pages[:_MOST_PAGES]
    return []


def _holding(store: ColumnStore, path: str, column: str, sentence: str) -> Iterator[str]:
    with store.open_parquet(path) as file:
        for group in range(file.num_row_groups):
            table = file.read_row_group(group, columns=["id", column])
            hit = pc.match_substring(table[column], sentence, ignore_case=True)
            yield from table["id"].filter(pc.fill_null(hit, False)).to_pylist()


def _num_shards(store: ColumnStore) -> int:
    return max(store.numbers("CCNet"), default=-1) + 1


def _matching(store: ColumnStore, path: str, page: str) -> list[Row]:
    """Rows with this URL or id; the two columns are read first, the rest only on a hit."""
    keys = store.read_table(path, ["id", "url"])
    hit = pc.or_(pc.equal(keys["id"], page), pc.equal(keys["url"], page))
    if not pc.any(hit).as_py():
        return []
    rows: list[Row] = store.read_table(path).filter(hit).to_pylist()
    return rows


def _story(store: ColumnStore, shard: int, row: Row, *, refused: bool) -> PageStory:
    so_far = partial(PageStory, store.dump, shard, str(row["id"]), str(row["url"]))
    if refused:
        reason = f"{row['reason']}{_refusal_detail(row, store)}"
        return so_far({"CCNet (refused)": row}, {}, "ended", "CCNet", reason)
    tables: dict[str, Row] = {"CCNet": row}
    limits: dict[str, Limits] = {}
    for name, cls in task_classes().items():
        if not issubclass(cls, DocumentTask) or cls.on_request:
            continue
        path = store.path(name, shard)
        if not store.storage.exists(path):
            return so_far(tables, limits, "waits", name)
        table = store.read_table(path)
        tables[name] = table.filter(pc.equal(table["id"], row["id"])).to_pylist()[0]
        limits[name] = _limits(cls, store.dump)
        if reason := _end(cls, tables[name], store.dump):
            return so_far(tables, limits, "ended", name, reason)
    beside = {task: _row_of(store, task, shard, str(row["id"])) for task in BESIDE}
    tables.update({task: state for task, state in beside.items() if state})
    if removed := removed_pages(store, EXPORT).get(str(row["id"])):
        return so_far(tables, limits, "removed", reason=removed)
    export = ExportCorpus(dump=store.dump)
    limits.update(dict.fromkeys(tasks_on_request(), export.limits_in_force()))
    if left_out := _row_of(store, EXPORT, shard, str(row["id"])).get("left_out"):
        return so_far(tables, limits, "left_out", reason=left_out)
    return so_far(tables, limits, "kept", undecided=tuple(undecided_sentences(tables, export)))


def undecided_sentences(tables: Mapping[str, Row], export: ExportCorpus) -> Iterator[str]:
    """Sentences on what a page bears that is still in, each with the setting that decides."""
    yield from _measures(tables, export)
    for part in declared(WhyPart):
        yield from part.sentences(tables, export)
    yield from _reservations(tables.get("DetectReservations", {}), export)
    yield from _personal_data(tables.get("ProcessMarkdown", {}), export)


def _measures(tables: Mapping[str, Row], export: ExportCorpus) -> Iterator[str]:
    values = {name: value for row in tables.values() for name, value in row.items()}
    in_force = export.limits_in_force()
    for name, limits in in_force.items():
        if _is_outside(values.get(name), limits):
            yield f"{name} = {values[name]:g} is outside of {range_of(limits)}: {_NEXT}"
    for one in features_of_extras():
        value, limits = values.get(one.name), (one.low, one.high)
        if one.name not in in_force and _is_outside(value, limits):
            yield (
                f"{one.name} = {value:g}, where {range_of(limits)} is suggested: "
                "[ExportCorpus] limits decides, and does not name it"
            )


def _reservations(row: Row, export: ExportCorpus) -> Iterator[str]:
    reservations = row.get("reservations") or ()
    if deciding_reservations(reservations, export.reservations):
        yield f"its owner reserves it: {_NEXT}"
    elif reservations:
        sources = ", ".join(dict.fromkeys(str(one["source"]) for one in reservations))
        yield (
            f"its owner reserves it ({sources}): [ExportCorpus] reservations decides, and names "
            "none of these"
        )


def _personal_data(row: Row, export: ExportCorpus) -> Iterator[str]:
    left = export.kinds(OFF)
    counts = Counter(one.kind for one in marked_personal_data(row.get("text") or "", left))
    if counts:
        counted = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items()))
        yield f"its text holds {counted}: [ExportCorpus] personal_data decides, and leaves them"


def _is_outside(value: object, limits: tuple[float, float]) -> bool:
    return isinstance(value, int | float) and not limits[0] <= value <= limits[1]


def range_of(limits: tuple[float, float]) -> str:
    """Limits as a person reads them.

    >>> range_of((3, float("inf"))), range_of((0.0, 0.05))
    ('from 3', '0 to 0.05')
    """
    low, high = limits
    if math.isinf(high):
        return f"from {low:g}"
    return f"up to {high:g}" if math.isinf(low) else f"{low:g} to {high:g}"


def _lines_of(page: PageStory) -> Iterator[str]:
    yield f"{printable(page.url)}  {page.id}  dump {page.dump} shard {page.shard:05d}"
    for name, row in page.tables.items():
        yield from _table(name, row, page.limits.get(name))
    yield {
        "ended": f"=> ended in {page.task}: {page.reason}",
        "waits": f"=> {page.task} has not come to it yet",
        "removed": f"=> kept, and taken out of what is published by a list: {page.reason}",
        "left_out": f"=> kept, and left out of what is published: {page.reason}",
        "kept": "=> kept",
    }[page.outcome]
    yield from (f"   though {one}" for one in page.undecided)


def _refusal_detail(row: Row, store: ColumnStore) -> str:
    settings: Mapping[str, str] = (store.manifest("CCNet") or {}).get("settings", {})
    if row["reason"] == "language" and settings:
        return (
            f" (best is {row['language']} at {row['language_score']:.2f}; wanted "
            f"{settings.get('rule')} of {settings.get('languages')} at "
            f"{settings.get('min_score')} or more)"
        )
    if row["reason"] == "site":
        return " (not one that [sites] takes)"
    if row["reason"] == "too_short":
        return f" ({row['original_length']} characters, [HashParagraphs] min_chars not reached)"
    return ""


def _row_of(store: ColumnStore, task: str, shard: int, page_id: str) -> Row:
    """The page's row in a task's table; empty where the task has not run."""
    path = store.path(task, shard)
    if not store.storage.exists(path):
        return {}
    table = store.read_table(path)
    rows: list[Row] = table.filter(pc.equal(table["id"], page_id)).to_pylist()
    return rows[0] if rows else {}


def _limits(cls: type[DocumentTask], dump: str) -> Limits:
    """The limits in force on columns of this task."""
    task = cls(dump=dump)
    return task.feature_limits() if isinstance(task, FilterDocuments) else {}


def _end(cls: type[DocumentTask], row: Row, dump: str) -> str:
    """Why the page ends in this task; empty when it does not."""
    reasons = reasons_to_end(row)
    if reasons == (NEAR_DUPLICATE,):
        alike = f"similarity {row['similarity']:.2f}"
        return f"near-duplicate of {row['duplicate_of']} ({alike}), which is kept"
    if row["failure"] or not reasons:
        return "".join(reasons)
    limits = _limits(cls, dump)
    return "; ".join(
        f"{name} = {row[name]:g}"
        + (f", limits {range_of(limits[name])}" if name in limits else ", by limits since changed")
        for name in reasons
    )


def _table(task: str, row: Row, limits: Limits | None = None) -> Iterator[str]:
    """What a task holds of the page.

    >>> list(_table("LabelRegisters", {"id": "a", "registers": None}))
    ['  LabelRegisters', '    nothing of this page: every column is null']
    """
    yield f"  {task}"
    if all(value is None for name, value in row.items() if name not in ("id", "url")):
        yield "    nothing of this page: every column is null"
    for name, value in row.items():
        if name == "reservations":
            if value == []:
                yield "    nothing is reserved"
            for one in value or ():
                yield f"    {one['source']} for {one['agent']}: “{printable(one['words'])}”"
        elif name not in ("id", "url") and value is not None:
            limited = f"  (limits {range_of(limits[name])})" if limits and name in limits else ""
            yield f"    {name}: {_short(value)}{limited}"


def _short(value: object) -> str:
    if isinstance(value, bytes):
        return f"{len(value):,} bytes"
    text = printable(str(value).replace("\n", "⏎"))
    return text if len(text) <= LONG else f"{text[:LONG]}… ({len(text):,} characters)"


def kept_texts(store: ColumnStore, number: int) -> list[tuple[str, str]]:
    """The first texts that every task kept, as (URL, text)."""
    wanted = {
        "ConvertToMarkdown": ["url"],
        "ProcessMarkdown": ["text"],
        "Deduplicate": ["dedup_keep"],
    }
    shown: list[tuple[str, str]] = []
    for shard in range(_num_shards(store)):
        for _, batch in store.side_by_side(shard, wanted):
            keep = pc.fill_null(batch["Deduplicate.dedup_keep"], pa.scalar(value=False))
            kept = batch.filter(keep).slice(0, number - len(shown))
            texts = kept["ProcessMarkdown.text"].to_pylist()
            shown += zip(kept["ConvertToMarkdown.url"].to_pylist(), texts, strict=True)
            if len(shown) >= number:
                return shown
    return shown
