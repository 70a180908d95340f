"""What the compiled reader of chunks asks for and refuses."""

from array import array

import pytest

from skord.models.grammar.grammar import ChunkGrammar
from skord.models.grammar.word_classes import WordClasses
from skord.native import add_word_class, chunk_reader, count_chunks

NO_CHUNKS = ChunkGrammar("xx", [], [], {}, {}, [], 0, 0, compounds=False)


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
