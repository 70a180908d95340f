"""Lists of removals: numbered, named by what they say, read in the order of asking.

Of `skord.publishing.removals.lists` and `skord.publishing.manifest`.
"""

import pytest

from skord.core.storage.filesystem import Storage
from skord.publishing.manifest import overlaid_by_removals
from skord.publishing.removals.lists import (
    Request,
    add_list,
    audit_log,
    list_names,
    load_removals,
    note_in_audit_log,
    read_list,
    state_of,
)
from skord.publishing.removals.requests import Entry

ASKED = Request("opt-out", "mail 7", "2024-03-01")


def test_lists_are_numbered_and_the_same_list_has_the_same_digest(tmp_path):
    storage = Storage(str(tmp_path))

    names = [add_list(storage, [Entry("domain", "a.example")], ASKED) for _ in range(2)]
    other = add_list(storage, [Entry("domain", "b.example")], ASKED)

    assert [name[:7] for name in (*names, other)] == ["000001-", "000002-", "000003-"]
    assert names[0][7:] == names[1][7:] != other[7:]
    assert len(other) == len("000003-") + 12 + len(".parquet")
    assert list_names(storage) == (*names, other)
    assert read_list(storage, other).to_pylist()[0] == {
        "kind": "domain", "value": "b.example", "rules": None, "reason": "opt-out",
        "reference": "mail 7", "date": "2024-03-01",
    }  # fmt: skip


def test_a_page_is_told_the_list_that_names_it(tmp_path):
    storage = Storage(str(tmp_path))
    name = add_list(storage, [Entry("domain", "a.example")], ASKED)
    add_list(storage, [Entry("domain", "b.example")], ASKED)

    some, every = load_removals(storage, [name]), load_removals(storage)

    assert some.match("x", "http://a.example/", b"").added == name
    assert some.match("x", "http://b.example/", b"") is None
    assert every.match("x", "http://b.example/", b"") is not None


def test_nothing_is_no_list(tmp_path):
    with pytest.raises(ValueError, match="nothing to list"):
        add_list(Storage(str(tmp_path)), [], ASKED)


def test_the_log_is_read_in_the_order_of_writing(tmp_path):
    storage = Storage(str(tmp_path))

    note_in_audit_log(storage, "add", {"list": "a"})
    note_in_audit_log(storage, "apply", {"corpus": "å"})

    assert [(line["verb"], line.get("corpus")) for line in audit_log(storage)] == [
        ("add", None),
        ("apply", "å"),
    ]


def test_a_fingerprint_depends_on_the_lists_where_there_are_any():
    assert overlaid_by_removals("0123", ["a"]) != overlaid_by_removals("0123", ["b"]) != "0123"
    assert len(overlaid_by_removals("0123", ["a"])) == 16
    assert state_of(["a", "b"]) != state_of(["b", "a"])
