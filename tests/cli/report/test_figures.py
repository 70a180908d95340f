"""Figures of the report and their pictures.

Of `skord.cli.report.figures`, `skord.cli.report.charts` and `skord.cli.report.page`.
"""

import math
import re

import numpy as np
import pytest

from skord.cli.report.charts import (
    NAMED,
    _root,
    _share,
    by_year,
    charset_chart,
    histogram_chart,
    survival_chart,
)
from skord.cli.report.figures import (
    BINS,
    Histogram,
    finite_limit,
    histogram,
    span_hull,
    value_span,
)
from skord.cli.report.page import REASONS, funnel_bars


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
    alone = histogram(np.array([2.0, 2.0]), (2.0, 2.0))
    assert (alone.edges[0], alone.edges[-1], sum(alone.counts)) == (1.5, 2.5, 2)


def test_a_span_leaves_the_outermost_hundredth_out_and_holds_the_limits():
    values = np.arange(101.0)
    assert value_span(values) == (1.0, 99.0)
    assert value_span(values, -5.0, None) == (-5.0, 99.0)
    assert value_span(np.array([np.inf, np.nan]), 1.0) is None
    assert span_hull([None]) == (0.0, 1)
    assert (finite_limit(2), finite_limit(math.inf)) == (2.0, None)


def test_the_funnels_bars_add_up_and_name_the_largest_losses():
    lost = {f"r{n}": 10 * (n + 1) for n in range(REASONS + 2)}
    first, second = funnel_bars(
        [stage(came=400, left=120, lost=lost), stage(came=120, left=60, lost={"x": 60})]
    )

    assert [part.name for part in first.lost] == ["r6", "r5", "r4", "r3", "r2", "others"]
    assert first.lost[-1].number == 10 + 20
    assert first.lost[0].start == pytest.approx(first.share)
    assert first.lost[-1].start + first.lost[-1].share == pytest.approx(100.0)
    assert (first.share, first.of_all) == (30.0, 30.0)
    assert (second.share, second.of_all) == (50.0, 15.0)
    assert [part.name for part in second.lost] == ["x"]
    assert list(funnel_bars([])) == []


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
    assert "25 %" in drawn


def test_series_have_their_names_and_shares_of_their_own_start():
    stages = [stage("CCNet", lv=(9, 50)), stage(lv=(50, 25))]
    drawn = survival_chart(stages, ["lv"])
    assert re.findall(r">(CCNet|FilterDocuments|lv)<", drawn) == ["CCNet", "FilterDocuments", "lv"]
    assert ">lv<" not in survival_chart(stages, [])


def test_charsets_beyond_the_first_share_a_colour():
    years = {"2023": {f"c{n}": 20 - n for n in range(NAMED + 1)}, "2024": {"c0": 1}}
    assert ">others<" in charset_chart(years)
    assert ">others<" not in charset_chart({"2024": {"c0": 1}})
    named = [f"c{n}" for n in range(NAMED)]
    assert _share(years["2023"], "c0", named) == 20 / sum(range(13, 21))
    assert _share(years["2023"], "others", named) == 13 / sum(range(13, 21))
    assert _share({}, "c0", named) == 0


def test_years_have_bars_and_roots_end_at_zero():
    assert ">2023<" in by_year({"2023": 1, "2024": 2})
    assert _root(np.array([-1.0, 0.25])).tolist() == [0.0, 0.5]
