"""Passages that kept texts repeat: found by anchors, proven by 128 bits, first ones marked.

A passage is so many tokens in a row (`native/dedup/tokens.hpp`: runs without blanks). Every token
of a text that lies in a passage which occurs again, there or in another text, is in a range; no
other token is. The work is divided by keys, so the answer does not depend on how texts are sharded:

1. anchors: halves of passages chosen by winnowing (Schleimer, Wilkerson & Aiken 2003), so that
   equal passages share one; those that occur once are forgotten;
2. prints: 128 bits of each passage around an anchor that occurs again;
3. groups of equal prints; in each the first is the one of the least rank, then place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from skord.native import passage_anchors, passage_prints
from skord.near_duplicates.minhash import bytes_of, one_array

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
Truths = NDArray[np.bool_]

PRINTS_SCHEMA = pa.schema(
    [
        ("high", pa.uint64()), ("low", pa.uint64()), ("rank", pa.uint64()),
        ("shard", pa.int32()), ("row", pa.int32()), ("place", pa.int32()),
    ]
)  # fmt: skip
"""A passage: 128 bits of it, rank of its text, and where: shard, row of the index, token."""

REPEATED_SCHEMA = pa.schema(
    [
        ("shard", pa.int32()), ("row", pa.int32()), ("place", pa.int32()),
        ("copies", pa.int32()), ("is_first", pa.bool_()),
    ]
)  # fmt: skip
"""A passage that occurs `copies` times in all kept texts, and whether this is the first one."""

PASSAGES_TYPE = pa.list_(
    pa.struct(
        [
            ("start", pa.int32()), ("end", pa.int32()),
            ("copies", pa.int32()), ("is_first", pa.bool_()),
        ]
    )
)  # fmt: skip
"""Half-open ranges of characters, how often what they hold occurs at most, whether it is first."""

_BLANKS = "\t\n\v\f\r \u00a0\u2000-\u200a\u202f\u205f\u3000"
_TOKEN = re.compile(f"[\u3040-\u9fff]|[^{_BLANKS}\u3040-\u9fff]+")  # as `blank_tokens` in C++


class Span(NamedTuple):
    """One range of a text; see `PASSAGES_TYPE`."""

    start: int
    end: int
    copies: int
    is_first: bool


def anchors(texts: pa.ChunkedArray, length: int) -> tuple[U64, U32, U32]:
    """Keys of the texts' anchors, with text and token; a null has none."""
    starts, data = _bytes_of(texts)
    buffers = passage_anchors(starts, data, length)
    return (
        np.frombuffer(buffers[0], np.uint64),
        np.frombuffer(buffers[1], np.uint32),
        np.frombuffer(buffers[2], np.uint32),
    )


def _bytes_of(texts: pa.ChunkedArray) -> tuple[U64, NDArray[np.uint8]]:
    """As `bytes_of`, a null as no text: Arrow may leave its bytes in place."""
    return bytes_of(one_array(pc.fill_null(texts, "")))


def is_in(keys: U64, wanted: U64) -> Truths:
    """Which keys are among some that are sorted."""
    if not len(wanted):
        return np.zeros(len(keys), np.bool_)
    place = np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)
    return np.asarray(wanted[place] == keys)


def passage_fingerprints(
    texts: pa.ChunkedArray, length: int, of: U32, places: U32, ranks: U64, shard: int, first: int
) -> pa.Table:
    """The passages around some anchors: `PRINTS_SCHEMA`.

    `of` and `places` are text and token of each anchor, as `anchors` gives them; the first of the
    texts is row `first` of the shard.
    """
    starts, data = _bytes_of(texts)
    buffers = passage_prints(starts, data, length, of.copy(), places.copy())
    high, low = (np.frombuffer(part, np.uint64) for part in buffers[:2])
    text, place = (np.frombuffer(part, np.uint32) for part in buffers[2:])
    columns = [
        high, low, ranks[text], np.full(len(text), shard, np.int32),
        (text + first).astype(np.int32), place.astype(np.int32),
    ]  # fmt: skip
    return pa.table([pa.array(column) for column in columns], schema=PRINTS_SCHEMA)


