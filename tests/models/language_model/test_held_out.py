"""Figures of a language model on text that it was not made from."""

import math

import pytest

from skord.core.failures import ConfigError
from skord.models.language_model.files import FOLDER, find_languages
from skord.models.language_model.perplexity import breaks_as_spaces, normalize_for_language_model
from skord.models.language_model.scorer import Scorer
from skord.models.language_model.shipped import HeldOut, held_out_figures

TEXT = (
    "Kommunen bygger en ny bro över ån, och den skall stå klar redan i vår.\n"
    "Den gamla bron revs i höstas, eftersom den inte längre höll för tung trafik.\nKort rad."
)


@pytest.fixture(scope="module")
def swedish():
    return find_languages(FOLDER)["sv"]


def test_bits_of_a_character_are_the_perplexity_of_all_pieces_and_the_end(swedish):
    line = normalize_for_language_model(breaks_as_spaces(TEXT))
    scorer = Scorer(swedish)
    (perplexity,), (pieces,) = scorer.perplexities([line]), scorer.num_pieces([line])

    figures = held_out_figures(swedish, [TEXT])

    assert figures.texts == 1
    assert figures.median_perplexity == perplexity
    assert figures.bits == pytest.approx(math.log2(perplexity) * (pieces + 1) / len(line))
    assert 1 < figures.bits < 4


def test_lines_are_told_from_the_same_words_shuffled(swedish):
    assert held_out_figures(swedish, [TEXT]).in_order == 1.0
    assert held_out_figures(swedish, ["En kort rad om bron."]).in_order is None


def test_without_a_text_that_has_a_perplexity_it_says_so(swedish):
    with pytest.raises(ConfigError, match="no held-out text has a perplexity"):
        held_out_figures(swedish, ["", " \n"])


def test_figures_are_one_line():
    assert str(HeldOut(3, 1.2345, 678.9, 0.975)) == (
        "3 texts held out: 1.234 bits a character, perplexity 679 in the median, "
        "97.5% of lines likelier than shuffled"
    )
    assert str(HeldOut(1, 1.0, 1.0, None)).endswith("in the median")
