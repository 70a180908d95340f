"""Lines and words of Markdown as arrays, ways up and sums of rows, against the same in Python."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from models.line_classifier import characters as ch
from models.line_classifier.page_arrays import page_arrays
from pipeline.native import character_tables, convolved, multiplied, sums_of_rows, ways_up

ALPHABETS = (
    "ab \n\t-#",
    "aÅ9٣日本語のไทย_ \n",
    "\u2028\x85\f\v\r\x1c\ufeff\n.",
    "A\ud800\U00020000\n",
)
WORD_GROUPS = (ch.LOWER, ch.UPPER, ch.LETTER, ch.DIGIT)
LIMIT = 1 << 64


def texts(number=400, seed=1):
    chance = random.Random(seed)
    for _ in range(number):
        alphabet = chance.choice([*ALPHABETS, "".join(ALPHABETS)])
        yield "".join(chance.choices(alphabet, k=chance.randrange(120)))
    yield "x" * 70 + "\n" + "x" * 64 + "\n"


def group_of(character):
    return int(ch.group_table()[min(ord(character), ch.TABLE_SIZE - 1)])


def hash_of(word):
    total = 0
    for place, character in enumerate(word[:64], start=1):
        small = int(ch.lower_table()[min(ord(character), ch.TABLE_SIZE - 1)])
        total += (small + 1) * pow(0x100000001B3, place, LIMIT)
    total %= LIMIT
    total = (total ^ (total >> 29)) * 0x9E3779B97F4A7C15 % LIMIT
    return total ^ (total >> 32)


def words_of(text):
    """Place and characters of each word: runs of letters and digits, or one that stands alone."""
    found, run = [], ""
    for at, character in enumerate(f"{text} "):
        group = group_of(character)
        if group in WORD_GROUPS:
            run += character
            continue
        if run:
            found.append((at - len(run), run))
        run = ""
        if group == ch.ALONE:
            found.append((at, character))
    return found


def arrays_as_python_makes_them(text):
    start = 0
    for number, line in enumerate(text.split("\n")[:-1]):
        groups = list(map(group_of, line))
        visible = [at for at, group in enumerate(groups) if group != ch.SPACE]
        if visible:
            yield {
                "line": number,
                "span": (start, start + len(line)),
                "visible": (start + visible[0], start + visible[-1]),
                "counts": Counter(groups),
                "words": [(start + at, hash_of(word)) for at, word in words_of(line)],
            }
        start += len(line) + 1


def test_lines_and_words_are_those_of_python():
    seen = 0
    for text in texts():
        page = page_arrays(text)
        expected = list(arrays_as_python_makes_them(text))
        for at, line in enumerate(expected):
            assert page.lines[at] == line["line"]
            assert (page.starts[at], page.ends[at]) == line["span"]
            assert (page.first[at], page.last[at]) == line["visible"]
            counts = {n: count for n, count in enumerate(page.counts[at].tolist()) if count}
            assert counts == line["counts"]
            mine = page.word_line == at
            found = zip(page.word_at[mine].tolist(), page.hashes[mine].tolist(), strict=True)
            assert list(found) == line["words"]
            seen += len(line["words"])
        assert page.lines.size == len(expected)
        assert page.word_at.size == sum(len(line["words"]) for line in expected)
    assert seen > 2000


def test_every_character_up_to_the_last_line_feed_has_its_group():
    page = page_arrays("a-日\n9 slut")
    assert page.groups.tolist() == list(map(group_of, "a-日\n"))


def test_tables_that_do_not_fit_are_refused():
    good = np.zeros(4, np.uint8), np.zeros(4, np.uint32), np.zeros(1, np.uint8)
    character_tables(*good)
    for at, worse in ((0, good[0] + 1), (0, good[0][:3]), (1, good[1][:0]), (2, good[2][:0])):
        with pytest.raises(ValueError, match="fit"):
            character_tables(*(worse if n == at else table for n, table in enumerate(good)))


def test_ways_lead_from_each_node_to_its_root():
    parents = np.array([-1, 0, 1, 1, -1], np.int32)
    found = [
        np.frombuffer(array, np.int64).tolist()
        for array in ways_up(parents, np.array([3, 4, 0], np.int64))
    ]
    assert found == [[3, 1, 0, 4, 0], [0, 1, 2, 0, 0], [0, 3, 4, 5]]


@pytest.mark.parametrize(
    ("parents", "used"), [([-1, 1], [1]), ([-1, 2, -1], [0]), ([-1], [1]), ([-1], [-1])]
)
def test_a_way_without_end_or_beginning_is_refused(parents, used):
    with pytest.raises(ValueError, match=r"parent|node"):
        ways_up(np.array(parents, np.int32), np.array(used, np.int64))


@pytest.mark.parametrize("width", [1, 16, 48, 50])
def test_rows_are_added_up_by_stretches(width):
    chance = np.random.default_rng(width)
    rows = chance.normal(size=(30, width)).astype(np.float32)
    numbers = chance.integers(0, 30, 40)
    starts = np.array([0, 0, 7, 7, 39, 40])
    shares = chance.random(40).astype(np.float32)
    for by in (shares, shares[:0]):
        found = np.frombuffer(sums_of_rows(rows, width, numbers, starts, by), np.float32)
        weighed = rows[numbers] * (by[:, None] if by.size else 1)
        expected = [weighed[a:b].sum(0) for a, b in pairwise(starts)]
        assert np.allclose(found.reshape(5, width), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("numbers", "starts", "shares"),
    [([2], [0, 1], []), ([-1], [0, 1], []), ([0], [0, 2], []), ([0], [1, 1], []),
     ([0, 1], [0, 2, 1, 2], []), ([0], [], []), ([0], [0, 1], [1, 1])],
)  # fmt: skip
def test_rows_and_stretches_that_are_not_there_are_refused(numbers, starts, shares):
    rows = np.ones((2, 3), np.float32)
    with pytest.raises(ValueError, match="fit"):
        sums_of_rows(
            rows, 3, np.array(numbers, np.int64), np.array(starts, np.int64),
            np.array(shares, np.float32),
        )  # fmt: skip


@pytest.mark.parametrize("lines", [1, 2, 5, 6, 7, 40])
@pytest.mark.parametrize("dilation", [1, 4, 16])
def test_convolutions_see_the_lines_around_and_zeros_beyond(lines, dilation):
    chance = np.random.default_rng(lines)
    vectors = chance.normal(size=(2, lines, 48)).astype(np.float32)
    weights = chance.normal(size=(2, 3, 48, 48)).astype(np.float32)
    biases = chance.normal(size=(2, 48)).astype(np.float32)
    found = np.frombuffer(convolved(vectors, weights, biases, dilation), np.float32)
    padded = np.pad(vectors, ((0, 0), (dilation, dilation), (0, 0)))
    sums = biases[:, None] + sum(
        padded[:, place * dilation : place * dilation + lines] @ weights[:, place]
        for place in range(3)
    )
    assert np.allclose(found.reshape(vectors.shape), vectors + np.maximum(sums, 0), atol=1e-3)


def test_vectors_and_weights_of_other_shapes_are_refused():
    vectors, weights = np.zeros((2, 3, 48), np.float32), np.zeros((2, 3, 48, 48), np.float32)
    biases = np.zeros((2, 48), np.float32)
    assert len(convolved(vectors, weights, biases, 1)) == vectors.nbytes
    assert convolved(vectors[:, :0], weights, biases, 1) == b""
    for worse in (
        (vectors[:, :, :47].copy(), weights, biases, 1),
        (vectors[:, :1, :24].copy(), weights, biases, 1),
        (vectors, weights[:1], biases, 1), (vectors, weights, biases[:0], 1),
        (vectors, weights, biases, 0), (vectors.reshape(-1)[: 48 * 5], weights, biases, 1),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="fit"):
            convolved(*worse)


@pytest.mark.parametrize("rows", [0, 1, 2, 5, 6, 7, 40])
@pytest.mark.parametrize("columns", [16, 48, 64, 240])
def test_products_are_those_of_numpy(rows, columns):
    chance = np.random.default_rng(rows)
    left = chance.normal(size=(3, rows, 21)).astype(np.float32)
    right = chance.normal(size=(3, 21, columns)).astype(np.float32)
    found = np.frombuffer(multiplied(left, right, 3, 21), np.float32)
    assert np.allclose(found.reshape(3, rows, columns), left @ right, atol=1e-4)


def test_matrices_that_do_not_fit_are_refused():
    def zeros(size):
        return np.zeros(size, np.float32)

    assert len(multiplied(zeros(6), zeros(32), 1, 2)) == 3 * 16 * 4
    for left, right, count, inner in (
        (6, 48, 2, 3), (6, 96, 0, 3), (6, 96, 2, 0), (5, 96, 2, 3), (6, 40, 1, 3),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="matrices"):
            multiplied(zeros(left), zeros(right), count, inner)
