"""The best texts of a dump, as GradeDocuments graded them: the table of the harvesting paper.

Columns: Job (the shard), File (the page), Words, Recognized (%), Rec. words, Chunks, and two sizes:
Avg. size as the paper printed it, recognised words² / (words · chunks), and words in a chunk on
average (R/C); Good, the grammaticality, and Worth, what pages are sorted by.
The first and the last of the pages shown let a reader check the ranking; `rank_curve` is its figure 4.
"""

from __future__ import annotations

import argparse
import heapq
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from skord.cli.json_output import print_asked
from skord.cli.report.charts import KEPT, LOST, MARKERS, PALETTE, standing_alone, svg_chart
from skord.core.config import open_storage
from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.models.grammar.grammaticality import grammatical_size

TASK = "GradeDocuments"
PAGES = "ConvertToMarkdown"

_CURVE_POINTS = 20
_COLUMNS = [
    "grammar", "words", "recognized", "recognized_words", "chunks", "avg_size",
    "avg_chunk_size", "grammaticality",
]  # fmt: skip


@dataclass(frozen=True)
class GradedPage:
    """One row of the table; sizes and probability as in GradeDocuments."""

    shard: int
    url: str
    grammar: str
    words: int
    recognized: float
    recognized_words: int
    chunks: int
    avg_size: float
    avg_chunk_size: float
    grammaticality: float | None
    worth: float


@dataclass(frozen=True)
class RankPoint:
    """Mean quality of the pages of a stretch of ranks.

    Attributes:
        rank: of the first page of the stretch, from 1.
        recognized: % of all their words together.
        avg_size: as the paper's table, mean.
        grammaticality: mean; None if no page has one.
    """

    rank: int
    pages: int
    words: float
    recognized: float
    avg_size: float
    grammaticality: float | None


def run(options: argparse.Namespace) -> None:
    """Print the table, or the curve."""
    store = ColumnStore(open_storage(), options.dump)
    if options.out and not (options.times or options.curve):
        raise ConfigError("--out is for the picture of --curve or --times: give one of them, too")
    if options.top < 1:
        raise ConfigError(f"--top {options.top}: give 1 or more")
    pages = graded_pages(store, options.language)
    if options.times:
        rows = time_rows(store)
        if options.out:
            write_picture(grading_time_chart(rows), options.out)
        else:
            print_asked(options, rows, time_lines(rows))
        return
    selection: Sequence[RankPoint] | Sequence[GradedPage]
    if options.curve:
        selection = rank_curve(pages, options.by)
        if options.out:
            write_picture(rank_chart([vars(point) for point in selection]), options.out)
            return
        lines = curve_lines(selection)
    else:
        selection = best_pages(pages, options.by, options.top)
        if not selection and options.language:
            raise ConfigError(f"no text of {options.dump} has a grade as {options.language}")
        lines = table_lines(selection)
    print_asked(options, selection, lines)


def graded_pages(
    store: ColumnStore, language: str = "", shards: Iterable[int] | None = None
) -> Iterator[GradedPage]:
    """Every graded page of a dump, in the order of the store."""
    manifest = store.complete_manifest(TASK)
    for number in range(int(manifest["num_shards"])) if shards is None else shards:
        wanted = {TASK: _COLUMNS, PAGES: ["url"]}
        for _, batch in store.side_by_side(number, wanted):
            for row in batch.to_pylist():
                page = _page(number, row)
                if page.grammar and language in ("", page.grammar):
                    yield page


def _page(shard: int, row: Mapping[str, Any]) -> GradedPage:
    values = {name: row[f"{TASK}.{name}"] for name in _COLUMNS}
    good = values["grammaticality"]
    worth = grammatical_size(values["recognized_words"] or 0, 1.0 if good is None else good)
    return GradedPage(shard=shard, url=row[f"{PAGES}.url"], worth=worth, **values)


def sort_key(page: GradedPage, by: str) -> tuple[float | str, ...]:
    """Sorts the best page first; ties by size, then by address."""
    return (-(getattr(page, by) or 0.0), -page.recognized_words, page.url)


def best_pages(pages: Iterator[GradedPage], by: str = "worth", top: int = 50) -> list[GradedPage]:
    """The pages that rank highest."""
    return heapq.nsmallest(top, pages, key=lambda page: sort_key(page, by))


def rank_curve(
    pages: Iterator[GradedPage] | Sequence[GradedPage], by: str = "worth"
) -> list[RankPoint]:
    """How quality falls with the rank (figure 4 of the paper), in stretches of ranks nearly alike."""
    ranked = sorted(pages, key=lambda page: sort_key(page, by))
    size = max(1, math.ceil(len(ranked) / _CURVE_POINTS))
    return [
        _point(start + 1, ranked[start : start + size]) for start in range(0, len(ranked), size)
    ]


def _point(rank: int, pages: Sequence[GradedPage]) -> RankPoint:
    words = sum(page.words for page in pages)
    known = [page.grammaticality for page in pages if page.grammaticality is not None]
    return RankPoint(
        rank=rank,
        pages=len(pages),
        words=words / len(pages),
        recognized=100 * sum(page.recognized_words for page in pages) / max(1, words),
        avg_size=sum(page.avg_size for page in pages) / len(pages),
        grammaticality=sum(known) / len(known) if known else None,
    )


def table_lines(pages: Sequence[GradedPage]) -> list[str]:
    """The table, one page a line."""
    head = (
        f"{'Job':>5}  {'Words':>7}  {'Recognized':>10}  {'Rec. words':>10}  {'Chunks':>6}  "
        f"{'Avg. size':>9}  {'R/C':>5}  {'Good':>5}  {'Worth':>9}  File"
    )
    return [head, *map(_line, pages)]


