"""The report's page: colours, and a dump of which nothing is kept."""

import math
import re
from importlib import resources

import pytest

from skord.cli.report.charts import PALETTE
from skord.cli.report.figures import Figures, Headline
from skord.cli.report.page import breakable_name, render_report


def luminance(colour):
    """Of a colour #rrggbb (WCAG 2.2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


DEUTERANOPIA = ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969))


PROTANOPIA = ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052))


TRITANOPIA = ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304))
"""How linear RGB looks to those who lack a kind of cone (Machado et al. 2009, severity 1)."""


@pytest.mark.parametrize("matrix", [DEUTERANOPIA, PROTANOPIA, TRITANOPIA])
def test_what_goes_on_is_told_from_what_is_lost_without_some_colours(matrix):
    def seen(colour):
        parts = [(int(colour[i : i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5)]
        return [sum(m * p for m, p in zip(row, parts, strict=True)) for row in matrix]

    style = resources.files("skord.cli.report").joinpath("page.html").read_text()
    kept = re.findall(r"--paper: #fff;.*?--bar: (#\w{6})", style)[0]
    lost = re.findall(r"--l\d: (#\w{6})", style.partition("@media")[0])
    assert len(lost) == 6
    for colour in (*lost[:2], *PALETTE[1:2]):
        assert math.dist(seen(kept), seen(colour)) > 0.2
    assert 1.05 / (luminance(kept) + 0.05) > 3  # told from the paper (WCAG 1.4.11)


STAGE = {
    "task": "CCNet", "documents_in": {"all": 1}, "documents_out": {}, "adds_up": True,
    "characters_in": {}, "characters_out": {}, "lost": {"too_short": 1},
}  # fmt: skip

HEADLINE = Headline(3, 3, 9, 9, 1, {}, "1", "f")


def test_a_dump_of_which_nothing_is_kept_has_a_report():
    later = {**STAGE, "task": "Deduplicate", "documents_in": {}, "lost": {}}

    page = render_report([Figures("2024-10", 1, 1, stages=[STAGE, later])])

    assert "0 of 1 passed on (0.0 %; 0.0 % of all)" in page
    assert "0 of 0 passed on" in page


@pytest.mark.parametrize(
    ("years", "said"),
    [
        ({"unknown": 3}, "Neither a crawl nor a server gave the pages a date."),
        ({"2007": 3}, "All of the year 2007."),
    ],
)
def test_one_year_or_none_is_said_in_words(years, said):
    one = Figures("2024-10", 1, 1, headline=HEADLINE, stages=[STAGE], years=years)
    assert said in render_report([one])
    one.headline = None
    assert said not in render_report([one])


def test_sections_of_what_has_not_run_are_left_out():
    page = render_report([Figures("2024-10", 1, 1, headline=HEADLINE, stages=[STAGE])])
    assert re.findall('<h2 id="(.*?)"', page) == [
        "headline", "odd", "yield", "content", "languages", "features", "duplicates",
        "samples",
    ]  # fmt: skip
    links = re.findall('href="#(.*?)"', page.partition("<nav")[2].partition("</nav>")[0])
    assert links == re.findall('<h2 id="(.*?)"', page)
    counted = Figures("2024-10", 1, 1, stages=[STAGE], beside={"LabelRegisters": {"news": 3}})
    assert '<h2 id="beside">' in render_report([Figures("2024-18", 1, 1, stages=[STAGE]), counted])


def test_what_says_nothing_of_pages_of_ones_own_is_left_out():
    whole = {**STAGE, "documents_out": {"all": 3, "et": 3}, "lost": {}}
    one = Figures("mine", 1, 1, headline=HEADLINE, stages=[whole, whole], hosts=[("localhost", 3)])
    page = render_report([one])
    assert "Input mine: figures from 1 of 1 shards" in page
    assert "No task removed a document that was selected." in page
    assert not re.search("<dt>hosts|Hosts with|localhost", page)


def test_names_break_behind_their_signs_alone():
    assert str(breakable_name("a_b.se/c?d=2.5&x")) == "a_<wbr>b.<wbr>se/<wbr>c?<wbr>d=2.5&amp;x"
