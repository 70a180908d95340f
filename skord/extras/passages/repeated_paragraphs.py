"""Paragraphs that many texts share: count them, take them out. Pure.

A paragraph is a line of the text. It is known by XXH64 of what it says, composed and with one kind
of blanks, without the space around it, and counts once for each text that holds it. Lines under a
least length never count: they are rules, fences, headings of tables, which mean something where
they stand.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from skord.core.tasks.phases import KEYS, share_of
from skord.near_duplicates.minhash import compared_form, digests_of, one_array

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

COUNTS_SCHEMA = pa.schema(
    [pa.field("key", pa.uint64(), nullable=False), pa.field("texts", pa.int64(), nullable=False)]
)
WITHOUT_SCHEMA = pa.schema([("text_without_repeats", pa.string()), ("repeats", pa.int32())])
"""The text without paragraphs that many share, and how many were taken out."""


def paragraph_keys(texts: pa.ChunkedArray, min_chars: int) -> tuple[U64, I64, I64]:
    """The paragraphs that count.

    Returns:
        Key, text and place among the lines of the text of each.

    >>> keys, text, line = paragraph_keys(pa.chunked_array([["Om kakor\\n\\nHej", "Om kakor "]]), 4)
    >>> bool(keys[0] == keys[1]), text.tolist(), line.tolist()
    (True, [0, 1], [0, 0])
    """
    lists = pc.split_pattern(one_array(texts), "\n")
    lines = pc.utf8_trim_whitespace(lists.flatten())
    of = pc.list_parent_indices(lists).to_numpy()
    starts = np.zeros(len(lists), np.int64)
    sizes = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    np.cumsum(sizes[:-1], out=starts[1:])
    counts = pc.greater_equal(pc.utf8_length(lines), min_chars).to_numpy(zero_copy_only=False)
    place = np.arange(len(lines)) - starts[of]
    return digests_of(compared_form(lines))[counts], of[counts].astype(np.int64), place[counts]


def count_table(keys: U64, texts: I64) -> pa.Table:
    """In how many texts each key is, ascending by key: `COUNTS_SCHEMA`.

    >>> count_table(np.array([5, 5, 9, 5], np.uint64), np.array([0, 0, 0, 1])).to_pydict()
    {'key': [5, 9], 'texts': [2, 1]}
    """
    order = np.lexsort((texts, keys))
    keys, texts = keys[order], texts[order]
    first = np.ones(len(keys), np.bool_)
    first[1:] = (keys[1:] != keys[:-1]) | (texts[1:] != texts[:-1])
    distinct, counts = np.unique(keys[first], return_counts=True)
    return pa.table([distinct, counts], schema=COUNTS_SCHEMA)


def partitions_of(counts: pa.Table, num_partitions: int) -> Iterator[pa.Table]:
    """The table in parts of equal ranges of keys."""
    firsts = [share_of(part, num_partitions, KEYS)[0] for part in range(1, num_partitions)]
    bounds = np.array(firsts, np.uint64)
    inner = np.searchsorted(counts["key"].to_numpy(), bounds).tolist()
    for low, high in itertools.pairwise([0, *inner, len(counts)]):
        yield counts.slice(low, high - low)


def repeated_keys(counts: pa.Table, max_texts: int) -> U64:
    """The keys of the paragraphs that more than so many texts hold, ascending."""
    summed = counts.group_by("key").aggregate([("texts", "sum")])
    repeated = summed.filter(pc.greater(summed["texts_sum"], max_texts))["key"]
    keys: U64 = np.sort(repeated.to_numpy())
    return keys


def without_repeats(texts: pa.ChunkedArray, repeated: U64, min_chars: int) -> pa.Table:
    """The columns of `WITHOUT_SCHEMA`; blank lines that a removed paragraph leaves go, too.

    >>> texts = pa.chunked_array([["Hej alla\\n\\nOm kakor\\n\\nSlut på det", "Hej", None]])
    >>> keys = digests_of(pa.array(["Om kakor"]))
    >>> without_repeats(texts, keys, 4).to_pydict()  # doctest: +NORMALIZE_WHITESPACE
    {'text_without_repeats': ['Hej alla\\n\\nSlut på det', 'Hej', None], 'repeats': [1, 0, None]}
    """
    keys, of, line = paragraph_keys(texts, min_chars)
    gone = np.isin(keys, repeated)
    removed = np.bincount(of[gone], minlength=len(texts)).astype(np.int32)
    kept = texts.to_pylist()
    cuts = np.flatnonzero(np.diff(of[gone])) + 1
    for lines, text in zip(np.split(line[gone], cuts), np.unique(of[gone]).tolist(), strict=False):
        kept[text] = _without_lines(kept[text], set(lines.tolist()))
    null = texts.is_null().to_numpy()
    return pa.table(
        [pa.array(kept, pa.string()), pa.array(removed, mask=null)], schema=WITHOUT_SCHEMA
    )


def _without_lines(text: str, gone: set[int]) -> str:
    kept: list[str] = []
    after_removed = False
    for place, line in enumerate(text.split("\n")):
        if place in gone:
            after_removed = True
        elif line.strip() or not after_removed:
            kept.append(line)
            after_removed = False
    return "\n".join(kept).strip("\n")
