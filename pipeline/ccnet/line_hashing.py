"""The paragraphs of a shard's pages as keys, hashed once and kept for the second reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.ccnet.choices import Normalisation
from pipeline.ccnet.paragraph_keys import Keys, body_keys
from pipeline.ccnet.repeats import Counts
from pipeline.ccnet.text_pages import TextPage
from pipeline.native import count_keys

PageKeys = tuple[Keys, Sequence[int]]
"""The keys of all lines of some pages, one page after another, and how many lines each has."""

LINES_SCHEMA = pa.schema([("places", pa.list_(pa.int32()))])
"""Columns of `HashedLines.lines`: one row for each page that takes part, in crawl order; of each
line, where its key stands among the shard's sorted distinct keys. Some 2 bytes a line on disk."""


@dataclass(frozen=True, eq=False)
class HashedLines:
    """What `hash_lines` found.

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


def hash_lines(
    pages: Iterable[TextPage],
    min_chars: int,
    normalisation: str = Normalisation.PUBLISHED,
    batch: int = 256,
) -> HashedLines:
    """The paragraphs of a shard's pages.

    Args:
        pages: the shard's pages.
        min_chars: pages with fewer characters, title left out, take no part.
        normalisation: which spellings of a paragraph count as the same.
        batch: pages whose paragraphs are hashed together.
    """
    return count_lines(keys_by_part(pages, min_chars, normalisation, batch))


def keys_by_part(
    pages: Iterable[TextPage], min_chars: int, normalisation: str, batch: int = 256
) -> Iterator[PageKeys]:
    """The keys of all lines of pages that are long enough; the arguments are of `hash_lines`."""
    long_enough = (page for page in pages if page.length >= min_chars)
    while chunk := list(islice(long_enough, batch)):
        yield page_keys(chunk, normalisation)


def page_keys(pages: Sequence[TextPage], normalisation: str) -> PageKeys:
    """The keys of all lines of some pages, and how many each has."""
    keys = body_keys([page.body.joined for page in pages if page.nlines], normalisation)
    return keys, [page.nlines for page in pages]


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


def hash_pages(
    pages: Iterable[TextPage],
    min_chars: int,
    normalisation: str = Normalisation.PUBLISHED,
    batch: int = 256,
) -> tuple[Keys, Counts]:
    """Sorted distinct paragraph keys of a shard's pages and how many pages hold each."""
    hashed = hash_lines(pages, min_chars, normalisation, batch)
    return hashed.keys, hashed.documents


def keys_of_pages(lines: Iterable[pa.RecordBatch], keys: Keys) -> Iterator[Keys]:
    """The keys of each page's lines, from batches of `HashedLines.lines` and the shard's keys.

    >>> from pipeline.ccnet.text_pages import TextBody
    >>> body = TextBody.of(["Hem", "Om oss", "Hem"])
    >>> page = TextPage("", "", "", "", "", body)
    >>> hashed = hash_lines([page], min_chars=0)
    >>> [keys] = keys_of_pages(hashed.lines().to_batches(), hashed.keys)
    >>> keys.tolist() == body_keys([body.joined]).tolist()
    True
    """
    for batch in lines:
        column = batch.column(0)
        ends = column.offsets.to_numpy()
        flat = keys.take(column.values.to_numpy()[ends[0] : ends[-1]])
        for start, end in pairwise((ends - ends[0]).tolist()):
            yield flat[start:end]
