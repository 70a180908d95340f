"""The report as one HTML file: no script, nothing fetched, whatever pages say escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import accumulate
from typing import Any

from skord.cli.declarations import ReportPart
from skord.cli.planning.text import shown_size
from skord.cli.report import charts
from skord.cli.report.figures import Figures, Histogram
from skord.core.dumps import may_be_own
from skord.core.packages import require_package
from skord.extras import declared

REASONS = 5
"""Losses of a task that have a part of its bar of their own; all are in the table below."""

PACKAGES = ("jinja2", "matplotlib")
INSTALL = "pip install 'skord[report]'"
"""What the page and its pictures need beside the package, and how it is installed."""

EMPTY = Histogram([0.0, 1.0], [0], 0)


@dataclass(frozen=True)
class Part:
    """A part of a task's bar.

    Attributes:
        name: the reason, or `others`.
        number: of documents.
        share: of the documents that came into the task, in percent.
        start: where it begins, in percent.
    """

    name: str
    number: int
    share: float
    start: float


@dataclass(frozen=True)
class StageBar:
    """The yield of one task.

    Attributes:
        came: documents that came into it, and `left` those passed on.
        share: of those that came, in percent; `of_all`, of all pages.
        lost: parts of the bar after the first, the largest first, `others` the sum of the rest.
    """

    task: str
    came: int
    left: int
    share: float
    of_all: float
    lost: Sequence[Part]
    adds_up: bool


def stage_bars(stages: Sequence[Mapping[str, Any]]) -> Iterator[StageBar]:
    """Of what came into each task, what is passed on and what is removed by what.

    >>> stage = {"task": "A", "documents_in": {"all": 8}, "documents_out": {"all": 6},
    ...     "lost": {"x": 2}, "adds_up": True}
    >>> (bar,) = stage_bars([stage])
    >>> bar.share, bar.lost
    (75.0, [Part(name='x', number=2, share=25.0, start=75.0)])
    """
    first = max(stages[0]["documents_in"].get("all", 0), 1) if stages else 1
    for stage in stages:
        came, left = (stage[f"documents_{way}"].get("all", 0) for way in ("in", "out"))
        lost = sorted(stage["lost"].items(), key=lambda pair: (-pair[1], pair[0]))
        others = sum(number for _, number in lost[REASONS:])
        named = lost[:REASONS] + ([("others", others)] if others else [])
        starts = accumulate((number for _, number in named), initial=left)
        percent = 100 / max(came, 1)
        parts = [
            Part(name, number, percent * number, percent * start)
            for (name, number), start in zip(named, starts, strict=False)
        ]
        of_all = 100 * left / first
        adds_up = stage["adds_up"]
        yield StageBar(stage["task"], came, left, percent * left, of_all, parts, adds_up)


def draw_charts(figures: Figures, environment: Any) -> dict[str, Any]:
    """One dump's figures, and their pictures and the sections of extras as HTML."""
    selected = figures.stages[0]["documents_out"]
    languages = [name for name, number in selected.items() if name != "all" and number]
    return {
        "figures": figures,
        "languages": languages,
        "stages": list(stage_bars(figures.stages)),
        "years": charts.by_year(figures.years),
        "lengths": charts.histogram_chart(
            figures.lengths or EMPTY, (), "words", "Kept documents by words"
        ),
        "survival": charts.survival_chart(figures.stages, languages),
        "perplexities": {
            language: charts.histogram_chart(
                series["histogram"],
                series["limits"],
                "perplexity",
                f"Perplexity of {language}",
                logarithmic=True,
            )
            for language, series in figures.perplexities.items()
        },
        "features": [(series, charts.feature_chart(series)) for series in figures.features],
        "kept_lines": charts.histogram_chart(
            figures.kept_lines or EMPTY, (), "share of lines", "Share of lines kept"
        ),
        "parts": {
            part.name: part.html(environment, figures.parts[part.name])
            for part in declared(ReportPart)
            if figures.parts.get(part.name)
        },
    }


def render_report(dumps: Sequence[Figures]) -> str:
    """The page for one dump, or for several side by side."""
    jinja2 = require_package("jinja2", "the report", INSTALL)
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    environment.filters["n"] = lambda number: f"{number:,}"
    environment.filters["size"] = shown_size
    environment.filters["name"] = breakable_name
    environment.filters["named"] = lambda dump: f"{'Input' if may_be_own(dump) else 'Dump'} {dump}"
    environment.filters["without_scheme"] = lambda url: re.sub(r"^https?://", "", url)
    environment.filters["f"] = lambda number: "none" if number is None else f"{number:g}"
    source = resources.files("skord.cli.report").joinpath("page.html").read_text("utf-8")
    drawn = [draw_charts(figures, environment) for figures in dumps]
    sections = [
        part for part in declared(ReportPart) if any(part.name in one["parts"] for one in drawn)
    ]
    there = {
        "has_perplexities": any(one.perplexities for one in dumps),
        "has_extraction": any(one.kept_lines and any(one.kept_lines.counts) for one in dumps),
        "has_requested": any(one.beside for one in dumps),
    }
    return str(environment.from_string(source).render(dumps=drawn, sections=sections, **there))


def breakable_name(name: str) -> Any:
    """A name, host or address as HTML that a line may be broken in behind its signs alone.

    >>> str(breakable_name("unigram_entropy"))
    'unigram_<wbr>entropy'
    """
    markupsafe = require_package("markupsafe", "the report", INSTALL)
    return markupsafe.Markup(
        re.sub(r"(?<=[_./?=,-])(?=[^\W\d])", "<wbr>", str(markupsafe.escape(name)))
    )
