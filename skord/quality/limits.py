"""Which documents are good enough: limits on their measures, and what is outside of them.

`features.FEATURES` names every measure, with its column, unit, limits and source;
`measures.quality_columns` computes them. The decision comes last, from columns alone, so that
it can be taken again with other limits without looking at a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

import pyarrow as pa
import pyarrow.compute as pc

from skord.quality.features import FEATURES, SETS, Feature, limitable_features

__all__ = ["FEATURES", "SETS", "Feature", "Limits", "decide_quality", "quality_limits"]

Limits = Mapping[str, tuple[float, float]]
"""Feature name to its lowest and highest accepted value, both inclusive."""


def quality_limits(
    changed: Limits | None = None, sets: Sequence[str] = ("sweb",), *, has_later: bool = False
) -> dict[str, tuple[float, float]]:
    """The limits that decide: those of some feature sets, with some put in their place.

    Args:
        changed: limits instead of a feature's own. One of a feature outside of `sets` joins.
        has_later: whether measures of tasks on request may be limited, too.

    >>> quality_limits({"content_length": (50, 1e6)})["content_length"]
    (50, 1000000.0)
    >>> sorted(quality_limits({"mean_word_length": (2, 12)}, sets=["url"]))
    ['is_url_blacklisted', 'mean_word_length']

    Raises:
        ValueError: a name is no feature or no set, or a lower limit lies above the upper one.
    """
    changed = changed or {}
    _check_names("no feature set {!r}", sets, SETS)
    features = limitable_features() if has_later else FEATURES
    _check_names("no feature {!r} to limit", changed, [feature.name for feature in features])
    for name, (low, high) in changed.items():
        if not low <= high:
            raise ValueError(f"the limits of {name} are {low} to {high}: no value lies between")
    return {
        feature.name: changed.get(feature.name, (feature.low, feature.high))
        for feature in features
        if feature.set in sets or feature.name in changed
    }


def _check_names(message: str, names: Iterable[str], known: Sequence[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        near = get_close_matches(unknown[0], known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        raise ValueError(f"{message.format(unknown[0])}; {hint}")


def decide_quality(table: pa.Table, limits: Limits) -> tuple[pa.BooleanArray, pa.ListArray]:
    """Whether each document keeps within the limits, and which ones it does not keep.

    A measure that is null does not fail: nothing is known. One that is not a number does.

    Args:
        table: a column for each limited feature, named as it is.
        limits: of which features; from `quality_limits`.

    Returns:
        `passes_all`, and `failed_filters`: names in the order of `FEATURES`. Neither has nulls.

    >>> import pyarrow as pa
    >>> table = pa.table({"content_length": [99, 100], "unigram_entropy": [None, 4.0]})
    >>> limits = {"content_length": (100, 1e9), "unigram_entropy": (3, 9)}
    >>> passes, failed = decide_quality(table, limits)
    >>> passes.to_pylist(), failed.to_pylist()
    ([False, True], [['content_length'], []])

    Raises:
        ValueError: a limit names no feature.
        KeyError: a limited feature has no column.
    """
    known = [feature.name for feature in limitable_features()]
    _check_names("no feature {!r} to limit", limits, known)
    names = [name for name in known if name in limits]
    counts = pa.repeat(pa.scalar(0, pa.int32()), table.num_rows)
    rows, failed = [pa.array([], pa.uint64())], [pa.array([], pa.string())]
    for name in names:
        outside = _outside_limits(table[name], *limits[name])
        counts = pc.add(counts, pc.cast(outside, pa.int32()))
        rows.append(pc.indices_nonzero(outside))
        failed.append(pa.repeat(name, len(rows[-1])))
    order = pc.array_sort_indices(pa.concat_arrays(rows))  # stable: a row's features stay in order
    ends = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(counts)])
    return (
        pc.equal(counts, 0),
        pa.ListArray.from_arrays(ends, pa.concat_arrays(failed).take(order)),
    )


def _outside_limits(column: pa.ChunkedArray, low: float, high: float) -> pa.BooleanArray:
    values = pc.cast(column, pa.float64())
    within = pc.and_(pc.greater_equal(values, float(low)), pc.less_equal(values, float(high)))
    outside = pc.fill_null(pc.invert(within), False)
    return outside.combine_chunks()
