"""Figures of how well text agrees with gold, of `skord.models.line_classifier.training.evaluate`."""

import numpy as np
import pytest

from skord.models.line_classifier.training.dataset import Page
from skord.models.line_classifier.training.evaluate import (
    LANGUAGE_PAGES,
    Method,
    by_lines,
    labelled_lines,
    line_f1,
    page_groups,
    score_method,
    score_table,
    set_digest,
    whole_page,
)

GOLD = "Bron över ån öppnades i går av landshövdingen själv.\nDen kostade tre miljoner kronor."
MARKDOWN = f"Meny för hela webbplatsen här\n{GOLD}\nFölj oss på nätet varje dag\n"


def page(number=1, lang="sv", gold=GOLD, markdown=MARKDOWN, **more):
    return Page(f"p{number}", "s", f"{number}.example", lang, "x", markdown, gold, "", **more)


def test_pages_are_grouped_by_language_and_type():
    pages = [page(n) for n in range(2)] + [page(9, "fi", page_type="forum")]
    pages += [page(n, "et") for n in range(10, 10 + LANGUAGE_PAGES)]

    grouped = {name: len(of_group) for name, of_group in page_groups(pages).items()}

    assert grouped == {
        "all": 8, "Scandinavian": 2, "sv": 2, "other": 6, "et": LANGUAGE_PAGES, "forum": 1,
    }  # fmt: skip


def test_the_digest_is_of_pages_and_gold_alone():
    assert set_digest([page()]) == set_digest([page(markdown="another\n")])
    assert set_digest([page()]) != set_digest([page(gold="another")])
    assert set_digest([page(1), page(2)]) != set_digest([page(2), page(1)])


def test_the_whole_page_has_all_of_the_gold_and_the_labels_nothing_else():
    whole, ceiling = score_method([page()], whole_page()), score_method([page()], labelled_lines())

    assert whole.recall == 1.0
    assert whole.precision < 1.0
    assert (whole.pages, whole.sites, whole.line_f1) == (1, 1, None)
    assert (ceiling.precision, ceiling.recall, ceiling.f1) == (1.0, 1.0, 1.0)


def test_means_are_over_pages_and_sites_are_counted_once():
    pages = [page(1), page(1), page(2, gold="Något helt annat som inte alls står på sidan.")]
    got = score_method(pages, whole_page())
    assert (got.pages, got.sites) == (3, 2)
    assert got.recall == pytest.approx(2 / 3)


def method(*kept):
    return Method("m", lambda page: page.gold, lambda _: np.array(kept, bool))


def test_lines_are_scored_against_their_labels():
    assert line_f1([page()], method(0, 1, 1, 0)) == 1.0
    assert line_f1([page()], method(1, 1, 1, 1)) == pytest.approx(2 * 2 / (2 * 2 + 2))
    assert line_f1([page()], method(0, 1, 0, 0)) == pytest.approx(2 / (2 + 1))
    assert line_f1([page()], method(1, 0, 0, 1)) == 0.0


def test_lines_at_or_above_a_threshold_are_kept():
    shares = {"p1": np.array([0.3, 0.5, 0.4, 0.399], np.float32)}

    at = by_lines(shares, 0.4)
    assert at.kept(page()).tolist() == [False, True, True, False]
    assert at.text(page()).rstrip("\n") == GOLD
    assert at.name == "model at 0.4"
    assert by_lines(shares, None, ", Markdown alone").name == "model, Markdown alone"


def test_the_table_has_a_row_for_each_group_and_method():
    rows = score_table([page()], [whole_page(), method(0, 1, 1, 0)]).splitlines()

    assert rows[0].count("|") == rows[1].count("|") == 8
    assert rows[2].startswith("| all | 1 (1) | every line | 0.")
    assert rows[2].endswith(" |  |")
    assert rows[3] == "| all | 1 (1) | m | 1.000 | 1.000 | 1.000 | 1.000 |"
    assert len(rows) == 2 + 2 * 3
