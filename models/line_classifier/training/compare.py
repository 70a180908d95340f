"""Extractors beside each other on labelled pages: F1 by group, with intervals by site.

A page's figure is the F1 of an extractor's text against the labelled lines, in runs of four words
(`features.words`). Pages of a site are alike, so an interval is had by drawing sites anew, not
pages (Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 8).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skord.markdown.extraction import split_lines
from skord.markdown.plain_lines import plain_markdown
from skord.models.line_classifier.features.words import overlap
from skord.models.line_classifier.training.dataset import Page
from skord.models.line_classifier.training.evaluate import Method

DRAWS = 1000
LEAST_SITES = 2
"""Below so many sites there is no interval."""
WORST = 20
_TEMPLATE = Path(__file__).with_name("worst_pages.html")
_SEED = 7


class Mean(NamedTuple):
    """A mean over pages, and where 95 of 100 means lie whose sites are drawn anew.

    `low` and `high` are None where there are too few sites.
    """

    value: float
    low: float | None
    high: float | None


class Row(NamedTuple):
    """A group of pages: each extractor's mean F1, and the first's less the second's."""

    group: str
    pages: int
    sites: int
    means: dict[str, Mean]
    gain: Mean | None


def scores(pages: Sequence[Page], methods: Sequence[Method]) -> dict[str, NDArray[np.float64]]:
    """F1 of each page's text, by extractor."""
    return {
        method.name: np.array([overlap(method.text(page), page.gold).f1 for page in pages])
        for method in methods
    }


def site_mean(values: NDArray[np.float64], sites: Sequence[str]) -> Mean:
    """Mean over pages, with an interval from drawing their sites anew.

    >>> site_mean(np.array([1.0, 1.0]), ["a", "b"])
    Mean(value=1.0, low=1.0, high=1.0)
    >>> site_mean(np.array([0.5]), ["a"])
    Mean(value=0.5, low=None, high=None)
    """
    by_site: dict[str, list[float]] = defaultdict(list)
    for value, site in zip(values.tolist(), sites, strict=True):
        by_site[site].append(value)
    mean = float(values.mean())
    if len(by_site) < LEAST_SITES:
        return Mean(mean, None, None)
    sums = np.array([sum(some) for some in by_site.values()])
    counts = np.array([len(some) for some in by_site.values()])
    drawn = np.random.default_rng(_SEED).integers(len(sums), size=(DRAWS, len(sums)))
    means = sums[drawn].sum(1) / counts[drawn].sum(1)
    low, high = np.percentile(means, [2.5, 97.5]).tolist()
    return Mean(mean, low, high)


def comparison(
    pages: Sequence[Page], kinds: Sequence[str], by_method: Mapping[str, NDArray[np.float64]]
) -> list[Row]:
    """Means of all pages, by type of page and by language.

    Args:
        pages: that were scored.
        kinds: type of each; "" if not known.
        by_method: F1 of each page, by extractor; the first is set against the second.
    """
    groups = {"all": list(range(len(pages)))}
    for name in sorted({*kinds} - {""}):
        groups[f"type {name}"] = [at for at, kind in enumerate(kinds) if kind == name]
    for name in sorted({page.lang for page in pages} - {""}):
        groups[f"language {name}"] = [at for at, page in enumerate(pages) if page.lang == name]
    return [
        _row(name, [pages[at] for at in chosen], chosen, by_method)
        for name, chosen in groups.items()
    ]


def _row(
    name: str,
    pages: Sequence[Page],
    chosen: Sequence[int],
    by_method: Mapping[str, NDArray[np.float64]],
) -> Row:
    sites = [page.site for page in pages]
    of_group = {method: values[list(chosen)] for method, values in by_method.items()}
    means = {method: site_mean(values, sites) for method, values in of_group.items()}
    first, *others = of_group.values()
    gain = site_mean(first - others[0], sites) if others else None
    return Row(name, len(pages), len(set(sites)), means, gain)


def worst_pages(
    pages: Sequence[Page],
    kept: Callable[[Page], NDArray[np.bool_]],
    by_method: Mapping[str, NDArray[np.float64]],
) -> str:
    """An HTML page of the pages that the first extractor gets most wrong, line by line.

    Args:
        pages: that were scored.
        kept: which lines the first extractor keeps.
        by_method: F1 of each page, by extractor.
    """
    from jinja2 import Environment, FileSystemLoader  # noqa: PLC0415

    first = next(iter(by_method.values()))
    shown = [
        {
            "url": pages[at].url or pages[at].site,
            "lang": pages[at].lang,
            "figures": {name: float(values[at]) for name, values in by_method.items()},
            "lines": _lines(pages[at], kept(pages[at])),
        }
        for at in np.argsort(first, kind="stable")[:WORST].tolist()
    ]
    rooms = Environment(loader=FileSystemLoader(_TEMPLATE.parent), autoescape=True)
    return rooms.get_template(_TEMPLATE.name).render(
        pages=shown, extractor=next(iter(by_method)), count=len(pages)
    )


def _lines(page: Page, kept: NDArray[np.bool_]) -> list[tuple[str, str]]:
    """Each visible line with what became of it."""
    names = {
        (True, True): "right", (True, False): "missed", (False, True): "wrong",
        (False, False): "removed",
    }  # fmt: skip
    lines = split_lines(plain_markdown(page.markdown))
    return [
        (names[label == 1, bool(keep)], line)
        for line, label, keep in zip(lines, page.labels, kept, strict=True)
        if not np.isnan(label)
    ]
