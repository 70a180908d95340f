"""The paragraphs of a shard's pages as keys, hashed once and kept for the second reading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.ccnet.paragraph_keys import Keys, body_keys
from skord.ccnet.repeats import Counts
from skord.ccnet.text_pages import TextPages
from skord.native import count_keys

PageKeys = tuple[Keys, Sequence[int]]
"""The keys of all lines of some pages, one page after another, and how many lines each has."""

LINES_SCHEMA = pa.schema([("places", pa.list_(pa.int32()))])
"""Columns of `HashedLines.lines`: one row for each page that takes part, in crawl order; of each
line, where its key stands among the shard's sorted distinct keys. Some 2 bytes a line on disk."""


@dataclass(frozen=True, eq=False)
class HashedLines:
    """The paragraphs of a shard's pages.

    Attributes:
        keys: sorted distinct paragraph keys.
        documents: how many pages hold each.
        places: index into `keys` for each line of each page, one page after another.
        lengths: lines of each page.
    """

    keys: Keys
    documents: Counts
    places: NDArray[np.int32]
    lengths: NDArray[np.int64]

    def lines(self) -> pa.Table:
        """The places, a row for each page."""
        ends = np.concatenate(([0], np.cumsum(self.lengths))).astype(np.int32)
        lists = pa.ListArray.from_arrays(pa.array(ends), pa.array(self.places))
        return pa.table([lists], schema=LINES_SCHEMA)


def page_keys(pages: TextPages, min_chars: int, normalisation: str) -> PageKeys:
    """The keys of all lines of the pages that are long enough, and how many each has."""
    taken = np.flatnonzero(pages.lengths >= min_chars)
    bodies = [pages.bodies.text(at).encode() for at in taken.tolist() if pages.nlines[at]]
    return body_keys(bodies, normalisation), pages.nlines[taken].tolist()


def count_lines(parts: Iterable[PageKeys]) -> HashedLines:
    """The paragraphs of the pages of all parts, one after another."""
    flats: list[Keys] = [np.empty(0, np.uint64)]
    lengths: list[int] = []
    for part_keys, part_lengths in parts:
        flats.append(part_keys)
        lengths += part_lengths
    flat = np.concatenate(flats)
    places, sizes = np.empty(len(flat), np.int32), np.array(lengths, np.int64)
    keys, documents = (np.frombuffer(part, np.int64) for part in count_keys(flat, sizes, places))
    order = np.argsort(keys.view(np.uint64))
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return HashedLines(keys.view(np.uint64)[order], documents[order], rank[places], sizes)


class KeptNumbers:
    """What was kept of pages' lines, in their order: where the key of each stands among all.

    Args:
        lines: batches of `HashedLines.lines`.

    >>> from skord.ccnet.text_pages import TextBody, TextPage
    >>> body = TextBody.of(["Hem", "Om oss", "Hem"])
    >>> page = TextPage("", "", "", "", "", body)
    >>> hashed = count_lines([page_keys(TextPages.of([page]), 0, "published")])
    >>> numbers = KeptNumbers(hashed.lines().to_batches()).of_next(1)
    >>> hashed.keys[numbers].tolist() == body_keys([body.joined]).tolist()
    True
    """

    def __init__(self, lines: Iterable[pa.RecordBatch]) -> None:
        self._batches = iter(lines)
        self._places = np.empty(0, np.int32)
        self._ends = np.zeros(1, np.int32)  # of the pages left, counted from where they begin

    def of_next(self, pages: int) -> Keys:
        """Those of so many pages, which come next; of fewer at the end."""
        parts = [np.empty(0, np.int32)]
        while pages:
            if len(self._ends) == 1:
                if (batch := next(self._batches, None)) is None:
                    break
                self._ends = batch.column(0).offsets.to_numpy()
                self._places = batch.column(0).values.to_numpy()
                continue
            taken = min(pages, len(self._ends) - 1)
            parts.append(self._places[self._ends[0] : self._ends[taken]])
            self._ends = self._ends[taken:]
            pages -= taken
        return np.concatenate(parts).astype(np.uint64)
