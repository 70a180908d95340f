"""What is to be taken out of the corpus: list it, take it out, prove that it is gone."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from pipeline.cli.status import dumps_with_data
from pipeline.core.column_store import ColumnStore
from pipeline.core.config import open_storage
from pipeline.core.failures import ConfigError
from pipeline.core.storage import Storage
from pipeline.crawl.config import open_crawl
from pipeline.publishing.apply_removals import apply_removals, offenders
from pipeline.publishing.removal_lists import (
    Request,
    add_list,
    list_names,
    load_removals,
    note,
    noted,
    read_list,
)
from pipeline.publishing.removals import AGENT, Entry, RemovalKind, entry
from pipeline.publishing.robots_lists import entries_of_crawl, entries_of_text, entries_of_warc

EXPORT = "ExportCorpus"

LEFT = 3
"""Exit status of `removals check` when something listed is left, or a file is not as published."""

WRITTEN = (RemovalKind.domain, RemovalKind.url, RemovalKind.id, RemovalKind.text)
"""Kinds that a person writes down; `robots` is read from files."""


def add_removals(commands: Any) -> None:
    """Add the command and its verbs to the command line."""
    verbs = commands.add_parser(
        "removals",
        help="take pages out of the corpus by request, and prove it",
        description=__doc__,
    ).add_subparsers(required=True, metavar="VERB")
    add = verbs.add_parser("add", help="list domains, addresses, ids, texts, robots.txt rules")
    for kind in WRITTEN:
        add.add_argument(f"--{kind}", action="append", default=[], metavar=str(kind).upper())
        add.add_argument(f"--{kind}-file", type=Path, action="append", default=[], metavar="FILE")
    add.add_argument("--robots", type=Path, action="append", default=[], metavar="WARC",
                     help="a WARC file with archived robots.txt files")  # fmt: skip
    add.add_argument("--robots-dump", default="", metavar="DUMP",
                     help="all robots.txt files that the crawl archived for a dump")  # fmt: skip
    add.add_argument("--robots-txt", nargs=2, action="append", default=[],
                     metavar=("SITE", "FILE"), help="one robots.txt")  # fmt: skip
    add.add_argument("--agent", action="append", default=[],
                     help=f"whose rules count; {AGENT} if not said")  # fmt: skip
    add.add_argument("--reason", required=True, help="such as take-down, opt-out, robots.txt")
    add.add_argument("--reference", default="", help="by which whoever asked knows the matter")
    add.add_argument("--date", default="", help="of asking, as 2024-03-01; today if not said")
    add.set_defaults(run=_add)
    listed = verbs.add_parser("list", help="what is listed, and what was done about it")
    listed.add_argument("--log", action="store_true", help="the audit log")
    listed.set_defaults(run=_list)
    for name, run, text in (
        ("apply", _apply, "take what is listed out of what is published"),
        ("check", _check, "prove that nothing listed is left in what is published"),
    ):
        verb = verbs.add_parser(name, help=text)
        verb.add_argument("--dumps", default="", help="all that are published when left out")
        verb.set_defaults(run=run)


def _add(options: argparse.Namespace) -> None:
    storage = open_storage()
    day = _day(options.date)
    try:
        entries = list(dict.fromkeys(_entries(options)))
        name = add_list(storage, entries, Request(options.reason, options.reference, day))
    except ValueError as error:
        raise ConfigError(f"removals add: {error}") from error
    kinds = Counter(one.kind for one in entries)
    note(storage, "add", {"list": name, "entries": dict(kinds), "reason": options.reason,
                          "reference": options.reference, "date": day})  # fmt: skip
    print(f"{name}: " + ", ".join(f"{kind} {number:,}" for kind, number in sorted(kinds.items())))
    print("not taken out of anything yet: python -m pipeline removals apply")


def _day(said: str) -> str:
    try:
        return (date.fromisoformat(said) if said else datetime.now(UTC).date()).isoformat()
    except ValueError as error:
        raise ConfigError(f"--date {said}: give a day as 2024-03-01") from error


def _entries(options: argparse.Namespace) -> Iterator[Entry]:
    for kind in WRITTEN:
        for written in getattr(options, kind):
            yield entry(kind, written)
        for path in getattr(options, f"{kind}_file"):
            yield from (entry(kind, line) for line in _lines(path))
    agents = tuple(options.agent) or (AGENT,)
    for path in options.robots:
        yield from entries_of_warc(path, agents)
    for site, path in options.robots_txt:
        yield from entries_of_text(site, Path(path), agents)
    if options.robots_dump:
        with open_crawl() as crawl:
            yield from entries_of_crawl(crawl, options.robots_dump, agents)


def _lines(path: Path) -> Iterator[str]:
    """Lines of a list; blank ones and those that begin with a number sign say nothing."""
    try:
        lines = map(str.strip, path.read_text("utf-8").splitlines())
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read ({error})") from error
    return (line for line in lines if line and not line.startswith("#"))


def _list(options: argparse.Namespace) -> None:
    storage = open_storage()
    if options.log:
        for one in noted(storage):
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
    stores = [
        ColumnStore(storage, dump) for dump in dumps or dumps_with_data(ColumnStore(storage, ""))
    ]
    return [store for store in stores if dumps or store.manifest(EXPORT)]


def _apply(options: argparse.Namespace) -> None:
    storage = open_storage()
    for store in _published(storage, options.dumps):
        taken = apply_removals(store, EXPORT)
        files = sorted({one["file"] for one in taken})
        kinds = ", ".join(f"{k} {n}" for k, n in sorted(Counter(t["kind"] for t in taken).items()))
        print(f"{store.dump}: {len(taken)} pages taken out of {len(files)} files"
              + (f" ({kinds})" if kinds else ""))  # fmt: skip


def _check(options: argparse.Namespace) -> int:
    storage = open_storage()
    removals = load_removals(storage)
    found = 0
    stores = _published(storage, options.dumps)
    for store in stores:
        here = list(offenders(store, EXPORT, removals))
        found += len(here)
        for name, what in here:
            print(f"{store.dump} {name} {what}")
        note(storage, "check", {"dump": store.dump, "lists": list(list_names(storage)),
                                "found": len(here)})  # fmt: skip
    print(f"{len(stores)} dumps, {len(removals.entries):,} entries: {found} things left")
    return LEFT if found else 0
