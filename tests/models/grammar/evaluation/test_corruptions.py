"""What corruptions make of a text, of `skord.models.grammar.evaluation.corruptions`."""

import random
import re

import pytest

from skord.models.grammar.evaluation.corruptions import CORRUPTIONS, Surroundings

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


TWO_SENTENCES = [
    ["Den", "gamla", "kungen", "såg", "bron", "och", "föll", "."],
    ["På", "ön", "gör", "hon", "Vännäs", "kort", "."],
]
SPOILT = {
    "shuffled": "gamla bron Den kungen och föll såg . hon kort ön På Vännäs gör .",
    "reversed": "föll och bron såg kungen gamla Den . kort Vännäs hon gör ön På .",
    "unigram salad": "hund hund ser hund ser ser ser . ser hund hund ser hund ser .",
    "bigram salad": "hund hund ser hund ser ser ser ser hund hund ser hund ser",
    "lemmas": "Den gamla kungen såg bron och falla . På ön gör hon Vännäs kort .",
    "20 % swapped": "gamla Den kungen såg bron och föll . På ön gör Vännäs hon kort .",
    "keywords": "stad by by stad stad stad by by stad stad by stad by",
    "keywords, commas": "stad, by, by, stad, stad, stad, by, by, stad, stad, by, stad, by",
    "menu": "Hem Hem Kontakt Hem Kontakt Kontakt Kontakt Kontakt Hem Hem Kontakt Hem Kontakt",
    "prices": "stad 9335,97 kr 17 stad 8127,97 st 31 by 3449,12 st 2 by 7100,77 kr 45",
    "30 % English": "the dog kungen såg bron dog dog . På ön dog the Vännäs dog .",
    "30 % sister": "ein hund kungen såg bron hund hund . På ön hund ein Vännäs hund .",
    "no accents": "Den gamla kungen sag bron och foll . Pa on gor hon Vannas kort .",
    "transliterated": "Den gamla kungen saag bron och foell . Paa oen goer hon Vaennaes kort .",
    "UTF-8 misread": "Den gamla kungen sÃ¥g bron och fÃ¶ll . PÃ¥ Ã¶n gÃ¶r hon VÃ¤nnÃ¤s kort .",
    "legacy misread": "Den gamla kungen sσg bron och f÷ll . Pσ ÷n g÷r hon VΣnnΣs kort .",
    "random letters": "sue nnnti unhiis ned ahhh itd sser . se ee asn nte arirtd atrs .",
    "words split": "Den gamla k ungen såg bron och föll . På ön gör hon Vännäs k ort .",
    "words joined": "Dengamla kungen sågbronochföll . På ön görhonvännäs kort .",
}


def test_each_makes_of_two_sentences_what_is_written_here():
    assert {
        kind: spoil(TWO_SENTENCES, random.Random(1), AROUND) for kind, spoil in CORRUPTIONS.items()
    } == SPOILT


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
        spoiled = spoilt("prices", seed)
        assert re.fullmatch(rf"{row}(?: {row})*", spoiled)
        numbers += [(int(a), int(b)) for a, b in re.findall(row, spoiled)]
    assert (min(n for _, n in numbers), max(n for _, n in numbers)) == (1, 50)
    assert 10 <= min(price for price, _ in numbers) < 100


def test_a_third_of_the_words_is_of_the_other_language():
    share = sum(
        word in ("the", "dog") for seed in range(40)
        for word in spoilt("30 % English", seed).split()
    ) / (40 * len(WORDS))  # fmt: skip
    assert share == pytest.approx(0.3, abs=0.05)
