"""Pages to read: which, and the beginning of each one's text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.cli.report.figures import Sample
from pipeline.core.column_store import ID, ColumnStore

SHOWN_CHARACTERS = 1500


@dataclass(frozen=True, order=True)
class Place:
    """Where a page's row lies."""

    shard: int
    group: int


@dataclass(frozen=True, order=True)
class Candidate:
    """A page that may be shown, before its text is read."""

    id: str
    place: Place
    language: str
    why: str


def read_samples(
    store: ColumnStore, candidates: Mapping[str, Sequence[Candidate]]
) -> dict[str, list[Sample]]:
    """The texts of pages, each row group read once.

    Args:
        store: of the dump.
        candidates: pages by reason.

    Returns:
        The same pages in the same order, with text.
    """
    wanted = defaultdict(set)
    for found in candidates.values():
        for candidate in found:
            wanted[candidate.place].add(candidate.id)
    texts: dict[str, tuple[str, str]] = {}
    for place in sorted(wanted):
        texts |= _texts(store, place, wanted[place])
    return {
        reason: [Sample(c.id, texts[c.id][0], c.language, c.why, texts[c.id][1]) for c in found]
        for reason, found in candidates.items()
    }


def _texts(store: ColumnStore, place: Place, ids: set[str]) -> dict[str, tuple[str, str]]:
    """Address and text of some pages of a row group; the WET text where there is no other."""
    read = {
        "CCNet": ["url", "raw_content"],
        "ConvertToMarkdown": ["content"],
        "ProcessMarkdown": ["text"],
    }
    _, batch = next(store.side_by_side(place.shard, read, place.group))
    found = {}
    for row in batch.to_pylist():
        if row[ID.name] in ids:
            forms = ("ProcessMarkdown.text", "ConvertToMarkdown.content", "CCNet.raw_content")
            text = next((row[name] for name in forms if row[name]), "")
            cut = text[:SHOWN_CHARACTERS] + ("…" if len(text) > SHOWN_CHARACTERS else "")
            found[row[ID.name]] = (row["CCNet.url"], cut)
    return found
