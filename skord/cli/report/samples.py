"""The pages that the report shows its readers: which, and the beginning of each one's text."""

from __future__ import annotations

import hashlib
import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from skord.cli.report.figures import Sample
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.shared_columns import ID

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


@dataclass
class Heap:
    """The candidates with the least digests of their ids: a choice without chance or bias."""

    room: int
    entries: list[tuple[int, Candidate]] = field(default_factory=list)

    def offer(self, candidate: Candidate) -> None:
        """Take it in if it is among the least so far."""
        digest = hashlib.blake2b(candidate.id.encode(), digest_size=8).digest()
        entry = (-int.from_bytes(digest), candidate)
        if len(self.entries) < self.room:
            heapq.heappush(self.entries, entry)
        elif entry[0] > self.entries[0][0]:
            heapq.heapreplace(self.entries, entry)

    def chosen(self) -> list[Candidate]:
        """What was taken in, in the order of the digests."""
        return [candidate for _, candidate in sorted(self.entries, key=lambda entry: -entry[0])]


class PageText(NamedTuple):
    """A page's address, its text in the last form that it has, and its place in the crawl."""

    url: str
    text: str
    archived: str


def read_samples(
    store: ColumnStore, candidates: Mapping[str, Sequence[Candidate]]
) -> dict[str, list[Sample]]:
    """The pages of each reason in the same order, with the beginning of their texts."""
    texts = page_texts(store, [one for sample in candidates.values() for one in sample])
    return {
        reason: [_sample(one, texts[one.id]) for one in sample]
        for reason, sample in candidates.items()
    }


def _sample(page: Candidate, read: PageText) -> Sample:
    cut = read.text[:SHOWN_CHARACTERS] + ("…" if len(read.text) > SHOWN_CHARACTERS else "")
    return Sample(page.id, read.url, page.language, page.why, cut, read.archived)


def page_texts(store: ColumnStore, wanted: Iterable[Candidate]) -> dict[str, PageText]:
    """The texts of pages by id, each row group read once.

    Main text, or Markdown where there is none, or the WET text where there is no other.
    """
    columns = {
        "CCNet": ["url", "raw_content"],
        "WARCIndex": ["warc_file", "warc_record_offset", "warc_record_length"],
        "ConvertToMarkdown": ["content"],
        "ProcessMarkdown": ["text"],
    }
    forms = ("ProcessMarkdown.text", "ConvertToMarkdown.content", "CCNet.raw_content")
    by_place: dict[Place, set[str]] = defaultdict(set)
    for candidate in wanted:
        by_place[candidate.place].add(candidate.id)
    pages = {}
    for place in sorted(by_place):
        _, batch = next(store.side_by_side(place.shard, columns, place.group))
        for row in batch.to_pylist():
            if row[ID.name] in by_place[place]:
                text = next((row[name] for name in forms if row[name]), "")
                pages[row[ID.name]] = PageText(row["CCNet.url"], text, _archived(row))
    return pages


def _archived(row: Mapping[str, Any]) -> str:
    """Where the page lies in the crawl.

    >>> _archived({"WARCIndex.warc_file": "crawl-data/a.warc.gz",
    ...     "WARCIndex.warc_record_offset": 12, "WARCIndex.warc_record_length": 3456})
    'crawl-data/a.warc.gz, 3,456 bytes from 12'
    """
    file, first, size = (
        row[f"WARCIndex.warc_{name}"] for name in ("file", "record_offset", "record_length")
    )
    return f"{file}, {size:,} bytes from {first:,}" if file and size else ""
