"""Receipts out of the audit log, of `skord.publishing.removals.receipts`."""

import json

from skord.core.storage.filesystem import Storage
from skord.publishing.removals.lists import Request, add_list, note_in_audit_log
from skord.publishing.removals.receipts import RECEIPTS, receipt, write_receipts
from skord.publishing.removals.requests import comparable_entry

MINE, OTHER = "000001-aa.parquet", "000002-bb.parquet"


def page(name, added=MINE):
    return {"id": f"urn:{name}", "kind": "url", "value": f"a.se/{name}", "added": added, "file": 0}


def take(pages, before, after):
    files = [{"name": "data/0.parquet", "before": before, "after": after}]
    return {"verb": "take", "dump": "2024-10", "taken": pages, "files": files}


APPLY = {
    "verb": "apply", "dump": "2024-10", "lists": [MINE, OTHER], "time": "t", "stamp": "s",
    "version": {"before": "v1", "after": "v2"},
}  # fmt: skip


def test_it_holds_the_pages_of_one_list_alone():
    before = {**APPLY, "lists": [OTHER], "version": {"before": "v0", "after": "v1"}}
    log = [before, take([page(1), page(2, OTHER)], "x", "y"), APPLY]

    about = receipt(MINE, [], log)["dumps"]["2024-10"]

    assert about["pages"] == [{"id": "urn:1", "kind": "url", "value": "a.se/1"}]
    assert about["version"] == {"before": "v1", "after": "v2"}


def test_what_was_noted_again_after_a_kill_counts_once_with_what_was_before():
    """The log is written before the file changes: the second note may see either state."""
    log = [take([page(1)], "x", "y"), take([page(1), page(2)], "y", "z"), APPLY]

    about = receipt(MINE, [], log)["dumps"]["2024-10"]

    assert [one["id"] for one in about["pages"]] == ["urn:1", "urn:2"]
    assert about["files"] == [{"name": "data/0.parquet", "before": "x", "after": "z"}]


def test_what_was_not_applied_to_its_end_has_none_and_what_was_is_written_once(tmp_path):
    storage = Storage(str(tmp_path))
    request = Request("opt-out", "T-1", "2024-03-01")
    name = add_list(storage, [comparable_entry("url", "a.se/1")], request)
    note_in_audit_log(storage, "take", take([page(1, name)], "x", "y"))
    assert write_receipts(storage) == []

    note_in_audit_log(storage, "apply", {**APPLY, "lists": [name]})
    path = f"{RECEIPTS}/{name.removesuffix('.parquet')}.json"
    assert write_receipts(storage) == [path]
    said = json.loads(storage.read(path))
    assert [one["reference"] for one in said["asked"]] == ["T-1"]
    assert list(said["dumps"]) == ["2024-10"]
    assert write_receipts(storage) == []
