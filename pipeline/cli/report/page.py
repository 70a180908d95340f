"""The report as one HTML file: no script, nothing fetched, whatever pages say escaped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from jinja2 import Environment, StrictUndefined

from pipeline.cli.report import charts
from pipeline.cli.report.figures import FeatureFigure, Figures, Histogram

EMPTY = Histogram([0.0, 1.0], [0])


@dataclass(frozen=True)
class DrawnDump:
    """One dump's figures and their pictures."""

    figures: Figures
    languages: Sequence[str]
    waterfall: str
    survival: str
    charsets: str
    perplexities: dict[str, str]
    features: Sequence[tuple[FeatureFigure, str]]
    clusters: str
    kept_lines: str
    ranks: str


def draw(figures: Figures) -> DrawnDump:
    """All pictures of one dump."""
    selected = figures.stages[0]["documents_out"]
    languages = [name for name, number in selected.items() if name != "all" and number]
    return DrawnDump(
        figures=figures,
        languages=languages,
        waterfall=charts.waterfall(figures.stages),
        survival=charts.survival(figures.stages, languages),
        charsets=charts.charsets(figures.charsets),
        perplexities={
            language: charts.bars(found["histogram"], found["limits"], "perplexity")
            for language, found in figures.perplexities.items()
        },
        features=[(found, charts.feature(found)) for found in figures.features],
        clusters=charts.cluster_sizes(figures.cluster_sizes) if figures.cluster_sizes else "",
        kept_lines=charts.bars(figures.kept_lines or EMPTY, (), "share of lines"),
        ranks=charts.ranks(figures.ranks) if figures.ranks else "",
    )


def render(dumps: Sequence[Figures]) -> str:
    """The page for one dump, or for several side by side."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["n"] = lambda number: f"{number:,}"
    environment.filters["f"] = lambda number: "none" if number is None else f"{number:g}"
    source = resources.files("pipeline.cli.report").joinpath("page.html").read_text("utf-8")
    return environment.from_string(source).render(dumps=[draw(figures) for figures in dumps])
