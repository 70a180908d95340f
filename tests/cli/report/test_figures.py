"""Figures of the report and their pictures.

Of `skord.cli.report.figures`, `skord.cli.report.charts` and `skord.cli.report.page`.
"""

import math
import re

import numpy as np
import pytest

from skord.cli.report.charts import (
    PALETTE,
    by_year,
    feature_chart,
    histogram_chart,
    survival_chart,
)
from skord.cli.report.figures import (
    BINS,
    FeatureFigure,
    Histogram,
    finite_limit,
    histogram,
    span_hull,
    value_span,
)
from skord.cli.report.page import REASONS, stage_bars


def stage(task="FilterDocuments", came=1000, left=900, lv=(100, 50), **more):
    return {
        "task": task, "documents_in": {"all": came, "lv": lv[0]},
        "documents_out": {"all": left, "lv": lv[1]}, "lost": {}, "adds_up": True, **more,
    }  # fmt: skip


def test_a_histogram_counts_all_that_has_a_value():
    drawn = histogram(np.array([0.0, 0.5, 1.0, 7.0, -3.0, np.nan]), (0.0, 1.0))

    assert (len(drawn.counts), len(drawn.edges)) == (BINS, BINS + 1)
    assert (drawn.counts[0], drawn.counts[-1], drawn.nulls) == (2, 2, 1)
    assert (drawn.edges[0], drawn.edges[-1]) == (0.0, 1.0)
    assert (drawn.least, drawn.most) == (-3.0, 7.0)
    alone = histogram(np.array([2.0, 2.0]), (2.0, 2.0))
    assert (alone.edges, alone.counts, alone.least, alone.most) == ([2.0, 2.0], [2], 2.0, 2.0)
    nothing = histogram(np.array([np.nan]), (0.0, 1.0))
    assert (nothing.nulls, nothing.least, nothing.most) == (1, None, None)


def test_bars_of_a_logarithmic_histogram_have_equal_ratios():
    edges = histogram(np.array([1.0, 1000.0]), (1.0, 1000.0), logarithmic=True).edges
    assert np.allclose(np.diff(np.log(edges)), np.log(1000) / BINS)
    assert histogram(np.array([0.0, 3.0]), (0.0, 3.0), logarithmic=True).edges[1] == 0.1


def test_a_span_leaves_the_outermost_hundredth_out_and_holds_the_limits():
    values = np.arange(101.0)
    assert value_span(values) == (1.0, 99.0)
    assert value_span(values, -5.0, None) == (-5.0, 99.0)
    assert value_span(np.array([np.inf, np.nan]), 1.0) is None
    assert span_hull([None]) == (0.0, 1)
    assert (finite_limit(2), finite_limit(math.inf)) == (2.0, None)


def test_the_funnels_bars_add_up_and_name_the_largest_losses():
    lost = {f"r{n}": 10 * (n + 1) for n in range(REASONS + 2)}
    first, second = stage_bars(
        [stage(came=400, left=120, lost=lost), stage(came=120, left=60, lost={"x": 60})]
    )

    assert [part.name for part in first.lost] == ["r6", "r5", "r4", "r3", "r2", "others"]
    assert first.lost[-1].number == 10 + 20
    assert first.lost[0].start == pytest.approx(first.share)
    assert first.lost[-1].start + first.lost[-1].share == pytest.approx(100.0)
    assert (first.share, first.of_all) == (30.0, 30.0)
    assert (second.share, second.of_all) == (50.0, 15.0)
    assert [part.name for part in second.lost] == ["x"]
    assert list(stage_bars([])) == []


def test_a_picture_is_the_same_each_time_and_says_what_it_shows():
    drawn = histogram_chart(
        Histogram([0.0, 1.0, 2.0], [1, 3], 0), (0.5, None), "words", "Lengths < 2"
    )

    assert drawn == histogram_chart(
        Histogram([0.0, 1.0, 2.0], [1, 3], 0), (0.5, None), "words", "Lengths < 2"
    )
    assert 'aria-label="Lengths &lt; 2"' in drawn
    assert "var(--bar)" in drawn
    assert "#000000" not in drawn
    assert drawn.count("stroke-dasharray: 4.44,1.92") == 1
    assert ">words (linear)<" in drawn
    assert ">documents (%)<" in drawn
    logarithmic = histogram_chart(Histogram([1, 10, 100], [1, 3], 0), (), "x", logarithmic=True)
    assert ">x (log)<" in logarithmic


def test_a_figure_that_would_say_nothing_is_left_out():
    assert histogram_chart(Histogram([0.0, 0.0], [298], 0, 0.0, 0.0), ()) == ""
    assert histogram_chart(Histogram([0.0, 1.0, 2.0], [0, 9], 0), ()) == ""
    assert histogram_chart(Histogram([0.0, 1.0], [0], 0), ()) == ""
    two = Histogram([0.0, 0.5, 1.0], [1, 1], 0, 0.0, 1.0)
    truth = FeatureFigure("a", "truth value", "", "", "", True, 0.0, 0.0, 1, 1, two)
    assert feature_chart(truth) == ""


def test_languages_have_colours_of_their_own():
    names = ["sv", "da", "no", "is", "nn"]
    selected = {"task": "CCNet", "documents_out": dict.fromkeys(names, 9)}
    later = {"task": "Deduplicate", "documents_out": dict.fromkeys(names, 8)}
    drawn = survival_chart([selected, later], names)
    lines = re.findall(
        r'<g id="line2d_\d+">\s*<path d="[^"]*"[^>]*style="[^"]*stroke: (\S+?);', drawn
    )
    assert len(set(PALETTE[:5])) == 5
    assert {"var(--bar)", *PALETTE[1:5]} <= set(lines)
    assert "#56b4e9" not in drawn, "beside the first blue"


def test_series_have_their_names_and_shares_of_their_own_start():
    stages = [stage("CCNet", lv=(9, 50)), stage(lv=(50, 25))]
    drawn = survival_chart(stages, ["lv"])
    assert re.findall(r">(CCNet|FilterDocuments|lv)<", drawn) == ["CCNet", "FilterDocuments", "lv"]
    assert ">lv<" not in survival_chart(stages, [])


def test_years_have_bars():
    assert ">2023<" in by_year({"2023": 1, "2024": 2})
    assert by_year({"2024": 2}) == ""
