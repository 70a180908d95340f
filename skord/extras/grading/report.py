"""The report's section on grades: how quality falls with the rank of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skord.cli.report.charts import KEPT, LOST, WIDE, svg_chart
from skord.core.storage.column_store import ColumnStore
from skord.extras.grading.command import TASK, graded_pages, rank_curve


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


def rank_chart(points: Sequence[Mapping[str, float | None]]) -> str:
    """Grammaticality, and the paper's average size, of pages in order of rank."""

    def draw(axes: Any) -> None:
        places = [point["rank"] for point in points]
        axes.plot(places, [point["grammaticality"] for point in points], color=KEPT, marker="o")
        axes.set_xlabel("rank (linear)")
        axes.set_ylabel("grammaticality (linear)", color=KEPT)
        axes.set_ylim(0, 1.05)
        sizes = axes.twinx()
        sizes.plot(places, [point["avg_size"] for point in points], color=LOST, marker=".")
        sizes.set_ylabel("average size (linear)", color=LOST)

    return svg_chart(draw, WIDE, 2.5, "Quality by rank")
