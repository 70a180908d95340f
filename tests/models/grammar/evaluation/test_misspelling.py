"""Words misspelt as people do: one letter of one word that is long enough."""

import random

from skord.models.grammar.evaluation.corruptions import Surroundings
from skord.models.grammar.evaluation.measure import misspelt_sentences, misspelt_word

AROUND = Surroundings(["x", "Zz"], {}, {}, [], [], [], [])


def chances():
    return map(random.Random, range(200))


def test_a_letter_is_left_out_doubled_changed_round_or_another():
    made = {misspelt_word("abc", chance, ["x", "Z"]) for chance in chances()}
    # the first letter moves only when the second changes place with it
    assert made == {"ac", "ab", "abbc", "abcc", "bac", "acb", "axc", "abx", "azc", "abz"}


def test_one_word_of_three_letters_or_more_is_misspelt_and_nothing_else():
    changed = set()
    for chance in chances():
        words = misspelt_sentences([["ab", "abc", "..."], ["i", "defg"]], chance, AROUND).split()
        differs = [at for at, word in enumerate(["ab", "abc", "...", "i", "defg"])
                   if words[at] != word]  # fmt: skip
        assert len(words) == 5
        assert len(differs) == 1
        changed.update(differs)
    assert changed == {1, 4}


def test_a_text_of_short_words_stays_as_it_is():
    assert misspelt_sentences([["ab", "i", "!!!!"]], random.Random(1), AROUND) == "ab i !!!!"
