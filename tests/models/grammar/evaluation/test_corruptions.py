"""What corruptions make of a text, of `models.grammar.evaluation.corruptions`."""

import random
import re

import pytest

from models.grammar.evaluation.corruptions import CORRUPTIONS, Surroundings

TEXT = [
    ["Den", "gamla", "bron", "föll", "."],
    ["Kungen", "såg", "den", "och", "skrattade", "."],
] * 9
WORDS = [word for line in TEXT for word in line if word != "."]
AROUND = Surroundings(
    ["hund", "ser"], {"den": ["gamla"]}, {"föll": "falla"}, ["stad", "by"], ["Hem", "Kontakt"],
    ["the", "dog"], ["ein", "hund"],
)  # fmt: skip


def spoilt(kind, seed=1):
    return CORRUPTIONS[kind](TEXT, random.Random(seed), AROUND)


@pytest.mark.parametrize("kind", sorted(CORRUPTIONS))
def test_each_changes_the_text_in_the_same_way_each_time(kind):
    good = " ".join(WORDS)
    assert spoilt(kind) == spoilt(kind)
    assert spoilt(kind).strip()
    if kind != "no accents":
        assert spoilt(kind) != good


@pytest.mark.parametrize("kind", ["shuffled", "reversed", "20 % swapped"])
def test_words_in_another_order_are_the_same_words(kind):
    found = re.findall(r"\w+", spoilt(kind).lower())
    assert sorted(found) == sorted(word.lower() for word in WORDS)


def test_prices_have_a_noun_a_price_and_a_number_up_to_fifty():
    row = r"(?:stad|by) (\d{2,4}),\d\d (?:kr|EUR|%|st) (\d{1,2})"
    numbers = []
    for seed in range(400):
        said = spoilt("prices", seed)
        assert re.fullmatch(rf"{row}(?: {row})*", said)
        numbers += [(int(a), int(b)) for a, b in re.findall(row, said)]
    assert (min(n for _, n in numbers), max(n for _, n in numbers)) == (1, 50)
    assert 10 <= min(price for price, _ in numbers) < 100


def test_a_third_of_the_words_is_of_the_other_language():
    share = sum(
        word in ("the", "dog") for seed in range(40)
        for word in spoilt("30 % English", seed).split()
    ) / (40 * len(WORDS))  # fmt: skip
    assert share == pytest.approx(0.3, abs=0.05)
