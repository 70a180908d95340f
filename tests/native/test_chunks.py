"""Chunks found by the compiled reader against their definition: the same, in the same order."""

import random
from array import array

import pytest

from skord.models.grammar.grader import Grader
from skord.models.grammar.grammar import ChunkGrammar
from skord.models.grammar.interface import graded_languages, load_grammar
from skord.models.grammar.word_classes import WordClass, WordClasses, word_tokens
from skord.native import add_word_class, chunk_reader, count_chunks, list_chunks
from skord.sample_crawl.page_source import bundled_pages
from tests.reference.chunk_selection import select_chunks

NO_CHUNKS = ChunkGrammar("xx", [], [], {}, {}, [], 0, 0, compounds=False)
ODD = ["", " ", "\n", "\n\n a", "a\tb\rc\xa0d", "x" * 100_000, "en\ud800hund", "\0", "’- _ _a"]
ALPHABET = "aeionrst åäöþðāšķ  -'’_0159.,:\n\t\r\x85\u2028!?Ωб中ǅ½٣\ud800\U0001f600\u0301ŉİ"


def defined(chunks, classes, text):
    """Words, known ones, known function words, and the chunks, by the definition."""
    words = [classes.listed[number] for number in map(classes.classify, word_tokens(text))]
    spans = select_chunks(words, chunks)
    known = sum(word.known for word in words)
    count = sum(1 for word in words if word is not classes.listed[0])
    return count, known, known - sum(word.content for word in words), spans


def texts_of(language, chance):
    pages = [page.text[:2000] for page in bundled_pages() if page.lang == language][:2]
    words = [word for page in pages for word in page.split(" ")]
    yield from pages
    yield from (" ".join(chance.choices(words, k=40)) for _ in range(8))
    yield from ("".join(chance.choices(ALPHABET, k=chance.choice([3, 50]))) for _ in range(60))
    yield from ODD


@pytest.mark.parametrize("language", graded_languages())
def test_the_chunks_of_texts_are_the_defined_ones(language):
    grammar = load_grammar(language)
    forms = {word for page in bundled_pages() for word in word_tokens(page.text.lower())[::2]}
    grader, classes = Grader(grammar, forms), WordClasses(grammar, forms)
    chunks = frozenset(grammar.chunks)
    for text in texts_of(language, random.Random(language)):
        words, known, function_words, spans = defined(chunks, classes, text)
        grade, actual = grader.grade(text), word_tokens(text)

        assert (grade.words, grade.known, grade.function_words) == (words, known, function_words)
        assert grade.sizes.chunks == len(spans)
        assert grader.chunks(text) == [tuple(actual[at : at + n]) for at, n in sorted(spans)]


def test_random_grammars_are_read_as_defined():
    chance = random.Random(3)
    for _ in range(60):
        chunks = {
            tuple(chance.choices(range(5), k=n)) for n in (2, 3, 4, 5) * chance.choice([1, 9])
        }
        grammar = ChunkGrammar(
            "xx", list("NVDPX"), [], {}, {}, chance.sample(sorted(chunks), len(chunks)), 0, 0,
            compounds=False,
        )  # fmt: skip
        classes = WordClasses(grammar, ())
        for _ in range(12):
            tags = tuple(sorted(chance.sample(range(5), chance.randint(0, 3))))
            known, content, guessed = (chance.random() < share for share in (0.7, 0.6, 0.2))
            classes.listed.append(WordClass(tags, known, known and content, guessed))
        reader = told(grammar.chunks, classes.listed)
        written = bytes(chance.choices(range(33, 33 + len(classes.listed)), k=60))
        words = [classes.listed[letter - 33] for letter in written]

        assert list_chunks(reader, written, _by_letter) == select_chunks(words, set(grammar.chunks))


def _by_letter(piece):
    return array("i", [ord(letter) - 33 for letter in piece])


def told(chunks, classes, max_remembered=1000):
    rows = [tag for chunk in chunks for tag in (*chunk, -1, -1, -1)[:5]]
    reader = chunk_reader(array("i", rows), max_remembered)
    for actual in classes:
        add_word_class(
            reader, array("i", actual.tags), actual.known, actual.content, actual.guessed
        )
    return reader


def test_a_piece_is_asked_for_once():
    asked = []

    def classify(piece):
        asked.append(piece)
        return array("i", [0])

    reader = told([], WordClasses(NO_CHUNKS, ()).listed)
    for _ in range(2):
        assert count_chunks(reader, b"en hund\nen  katt", classify)[0] == 0

    assert asked == ["en", "hund", "katt"]


def test_a_class_nobody_told_of_and_errors_of_the_classifier_are_raised():
    reader = told([], WordClasses(NO_CHUNKS, ()).listed)

    with pytest.raises(ValueError, match="a class that was not added"):
        count_chunks(reader, b"en", lambda _: array("i", [1]))
    with pytest.raises(ZeroDivisionError):
        count_chunks(reader, b"en", lambda _: 1 // 0)
    assert count_chunks(reader, b"en", lambda _: array("i", [0, 0]))[0] == 0


def test_chunks_of_another_shape_are_told():
    with pytest.raises(ValueError, match="five tags"):
        chunk_reader(array("i", [1, 2, 3]), 10)
