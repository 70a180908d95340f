"""What is to be taken out of the corpus: list it, take it out, prove that it is gone."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from pipeline.export import WithoutRemovedPages
from skord.cli.commands import LISTED_KINDS
from skord.cli.console import run_tasks
from skord.cli.json_output import print_asked, print_json
from skord.cli.look.status import dumps_with_data
from skord.cli.parser import INCOMPLETE
from skord.core.config import open_storage
from skord.core.failures import ConfigError, PipelineError
from skord.core.registry import task_classes
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.crawl.config import open_crawl
from skord.publishing.card.figures import Row
from skord.publishing.removals.apply import apply_removals, removals_left
from skord.publishing.removals.lists import (
    Request,
    add_list,
    audit_log,
    list_names,
    load_removals,
    note_in_audit_log,
    read_list,
)
from skord.publishing.removals.receipts import write_receipts
from skord.publishing.removals.requests import AGENT, Entry, RemovalKind, comparable_entry
from skord.publishing.removals.robots_lists import (
    entries_of_crawl,
    entries_of_text,
    entries_of_warc,
)
from skord.rights.reservations import are_reserved

EXPORT = "ExportCorpus"
RESERVATIONS = "DetectReservations"


def add_removals(options: argparse.Namespace) -> None:
    """List what is asked for; nothing is taken out of anything yet."""
    storage = open_storage()
    day = _day(options.date)
    try:
        entries = list(dict.fromkeys(_entries(options)))
        name = add_list(storage, entries, Request(options.reason, options.reference, day))
    except ValueError as error:
        raise ConfigError(f"removals add: {error}") from error
    kinds = Counter(one.kind for one in entries)
    what = {
        "list": name, "entries": dict(kinds), "reason": options.reason,
        "reference": options.reference, "date": day,
    }  # fmt: skip
    note_in_audit_log(storage, "add", what)
    counted = ", ".join(f"{kind} {number:,}" for kind, number in sorted(kinds.items()))
    not_yet = "not taken out of anything yet: skord publish removals apply"
    print_asked(options, {"list": name, "entries": kinds}, [f"{name}: {counted}", not_yet])


def _day(given: str) -> str:
    try:
        return (date.fromisoformat(given) if given else datetime.now(UTC).date()).isoformat()
    except ValueError as error:
        raise ConfigError(f"--date {given}: give a day as 2024-03-01") from error


def _entries(options: argparse.Namespace) -> Iterator[Entry]:

    for kind in map(RemovalKind, LISTED_KINDS):
        for written in getattr(options, kind):
            yield comparable_entry(kind, written)
        for path in getattr(options, f"{kind}_file"):
            yield from (comparable_entry(kind, line) for line in _lines(path))
    agents = tuple(options.agent) or (AGENT,)
    for path in options.robots:
        yield from entries_of_warc(path, agents)
    for site, path in options.robots_txt:
        yield from entries_of_text(site, Path(path), agents)
    yield from _reserved(options.reserved)
    if options.robots_dump:
        with open_crawl() as crawl:
            yield from entries_of_crawl(crawl, options.robots_dump, agents)


def _reserved(patterns: Sequence[str]) -> Iterator[Entry]:
    """Addresses that a reservation in any dump names: what was found in one dump holds for all."""
    storage = open_storage()
    for dump in dumps_with_data(ColumnStore(storage, "")) if patterns else ():
        store = ColumnStore(storage, dump)
        manifest = store.manifest(RESERVATIONS) or {"num_shards": 0}
        for shard in range(int(manifest["num_shards"])):
            wanted = {RESERVATIONS: ["reservations"], "CCNet": ["url"]}
            for _, batch in store.side_by_side(shard, wanted):
                reserved = are_reserved(batch[f"{RESERVATIONS}.reservations"], patterns)
                urls = batch["CCNet.url"].to_pylist()
                yield from (
                    comparable_entry("url", url)
                    for url, no in zip(urls, reserved, strict=True)
                    if no
                )


def _lines(path: Path) -> Iterator[str]:
    """Lines of a list; blank ones and those that begin with a number sign say nothing."""
    try:
        lines = map(str.strip, path.read_text("utf-8").splitlines())
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read ({error})") from error
    return (line for line in lines if line and not line.startswith("#"))


def print_removals(options: argparse.Namespace) -> None:
    """Print the lists, or the audit log."""
    storage = open_storage()
    if options.log:
        notes = list(audit_log(storage))
        print_asked(options, notes, map(_log_line, notes))
    else:
        lists = {name: read_list(storage, name).to_pylist() for name in list_names(storage)}
        print_asked(options, lists, _list_lines(lists))


def _log_line(note: Mapping[str, Any]) -> str:
    rest = ", ".join(f"{k} {v}" for k, v in note.items() if k not in ("time", "verb"))
    return f"{note['time']}  {note['verb']}  {rest}"


def _list_lines(lists: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    for name, rows in lists.items():
        first = rows[0]
        yield f"{name}  {first['date']}  {first['reason']}  {first['reference']}"
        for row in rows:
            rules = f"  {row['rules']}".replace("\n", "; ") if row["rules"] else ""
            yield f"  {row['kind']}  {row['value']}{rules}"


def _dumps_named(storage: Storage, names: str) -> list[ColumnStore]:
    """The dumps that are named, or else all in which something is published.

    Raises:
        ConfigError: none is named, and nothing is there that there could be removals of.
    """
    dumps = [d.strip() for d in names.split(",") if d.strip()]
    there = dumps_with_data(ColumnStore(storage, ""))
    if not there and not dumps and not list_names(storage):
        raise ConfigError(
            f"{storage.shown_url} is not there, or holds no dump: name the data folder with "
            "--data-dir"
        )
    stores = [ColumnStore(storage, dump) for dump in dumps or there]
    return [store for store in stores if dumps or store.manifest(EXPORT) or any(_forms(store))]


def _forms(store: ColumnStore) -> Iterator[WithoutRemovedPages]:
    """Tasks that publish in other forms and have files here, each with the settings it had."""
    for family, cls in task_classes().items():
        if issubclass(cls, WithoutRemovedPages) and store.storage.names(store.folder(family)):
            settings = (store.manifest(family) or {}).get("settings", {})
            yield cls.from_str_params({"dump": store.dump, **settings})


def apply(options: argparse.Namespace) -> int:
    """Take what is listed out of what is published."""
    storage = open_storage()
    dumps = []
    stale: list[str] = []
    for store in _dumps_named(storage, options.dumps):
        forms = list(_forms(store))
        taken: list[Row] = []
        if store.manifest(EXPORT) or not forms:
            taken = apply_removals(store, EXPORT)
        behind = [form for form in forms if not _has_lost_removed(form)]
        stale += (f"{form.task_family} {store.dump}" for form in behind)
        dumps.append({"dump": store.dump, "taken_out": taken,
                     "not_made_again": [form.task_family for form in behind]})  # fmt: skip
        if options.json:
            continue
        files = sorted({one["file"] for one in taken})
        kinds = ", ".join(f"{k} {n}" for k, n in sorted(Counter(t["kind"] for t in taken).items()))
        print(f"{store.dump}: {len(taken)} pages taken out of {len(files)} files"
              + (f" ({kinds})" if kinds else ""))  # fmt: skip
        for form in forms:
            print(_form_line(form, is_behind=form in behind))
    receipts = write_receipts(storage)
    if options.json:
        print_json(dumps)
        return INCOMPLETE if stale else 0
    for path in receipts:
        print(f"receipt: {storage.shown(path)}")
    return INCOMPLETE if stale else 0


def _has_lost_removed(form: WithoutRemovedPages) -> bool:
    """Make a form again that holds what is listed; returns whether it is as it should be then."""
    if form.is_made:
        return True
    if not all(task.complete() for task in form.upstream()):
        return False
    before = _digests(form)
    try:
        is_made = run_tasks([form])
    except PipelineError as error:
        print(error, file=sys.stderr)
        return False
    if is_made:
        after = _digests(form)
        files = [
            {"name": name, "before": before.get(name), "after": after.get(name)}
            for name in sorted(before.keys() | after.keys())
            if before.get(name) != after.get(name)
        ]
        names = list(list_names(form.store.storage))
        what = {"task": form.task_family, "dump": str(form.dump), "lists": names, "files": files}
        note_in_audit_log(form.store.storage, "form", what)
    return is_made


def _digests(form: WithoutRemovedPages) -> dict[str, str]:
    """The checksum of each published file of a form."""
    storage = form.store.storage
    folder = form.store.file_path(form.task_family, "").rstrip("/")
    return {name: storage.sha256(f"{folder}/{name}") for name in storage.tree(folder)}


def _form_line(form: WithoutRemovedPages, *, is_behind: bool) -> str:
    name = f"{form.task_family} {form.dump}"
    if not is_behind:
        return f"{name}: without the pages that are listed"
    return (
        f"{name}: may hold pages that are listed, and cannot be made again as it was: "
        f"skord run {form.task_family} --dump {form.dump} --replace, or remove its folder"
    )


def _left_in(form: WithoutRemovedPages) -> Iterator[tuple[str, str]]:
    """Pages in the files of a form that should not be there, by name of the file."""
    removed = form.removed()
    for name, page_id, url in form.pages_in_files():
        if (page_id, url) in removed:
            yield f"{form.task_family}/{form.dump}/{name}", f"holds {page_id or url}"


def check_removals(options: argparse.Namespace) -> int:
    """Look for what is listed in what is published."""
    storage = open_storage()
    removals = load_removals(storage)
    left: list[dict[str, str]] = []
    stores = _dumps_named(storage, options.dumps)
    for store in stores:
        forms = list(_forms(store))
        here: list[tuple[str, str]] = []
        if store.manifest(EXPORT) or not forms:
            here += removals_left(store, EXPORT, removals)
        here += (one for form in forms for one in _left_in(form))
        left += ({"dump": store.dump, "file": name, "what": str(what)} for name, what in here)
        note_in_audit_log(storage, "check", {"dump": store.dump, "lists": list(list_names(storage)),
                                "found": len(here)})  # fmt: skip
    entries = len(removals.entries)
    lines = [f"{one['dump']} {one['file']} {one['what']}" for one in left]
    lines.append(f"{len(stores)} dumps, {entries:,} entries: {len(left)} things left")
    print_asked(options, {"dumps": len(stores), "entries": entries, "left": left}, lines)
    return INCOMPLETE if left else 0