def _line(page: GradedPage) -> str:
    good = "" if page.grammaticality is None else f"{page.grammaticality:.2f}"
    return (
        f"{page.shard:>5}  {page.words:>7,}  {page.recognized:>9.2f}%  "
        f"{page.recognized_words:>10,}  {page.chunks:>6,}  {page.avg_size:>9.2f}  "
        f"{page.avg_chunk_size:>5.2f}  {good:>5}  {page.worth:>9,.1f}  {page.url}"
    )


def curve_lines(curve: Sequence[RankPoint]) -> list[str]:
    """The curve as a table."""
    head = f"{'Rank':>9}  {'Words':>9}  {'Recognized':>10}  {'Avg. size':>9}  {'Good':>5}"
    lines = []
    for point in curve:
        good = "" if point.grammaticality is None else f"{point.grammaticality:.2f}"
        lines.append(
            f"{point.rank:>9,}  {point.words:>9,.0f}  {point.recognized:>9.2f}%  "
            f"{point.avg_size:>9.2f}  {good:>5}"
        )
    return [head, *lines]


def rank_chart(points: Sequence[Mapping[str, float | None]]) -> str:
    """Grammaticality, and the paper's average size, of pages in order of rank: its figure 4."""

    def draw(axes: Any) -> None:
        places = [point["rank"] for point in points]
        axes.plot(places, [point["grammaticality"] for point in points], color=KEPT, marker="o")
        axes.set_xlabel("rank (linear)")
        axes.set_ylabel("grammaticality (linear)", color=KEPT)
        axes.set_ylim(0, 1.05)
        sizes = axes.twinx()
        sizes.plot(places, [point["avg_size"] for point in points], color=LOST, marker=".")
        sizes.set_ylabel("average size (linear)", color=LOST)

    return svg_chart(draw, 6.4, 2.8, "Quality by rank")


def ranks(store: ColumnStore, shards: Sequence[int]) -> list[dict[str, float | None]]:
    """The curve for the report; nothing where GradeDocuments has not run."""
    if store.manifest(TASK) is None:
        return []
    return [vars(point) for point in rank_curve(graded_pages(store, shards=shards))]


def ranks_html(environment: Any, points: Sequence[Mapping[str, float | None]]) -> str:
    """The curve as a picture."""
    del environment
    return f'<div class="wide">{rank_chart(points)}</div>'


BAR = 40
"""Characters of the longest bar."""


def time_rows(store: ColumnStore) -> list[dict[str, float]]:
    """What grading took, for texts of ever more words: the harvesting paper's figures 2 and 3.

    Returns:
        For each range of words, twice as wide as the one before: `words` (least), `texts`,
        `median_s`, `p90_s`, `max_s`, and `words_per_s` of all together.
    """
    manifest = store.manifest(TASK) or {"num_shards": 0}
    paths = [store.path(TASK, number, "ledger") for number in range(manifest["num_shards"])]
    tables = [store.read_table(path) for path in paths if store.storage.exists(path)]
    if not tables:
        raise ConfigError(f"no times of {TASK} {store.dump}: graded before they were kept, or not")
    table = pa.concat_tables(tables).drop_null()
    words, seconds = (table[name].to_numpy() for name in ("words", "seconds"))
    groups = np.floor(np.log2(np.maximum(words, 1))).astype(int)
    return [
        {
            "words": float(2**group),
            "texts": float(chosen.sum()),
            "median_s": float(np.median(seconds[chosen])),
            "p90_s": float(np.percentile(seconds[chosen], 90)),
            "max_s": float(seconds[chosen].max()),
            "words_per_s": float(words[chosen].sum() / max(seconds[chosen].sum(), 1e-9)),
        }
        for group in np.unique(groups).tolist()
        for chosen in [groups == group]
    ]


def write_picture(picture: str, out: Path) -> None:
    """Write a picture of `svg_chart` to a file, and print where it lies."""
    try:
        out.write_text(standing_alone(picture), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"--out {out} cannot be written ({error.strerror})") from error
    print(out)


def grading_time_chart(rows: Sequence[Mapping[str, float]]) -> str:
    """What grading took by the words of a text, on scales of logarithms: median, 90 %, most."""
    lines = {"median_s": "median", "p90_s": "90 of 100 within", "max_s": "most"}

    def draw(axes: Any) -> None:
        words = [row["words"] for row in rows]
        for place, (name, label) in enumerate(lines.items()):
            seconds = [row[name] for row in rows]
            axes.plot(words, seconds, marker=MARKERS[place], color=PALETTE[place], label=label)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("words of a text, at least")
        axes.set_ylabel("seconds")
        axes.legend(frameon=False, fontsize=8)

    return svg_chart(draw, 6.4, 3.2, "Seconds that grading took, by words of a text")


def time_lines(rows: Sequence[Mapping[str, float]]) -> Iterator[str]:
    """The same for a terminal, with a bar for the median, on a scale of logarithms."""
    slowest = max((row["max_s"] for row in rows), default=1.0)
    yield f"{'words from':>10}{'texts':>8}{'median':>11}{'90 %':>11}{'most':>11}{'words/s':>11}"
    for row in rows:
        share = 1 + math.log10(max(row["median_s"], slowest / 1e5) / slowest) / 5
        times = "".join(f"{row[name] * 1000:>8.2f} ms" for name in ("median_s", "p90_s", "max_s"))
        yield (
            f"{row['words']:>10,.0f}{row['texts']:>8,.0f}{times}{row['words_per_s']:>11,.0f}  "
            f"{'█' * round(BAR * max(share, 0))}"
        )
