"""The pages of a simulated crawl, and the order in which they are ranked."""

import random

import pytest

from skord.models.grammar.evaluation.corruptions import CORRUPTIONS, Surroundings
from skord.models.grammar.evaluation.simulated_crawl import (
    GOOD_SHARE,
    JUNK,
    MENU_HEAVY,
    PAGES,
    WORDS,
    _average_precision,
    _junk_page,
    _page_length,
    _sentence_run,
    simulated_crawl_precision,
)
from skord.models.grammar.grader import Grade, Grader
from skord.models.grammar.grammar import TOY
from skord.models.grammar.grammaticality import FEATURES, Calibration

LINES = [["en", "stor", "hund"], ["ser", "en", "stad", "."], ["hund"]]
AROUND = Surroundings(
    ["hund", "ser"], {}, {}, ["stad"], ["Hem", "Kontakt"], ["the", "dog"], ["ein", "hund"]
)


def test_pages_are_as_long_as_they_are_to_be_evenly_on_a_logarithmic_scale():
    lengths = [_page_length(random.Random(seed)) for seed in range(2000)]
    low, high = WORDS
    assert low <= min(lengths) <= low + 2
    assert high * 0.98 < max(lengths) < high
    middle = (low * high) ** 0.5
    assert sum(length < middle for length in lengths) / 2000 == pytest.approx(0.5, abs=0.04)


def test_a_stretch_is_of_whole_sentences_that_follow_each_other_round_the_end():
    starts = set()
    for seed in range(20):
        page = _sentence_run(LINES, 7, random.Random(seed))
        first = LINES.index(page[0])
        starts.add(first)
        assert list(page) == [LINES[(first + at) % 3] for at in range(len(page))]
        assert sum(map(len, page[:-1])) < 7 <= sum(map(len, page))
    assert starts == {0, 1, 2}


def test_half_of_a_menu_heavy_page_stays_and_other_junk_is_spoilt_whole():
    page = [["a"], ["b"], ["c"], ["d"]]
    text, menu = _junk_page(MENU_HEAVY, page, random.Random(1), AROUND).split("\n", 1)
    assert text == "a b c"
    assert menu == CORRUPTIONS["menu"]([["d"]], random.Random(1), AROUND)
    only, menu = _junk_page(MENU_HEAVY, [["a"]], random.Random(1), AROUND).split("\n", 1)
    assert (only, menu) == ("a", CORRUPTIONS["menu"]([["a"]], random.Random(1), AROUND))
    spoilt = CORRUPTIONS["shuffled"](page, random.Random(1), AROUND)
    assert _junk_page("shuffled", page, random.Random(1), AROUND) == spoilt


def test_the_highest_is_ranked_first():
    grades = [Grade(number, number, 0, (0, number)) for number in range(4)]
    graded = [(grade, grade.words >= 2) for grade in grades]
    assert _average_precision(graded, lambda grade: grade.words) == 1.0
    # the good ones come third and fourth
    assert _average_precision(graded, lambda grade: -grade.words) == pytest.approx(
        (1 / 3 + 2 / 4) / 2
    )


def test_a_crawl_is_the_same_each_time_and_its_good_pages_are_a_quarter(monkeypatch):
    monkeypatch.setattr("skord.models.grammar.evaluation.simulated_crawl.WORDS", (20, 200))
    flat = Calibration([15], [[0.0] * len(FEATURES)], [0.0])
    grader = Grader(TOY, {"stor", "hund", "stad"})

    made = simulated_crawl_precision(grader, flat, LINES * 20, AROUND)

    assert made == simulated_crawl_precision(grader, flat, LINES * 20, AROUND)
    assert made.by_recognized_words > GOOD_SHARE
    assert PAGES * GOOD_SHARE == 100
    assert {kind for kind in JUNK if kind != MENU_HEAVY} <= CORRUPTIONS.keys()
