"""The lists of what is to be taken out, as files of a data folder, and the audit log.

    {data_dir}/_removals/lists/000001-3f2a….parquet    what was asked for, in the order of asking
    {data_dir}/_removals/log/….json                    what was done about it, and when

Both only grow. A list's name ends in a digest of its rows, so the names alone show which
state of the lists a corpus was made under. To take back what was listed by mistake, remove its
file and export again: pages that are gone come back only that way.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from skord.core.storage.filesystem import Storage
from skord.publishing.removals.requests import Entry, Removals, stored_entry

LISTS = "_removals/lists"
LOG = "_removals/log"

LIST_COLUMNS = ("kind", "value", "rules", "reason", "reference", "date")
"""Strings: an `Entry`, why, the requester's reference, and the day of asking."""


@dataclass(frozen=True)
class Request:
    """Why something is to be taken out.

    Attributes:
        reason: such as "take-down", "opt-out", "robots.txt".
        reference: by which whoever asked knows the matter.
        date: ISO 8601.
    """

    reason: str
    reference: str
    date: str


def list_names(storage: Storage) -> tuple[str, ...]:
    """Names of the lists, in the order in which they came."""
    return tuple(name for name in storage.names(LISTS) if name.endswith(".parquet"))


def state_of(names: Iterable[str]) -> str:
    """One word for a state of the lists; "" when there is none.

    >>> state_of([]), len(state_of(["000001-3f2a.parquet"]))
    ('', 16)
    """
    text = "\n".join(names)
    return hashlib.sha256(text.encode()).hexdigest()[:16] if text else ""


def add_list(storage: Storage, entries: Sequence[Entry], request: Request) -> str:
    """Write one list; returns its name."""
    if not entries:
        raise ValueError("there is nothing to list: give --domain, --url, --id, --text or --robots")
    rows = [
        {"kind": one.kind, "value": one.value, "rules": one.rules, **vars(request)}
        for one in entries
    ]
    digest = hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:12]
    before = list_names(storage)
    number = int(before[-1].split("-")[0]) + 1 if before else 1
    name = f"{number:06d}-{digest}.parquet"
    with storage.writing(f"{LISTS}/{name}") as partial:
        schema = pa.schema([(name, pa.string()) for name in LIST_COLUMNS])
        pq.write_table(pa.Table.from_pylist(rows, schema), partial, compression="zstd")
    return name


def read_list(storage: Storage, name: str) -> pa.Table:
    """One list, with the columns of `LIST_COLUMNS`."""
    with storage.open(f"{LISTS}/{name}") as file:
        return pq.read_table(file)


def load_removals(storage: Storage, names: Iterable[str] | None = None) -> Removals:
    """All lists, or some, ready to be compared with pages."""
    chosen = list_names(storage) if names is None else names
    columns = ("kind", "value", "rules")
    return Removals(
        tuple(
            stored_entry(row["kind"], row["value"], row["rules"], name)
            for name in chosen
            for row in read_list(storage, name).select(columns).to_pylist()
        )
    )


def note_in_audit_log(storage: Storage, verb: str, what: Mapping[str, Any]) -> None:
    """Write one line of the audit log, a file of its own."""
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    text = json.dumps({"time": now, "verb": verb, **what}, ensure_ascii=False, sort_keys=True)
    name = f"{now.replace(':', '').replace('+0000', 'Z')}-{verb}.json"
    storage.write(f"{LOG}/{name}", f"{text}\n".encode())


def audit_log(storage: Storage) -> list[dict[str, Any]]:
    """The audit log, oldest first."""
    return [json.loads(storage.read(f"{LOG}/{name}")) for name in storage.names(LOG)]
