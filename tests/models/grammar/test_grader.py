"""The chunker: which sub-sentences are taken, and what is counted."""

import itertools
import random

import pytest

from skord.models.grammar.grader import Grader, readable_text
from skord.models.grammar.grammar import ChunkGrammar, dump_grammar, parse_grammar
from skord.models.grammar.word_classes import word_tokens

A, B, C, NAME, NUM = range(5)
"""Tags: a noun, a verb, a function word, a name, a number."""


def grammar(*chunks, compounds=False):
    return ChunkGrammar(
        language="xx",
        tags=["NOUN", "VERB", "DET", "PROPN", "NUM"],
        classes=[(A,), (B,), (C,), (NAME,), (NUM,), (A, B)],
        lexicon={"a": 0, "b": 1, "c": 2, "ab": 5},
        suffixes={"": 0},
        chunks=sorted(chunks),
        names=3,
        numbers=4,
        compounds=compounds,
    )


def chunks(text, *sequences, forms=()):
    return [" ".join(chunk) for chunk in Grader(grammar(*sequences), set(forms)).chunks(text)]


def test_the_longest_chunk_is_taken_wherever_it_begins():
    assert chunks("a b a b", (A, B), (B, A, B)) == ["a", "b a b"]


def test_of_equally_long_chunks_the_leftmost_is_taken():
    assert chunks("a b a", (A, B), (B, A)) == ["a b", "a"]


def test_an_ambiguous_word_takes_any_of_its_tags():
    assert chunks("c ab c", (C, B)) == ["c ab"]
    assert chunks("c ab c", (C, A, C)) == ["c ab c"]


@pytest.mark.parametrize("between", [",", "\n", ".", "-"])
def test_no_chunk_goes_across_a_sign_or_an_end_of_line(between):
    assert chunks(f"a {between} b", (A, B)) == ["a", "b"]
    assert chunks(f"a{between if between != '-' else ','}b", (A, B)) == ["a", "b"]


def test_a_chunk_needs_a_word_that_means_something():
    assert chunks("c c", (C, C)) == []
    assert chunks("c a", (C, A)) == ["c a"]


def test_guessed_names_may_not_outnumber_known_words():
    assert chunks("Xx a", (NAME, A)) == ["Xx a"]
    assert chunks("Xx Yy a", (NAME, NAME, A)) == ["a"]


def test_names_numbers_and_unknown_words_alone_are_not_recognised():
    grade = Grader(grammar((A, B)), set()).grade("Xx 7 qq a")

    assert (grade.words, grade.known, grade.by_length) == (4, 1, (0, 1, 0, 0, 0, 0))


def test_the_counts_are_those_of_the_chunks():
    chance = random.Random(5)
    sequences = {tuple(chance.choices([A, B, C, NAME, NUM], k=n)) for n in (2, 3, 4, 5) * 12}
    grader = Grader(grammar(*sequences), {"qa", "qb"})
    vocabulary = ["a", "b", "c", "ab", "qa", "Qb", "Xx", "12", ",", "zz", "\n"]
    for _ in range(300):
        text = " ".join(chance.choices(vocabulary, k=30))
        actual, sizes = grader.chunks(text), grader.grade(text).sizes
        assert sizes.chunks == len(actual)
        assert sizes.recognized_words == sum(map(len, actual))
        assert [t for chunk in actual for t in chunk] == _in_order(word_tokens(text), actual)


def test_the_automaton_takes_what_trying_every_span_takes():
    chance = random.Random(6)
    sequences = {tuple(chance.choices([A, B, C], k=n)) for n in (2, 3, 4, 5) * 8}
    grader = Grader(grammar(*sequences), set())
    tags = {"a": [A], "b": [B], "c": [C], "ab": [A, B]}
    for _ in range(200):
        words = chance.choices(list(tags), k=12)
        assert grader.chunks(" ".join(words)) == _by_trying(words, tags, sequences)


def test_a_grader_that_forgets_everything_grades_the_same():
    texts = ["a b c ab a Xx b 7 , a b", "c a b", "ab ab Yy a b", "a b c ab a Xx b 7 , a b"]
    remembers = Grader(grammar((A, B), (C, A)), set())
    forgets = Grader(grammar((A, B), (C, A)), set(), max_remembered=0)

    assert [*map(forgets.grade, texts)] == [*map(remembers.grade, texts)]


def test_a_compound_is_known_by_its_halves_where_the_language_has_them():
    forms = {"skol", "skola", "buss", "kort"}
    nordic = Grader(grammar(compounds=True), forms)

    assert nordic.grade("skolbuss skolabuss busskort bussekort").known == 4
    assert nordic.grade("kortskola").known == 1
    assert nordic.grade("skolqqqq").known == 0
    assert Grader(grammar(), forms).grade("skolbuss").known == 0


def test_letters_without_end_are_not_tried_at_every_place():
    class Counted(set):
        asked = 0

        def __contains__(self, word):
            self.asked += 1
            return super().__contains__(word)

    forms = Counted(["skol", "buss"])

    assert Grader(grammar(compounds=True), forms).grade("q" * 100_000).known == 0
    assert forms.asked < 10


def test_a_text_without_words_has_sizes_of_zero():
    sizes = Grader(grammar((A, B)), set()).grade(" … \n").sizes

    assert (sizes.words, sizes.recognized, sizes.avg_size, sizes.avg_chunk_size) == (0, 0, 0, 0)


def test_a_grammar_survives_being_written():
    written = dump_grammar(grammar((A, B), (B, C, A)))

    assert parse_grammar(written) == grammar((A, B), (B, C, A))


@pytest.mark.parametrize("text", ["[]", "{}", "not JSON", '{"language": "sv"}'])
def test_something_else_than_a_grammar_is_told(text):
    with pytest.raises(ValueError, match=r"grammar|Expecting"):
        parse_grammar(text)


def test_addresses_images_and_marks_of_markdown_are_no_words():
    text = "# **Ny** bro\n\n![en bild](https://a.se/b.jpg) och [en *länk*](https://a.se/c_(d))."

    assert word_tokens(readable_text(text)) == [
        "#", "Ny", "bro", "\n", "\n", "och", "en", "länk", ".",
    ]  # fmt: skip


def _in_order(words, actual):
    """The words of the chunks as they stand in the text, or what is there instead."""
    at, taken = 0, []
    for chunk in actual:
        while tuple(words[at : at + len(chunk)]) != chunk:
            at += 1
        taken += words[at : at + len(chunk)]
        at += len(chunk)
    return taken


def _by_trying(words, tags, sequences):
    """The selection as the paper states it, over all spans."""
    used, actual = set(), []
    for length in (5, 4, 3, 2):
        for at in range(len(words) - length + 1):
            span = range(at, at + length)
            readings = itertools.product(*(tags[words[i]] for i in span))
            content = any(words[i] != "c" for i in span)
            if content and not used & set(span) and any(r in sequences for r in readings):
                used |= set(span)
                actual.append((at, length))
    actual += [(at, 1) for at, word in enumerate(words) if word != "c" and at not in used]
    return [tuple(words[at : at + length]) for at, length in sorted(actual)]
