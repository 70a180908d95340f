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
        state: what decides which pages are listed, in words; empty when nothing is.
    """

    removals: Removals
    by_text: frozenset[str]
    state: tuple[str, ...]

    def __contains__(self, page: tuple[str, str]) -> bool:
        """Whether a page, by its id ("" if unknown) and address, is listed."""
        page_id, url = page
        return page_id in self.by_text or self.removals.match(page_id, url, b"") is not None


def listed_pages(store: ColumnStore, corpus: str) -> RemovedPages:
    """The pages of a dump that are listed now.

    Args:
        store: of the dump.
        corpus: the task whose published files know which pages had a text that is listed.
    """
    names = list_names(store.storage)
    if not names:
        return RemovedPages(Removals(), frozenset(), ())
    gone = removed_pages(store, corpus)
    by_text = frozenset(page for page, kind in gone.items() if kind == RemovalKind.text)
    return RemovedPages(load_removals(store.storage, names), by_text, (*names, *sorted(by_text)))
