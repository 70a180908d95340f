"""The tables of `skord.models.grammar.evaluate`, of figures that are given, and the pairs' figures."""

import gzip
import json
import random

import pytest

from skord.core.failures import ConfigError
from skord.models.grammar.evaluate import (
    CALIBRATED,
    GOOD_SHARE,
    JUNK,
    MENU_HEAVY,
    PAGE_WORDS,
    PAGES,
    REPORTED,
    SCORES,
    Figures,
    _crawled_page,
    _page_length,
    _sentence_run,
    average_precision,
    by_corruption,
    crawl_table,
    elsewhere_table,
    error_table,
    icelandic_pairs,
    mean_auc,
    preferred_sides,
    simulated_crawl_precision,
    swedish_pairs,
)
from skord.models.grammar.evaluation.corruptions import CORRUPTIONS, Surroundings
from skord.models.grammar.grader import Grade, Grader
from skord.models.grammar.grammar import TOY
from skord.models.grammar.grammaticality import FEATURES, Calibration

NAMES = [*SCORES, CALIBRATED]


def figures(base):
    """Areas that tell words, score and corruption apart by their digits."""
    areas = {
        (words, name): {
            kind: base + 0.1 * (words == REPORTED[1]) + 0.01 * place + (0.2 if number else 0.0)
            for number, kind in enumerate(CORRUPTIONS)
        }
        for words in REPORTED
        for place, name in enumerate(NAMES)
    }
    return Figures(
        areas,
        {"recognised words": base, "avg_size": base + 0.25, "gated size": base + 0.5},
        {"law": (base, 0.875)},
    )


TABLES = {"sv": figures(0.1), "is": figures(0.3)}


def test_scores_of_a_grade():
    grade = Grade(8, 6, 4, (1, 3))
    assert SCORES["known %"](grade) == grade.known / grade.words
    assert SCORES["known %"](Grade(0, 0, 0, (0, 0))) == 0.0
    assert SCORES["recognized %"](grade) == grade.sizes.recognized
    assert SCORES["avg_size"](grade) == grade.sizes.avg_size


def test_means_are_over_corruptions_and_languages():
    head, line, *rows = mean_auc(TABLES)
    assert head == "| words | known % | recognized % | avg_size | grammaticality |"
    assert line == "| --- | --- | --- | --- | --- |"
    added = 0.2 * (len(CORRUPTIONS) - 1) / len(CORRUPTIONS)
    for words, row in zip(REPORTED, rows, strict=True):
        first, *cells = row.strip("| ").split(" | ")
        assert int(first) == words
        wanted = [0.2 + 0.1 * (words == 200) + 0.01 * place + added for place in range(4)]
        assert list(map(float, cells)) == pytest.approx(wanted, abs=0.001)


def test_each_corruption_has_a_row_and_each_language_a_column():
    head, line, *rows, last = by_corruption(TABLES, "avg_size")
    assert head == "| corruption | sv | is | mean |"
    assert line == "| --- | --- | --- | --- |"
    assert [row.split(" | ")[0].strip("| ") for row in rows] == list(CORRUPTIONS)
    assert rows[0].endswith("| 0.12/0.22 | 0.32/0.42 | 0.220/0.320 |")
    assert rows[1].endswith("| 0.32/0.42 | 0.52/0.62 | 0.420/0.520 |")
    added = 0.2 * (len(CORRUPTIONS) - 1) / len(CORRUPTIONS)
    assert last == (
        f"| **mean** | {0.12 + added:.3f}/{0.22 + added:.3f} "
        f"| {0.32 + added:.3f}/{0.42 + added:.3f} |  |"
    )


def test_each_kind_of_text_has_a_row():
    lines = elsewhere_table(TABLES)
    assert lines[2:] == ["| sv, law | 0.100 | 0.875 |", "| is, law | 0.300 | 0.875 |"]
    assert len({line.count("|") for line in lines}) == 1


def test_each_language_has_a_crawl():
    assert crawl_table(TABLES)[2:] == [
        "| sv | 0.10 | 0.35 | 0.60 |",
        "| is | 0.30 | 0.55 | 0.80 |",
    ]


def test_pairs_are_read_from_the_folder_that_has_them(tmp_path):
    empty, full = tmp_path / "a", tmp_path / "b"
    empty.mkdir()
    full.mkdir()
    good = "Maðurinn keypti nýjan bát í gær og sigldi honum heim."
    bad = "Maðurinn keypti nýjan xqtbát í zfgær og bzzsigldi qonum xeim."
    rows = [{"original": one, "corrected": good} for one in (bad, good)]
    packed = gzip.compress("\n".join(map(json.dumps, rows)).encode())
    (full / "iceErrorCorpus.jsonl.gz").write_bytes(packed)
    sentences = ("Jag xbqor xqi en xzstad .", "Hon bor i en stad .")
    blocks = [
        "\n".join(f"{word}\t{'i' if word[0] == 'x' else 'c'}" for word in one.split())
        for one in sentences
    ]
    packed = gzip.compress("\n\n".join(blocks).encode())
    (full / "multiged_sv_swell_train.tsv.gz").write_bytes(packed)

    head, _, *lines = error_table([empty, full])

    assert head == "| pairs | number | of different score | corrected higher |"
    assert [line.split(" | ")[0] for line in lines] == [
        f"| {code}, {name}" for code in ("is", "sv") for name in NAMES
    ]
    assert "| is, known % | 1 | 1 | 100.0% |" in lines
    assert "| sv, known % | 1 | 1 | 100.0% |" in lines


