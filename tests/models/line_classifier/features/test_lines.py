from __future__ import annotations

import numpy as np
import pytest

from skord.models.line_classifier.features.lines import DENSE, WORD_BUCKETS, page_features

PAGE = (
    "- Hem\n- Kontakt\n\n# Kommunen bygger en ny bro\n\n"
    "Bron över ån skall stå klar 2026, säger kommunens ingenjör. Arbetet börjar i vår.\n\n"
    "![karta](https://exempel.se/karta_(1).png)\n\nDela\n\n- Hem\n"
)


def test_features_are_the_same_every_time_and_finite():
    first, second = page_features(PAGE), page_features(PAGE)
    assert first.line_count == PAGE.count("\n") == 12
    assert first.lines.tolist() == [0, 1, 3, 5, 7, 9, 11]
    assert first.dense.shape == (7, DENSE)
    assert np.isfinite(first.dense).all()
    for one, other in zip(first, second, strict=True):
        assert np.array_equal(one, other)


def test_words_are_hashed_in_lower_case_with_digits_as_one():
    one = page_features("Året 2024 kom\n")
    other = page_features("ÅRET 1999 Kom\n")
    assert one.buckets.tolist() == other.buckets.tolist()
    assert one.buckets.size == 3
    assert one.buckets.max() < WORD_BUCKETS
    assert one.buckets.tolist() != page_features("Aret 2024 kom\n").buckets.tolist()


def test_words_belong_to_their_line():
    page = page_features("ett två tre\n\n---\nfyra fem\n")
    assert page.lines.tolist() == [0, 2, 3]
    assert page.word_starts.tolist() == [0, 3, 3, 5]
    alone = page_features("fyra fem\n")
    assert page.buckets[3:].tolist() == alone.buckets.tolist()


def test_letters_written_without_spaces_are_words():
    assert page_features("日本語です\n").word_starts.tolist() == [0, 5]


def test_an_image_address_is_not_text():
    long, short = "a" * 300, "a"
    one = page_features(f"![x](https://b.se/{long}_(1).png)\ntext\n")
    other = page_features(f"![x](https://b.se/{short}_(1).png)\ntext\n")
    assert np.array_equal(one.dense, other.dense)


@pytest.mark.parametrize("character", ["\u2028", "\x85", "\f", "\v", "\r", "\x1c"])
def test_only_a_line_feed_ends_a_line(character):
    page = page_features(f"ett{character}två\n{character}\ntre\n")
    assert page.line_count == 3
    assert page.lines.tolist() == [0, 2]


def test_a_remainder_is_no_line():
    assert page_features("ett\ntvå").lines.tolist() == [0]
    assert page_features("två").line_count == 0


def test_a_lone_surrogate_is_a_character():
    assert page_features("a\ud800b\n").line_count == 1


def test_a_repeated_line_is_seen():
    once, twice = page_features("Hem\nMeny\n"), page_features("Hem\nHem\n")
    assert once.dense[0, -1] == 0
    assert twice.dense[:, -1].tolist() == [1, 1]


@pytest.mark.timeout(600)
def test_many_brackets_take_linear_time():
    page_features("![a](" * 40_000 + "\n" + "![a" * 40_000 + "\n")
