"""What phases and manifest of a published corpus are called, the lists' part, what files hold."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from skord.core.storage.column_store import ColumnStore
from skord.publishing.card.figures import Row
from skord.publishing.removals.lists import state_of

FILES = "files"
CARD = "card"
"""The phases that write what is published."""

FACTS = "card"
REMOVALS = "removals"
FORM = "form"
"""Keys of the manifest: what the card says besides figures, the lists in force, the form."""


def overlaid_by_removals(fingerprint: str, names: Sequence[str]) -> str:
    """The fingerprint of what depends on the lists, too.

    >>> overlaid_by_removals("0123", ())
    '0123'
    """
    state = state_of(names)
    return (
        hashlib.sha256(f"{fingerprint}{state}".encode()).hexdigest()[:16] if state else fingerprint
    )


def file_rows(store: ColumnStore, task: str, number: int) -> list[Row]:
    """What the first so many files hold."""
    paths = (store.path(task, n, FILES) for n in range(number))
    return [store.read_table(path).to_pylist()[0] for path in paths]


def removed_pages(store: ColumnStore, task: str) -> dict[str, str]:
    """Ids of the pages taken out of what is published, and the kind of entry that named each."""
    manifest = store.manifest(task) or {"num_files": 0}
    rows = file_rows(store, task, manifest["num_files"])
    return {one["id"]: one["kind"] for row in rows for one in row["removed"]}
