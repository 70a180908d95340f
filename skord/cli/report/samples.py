"""The pages that the report shows its readers: which, and the beginning of each one's text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
    for sample in candidates.values():
        for candidate in sample:
            wanted[candidate.place].add(candidate.id)
    texts: dict[str, tuple[str, str, str]] = {}
    for place in sorted(wanted):
        texts |= _texts(store, place, wanted[place])
    return {
        reason: [_sample(one, *texts[one.id]) for one in sample]
        for reason, sample in candidates.items()
    }


def _sample(page: Candidate, url: str, text: str, archived: str) -> Sample:
    cut = text[:SHOWN_CHARACTERS] + ("…" if len(text) > SHOWN_CHARACTERS else "")
    return Sample(page.id, url, page.language, page.why, cut, archived)


def main_texts(store: ColumnStore, wanted: Sequence[Candidate]) -> list[str]:
    """The main texts of pages, each row group read once; in the order of the tables."""
    by_place = defaultdict(set)
    for candidate in wanted:
        by_place[candidate.place].add(candidate.id)
    texts_read: list[str] = []
    for place in sorted(by_place):
        columns = {"ProcessMarkdown": ["text"]}
        _, batch = next(store.side_by_side(place.shard, columns, place.group))
        rows = zip(
            batch[ID.name].to_pylist(), batch["ProcessMarkdown.text"].to_pylist(), strict=True
        )
        texts_read += (text for page, text in rows if page in by_place[place])
    return texts_read


def _texts(store: ColumnStore, place: Place, ids: set[str]) -> dict[str, tuple[str, str, str]]:
    """Address, text and place in the crawl of some pages; the WET text where there is no other."""
    read = {
        "CCNet": ["url", "raw_content"],
        "WARCIndex": ["warc_file", "warc_record_offset", "warc_record_length"],
        "ConvertToMarkdown": ["content"],
        "ProcessMarkdown": ["text"],
    }
    _, batch = next(store.side_by_side(place.shard, read, place.group))
    pages = {}
    for row in batch.to_pylist():
        if row[ID.name] in ids:
            forms = ("ProcessMarkdown.text", "ConvertToMarkdown.content", "CCNet.raw_content")
            text = next((row[name] for name in forms if row[name]), "")
            pages[row[ID.name]] = (row["CCNet.url"], text, _archived(row))
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