def packed(path, text):
    path.write_bytes(gzip.compress(text.encode()))


def test_icelandic_sentences_that_were_changed_are_pairs(tmp_path):
    rows = [{"original": "a", "corrected": "b"}, {"original": "c", "corrected": "c"}]
    packed(tmp_path / "iceErrorCorpus.jsonl.gz", "\n".join(map(json.dumps, rows)))

    assert icelandic_pairs([tmp_path]) == [("a", "b")]
    with pytest.raises(ConfigError, match="multiged_sv_swell_train"):
        swedish_pairs([tmp_path])


def sentence(words, label="c"):
    marks = [label, *["c"] * (len(words) - 1)]
    return "\n".join(f"{word}\t{mark}" for word, mark in zip(words, marks, strict=True))


def test_a_swedish_sentence_has_the_next_unused_one_of_its_length(tmp_path):
    bad, short, long = list("abcd"), list("xyz"), list("abcdefg")
    first, second = list("efgh"), list("ijklmn")
    blocks = [
        sentence(first), sentence(bad, "i"), sentence(short, "i"), sentence(long),
        sentence(second), sentence(bad[::-1], "i"), sentence(list("opqr")),
    ]  # fmt: skip
    packed(tmp_path / "multiged_sv_swell_train.tsv.gz", "\n\n".join(blocks))

    assert swedish_pairs([tmp_path]) == [("a b c d", "i j k l m n"), ("d c b a", "o p q r")]


class Words:
    """Grades a text by how many words it has."""

    def grade(self, text):
        return len(text.split())


def test_the_share_is_of_pairs_that_differ():
    pairs = [("a", "a b"), ("a b", "a"), ("a", "b"), ("a", "a b c")]
    rate = preferred_sides(pairs, Words(), float)
    assert (rate.pairs, rate.different, rate.share) == (4, 3, 2 / 3)
    assert preferred_sides([("a", "b")], Words(), float).share == 0.0


LINES = [["en", "stor", "hund"], ["ser", "en", "stad", "."], ["hund"]]
AROUND = Surroundings(
    ["hund", "ser"], {}, {}, ["stad"], ["Hem", "Kontakt"], ["the", "dog"], ["ein", "hund"]
)


def test_pages_are_as_long_as_they_are_to_be_evenly_on_a_logarithmic_scale():
    lengths = [_page_length(random.Random(seed)) for seed in range(2000)]
    low, high = PAGE_WORDS
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
    text, menu = _crawled_page(MENU_HEAVY, page, random.Random(1), AROUND).split("\n", 1)
    assert text == "a b c"
    assert menu == CORRUPTIONS["menu"]([["d"]], random.Random(1), AROUND)
    only, menu = _crawled_page(MENU_HEAVY, [["a"]], random.Random(1), AROUND).split("\n", 1)
    assert (only, menu) == ("a", CORRUPTIONS["menu"]([["a"]], random.Random(1), AROUND))
    spoilt = CORRUPTIONS["shuffled"](page, random.Random(1), AROUND)
    assert _crawled_page("shuffled", page, random.Random(1), AROUND) == spoilt


def test_the_highest_is_ranked_first():
    grades = [Grade(number, number, 0, (0, number)) for number in range(4)]
    graded = [(grade, grade.words >= 2) for grade in grades]
    assert average_precision(graded, lambda grade: grade.words) == 1.0
    # the good ones come third and fourth
    assert average_precision(graded, lambda grade: -grade.words) == pytest.approx(
        (1 / 3 + 2 / 4) / 2
    )
    assert average_precision(graded[:2], lambda grade: grade.words) == 0.0


def test_a_crawl_is_the_same_each_time_and_its_good_pages_are_a_quarter(monkeypatch):
    monkeypatch.setattr("skord.models.grammar.evaluate.PAGE_WORDS", (20, 200))
    flat = Calibration([15], [[0.0] * len(FEATURES)], [0.0])
    grader = Grader(TOY, {"stor", "hund", "stad"})

    made = simulated_crawl_precision(grader, flat, LINES * 20, AROUND)

    assert made == simulated_crawl_precision(grader, flat, LINES * 20, AROUND)
    assert made["recognised words"] > GOOD_SHARE
    assert PAGES * GOOD_SHARE == 100
    assert {kind for kind in JUNK if kind != MENU_HEAVY} <= CORRUPTIONS.keys()
