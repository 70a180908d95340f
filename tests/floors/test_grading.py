"""Floors on what the shipped graders tell apart, on text that they were not made from."""

import hashlib
import random
from functools import partial

import pytest

from skord.models.grammar.evaluate import (
    icelandic_pairs,
    is_sentence,
    preferred_sides,
    shuffled_grades,
    swedish_pairs,
)
from skord.models.grammar.evaluation.corruptions import (
    CORRUPTIONS,
    Surroundings,
    is_word,
    joined_sentences,
)
from skord.models.grammar.grader import readable_text
from skord.models.grammar.grammaticality import grammaticality
from skord.models.grammar.interface import load_calibration, load_grader
from skord.models.grammar.treebanks.materials import (
    Fold,
    corruption_material,
    menu_items,
    read_treebanks,
    running_words,
    sentence_snippets,
    text_lines,
)
from skord.models.grammar.word_classes import word_tokens
from skord.models.logistic import auc
from skord.sample_crawl.page_source import bundled_pages

WORDS = 40
KINDS = (
    "shuffled", "unigram salad", "menu", "30 % English", "transliterated", "UTF-8 misread",
    "words split", "words joined", "random letters",
)  # fmt: skip
FLOORS = {"lv": 0.98, "sv": 0.97, "da": 0.97, "nb": 0.97, "nn": 0.97, "is": 0.98}
# measured: 1.0, 0.983, 0.982, 0.987, 0.987, 0.997
SHARED_DIGEST = "4c88d650260d07cb"
SHARED_FLOOR = 0.965  # measured: 0.968


def lines_of(language):
    """Words and signs of each line of the sample crawl's own pages."""
    texts = [page.text for page in bundled_pages() if page.lang == language]
    lines = [word_tokens(line) for text in texts for line in readable_text(text).split("\n")]
    return [line for line in lines if sum(map(is_word, line)) >= 8]


def words_of(language):
    return [word for line in lines_of(language) for word in line if is_word(word)]


@pytest.fixture(scope="module")
def around():
    def of(language):
        own = words_of(language)
        return Surroundings(
            own, {}, {}, own, menu_items(language), words_of("en"), words_of("fo"),
            "cp1257" if language == "lv" else "cp1252",
        )  # fmt: skip

    return of


def mean_area(grader, calibration, actual, around, kinds):
    chance = random.Random(1)

    def score(text):
        return grammaticality(grader.grade(text), calibration)

    good = [score(joined_sentences(snippet)) for snippet in actual]
    areas = [
        auc(good, [score(CORRUPTIONS[kind](snippet, chance, around)) for snippet in actual])
        for kind in kinds
    ]
    return sum(areas) / len(areas)


@pytest.mark.parametrize("language", FLOORS)
def test_the_rehearsals_pages_score_above_what_was_done_to_them(language, around):
    actual = sentence_snippets(lines_of(language), WORDS)
    measured = mean_area(
        load_grader(language), load_calibration(language), actual, around(language), KINDS
    )

    assert measured >= FLOORS[language]


GOOD = {"da": 0.78, "is": 0.8}
"""Least share of good pages; measured: da 0.82, is 0.84, nn 0.94, nb 0.96, sv 1. Recipes and short
listings are graded on few words."""


@pytest.mark.parametrize("language", FLOORS)
def test_most_of_the_rehearsals_pages_count_as_good(language):
    pages = [p for p in bundled_pages() if p.lang == language and p.kind == "page"]
    grades = [load_grader(language).grade(readable_text(page.text)) for page in pages]
    likely = [grammaticality(grade, load_calibration(language)) > 0.5 for grade in grades]

    assert sum(likely) >= GOOD.get(language, 0.9) * len(likely)


@pytest.mark.shared
def test_swedish_held_out_text_scores_above_every_corruption(shared):
    folders = [shared / "data/treebanks", shared / "data/text"]
    sentences = read_treebanks(["sv_talbanken-ud-dev"], folders)
    text = "\n".join(sentence.text for sentence in sentences)
    around = corruption_material("sv", Fold(sentences, [], sentences), folders)
    actual = sentence_snippets(running_words(sentences), WORDS)

    assert hashlib.sha256(text.encode()).hexdigest()[:16] == SHARED_DIGEST
    measured = mean_area(
        load_grader("sv"), load_calibration("sv"), actual, around, list(CORRUPTIONS)
    )
    assert measured >= SHARED_FLOOR


@pytest.mark.shared
@pytest.mark.parametrize(
    ("language", "name", "sentences_alone"),
    [
        ("sv", "sfs_statutes", True),  # its tables and lists of municipalities are none
        ("is", "ruv_rmh2018", False),
        ("is", "lagasafn_statutes", False),
        ("nn", "kodeklubben", False),
    ],
)  # fmt: skip
def test_text_of_another_kind_scores_above_itself_shuffled(shared, language, name, sentences_alone):
    lines = text_lines(name, [shared / "data/text"], language)
    lines = list(filter(is_sentence, lines)) if sentences_alone else lines
    graded = shuffled_grades(
        lines[:6000], load_grader(language), Surroundings([], {}, {}, [], [], [], [])
    )
    good, bad = (
        [grammaticality(grade, load_calibration(language)) for grade in grades] for grades in graded
    )

    assert auc(good, bad) >= 0.99  # measured: 0.996, 0.995, 1.0, 1.0


@pytest.mark.shared
@pytest.mark.parametrize(
    ("language", "read", "floor"),
    [("is", icelandic_pairs, 0.595), ("sv", swedish_pairs, 0.64)],  # measured: 0.603, 0.658
)
def test_corrected_sentences_score_above_those_with_errors(shared, language, read, floor):
    score = partial(grammaticality, calibration=load_calibration(language))

    actual = preferred_sides(read([shared / "data/grader"]), load_grader(language), score)

    assert actual.different > 1000
    assert actual.share >= floor
