"""The language of texts in capitals, of languages that lid.176 has no label for, and of no text."""

import numpy as np
import pytest

import skord
from skord.models.language_id.batches import load_language_batches
from skord.models.scandinavian.interface import EMBEDDED, load_scandinavian
from skord.models.scandinavian.unlisted_languages import (
    columns_with_unlisted,
    scores_with_unlisted,
    unlisted_language,
    with_unlisted_languages,
)
from skord.text.words import TextColumn

SENTENCES = {
    "sv": "Kommunen har bestämt att bron stängs i tre veckor, och bussarna kör en annan väg.",
    "da": "Kommunen har besluttet at lukke broen i tre uger, og busserne kører ad en anden vej.",
    "no": "Kommunen har bestemt at broen stenges i tre uker, og bussene kjører en annen vei.",
    "is": "Bærinn hefur ákveðið að loka brúnni í þrjár vikur og vagnarnir aka aðra leið.",
    "fi": "Kunta on päättänyt sulkea sillan kolmeksi viikoksi, ja bussit ajavat toista reittiä.",
    "et": "Vald otsustas silla kolmeks nädalaks sulgeda ja bussid sõidavad teist teed pidi.",
    "lv": "Pašvaldība nolēma slēgt tiltu uz trim nedēļām, un autobusi brauks pa citu ceļu.",
    "lt": "Savivaldybė nusprendė uždaryti tiltą trims savaitėms, o autobusai važiuos kitu keliu.",
    "pl": "Gmina postanowiła zamknąć most na trzy tygodnie, a autobusy pojadą inną drogą.",
    "uk": "Громада вирішила закрити міст на три тижні, а автобуси поїдуть іншою дорогою.",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_capitals_are_read_as_small_letters(code):
    text = SENTENCES[code]

    assert skord.identify_language(text).code == code
    assert skord.identify_language(text.upper()) == skord.identify_language(text.upper().lower())
    assert skord.identify_language(text.upper()).code == code


def test_columns_of_texts_have_the_scores_of_small_letters_unless_the_published_rule_is_asked():
    batches = load_language_batches()
    texts = [SENTENCES["lv"].upper(), SENTENCES["sv"], SENTENCES["fi"].upper()]
    column = TextColumn.of([text.encode() for text in texts])
    wanted = np.ones(3, np.bool_)

    ours = batches.columns_of(column, wanted).of_texts(np.arange(3))
    published = batches.columns_of(column, wanted, glued=True).of_texts(np.arange(3))

    assert ours == batches.scores_of(texts)
    assert [next(iter(scores)) for scores in ours] == ["lv", "sv", "fi"]
    assert published[1] == ours[1]
    assert published[0] != ours[0]


SAMI = "Buot olbmot leat riegádan friddjan ja olmmošárvvu ja olmmošvuoigatvuođaid dáfus."
GREENLANDIC = (
    "Inuit tamarmik inunngorput nammineersinnaassuseqarlutik assigiimmillu "
    "ataqqinassuseqarlutillu pisinnaatitaaffeqarlutik."
)
FAROESE = "Kommunan hevur gjørt av at steingja brúnna í tríggjar vikur."


@pytest.mark.parametrize(
    ("text", "code"), [(SAMI, "se"), (GREENLANDIC, "kl"), (FAROESE, "fo"), (SAMI.upper(), "se")]
)
def test_smaller_neighbours_are_named(text, code):
    found = skord.identify_language(text)

    assert found.code == code
    assert found.score > 0.5


def test_columns_have_the_scores_of_smaller_neighbours():
    texts = [SENTENCES["sv"], FAROESE, "", SAMI, GREENLANDIC]
    wanted = np.array([True, True, True, True, False])
    identifier = load_language_batches()

    columns = columns_with_unlisted(identifier)(
        TextColumn.of(text.encode() for text in texts), wanted, glued=False
    )

    classifier = load_scandinavian(EMBEDDED, tuple(identifier.one_by_one.labels))
    scores = scores_with_unlisted(texts[:4], identifier.scores_of(texts[:4]), classifier)
    assert columns.of_texts(np.arange(5)) == [*scores, {}]
    assert columns.of_language("se").tolist() == [0, 0, 0, scores[3]["se"], 0]


@pytest.mark.parametrize("text", [*SENTENCES.values(), "lea leat", "Iraq, Qatar, Nasdaq och Iqbal"])
def test_others_are_not_taken_for_them(text):
    assert unlisted_language(text) == (None, 0.0)
    assert with_unlisted_languages([text], [{"sv": 0.5}]) == [{"sv": 0.5}]


def test_what_the_neighbour_had_is_scaled():
    (scores,) = with_unlisted_languages([SAMI], [{"fi": 0.8, "et": 0.2}])

    assert list(scores) == ["se", "fi", "et"]
    assert sum(scores.values()) == pytest.approx(1)


@pytest.mark.parametrize("text", ["", "  \n", "12 345", "— … !"])
def test_no_letters_are_in_no_language(text):
    assert skord.identify_language(text) == (None, 0.0)
