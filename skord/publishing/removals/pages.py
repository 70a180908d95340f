"""Pages that are listed for removal, in forms of a corpus that do not hold its texts."""

from __future__ import annotations

from dataclasses import dataclass

from skord.core.storage.column_store import ColumnStore
from skord.publishing.manifest import removed_pages
from skord.publishing.removals.lists import list_names, load_removals
from skord.publishing.removals.requests import RemovalKind, Removals


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