def by_key(table: pa.Table, key: str, num_partitions: int) -> Iterator[pa.Table]:
    """The table in parts of equal ranges of a key of 64 bits, each sorted by it."""
    keys = table[key].to_numpy()
    order = np.argsort(keys, kind="stable")
    width = 2**64 // num_partitions
    bounds = np.array([width * part for part in range(1, num_partitions)], np.uint64)
    edges = [0, *np.searchsorted(keys[order], bounds).tolist(), len(keys)]
    for part in range(num_partitions):
        yield table.take(pa.array(order[edges[part] : edges[part + 1]]))


def repeated_prints(table: pa.Table) -> pa.Table:
    """The passages of a partition that occur again: `REPEATED_SCHEMA`, sorted by shard and place.

    >>> row = {"high": 1, "low": 2, "rank": 7, "shard": 0, "row": 0, "place": 0}
    >>> rows = [row, {**row, "rank": 3, "shard": 1}, {**row, "low": 9}]
    >>> repeated_prints(pa.Table.from_pylist(rows, PRINTS_SCHEMA)).to_pylist()[0]
    {'shard': 0, 'row': 0, 'place': 0, 'copies': 2, 'is_first': False}
    """
    names = ("place", "row", "rank", "low", "high")
    columns = {name: table[name].to_numpy() for name in (*names, "shard")}
    order = np.lexsort([columns[name] for name in names])
    high, low = columns["high"][order], columns["low"][order]
    starts = np.ones(len(order), np.bool_)
    starts[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
    group = np.cumsum(starts) - 1
    copies = np.bincount(group, minlength=1)[group] if len(group) else group
    chosen = copies > 1
    rows = order[chosen]
    repeated = pa.table(
        [
            columns["shard"][rows], columns["row"][rows], columns["place"][rows],
            copies[chosen].astype(np.int32), starts[chosen],
        ],
        schema=REPEATED_SCHEMA,
    )  # fmt: skip
    return repeated.sort_by([(name, "ascending") for name in ("shard", "row", "place")])


def passage_spans(text: str, places: I64, copies: I64, is_first: Truths, length: int) -> list[Span]:
    """The ranges of one text.

    A token that is in the first occurrence of any passage is first: where later ones go, every
    passage is left once.

    Repeated passages of `length` tokens begin at `places`, ascending.
    """
    tokens = [match.span() for match in _TOKEN.finditer(text)]
    most = np.zeros(len(tokens) + 1, np.int64)
    first = np.zeros(len(tokens) + 1, np.bool_)
    for place, number, is_one in zip(places.tolist(), copies.tolist(), is_first, strict=True):
        inside = slice(place, place + length)
        most[inside] = np.maximum(most[inside], number)
        first[inside] |= is_one
    inside_any = most > 0
    changes = np.flatnonzero((inside_any[1:] != inside_any[:-1]) | (first[1:] != first[:-1])) + 1
    ranges: list[Span] = []
    for low, high in zip([0, *changes.tolist()], [*changes.tolist(), len(tokens)], strict=True):
        if low < high and inside_any[low]:
            number, is_one = int(most[low:high].max()), bool(first[low])
            ranges.append(Span(tokens[low][0], tokens[high - 1][1], number, is_one))
    return ranges


def marked_texts(
    table: pa.Table, first: int, texts: pa.ChunkedArray, length: int
) -> Iterator[list[Span] | None]:
    """The ranges of each text; None for a null.

    The table has the repeated passages of the shard, by row and place; the first of the texts is
    row `first`.
    """
    names = ("row", "place", "copies", "is_first")
    rows, *rest = (table[name].to_numpy() for name in names)
    edges = np.searchsorted(rows, np.arange(first, first + len(texts) + 1)).tolist()
    for text, low, high in zip(texts.to_pylist(), edges[:-1], edges[1:], strict=True):
        if text is None:
            yield None
        else:
            places, copies, is_first = (column[low:high] for column in rest)
            yield passage_spans(text, places, copies, is_first, length) if low < high else []


TEXT, KEEP = "ProcessMarkdown.text", "Deduplicate.dedup_keep"


def kept_texts(batch: pa.Table) -> pa.ChunkedArray:
    """The texts that are kept; null for the others."""
    kept = pc.fill_null(batch[KEEP], fill_value=False)
    return pc.if_else(kept, batch[TEXT], pa.scalar(None, pa.string()))
