"""Figures as pictures: SVG text to stand in a page, the same bytes for the same figures."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

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
PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8f7fd0", "#8a8a8a")
"""After Okabe and Ito: told apart by those who see few colours, on white and on black."""
MARKERS = "osD^vPX*"
HATCHES = ("", "//", "..", "\\\\", "xx", "--", "oo", "||")
"""Beside the colours, for those who see none."""
NAMED = 7
"""Charsets and reasons that have a colour of their own; the others share one."""

SHARES = (0.01, 0.1, 0.25, 0.5, 1.0)
"""Marked on the upright axis of histograms, which is the same in all: share of documents."""

BESIDE: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1, 0.5)}
"""Where a legend stands that must not cover anything."""

Draw = Callable[[Any], None]


def _drawing(module: str) -> Any:
    return require_package(module, "a picture", "pip install 'skord[report]'")


def tick_places(number: int | str = "auto", *, integer: bool = False) -> Any:
    """Where an axis has ticks: at so many places at most, of whole numbers if asked."""
    return _drawing("matplotlib.ticker").MaxNLocator(number, integer=integer)


def svg_chart(draw: Draw, width: float, height: float, title: str) -> str:
    """Draw into axes of a size in inches; returns an `<svg>` element.

    Its black, white and blue are the page's own, so that it can be read in the dark, too.
    """
    matplotlib = _drawing("matplotlib")
    with matplotlib.rc_context(STYLE):
        figure = _drawing("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")
        draw(figure.add_subplot())
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
    """Share of each language's selected documents that is left after every task."""

    def draw(axes: Any) -> None:
        names = [stage["task"] for stage in stages]
        for place, language in enumerate(languages):
            start = stages[0]["documents_out"].get(language, 0)
            shares = [stage["documents_out"].get(language, 0) / start for stage in stages]
            marker, colour = MARKERS[place % 8], PALETTE[place % 8]
            axes.plot(names, shares, marker=marker, label=language, color=colour)
        axes.set_ylim(0, 1.05)
        axes.yaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f} %")
        axes.tick_params(axis="x", rotation=25)
        if languages:
            axes.legend(frameon=False, fontsize=8)

    return svg_chart(draw, 6.4, 3.0, "Share of each language left after every task")


def charset_chart(years: Mapping[str, Mapping[str, int]]) -> str:
    """Share of each charset, year by year."""
    total: Counter[str] = Counter()
    for of_year in years.values():
        total.update(of_year)
    named = [name for name, _ in total.most_common(NAMED)]

    def draw(axes: Any) -> None:
        below = [0.0] * len(years)
        rest = ["others"] if len(total) > NAMED else []
        for place, name in enumerate([*named, *rest]):
            shares = [_share(series, name, named) for series in years.values()]
            look = {"color": PALETTE[place], "hatch": HATCHES[place], "edgecolor": "white"}
            axes.bar(list(years), shares, bottom=below, label=name, linewidth=0.4, **look)
            below = [a + b for a, b in zip(below, shares, strict=True)]
        axes.yaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f} %")
        axes.tick_params(axis="x", rotation=45)
        if total:
            axes.legend(frameon=False, fontsize=7, **BESIDE)

    return svg_chart(draw, 6.4, 2.8, "Share of each charset by year")


def _share(shares: Mapping[str, int], name: str, named: Sequence[str]) -> float:
    number = sum(n for key, n in shares.items() if (key if key in named else "others") == name)
    return number / max(sum(shares.values()), 1)


def histogram_chart(
    histogram: Histogram, limits: Sequence[float | None], unit: str = "", title: str = ""
) -> str:
    """A histogram of shares with upright lines at its limits.

    The upright axis goes to 100 % and by square roots in all of them, so that they can be compared
    and small shares seen.
    """

    def draw(axes: Any) -> None:
        widths = [b - a for a, b in zip(histogram.edges, histogram.edges[1:], strict=False)]
        total = max(sum(histogram.counts), 1)
        shares = [number / total for number in histogram.counts]
        axes.bar(histogram.edges[:-1], shares, widths, align="edge", color=KEPT)
        axes.set_yscale("function", functions=(_root, np.square))
        axes.set_ylim(0, 1)
        axes.set_xlim(histogram.edges[0], histogram.edges[-1])
        axes.set_yticks(SHARES, [f"{100 * share:g} %" for share in SHARES], fontsize=7)
        for limit in limits:
            if limit is not None:
                axes.axvline(limit, color=LIMIT, linestyle="--", linewidth=1.2)
        axes.set_xlabel(unit, fontsize=8)
        axes.xaxis.set_major_locator(tick_places(5))

    return svg_chart(draw, 3.3, 1.9, title or unit)


def _root(shares: Any) -> Any:
    """Of what lies on the axis; margins below zero are none."""
    return np.sqrt(np.maximum(shares, 0))


def feature_chart(feature_figures: FeatureFigure) -> str:
    """The histogram of a measure, with its limits when they decide."""
    limits = (feature_figures.low, feature_figures.high) if feature_figures.decides else ()
    return histogram_chart(
        feature_figures.histogram,
        limits,
        feature_figures.unit,
        f"Documents by {feature_figures.name}",
    )


def cluster_sizes(sizes: Mapping[int, int]) -> str:
    """How many groups of near-duplicates there are of each size."""

    def draw(axes: Any) -> None:
        axes.scatter(list(sizes), list(sizes.values()), color=KEPT, s=16)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("documents in a group")
        axes.set_ylabel("groups")

    return svg_chart(draw, 3.1, 2.2, "Groups of near-duplicates by size")


def by_year(years: Mapping[str, int]) -> str:
    """Kept documents by the year of their date."""

    def draw(axes: Any) -> None:
        axes.bar(list(years), list(years.values()), color=KEPT)
        axes.tick_params(axis="x", rotation=45)
        axes.yaxis.set_major_locator(tick_places(5, integer=True))

    return svg_chart(draw, 6.4, 2.4, "Kept documents by year")
