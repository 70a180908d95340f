"""The tables of `skord.models.grammar.evaluate`, of figures that are given, and the pairs' figures."""

import gzip
import json

import pytest

from skord.models.grammar.evaluate import (
    CALIBRATED,
    REPORTED,
    SCORES,
    Figures,
    by_corruption,
    error_pair_figures,
    mean_auc,
    mean_crawl_precision,
)
from skord.models.grammar.evaluation.corruptions import CORRUPTIONS
from skord.models.grammar.evaluation.simulated_crawl import Precision
from skord.models.grammar.grader import Grade

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
    return Figures(areas, Precision(base, base + 0.25, base + 0.5), {})


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
    assert line == "|---|---|---|---|---|"
    added = 0.2 * (len(CORRUPTIONS) - 1) / len(CORRUPTIONS)
    for words, row in zip(REPORTED, rows, strict=True):
        first, *cells = row.strip("| ").split(" | ")
        assert int(first) == words
        wanted = [0.2 + 0.1 * (words == 200) + 0.01 * place + added for place in range(4)]
        assert list(map(float, cells)) == pytest.approx(wanted, abs=0.001)


def test_each_corruption_has_a_row_and_each_language_a_column():
    head, line, *rows, last = by_corruption(TABLES, "avg_size")
    assert head == "| corruption | sv | is | mean |"
    assert line == "|---|---|---|---|"
    assert [row.split(" | ")[0].strip("| ") for row in rows] == list(CORRUPTIONS)
    assert rows[0].endswith("| 0.12/0.22 | 0.32/0.42 | 0.220/0.320 |")
    assert rows[1].endswith("| 0.32/0.42 | 0.52/0.62 | 0.420/0.520 |")
    added = 0.2 * (len(CORRUPTIONS) - 1) / len(CORRUPTIONS)
    assert last == (
        f"| **mean** | {0.12 + added:.3f}/{0.22 + added:.3f} "
        f"| {0.32 + added:.3f}/{0.42 + added:.3f} | |"
    )


def test_each_language_has_a_crawl():
    assert mean_crawl_precision(TABLES)[2:] == [
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

    head, _, *lines = error_pair_figures([empty, full])

    assert head == "| pairs | number | of different score | corrected higher |"
    assert [line.split(" | ")[0] for line in lines] == [
        f"| {code}, {name}" for code in ("is", "sv") for name in NAMES
    ]
    assert "| is, known % | 1 | 1 | 100.0% |" in lines
    assert "| sv, known % | 1 | 1 | 100.0% |" in lines
