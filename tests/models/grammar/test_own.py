"""A grammar of one's own needs enough trees, all of which are measured."""

import random

import pytest

from skord.core.failures import ConfigError
from skord.models.grammar.own import LEAST_SENTENCES, _fold_grades, own_grammar
from skord.models.grammar.treebanks.conllu import Sentence, read_treebank


def test_too_few_sentences_are_refused_with_their_number():
    sentence = Sentence((), "Hej", "a")

    with pytest.raises(ConfigError, match=f"trees has 199 sentences.* needs {LEAST_SENTENCES}"):
        own_grammar("fo", [sentence] * 199, frozenset(), "trees")


def tree(chance):
    nouns, verbs = ("kungen", "bron", "hunden"), ("ser", "bygger")
    words = [chance.choice(nouns), chance.choice(verbs), "den", chance.choice(nouns), "."]
    parts, heads = ("NOUN", "VERB", "DET", "NOUN", "PUNCT"), (2, 0, 4, 2, 2)
    rows = [
        f"{n}\t{word}\t{word}\t{part}\t_\t_\t{head}\tdep\t_\t_"
        for n, (word, part, head) in enumerate(zip(words, parts, heads, strict=True), 1)
    ]
    return f"# text = {' '.join(words)}\n" + "\n".join(rows)


def test_every_sentence_is_measured_once_also_those_that_are_left_over(tmp_path):
    chance = random.Random(1)
    path = tmp_path / "trees.conllu"
    path.write_text("\n\n".join(tree(chance) for _ in range(204)) + "\n\n")

    measured = _fold_grades("sv", list(read_treebank(path)), {"kungen"})

    # a snippet of 15 words is of four sentences; there are four folds of 40, and one of 44
    assert len(measured.grades[15]["good"]) == 4 * 10 + 11
