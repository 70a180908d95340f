"""What a published corpus has noted of itself: phases, manifest, files, and what was taken out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from skord.core.storage.column_store import ColumnStore
from skord.publishing.card.figures import Row
from skord.publishing.removals.lists import list_names, load_removals, state_of
from skord.publishing.removals.requests import RemovalKind, Removals

FILES = "files"
CARD = "card"
"""The phases that write what is published."""

FACTS = "card"
REMOVALS = "removals"
FORM = "form"
"""Keys of the manifest: the card's facts besides figures, the lists in force, the form."""


REMOVED = "removed.jsonl"
"""The published file that lists what was taken out: a line for each page, where there is one."""


def removed_digest(page_id: str) -> str:
    """What is published of the id of a page that was taken out: whoever has the id knows it again.

    >>> removed_digest("urn:uuid:6b7a1f9c-0e3a-4b7b-9c55-7d2a1e0f3c11")[:8]
    '47e243ea'
    """
    return hashlib.sha256(page_id.encode()).hexdigest()


def removed_lines(rows: Sequence[Row]) -> bytes:
    """The lines of `REMOVED`: the digest of each page's id, what named it, and with which list."""
    gone = [one for row in rows for one in row["removed"]]
    lines = [
        {"id_sha256": removed_digest(one["id"]), "kind": one["kind"], "list": one["added"]}
        for one in gone
    ]
    return "".join(f"{line}\n" for line in sorted(json.dumps(one) for one in lines)).encode()


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


# -- what forms of a corpus lose that do not hold its texts -------------------------------


@dataclass(frozen=True)
class RemovedPages:
    """The pages that are listed now.

    Attributes:
        removals: all that is listed; entries of texts name nothing here.
        by_text: ids of the pages that the corpus lost for their texts.
    """

    removals: Removals
    by_text: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.removals)

    def __contains__(self, page: tuple[str, str]) -> bool:
        """Whether a page, by its id ("" if unknown) and address, is listed."""
        page_id, url = page
        return page_id in self.by_text or self.removals.match(page_id, url, b"") is not None


def listed_pages(store: ColumnStore, corpus: str) -> RemovedPages:
    """The pages of a dump that are listed now.

    The published files of the task `corpus` know which pages had a text that is listed.
    """
    by_text = frozenset(_removed_by_text(store, corpus))
    return RemovedPages(load_removals(store.storage), by_text)


def listed_state(store: ColumnStore, corpus: str) -> tuple[str, ...]:
    """What decides which pages `listed_pages` has, in words; empty when nothing is listed."""
    return (*list_names(store.storage), *sorted(_removed_by_text(store, corpus)))


def _removed_by_text(store: ColumnStore, corpus: str) -> list[str]:
    if not list_names(store.storage):
        return []
    gone = removed_pages(store, corpus)
    return [page for page, kind in gone.items() if kind == RemovalKind.text]
