"""The report's section on grades: how quality falls with the rank of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skord.core.storage.column_store import ColumnStore
from skord.extras.grading.command import TASK, graded_pages, rank_chart, rank_curve


def ranks(store: ColumnStore, shards: Sequence[int]) -> list[dict[str, float | None]]:
    """The curve of GradeDocuments; nothing where it has not run."""
    if store.manifest(TASK) is None:
        return []
    pages = [page for shard in shards for page in graded_pages(store, shard=shard)]
    return [vars(point) for point in rank_curve(pages)]


def ranks_html(environment: Any, points: Sequence[Mapping[str, float | None]]) -> str:
    """The curve as a picture."""
    del environment
    return f'<div class="wide">{rank_chart(points)}</div>'
