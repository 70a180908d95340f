"""A grammar of one's own needs enough trees."""

import pytest

from models.grammar.own import LEAST_SENTENCES, own_grammar
from models.grammar.treebanks.conllu import Sentence
from pipeline.core.failures import ConfigError


def test_too_few_sentences_are_refused_with_their_number():
    sentence = Sentence((), "Hej", "a")

    with pytest.raises(ConfigError, match=f"trees has 199 sentences.* needs {LEAST_SENTENCES}"):
        own_grammar("fo", [sentence] * 199, frozenset(), "trees")
