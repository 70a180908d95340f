"""Find the paragraphs that many documents of a dump repeat: menus, cookie notices, footers.

The rule is CCNet's (Wenzek et al. 2020, "CCNet: Extracting High Quality Monolingual
Datasets from Web Crawl Data"): a line of the WET text is a paragraph, its key
is a hash of a normalised form, and a key held by two or more documents marks boilerplate.
CCNet compares fifty shards at a time; here a whole dump is compared, in three steps that
each see only one shard or one range of keys:

1. per shard, `line_hashing.count_lines`: distinct keys and how many documents hold each; the
   sorted pairs are cut into ranges of keys (`core.phases.share_of`);
2. per range, `merge_counts` adds up the shards and `RepeatedKeys.of_counts` keeps the keys
   that two or more documents hold;
3. per shard, a `LinePass` over its documents in order decides which lines stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.ccnet.choices import ParagraphRule
from skord.ccnet.paragraph_keys import Keys
from skord.native import find_lines

Counts = NDArray[np.int64]
Places = NDArray[np.int64]
Mask = NDArray[np.bool_]


REPEATS_SCHEMA = pa.schema(
    [("shard", pa.int32()), ("key", pa.uint64()), ("first_shard", pa.int32())]
)
"""Columns of `group_by_owner`."""


def merge_counts(parts: Sequence[tuple[Keys, Counts]]) -> tuple[Keys, Counts, Places]:
    """Add up the shards' distinct keys and the documents that hold each, in crawl order.

    Returns the sorted distinct keys, the documents of the dump that hold each, and the index
    of the first part that holds it.

    >>> one = np.array([5], np.uint64), np.array([1])
    >>> two = np.array([5, 9], np.uint64), np.array([2, 1])
    >>> [column.tolist() for column in merge_counts([one, two])]
    [[5, 9], [3, 1], [0, 1]]
    """
    keys = np.concatenate([np.empty(0, np.uint64), *(part[0] for part in parts)])
    counts = np.concatenate([np.empty(0, np.int64), *(part[1] for part in parts)])
    part_of = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
    # Stable: of equal keys that of the first part comes first, which is what is returned of them.
    order = np.argsort(keys, kind="stable")
    distinct, starts = np.unique(keys[order], return_index=True)
    # The sum of a run is the difference of two running sums.
    running = np.concatenate(([0], np.cumsum(counts[order])))
    return distinct, np.diff(running[np.append(starts, len(keys))]), part_of[order[starts]]


@dataclass(frozen=True, eq=False)
class RepeatedKeys:
    """The keys that two or more documents of a dump hold: sorted, distinct.

    Beside each stands the first shard that holds it.
    """

    keys: Keys
    first_shard: Places

    @classmethod
    def of_counts(cls, keys: Keys, counts: Counts, first_shard: Places) -> RepeatedKeys:
        """Those of the merged counts that mark a repeated paragraph."""
        return cls(keys[counts >= 2], first_shard[counts >= 2])

    def places(self, keys: Keys) -> Places:
        """Where each of `keys` stands among the repeated ones; -1 for a key that is not."""
        return _places(self.keys, keys)


def _places(among: Keys, keys: Keys) -> Places:
    places = np.full(len(keys), -1, dtype=np.int64)
    if len(among):
        order = np.argsort(keys)  # looking up in sorted order is several times faster
        at = np.minimum(np.searchsorted(among, keys[order]), len(among) - 1)
        places[order] = np.where(among[at] == keys[order], at, -1)
    return places


def repeats_by_shard(parts: Sequence[tuple[Keys, Counts]], group_shards: int = 0) -> pa.Table:
    """Which paragraphs two or more pages hold, for each shard those that it holds itself.

    Args:
        parts: sorted distinct keys of each shard and how many pages hold each, by its number, or
            the same slice of the key space of each.
        group_shards: how many shards are compared with one another: the first so many, the
            next so many, and so on (cc_net: 50). 0 compares the whole dump.

    Returns:
        Rows sorted by shard, then key; `first_shard` is the first of the group that holds it.

    >>> held = [(np.array([7], np.uint64), np.array([1]))] * 3
    >>> repeats_by_shard(held)["first_shard"].to_pylist()
    [0, 0, 0]
    >>> repeats_by_shard(held, group_shards=2)["shard"].to_pylist()
    [0, 1]
    """
    size = group_shards or max(len(parts), 1)
    tables = [
        _repeats_of_group(parts[first : first + size], first)
        for first in range(0, len(parts), size)
    ]
    return pa.concat_tables([REPEATS_SCHEMA.empty_table(), *tables])


def _repeats_of_group(parts: Sequence[tuple[Keys, Counts]], first: int) -> pa.Table:
    repeated = RepeatedKeys.of_counts(*merge_counts(parts))
    return group_by_owner([keys for keys, _ in parts], repeated, first)


def group_by_owner(keys: Sequence[Keys], repeated: RepeatedKeys, first: int = 0) -> pa.Table:
    """Hand each shard those of its keys that are repeated.

    Args:
        keys: sorted keys of each shard, by its number.
        repeated: the keys that two or more pages hold.
        first: the number of the first of these shards.

    Returns:
        Rows sorted by shard, then key.
    """
    places = [repeated.places(part) for part in keys]
    placed = [place[place >= 0] for place in places]
    place = np.concatenate([np.empty(0, np.int64), *placed])
    shard = np.repeat(np.arange(len(keys)), [len(part) for part in placed])
    first_shard = repeated.first_shard[place] + first
    columns = [(shard + first).astype(np.int32), repeated.keys[place], first_shard.astype(np.int32)]
    return pa.table(columns, schema=REPEATS_SCHEMA)


class LinePass:
    """One pass over the documents of one shard, in crawl order; 9 bytes a repeated key.

    Args:
        repeated: of the whole dump, or those that this shard holds.
        rule: a `ParagraphRule` or its value.
        shard: the number of this shard, as `merge_counts` counted its parts.
    """

    def __init__(self, repeated: RepeatedKeys, rule: str, shard: int) -> None:
        self._rule = ParagraphRule(rule)
        self._keys = repeated.keys
        self._free = repeated.first_shard == shard  # no document has kept its copy yet
        self._place_of: NDArray[np.int32] | None = None  # of each number that a key goes by

    @classmethod
    def of_parts(cls, parts: Iterable[RepeatedKeys], rule: str, shard: int) -> LinePass:
        """A pass whose repeated keys come range by range, in order; one range more is held.

        >>> part = RepeatedKeys(np.array([7], np.uint64), np.array([0]))
        >>> line_pass = LinePass.of_parts([part], "drop_all", shard=0)
        >>> line_pass.kept_lines(np.array([7, 8], np.uint64), np.array([0, 0])).tolist()
        [False, True]
        """
        line_pass = cls(RepeatedKeys(np.empty(0, np.uint64), np.empty(0, np.int64)), rule, shard)
        for part in parts:
            size = len(line_pass._keys)
            line_pass._keys.resize(size + len(part.keys), refcheck=False)  # in place, not as a copy
            line_pass._free.resize(size + len(part.keys), refcheck=False)
            line_pass._keys[size:] = part.keys
            line_pass._free[size:] = part.first_shard == shard
        return line_pass

    def of_numbers(self, keys: Keys) -> LinePass:
        """The same pass for lines known by where their keys stand among `keys`.

        These are sorted, distinct, and hold all that are repeated: nothing is left to look up.
        """
        self._place_of = np.full(len(keys), -1, np.int32)
        self._place_of[np.searchsorted(keys, self._keys)] = np.arange(len(self._keys))
        self._keys = self._keys[:0].copy()
        return self

    def kept_lines(self, keys: Keys, document_of: Places) -> Mask:
        """Which lines of the next documents stay: all shapes (lines,).

        `document_of` is the document of each line, ascending; all lines of a document must
        come in one call. Within one document only later repeats of a line go, and a line that
        other documents hold is removed by the rule. By the rule `keep_all` every line stays.
        """
        if self._rule is ParagraphRule.KEEP_ALL:
            return np.ones(len(keys), np.bool_)
        place, first = np.empty(len(keys), np.int64), np.empty(len(keys), np.bool_)
        page_of = np.ascontiguousarray(document_of, np.int64)
        find_lines(self._keys, np.ascontiguousarray(keys), page_of, place, first)
        if self._place_of is not None:
            place = self._place_of.take(keys.view(np.int64)).astype(np.int64)
        if self._rule is ParagraphRule.DROP_ALL:
            return first & (place < 0)
        return first & ((place < 0) | self._claimed_now(place))

    def _claimed_now(self, place: Places) -> Mask:
        """True where a line is the very first copy that this shard may keep."""
        claimed = np.zeros(len(place), dtype=np.bool_)
        distinct, line = np.unique(place, return_index=True)
        distinct, line = distinct[distinct >= 0], line[distinct >= 0]
        claimed[line] = self._free[distinct]
        self._free[distinct] = False
        return claimed
