"""Scores computed here against those of fastText itself, on its bundled language model."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest

from skord.models.language_id.batches import (
    MAX_CHARS,
    FastTextScores,
    LanguageBatches,
    ScoreColumns,
    load_language_batches,
)
from skord.models.language_id.fasttext_file import DamagedModelError, read_fasttext
from skord.models.language_id.lid176 import bundled_model, load_language_model
from skord.sample_crawl.page_source import bundled_pages
from skord.text.languages import in_small_letters
from skord.text.words import TextColumn

PAGES = [page.text for page in bundled_pages() if page.text]
ODD = [
    "",
    " \t\r\n\v\f\0 ",
    "a",
    "a\tb\vc\fd\re\0f",
    "é" * 300,
    "\U00010437\U0001d518 漢字 ありがとう 𝔘nicode",
    "__label__sv __label__ hej",
    "<> < > <a> </s",
    "\x85\xa0\u2028…",
    "de in and la sa en is",
]


@pytest.fixture(scope="module")
def content():
    return bundled_model().read_bytes()


@pytest.fixture(scope="module")
def model(content):
    return read_fasttext(content)


@pytest.fixture(scope="module")
def fasttext_scores(model):
    reader = load_language_model()

    def ask(text):
        actual = dict(reader._predicted(text.replace("\n", " "), -1.0))
        return np.array([actual[label] for label in model.labels])

    return ask


def assert_near(actual, expected, tolerance=1e-5):
    assert np.abs(np.minimum(actual, 1.0) - expected).max() < tolerance


def probabilities_of(scores, texts):
    """Of each text, shape (labels,); None for a text that is left to fastText."""
    column = TextColumn.of(text.encode() for text in texts)
    asked = np.ones(len(texts), np.bool_)
    counts, labels, values, _ = scores.label_columns(column, asked, 0, 0, MAX_CHARS, glued=False)
    ends = np.cumsum(counts)
    for count, end in zip(counts.tolist(), ends.tolist(), strict=True):
        row = np.zeros(len(scores.labels))
        row[labels[end - count : end]] = values[end - count : end]
        yield row if count else None


def random_words():
    generator = random.Random(2)
    ranges = [(0x20, 0x7F), (0x80, 0x800), (0x800, 0xD800), (0x10000, 0x20000)]
    return [
        "".join(chr(generator.randrange(*generator.choice(ranges))) for _ in range(12))
        for _ in range(300)
    ]


@pytest.mark.parametrize("texts", [PAGES, ODD, random_words()], ids=["pages", "odd", "any bytes"])
def test_texts_score_as_fasttext_scores_them(model, fasttext_scores, texts):
    pairs = zip(probabilities_of(FastTextScores(model), texts), texts, strict=True)
    answered = [(row, text) for row, text in pairs if row is not None]

    assert len(answered) > len(texts) / 2
    for row, text in answered:
        assert_near(row, fasttext_scores(text))


def test_what_is_remembered_changes_nothing(model):
    def scored(scores, texts):
        column = TextColumn.of(text.encode() for text in texts)
        asked = np.ones(len(texts), np.bool_)
        counts, labels, values, _ = scores.label_columns(
            column, asked, 0.0, 0.01, MAX_CHARS, glued=False
        )
        return ScoreColumns(scores.labels, counts, labels, values).of_texts(np.arange(len(texts)))

    expected = scored(FastTextScores(model), PAGES)
    narrow = FastTextScores(model, max_words=64)

    for _ in range(2):
        assert scored(narrow, PAGES[:3]) == expected[:3]
    assert [scored(narrow, [text])[0] for text in PAGES] == expected
    assert scored(FastTextScores(model), PAGES[::-1])[::-1] == expected
    assert scored(narrow, []) == []


@pytest.mark.parametrize("length", [0, 7, 60, 900, 100_000])
def test_a_file_cut_short_is_no_model(content, length):
    with pytest.raises(DamagedModelError):
        read_fasttext(content[:length])


@pytest.mark.parametrize(("setting", "value"), [(5, 2), (6, 3)])
def test_a_model_with_word_ngrams_or_without_a_tree_is_not_read(content, setting, value):
    changed = bytearray(content)
    struct.pack_into("<i", changed, 8 + 4 * setting, value)
    assert not read_fasttext(bytes(changed)).is_tree_of_words


# -- the same model, asked in batches --------------------------------------------------------


def test_batches_agree_with_fasttext_in_every_label_and_in_two_decimals():
    batches = load_language_batches()
    pieces = [line for text in PAGES for line in text.split("\n") if line][::3] + PAGES
    actual = batches.scores_of(pieces)

    for piece, scores in zip(pieces, actual, strict=True):
        expected = batches.one_by_one.scores(piece)
        assert list(scores) == list(expected)
        assert np.round(list(scores.values()), 2).tolist() == (
            np.round(list(expected.values()), 2).tolist()
        )


def test_a_score_in_doubt_is_fasttexts_own():
    batches = load_language_batches()
    words = [line for text in PAGES for line in text.split()[::4]]
    own = [
        (word, scores)
        for word, scores in zip(words, batches.scores_of(words), strict=True)
        if scores == batches.one_by_one.scores(word)
    ]
    near = [s for _, scores in own for s in scores.values() if abs(s * 200 - round(s * 200)) < 1e-3]

    assert near
    assert len(own) < len(words) / 4


def test_texts_that_fasttext_reads_otherwise_are_left_to_it():
    batches = load_language_batches()
    texts = [
        "Hej på dig </s> this is English text, and quite a lot of it",
        "",
        "\u2028",
        "å" * (MAX_CHARS + 1),
    ]

    assert batches.scores_of(texts) == [batches.one_by_one.scores(text) for text in texts]
    assert batches.scores_of([]) == []


def test_columns_say_what_is_said_text_by_text():
    batches = load_language_batches()
    texts = [*PAGES, "Hej </s> på dig", "", " \n"]
    # What is in capitals is asked about in small letters, but by the published rule.
    words = [word for text in PAGES for word in text.split()[::12]]
    texts += [word for word in words if in_small_letters(word) == word]
    wanted = np.arange(len(texts)) % 5 > 0
    column = TextColumn.of(text.encode() for text in texts)
    for glued in (True, False):
        told = batches.columns_of(column, wanted, glued=glued).of_texts(np.arange(len(texts)))
        said = batches.scores_of([text.replace("\n", "") if glued else text for text in texts])
        expected = [scores if asked else {} for scores, asked in zip(said, wanted, strict=True)]
        assert [[*scores.items()] for scores in told] == [[*each.items()] for each in expected]


def test_texts_that_need_no_settling_are_within_the_error_and_the_others_fasttexts_own():
    batches = load_language_batches()
    texts = [word for text in PAGES for word in text.split()[::4]]
    column, wanted = TextColumn.of(text.encode() for text in texts), np.ones(len(texts), np.bool_)
    every = np.arange(len(texts))

    def each_third(scores):
        assert len(scores.counts) == len(texts)
        return every % 3 == 0

    said = batches.scores_of(texts)
    told = batches.columns_of(column, wanted, settles=each_third).of_texts(every)
    assert told[::3] == said[::3]
    pairs = [(own, scores) for own, scores in zip(told, said, strict=True) if own != scores]
    assert pairs
    for own, scores in pairs:
        for name in own.keys() | scores.keys():  # labels of just 0.01 may be listed or not
            assert own.get(name, 0.01) == pytest.approx(scores.get(name, 0.01), abs=2e-5)


def test_another_kind_of_model_is_asked_text_by_text(tmp_path, content):
    """A model whose words stand beside other words: the format is the same, one setting is not."""
    changed = bytearray(content)
    struct.pack_into("<i", changed, 8 + 4 * 5, 2)
    path = tmp_path / "other.ftz"
    path.write_bytes(changed)
    batches = LanguageBatches(path)

    said = [batches.one_by_one.scores(text) for text in PAGES[:5]]
    assert batches.scores_of(PAGES[:5]) == said
    column = TextColumn.of(text.encode() for text in PAGES[:5])
    told = batches.columns_of(column, np.ones(5, np.bool_))
    assert told.of_texts(np.arange(5)) == said
