"""What a treebank teaches: constituents, and the tags of their words."""

import pytest

from skord.models.grammar.grammar import TOY
from skord.models.grammar.induce import constituent_spans
from skord.models.grammar.treebanks.conllu import MEDIUM, SHARED, Token, tag_of


def tree(*words):
    """Words as (form, part, head, relation)."""
    return [Token(form, part, "_", head, relation) for form, part, head, relation in words]


def test_small_words_go_with_what_they_hang_on():
    tokens = tree(
        ("på", "ADP", 2, "case"), ("ett", "DET", 2, "det"), ("tak", "NOUN", 3, "obl"),
        ("sitter", "VERB", -1, "root"), ("en", "DET", 5, "det"), ("fågel", "NOUN", 3, "nsubj"),
    )  # fmt: skip

    spans = set(constituent_spans(tokens))

    assert {(0, 3), (4, 6), (0, 4), (3, 6)} <= spans
    assert not {(1, 3), (2, 4), (4, 5), (0, 6), (2, 3)} & spans


def test_a_span_has_no_sign_and_five_words_at_most():
    tokens = tree(
        *((f"w{n}", "NOUN", n + 1, "nmod") for n in range(6)), ("w6", "NOUN", -1, "root"),
        (".", "PUNCT", 6, "punct"),
    )  # fmt: skip

    spans = set(constituent_spans(tokens))

    assert max(end - start for start, end in spans) == 5
    assert (2, 7) in spans
    assert all(end <= 7 for _, end in spans)
    assert all(end - start > 1 for start, end in spans)


@pytest.mark.parametrize(
    ("features", "kept", "tag"),
    [
        ("_", MEDIUM, "NOUN"),
        ("Gender=Com", MEDIUM, "NOUN"),
        ("Number=Sing|Case=Gen", MEDIUM, "NOUN|Gen|Sing"),
        ("Definite=Def|broken", SHARED, "NOUN|Def"),
        ("Number=Sing", {}, "NOUN"),
        ("Number=Sing=x", SHARED, "NOUN|Sing=x"),
    ],
)
def test_a_tag_has_the_features_kept_in_their_order(features, kept, tag):
    assert tag_of(Token("ord", "NOUN", features, 0, "root"), kept) == tag


def test_the_grammar_for_examples_knows_its_words():
    tags = {word: [TOY.tags[tag] for tag in TOY.classes[n]] for word, n in TOY.lexicon.items()}

    assert tags == {"en": ["DET"], "i": ["ADP"], "ser": ["VERB"]}
