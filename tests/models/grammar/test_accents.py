"""Accents of chat that was written without them, or with two letters for each."""

from dataclasses import replace

import pytest

from skord.models.grammar.accents import AccentRestorer
from skord.models.grammar.grader import Grade
from skord.models.grammar.grammar import TOY


class Forms(frozenset):
    """Word forms that can be walked letter by letter."""

    def has_keys_with_prefix(self, prefix):
        return any(word.startswith(prefix) for word in self)


@pytest.fixture
def restorer():
    grammar = replace(TOY, lexicon=dict.fromkeys(["šodien", "ēst", "ir", "eši"], 0))
    return AccentRestorer(grammar, Forms({"jūra", "žagars", "esi", "māja"}))


@pytest.mark.parametrize(
    ("word", "restored"),
    [
        ("sodien", "šodien"),
        ("Sodien", "Šodien"),
        ("EST", "ĒST"),
        ("ir", "ir"),
        ("jura", "jūra"),
        ("zagars", "žagars"),
        ("maja", "māja"),
        ("hej", "hej"),
        ("jur", "jur"),
        ("esi", "eši"),
    ],
)
def test_a_word_is_the_likeliest_that_its_letters_may_stand_for(restorer, word, restored):
    assert restorer.word(word, in_pairs=False) == restored


@pytest.mark.parametrize(
    ("word", "restored"),
    [
        ("shodien", "šodien"),
        ("juura", "jūra"),
        ("zhagars", "žagars"),
        ("ir", "ir"),
        ("aazz", "āzz"),
    ],
)
def test_pairs_of_letters_stand_for_one(restorer, word, restored):
    assert restorer.word(word, in_pairs=True) == restored


def test_a_text_in_pairs_is_told_from_one_without_accents(restorer):
    assert restorer.restored("shodien juura ir") == "šodien jūra ir"
    assert restorer.restored("sodien jura ir") == "šodien jūra ir"


def test_addresses_stay_as_they_are(restorer):
    text = "[jura](http://jura.example/sodien) a@sodien.lv www.jura.lv"

    assert restorer.restored(text) == text.replace("[jura]", "[jūra]")


def test_only_texts_whose_words_are_unknown_are_restored(restorer):
    assert restorer.lacks(Grade(100, 1, 0, ()))
    assert not restorer.lacks(Grade(100, 100, 0, ()))
    assert not restorer.lacks(Grade(0, 0, 0, ()))
