"""Why a page goes no further than a task: read off the task's row, in one place for all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

VERDICT_COLUMNS = (
    "failure",
    "passes_all_quality_filters",
    "failed_filters",
    "dedup_keep",
    "left_out",
)
"""Columns, of whatever task has them, by which a page ends in it."""

NEAR_DUPLICATE = "near_duplicate"


def reasons_to_end(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Why a page ends in a task: a failure's code, the filters it fails, or a word.

    Returns:
        Nothing where the page goes on.

    >>> reasons_to_end({"failure": None, "text": "Hej"})
    ()
    >>> reasons_to_end({"passes_all_quality_filters": False, "failed_filters": ["num_words"]})
    ('num_words',)
    >>> reasons_to_end({"failure": "pandoc_timeout"}), reasons_to_end({"dedup_keep": False})
    (('pandoc_timeout',), ('near_duplicate',))
    """
    if row.get("failure"):
        return (str(row["failure"]),)
    if row.get("passes_all_quality_filters") is False:
        return tuple(row["failed_filters"])
    if row.get("dedup_keep") is False:
        return (NEAR_DUPLICATE,)
    return (str(row["left_out"]),) if row.get("left_out") else ()
