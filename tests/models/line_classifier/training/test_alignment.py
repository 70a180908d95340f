from __future__ import annotations

import numpy as np
import pytest

from skord.markdown.extraction import split_lines
from skord.models.line_classifier.features.words import overlap
from skord.models.line_classifier.training.alignment import gold_shares
from skord.models.line_classifier.training.dataset import Page
from skord.models.line_classifier.training.examples import example_of_page, line_labels

GOLD = "Kommunen bygger en bro. Den står klar i vår.\nKontakt med kommunen sker per brev."
MARKDOWN = (
    "- Kontakt\n- Kommunen\n\n# Ny bro\n\nKommunen bygger en bro. Den står klar i vår.\n\n"
    "Annons: köp en båt i vår\n\nKontakt med *kommunen* sker per brev.\n\n"
    "Kommunen bygger en bro.\n\nKontakt\n"
)


def page(**changes: str) -> Page:
    given = {
        "id": "a", "source": "made", "site": "a.se", "lang": "sv", "licence": "",
        "markdown": MARKDOWN, "gold": GOLD, "title": "Ny bro",
    }  # fmt: skip
    return Page(**(given | changes))


def test_words_of_the_frame_are_not_gold_because_the_text_has_them():
    shares = gold_shares(split_lines(MARKDOWN), GOLD)
    assert [n for n, share in enumerate(shares) if share and share >= 0.5] == [5, 9]
    assert shares[5] == shares[9] == 1.0
    assert shares[2] is None


def test_gold_lines_may_be_cut_otherwise_than_markdown_lines():
    lines = [
        "Kommunen bygger",
        "en bro. Den står",
        "klar i vår. Kontakt med kommunen",
        "sker per brev",
    ]
    assert gold_shares(lines, GOLD) == [1.0, 1.0, 1.0, 1.0]


def test_a_line_with_some_other_words_is_still_found():
    (share,) = gold_shares(["Kommunen bygger snart en bro. Den står klar i vår."], GOLD)
    assert share == pytest.approx(0.9)


def test_a_long_page_is_aligned_in_seconds():
    lines = [f"rad nummer {n} om bron och ån och vägen" for n in range(1000)]
    shares = gold_shares([*lines, "meny"] * 2, "\n".join(lines))
    assert sum(share == 1.0 for share in shares) == 1000


def test_the_title_is_kept_and_doubtful_lines_have_no_label():
    labels = line_labels(page())
    assert labels[3] == 1
    assert labels[5] == 1
    assert labels[7] == 0
    assert np.isnan(labels[4])


def test_an_example_has_labels_for_visible_lines_alone():
    shown = example_of_page(page())
    assert shown.features.lines.tolist() == [0, 1, 3, 5, 7, 9, 11, 13]
    assert shown.labels[[0, 3, 5]].tolist() == [0, 1, 1]
    assert shown.features.words.tolist() == [1, 1, 2, 9, 6, 6, 4, 1]


def test_overlap_counts_repeated_runs():
    assert overlap("a b c d a b c d", "a b c d").precision == 0.2
    assert overlap("", "").f1 == 1
    assert overlap("a", "").f1 == 0
