"""Letters that a text has none of tell Faroese from Icelandic."""

from skord.models.language_id.batches import load_language_batches
from skord.models.scandinavian.interface import EMBEDDED, against_icelandic, load_scandinavian
from skord.text.languages import language_of

FAROESE = [
    "Tjaldrið er ein stórur vaðfuglur, sum er tjóðarfuglur Føroya.",
    "Hetta súltutoyið er gott á drýlur, til pannukøkur og saman við steiktum lambskjøti.",
    "Tjaldrið eigur í mai, vanliga trý egg, í einum lítlum holi í grasinum.",
]
ICELANDIC = [
    "Fuglinn verpir í maí, oftast þremur eggjum, í litla holu í grasinu.",
    "Kaupmannahöfn er höfuðborg Danmerkur, og Gunnar Søby er formaður félagsins þar.",
]


def languages_of(texts):
    identify = load_language_batches("")
    classifier = load_scandinavian(EMBEDDED, identify.one_by_one.labels)
    return [
        language_of(scores) for scores in classifier.divide_scores(texts, identify.scores_of(texts))
    ]


def test_sentences_of_both_get_their_own_label():
    assert languages_of(FAROESE) == ["fo"] * len(FAROESE)
    assert languages_of(ICELANDIC) == ["is"] * len(ICELANDIC)


def test_the_odds_are_bounded_and_end_where_icelandic_letters_are():
    assert against_icelandic("a" * 100_000) == 3
    assert against_icelandic("ø" * 100_000) == 7
    assert against_icelandic("ø" * 90 + "þ") == 0
    assert against_icelandic("") == 0
