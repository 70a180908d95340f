"""What is to be taken out of the corpus: list it, take it out, prove that it is gone."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from skord.cli.arguments.publish import INCOMPLETE, WRITTEN
from skord.cli.json_output import print_json
from skord.cli.look.status import dumps_with_data
from skord.core.config import open_storage
from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.crawl.config import open_crawl
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
    if options.json:
        print_json({"list": name, "entries": kinds})
        return
    print(f"{name}: " + ", ".join(f"{kind} {number:,}" for kind, number in sorted(kinds.items())))
    print("not taken out of anything yet: skord removals apply")


def _day(said: str) -> str:
    try:
        return (date.fromisoformat(said) if said else datetime.now(UTC).date()).isoformat()
    except ValueError as error:
        raise ConfigError(f"--date {said}: give a day as 2024-03-01") from error


def _entries(options: argparse.Namespace) -> Iterator[Entry]:

    for kind in map(RemovalKind, WRITTEN):
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
    """Addresses that a reservation in any dump names: what one dump told holds for all."""

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
    if options.json:
        names = list_names(storage)
        print_json(
            list(audit_log(storage))
            if options.log
            else {name: read_list(storage, name).to_pylist() for name in names}
        )
        return
    if options.log:
        for one in audit_log(storage):
            rest = ", ".join(f"{k} {v}" for k, v in one.items() if k not in ("time", "verb"))
            print(f"{one['time']}  {one['verb']}  {rest}")
        return
    for name in list_names(storage):
        rows = read_list(storage, name).to_pylist()
        first = rows[0]
        print(f"{name}  {first['date']}  {first['reason']}  {first['reference']}")
        for row in rows:
            rules = f"  {row['rules']}".replace("\n", "; ") if row["rules"] else ""
            print(f"  {row['kind']}  {row['value']}{rules}")


def _published(storage: Storage, said: str) -> list[ColumnStore]:
    """The dumps that are published, or those said."""
    dumps = [d.strip() for d in said.split(",") if d.strip()]
    there = dumps_with_data(ColumnStore(storage, ""))
    if not there:
        raise ConfigError(
            f"{storage.shown_url} is not there, or holds no dump: name the data folder with "
            "--data-dir"
        )
    stores = [ColumnStore(storage, dump) for dump in dumps or there]
    return [store for store in stores if dumps or store.manifest(EXPORT)]


def apply(options: argparse.Namespace) -> None:
    """Take what is listed out of what is published."""

    storage = open_storage()
    told = []
    for store in _published(storage, options.dumps):
        taken = apply_removals(store, EXPORT)
        told.append({"dump": store.dump, "taken_out": taken})
        if options.json:
            continue
        files = sorted({one["file"] for one in taken})
        kinds = ", ".join(f"{k} {n}" for k, n in sorted(Counter(t["kind"] for t in taken).items()))
        print(f"{store.dump}: {len(taken)} pages taken out of {len(files)} files"
              + (f" ({kinds})" if kinds else ""))  # fmt: skip
    if options.json:
        print_json(told)


def check_removals(options: argparse.Namespace) -> int:
    """Look for what is listed in what is published."""

    storage = open_storage()
    removals = load_removals(storage)
    told: list[dict[str, str]] = []
    stores = _published(storage, options.dumps)
    for store in stores:
        here = list(removals_left(store, EXPORT, removals))
        told += ({"dump": store.dump, "file": name, "what": str(what)} for name, what in here)
        note_in_audit_log(storage, "check", {"dump": store.dump, "lists": list(list_names(storage)),
                                "found": len(here)})  # fmt: skip
    if options.json:
        print_json({"dumps": len(stores), "entries": len(removals.entries), "left": told})
        return INCOMPLETE if told else 0
    for one in told:
        print(one["dump"], one["file"], one["what"])
    print(f"{len(stores)} dumps, {len(removals.entries):,} entries: {len(told)} things left")
    return INCOMPLETE if told else 0
