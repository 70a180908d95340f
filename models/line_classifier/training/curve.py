"""Precision and recall at every threshold, and how well probabilities keep their word.

    python -m skord.models.line_classifier.training.curve --data FOLDER --cache FOLDER --out curve.svg

The picture stands in CARD.md. Pages and measure are those of `evaluate`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skord.markdown.extraction import probabilities
from skord.models.line_classifier.load import load_line_classifier
from skord.models.line_classifier.training.dataset import Page, in_test, read_pages
from skord.models.line_classifier.training.evaluate import (
    SITE_PAGES,
    classified_lines,
    page_groups,
    score_method,
)
from skord.models.line_classifier.training.examples import line_labels, page_context

THRESHOLDS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
GROUPS = {"all": "#1f5a99", "Scandinavian": "#b3541e"}
_SIDE, _MARGIN, _LOWEST = 420, 56, 0.6


class Point(NamedTuple):
    """Means over pages at one threshold."""

    threshold: float
    precision: float
    recall: float
    f1: float


class Bin(NamedTuple):
    """Labelled lines of like probability, every page weighing the same."""

    lines: int
    probability: float
    kept: float


def precision_recall_curves(pages: list[Page]) -> dict[str, list[Point]]:
    """Precision and recall of the embedded classifier, for all pages and the Scandinavian."""
    methods = classified_lines(load_line_classifier(""), pages, THRESHOLDS)
    members = page_groups(pages)
    return {
        name: [
            Point(threshold, *score_method(members[name], method)[2:5])
            for threshold, method in zip(THRESHOLDS, methods, strict=True)
        ]
        for name in GROUPS
        if name in members
    }


def calibration(
    labels: Sequence[NDArray[np.float32]], curve: Sequence[NDArray[np.float32]], count: int = 10
) -> list[Bin]:
    """Share of lines to be kept beside their probability, in bins of equal width.

    Args:
        labels: 1, 0 or NaN for each line of each page.
        curve: probability of each.
        count: of bins.

    >>> labels = [np.array([1, 0, np.nan, 1], np.float32)]
    >>> calibration(labels, [np.array([0.9, 0.8, 0.9, 0.1], np.float32)], 2)[1][::2]
    (2, 0.5)
    """
    shares = [np.full(page.size, 1 / max((~np.isnan(page)).sum(), 1)) for page in labels]
    label, given, share = (np.concatenate(some) for some in (labels, curve, shares))
    known = ~np.isnan(label)
    label, given, share = label[known], given[known], share[known]
    number = np.minimum((given * count).astype(np.int64), count - 1)
    return [
        Bin(
            int((number == at).sum()),
            float(np.average(given[number == at], weights=share[number == at])),
            float(np.average(label[number == at], weights=share[number == at])),
        )
        for at in range(count)
        if (number == at).any()
    ]


def curve_picture(curve: dict[str, list[Point]]) -> str:
    """The curves as SVG: recall to the right, precision upwards."""
    ticks = np.arange(_LOWEST, 1.001, 0.1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIDE} {_SIDE}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{_SIDE}" height="{_SIDE}" fill="white"/>',
        *(_grid(float(tick)) for tick in ticks),
        _text(_SIDE / 2, _SIDE - 10, "recall"),
        f'<g transform="translate(16 {_SIDE / 2}) rotate(-90)">{_text(0, 0, "precision")}</g>',
        *(_curve(name, points, at) for at, (name, points) in enumerate(curve.items())),
    ]
    return "\n".join([*parts, "</svg>", ""])


def _place(recall: float, precision: float) -> tuple[float, float]:
    scale = (_SIDE - 2 * _MARGIN) / (1 - _LOWEST)
    return (
        round(_MARGIN + (recall - _LOWEST) * scale, 1),
        round(_SIDE - _MARGIN - (precision - _LOWEST) * scale, 1),
    )


def _grid(tick: float) -> str:
    (left, y), (right, _) = _place(_LOWEST, tick), _place(1, tick)
    (x, bottom), (_, top) = _place(tick, _LOWEST), _place(tick, 1)
    return (
        f'<path d="M{left} {y}H{right}M{x} {bottom}V{top}" stroke="#ddd"/>'
        f"{_text(left - 16, y + 4, f'{tick:.1f}')}{_text(x, bottom + 18, f'{tick:.1f}')}"
    )


def _curve(name: str, points: Sequence[Point], at: int) -> str:
    inside = [p for p in points if min(p.precision, p.recall) >= _LOWEST]
    places = [_place(point.recall, point.precision) for point in inside]
    line = " ".join(f"{x},{y}" for x, y in places)
    marks = "".join(
        f'<circle cx="{x}" cy="{y}" r="3"/>' + _text(x - 18, y + 4, f"{point.threshold:g}")
        for (x, y), point in zip(places, inside, strict=True)
        if point.threshold in {0.05, 0.5, 0.9}
    )
    colour = GROUPS[name]
    return (
        f'<g fill="{colour}"><polyline points="{line}" fill="none" stroke="{colour}"/>{marks}'
        f"{_text(_MARGIN + 60, _SIDE - _MARGIN - 30 - 18 * at, name)}</g>"
    )


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="middle">{text}</text>'


def main() -> None:
    """Writes the picture, and prints the table of calibration."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("curve.svg"))
    chosen = parser.parse_args()
    pages, _ = read_pages(chosen.data, chosen.cache, in_test, SITE_PAGES)
    entries = precision_recall_curves(pages)
    chosen.out.write_text(curve_picture(entries), encoding="utf-8")
    contexts = [page_context(page) for page in pages]
    logits = load_line_classifier("").logits([page.markdown for page in pages], contexts)
    labels = [np.array(line_labels(page), np.float32) for page in pages]
    _print(entries, calibration(labels, [probabilities(line) for line in logits]))


def _print(scores: dict[str, list[Point]], bins: Sequence[Bin]) -> None:
    print("| group | threshold | precision | recall | F1 |\n|---|---|---|---|---|")
    for name, points in scores.items():
        for point in points:
            print(f"| {name} | {' | '.join(f'{value:.3f}' for value in point)} |")
    print("\n| lines | mean probability | kept by gold |\n|---|---|---|")
    for some in bins:
        print(f"| {some.lines} | {some.probability:.2f} | {some.kept:.2f} |")


if __name__ == "__main__":
    main()
