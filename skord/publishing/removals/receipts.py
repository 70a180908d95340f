"""What a removal came to, for whoever asked for it: a file for each list, out of the audit log.

    {data_dir}/_removals/receipts/000001-3f2a….json

It names what was asked for, the pages that it took out of which dump, and the SHA-256 of each file
that held them, before and after; `version` is that of SHA256SUMS, which stands for all published
files of a dump. Nothing in it is of other requests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from skord.core.storage.filesystem import Storage
from skord.publishing.removals.lists import audit_log, list_names, read_list

RECEIPTS = "_removals/receipts"

Note = Mapping[str, Any]
"""A line of the audit log."""

Change = dict[str, Any]
"""`name` of a file, `before` and `after`: SHA-256 of its bytes, null where there were none."""


def write_receipts(storage: Storage) -> list[str]:
    """Write the receipt of each list that was applied; returns the paths of those that are new."""
    log = audit_log(storage)
    written = []
    for name in list_names(storage):
        made = receipt(name, read_list(storage, name).to_pylist(), log)
        if not made["dumps"] and not made["forms"]:
            continue
        path = f"{RECEIPTS}/{name.removesuffix('.parquet')}.json"
        content = (json.dumps(made, ensure_ascii=False, indent=2) + "\n").encode()
        if not storage.exists(path) or storage.read(path) != content:
            storage.write(path, content)
            written.append(path)
    return written


def receipt(name: str, asked: Sequence[Mapping[str, Any]], log: Sequence[Note]) -> dict[str, Any]:
    """What was done about one list."""
    dumps: dict[str, dict[str, Any]] = {}
    forms: dict[tuple[str, str], list[Change]] = {}
    for note in log:
        if note["verb"] == "take":
            pages = [one for one in note["taken"] if one["added"] == name]
            if pages:
                _note_pages(dumps.setdefault(note["dump"], _new_dump()), pages, note)
        elif note["verb"] == "apply" and name in note["lists"] and "version" in note:
            about = dumps.setdefault(note["dump"], _new_dump())
            if about["time"] is None:
                about.update(time=note["time"], stamp=note["stamp"], version=note["version"])
        elif note["verb"] == "form" and name in note["lists"]:
            forms.setdefault((note["task"], note["dump"]), note["files"])
    return {
        "list": name,
        "asked": [dict(one) for one in asked],
        "dumps": {dump: about for dump, about in dumps.items() if about["time"]},
        "forms": [
            {"task": task, "dump": dump, "files": files} for (task, dump), files in forms.items()
        ],
    }


def _new_dump() -> dict[str, Any]:
    return {"time": None, "stamp": "", "version": {}, "pages": [], "files": []}


def _note_pages(about: dict[str, Any], pages: Sequence[Note], note: Note) -> None:
    """Add what one file lost; noted twice after a kill, it is the first state that was before."""
    known = {one["id"] for one in about["pages"]}
    about["pages"] += [
        {key: one[key] for key in ("id", "kind", "value")}
        for one in pages
        if one["id"] not in known
    ]
    changes = {one["name"]: one for one in about["files"]}
    for change in note.get("files", []):
        before = changes.get(change["name"], change)["before"]
        changes[change["name"]] = {**change, "before": before}
    about["files"] = sorted(changes.values(), key=lambda one: str(one["name"]))
