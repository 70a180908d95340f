"""A crawl of good pages and junk, to see how pure the top of a ranking is.

A quarter of the pages are held-out text, from 50 to 4,000 words long; the others are as long and
of the kinds of `JUNK`, equally often: spoilt text, and pages that are half menu.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from skord.models.grammar.evaluation.corruptions import CORRUPTIONS, Surroundings, joined_sentences
from skord.models.grammar.evaluation.measure import average_precision
from skord.models.grammar.grader import Grade, Grader
from skord.models.grammar.grammaticality import Calibration, grammatical_size, grammaticality
from skord.models.grammar.treebanks.materials import Snippet

PAGES = 400
GOOD_SHARE = 0.25
WORDS = (50, 4000)
SEED = 11

MENU_HEAVY = "menu-heavy"
JUNK = (
    "shuffled", "unigram salad", "keywords", "keywords, commas", "menu", "prices",
    "30 % English", "30 % sister", "no accents", "transliterated", "UTF-8 misread",
    "random letters", "words split", "words joined", MENU_HEAVY,
)  # fmt: skip
"""Not among them: lemmas, swapped neighbours and text by a Markov chain, which the grades hardly
tell from good text (the tables say how badly)."""


@dataclass(frozen=True)
class Precision:
    """Average precision of rankings of one crawl.

    Attributes:
        by_recognized_words: the paper's own order.
        by_avg_size: by the published size alone.
        by_worth: recognised words, gated by `grammaticality` (`grammatical_size`).
    """

    by_recognized_words: float
    by_avg_size: float
    by_worth: float


def simulated_crawl_precision(
    grader: Grader, calibration: Calibration, lines: Sequence[Sequence[str]], around: Surroundings
) -> Precision:
    """How well the rankings part the good pages of a crawl from the junk.

    Args:
        grader: made without the lines.
        calibration: of `grammaticality`.
        lines: held-out text, words and signs of each sentence.
        around: what the corruptions draw on.
    """
    chance = random.Random(SEED)
    graded: list[tuple[Grade, bool]] = []
    for number in range(PAGES):
        page = _sentence_run(lines, _page_length(chance), chance)
        good = number < GOOD_SHARE * PAGES
        text = (
            joined_sentences(page)
            if good
            else _junk_page(JUNK[number % len(JUNK)], page, chance, around)
        )
        graded.append((grader.grade(text), good))
    likely = partial(grammaticality, calibration=calibration)
    return Precision(
        _average_precision(graded, lambda grade: grade.sizes.recognized_words),
        _average_precision(graded, lambda grade: grade.sizes.avg_size),
        _average_precision(
            graded, lambda grade: grammatical_size(grade.sizes.recognized_words, likely(grade))
        ),
    )


def _average_precision(
    graded: Sequence[tuple[Grade, bool]], key: Callable[[Grade], float]
) -> float:
    ranked = sorted(graded, key=lambda pair: key(pair[0]), reverse=True)
    return average_precision([good for _, good in ranked])


def _page_length(chance: random.Random) -> int:
    low, high = WORDS
    return int(low * (high / low) ** chance.random())


def _sentence_run(lines: Sequence[Sequence[str]], words: int, chance: random.Random) -> Snippet:
    """Consecutive sentences from somewhere on, round the end if need be."""
    at, stretch, length = chance.randrange(len(lines)), [], 0
    while length < words:
        stretch.append(lines[at % len(lines)])
        length += len(lines[at % len(lines)])
        at += 1
    return stretch


def _junk_page(kind: str, page: Snippet, chance: random.Random, around: Surroundings) -> str:
    if kind != MENU_HEAVY:
        return CORRUPTIONS[kind](page, chance, around)
    half = len(page) // 2 + 1
    menu = CORRUPTIONS["menu"](page[half:] or page, chance, around)
    return f"{joined_sentences(page[:half])}\n{menu}"
