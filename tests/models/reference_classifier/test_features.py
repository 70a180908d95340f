from __future__ import annotations

import numpy as np
import pytest

from skord.models.reference_classifier.features import BUCKETS, MAX_CHARS, text_features


def words_of(text: str) -> set[int]:
    return {bucket for bucket in text_features(text).buckets.tolist() if bucket < BUCKETS}


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "å",
        "Bron över ån",
        "橋を渡る",
        "मराठी",
        "a\u0308b",
        "😀 ord",
        "\ud800 halv",
        "𠀀𠀁",
        "İ" * 9,
    ],
)
def test_each_block_has_length_one_and_ascending_buckets(text):
    numbers = text_features(text)
    assert (np.diff(numbers.buckets) > 0).all()
    assert 0 <= numbers.buckets[0] <= numbers.buckets[-1] < 2 * BUCKETS
    in_words = numbers.buckets < BUCKETS
    assert numbers.values.dtype == np.float32
    assert (numbers.values[in_words] ** 2).sum() == pytest.approx(1, abs=1e-5)
    if len(text) > 1:
        assert (numbers.values[~in_words] ** 2).sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("text", ["", "   \n", "* – *", "…"])
def test_a_text_without_a_word_has_no_features(text):
    assert text_features(text).buckets.size == 0


def test_words_and_pairs_of_words_are_seen_wherever_they_stand():
    assert len(words_of("bron")) == 1
    assert len(words_of("bron över")) == 3
    assert words_of("bron") <= words_of("en lång bron!") & words_of("(bron)")
    assert words_of("över ån") < words_of("bron över ån 3")
    assert words_of("bron över") != words_of("över bron")


def test_runs_of_characters_see_punctuation_but_not_layout():
    assert text_features("a, b c").buckets.tolist() != text_features("a b, c").buckets.tolist()
    plain, laid_out = text_features("en bro\növer ån"), text_features("  En bro   över ån\n")
    assert np.array_equal(plain.buckets, laid_out.buckets)


def test_a_word_said_often_counts_by_its_root():
    numbers = text_features("bro " * 4 + "å")
    once = text_features("å").buckets[0]
    said = dict(zip(numbers.buckets.tolist(), numbers.values.tolist(), strict=True))
    # 5 words and 4 pairs: "å" is one of nine, "bro" four of nine.
    assert said[int(once)] == pytest.approx(1 / 3)
    assert max(said[bucket] for bucket in words_of("bro")) == pytest.approx(2 / 3)


def test_only_the_beginning_of_a_very_long_text_is_read():
    text = "bro " * (MAX_CHARS // 4)
    assert np.array_equal(text_features(text).values, text_features(text + "ny sida").values)
    assert text_features("𠀀" * 3 * MAX_CHARS).buckets.size
