"""Figures as pictures: SVG text to stand in a page, the same bytes for the same figures."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from skord.cli.report.figures import FeatureFigure, Histogram
from skord.core.packages import require_package

STYLE: dict[Any, Any] = {
    "svg.hashsalt": "skord",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
KEPT, LOST, LIMIT = "#0072b2", "#e69f00", "#d55e00"
PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#8f7fd0", "#8a8a8a", "#56b4e9")
"""After Okabe and Ito: distinct to those who see few colours, on white and on black; the second
blue last."""
MARKERS = "osD^vPX*"
HISTOGRAM_MARGINS = {"left": 0.16, "right": 0.96, "bottom": 0.25, "top": 0.97}
"""Room for the ticks and names of a histogram; there are some forty in a report."""

WIDE = 4.7
"""Inches of a picture that has the page's width: on a telephone its letters are still read."""

TRUTH = "truth value"
"""The unit of measures that are yes or no; these have sentences."""

Draw = Callable[[Any], None]


def _drawing(module: str) -> Any:
    return require_package(module, "a picture", "pip install 'skord[report]'")


def tick_places(number: int | str = "auto", *, integer: bool = False) -> Any:
    """Where an axis has ticks: at so many places at most, of whole numbers if asked."""
    return _drawing("matplotlib.ticker").MaxNLocator(number, integer=integer)


def svg_chart(
    draw: Draw, width: float, height: float, title: str, margins: Mapping[str, float] | None = None
) -> str:
    """Draw into axes of a size in inches; returns an `<svg>` element.

    Its black, white and blue are the page's own, so that it can be read in the dark, too.
    Without given margins (shares of width and height), room is measured, by drawing twice.
    """
    matplotlib = _drawing("matplotlib")
    with matplotlib.rc_context(STYLE):
        layout = None if margins else "constrained"
        figure = _drawing("matplotlib.figure").Figure(figsize=(width, height), layout=layout)
        draw(figure.add_gridspec(**(margins or {})).subplots())
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None}, transparent=True)
    text = out.getvalue()
    drawn = text[text.index("<svg") :].replace("#000000", "currentColor")
    drawn = drawn.replace(KEPT, "var(--bar)").replace("#ffffff", "var(--paper)")
    name = escape(title, quote=True)
    head, _, rest = drawn.partition(">")
    return f'{head} role="img" aria-label="{name}"><title>{name}</title>{rest}'


ALONE = (
    "<style>svg{--bar:#0072b2;--paper:#fff;color:#000;background:#fff}"
    "@media(prefers-color-scheme:dark){svg{--bar:#56b4e9;--paper:#111;color:#eee;background:#111}}"
    "</style>"
)


def standing_alone(picture: str) -> str:
    """A picture of `svg_chart` with colours of its own, for a file outside of the report's page."""
    return picture.replace("</title>", f"</title>{ALONE}", 1) + "\n"


def survival_chart(stages: Sequence[Mapping[str, Any]], languages: Sequence[str]) -> str:
    """Share of each language's selected documents left after every task; "" where all are."""
    first, *later = ([one["documents_out"].get(code, 0) for code in languages] for one in stages)
    if all(number == first for number in later):
        return ""

    def draw(axes: Any) -> None:
        names = [stage["task"] for stage in stages]
        for place, language in enumerate(languages):
            start = stages[0]["documents_out"].get(language, 0)
            shares = [100 * stage["documents_out"].get(language, 0) / start for stage in stages]
            marker, colour = MARKERS[place % 8], PALETTE[place % 8]
            axes.plot(shares, names, marker=marker, label=language, color=colour, alpha=0.9)
        axes.invert_yaxis()
        axes.set_xlabel("documents left (%, linear)")
        axes.grid(axis="x", linewidth=0.4, alpha=0.4)
        if languages:
            look = {"ncols": 7, "fontsize": 8, "columnspacing": 1.2, "frameon": False}
            axes.figure.legend(loc="outside upper left", **look)  # where it covers nothing

    return svg_chart(draw, WIDE, 2.9, "Share of each language left after every task")


def histogram_chart(
    histogram: Histogram,
    limits: Sequence[float | None],
    unit: str = "",
    title: str = "",
    *,
    logarithmic: bool = False,
) -> str:
    """A histogram in percent of the documents, with upright lines at its limits.

    "" where it would show nothing: all documents in one bar.
    """
    if sum(number > 0 for number in histogram.counts) < 2:
        return ""

    def draw(axes: Any) -> None:
        total = sum(histogram.counts)
        shares = [100 * number / total for number in histogram.counts]
        axes.stairs(shares, histogram.edges, fill=True, color=KEPT)
        for limit in limits:
            if limit is not None:
                axes.axvline(limit, color=LIMIT, linestyle="--", linewidth=1.2)
        axes.set_ylabel("documents (%)", fontsize=8)
        if logarithmic:
            axes.set_xscale("log")
            ticker = _drawing("matplotlib.ticker")
            axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
            axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda x, _: f"{x:g}"))
            axes.xaxis.set_minor_locator(ticker.NullLocator())
        else:
            axes.xaxis.set_major_locator(tick_places(5))
        axes.set_xlabel(f"{unit} ({'log' if logarithmic else 'linear'})", fontsize=8)
        axes.set_xlim(histogram.edges[0], histogram.edges[-1])
        axes.yaxis.set_major_locator(tick_places(4))

    return svg_chart(draw, 3.3, 1.9, title or unit, HISTOGRAM_MARGINS)


def feature_chart(feature_figures: FeatureFigure) -> str:
    """The histogram of a measure, with its limits when they decide; "" of a truth value."""
    if feature_figures.unit == TRUTH:
        return ""
    limits = (feature_figures.low, feature_figures.high) if feature_figures.decides else ()
    return histogram_chart(
        feature_figures.histogram,
        limits,
        feature_figures.unit,
        f"Documents by {feature_figures.name}",
    )


def by_year(years: Mapping[str, int]) -> str:
    """Kept documents by the year of their date; "" for one year."""
    if len(years) < 2:
        return ""

    def draw(axes: Any) -> None:
        axes.bar(list(years), list(years.values()), color=KEPT)
        axes.set_ylabel("documents (linear)")
        axes.tick_params(axis="x", rotation=45 if len(years) > 8 else 0)
        axes.yaxis.set_major_locator(tick_places(5, integer=True))

    return svg_chart(draw, WIDE, 2.2, "Kept documents by year")
