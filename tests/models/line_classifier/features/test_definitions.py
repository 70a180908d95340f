"""Compiled features, to the last bit those of their definitions, on odd and on random pages."""

from __future__ import annotations

import random

import numpy as np
import pytest

from skord.html.line_context import LineContext
from skord.models.line_classifier.features.context import (
    CONTEXT_DENSE,
    LEAF_DENSE,
    context_features,
)
from skord.models.line_classifier.features.lines import DENSE, page_features
from skord.native import page_reader, read_page, tree_features
from tests.reference.line_context_features import defined_context
from tests.reference.line_features import defined_features

ODD = {
    "nothing": "",
    "a remainder alone": "två",
    "a remainder": "ett\ntvå",
    "blanks alone": " \n\n\t\n\u2028\n",
    "blanks around": "\u2028a\x85b\f\n \ufeff.\n\n\n",
    "astral characters": "A\ud800\U00020000\U0001d7d8\U0001f600\n\U0010ffff\n",
    "headings": "#\n## a\n####### b\n\n# c\nd\n   ## e\n",
    "marks": "".join(f"{mark}\n{mark} a\n" for mark in "#-*+>|![`\\"),
    "ends": "".join(f"a{mark}\n" for mark in '.,:-"()]|*_'),
    "repeats": "a b\nb a\na\n\nA B\n---\n***\n",
    "long words": "x" * 70 + "\n" + "x" * 64 + "\n",
    "indented": "".join(" " * width + "a\n" for width in range(20)),
    "long lines": ("ord " * 19 + "\n") + ("ord " * 20 + "\n") * 2 + "a\nb\n\nc\n",
    "many lines": "a\n\n- b\n# c\n" * 1250,
    "a long line": "Å1 å-" * 20_000 + "\n",
    "words alone": "日" * 100 + "\n\n日本\n",
}
PIECES = (
    "# ", "## ", "- ", "  ", "\t", " ", "| ", "> ", "1. ", "**", "![](", ")", "]", ".", ", ", ": ",
    "ord", "Ord", "ÅÄÖ ", "ord och ord ", "tolv ord i en rad som räknas till löpande text nu ja ",
    "2026", "٣", "日本", "ไทย", "\u2028", "\x85", "\ud83d", "\U0001f600", "_", "ß", "İ",
)  # fmt: skip
ELEMENTS = (
    "div", "nav", "p", "ul .menu", "li", "li .x", "footer", "aside @complementary",
    "div .blå-post", "div @dialog", "div #main .article-body", "span !hidden",
)  # fmt: skip


def random_pages(number):
    chance = random.Random(number)
    for _ in range(number):
        lines = ["".join(chance.choices(PIECES, k=chance.randrange(7))) for _ in range(12)]
        yield "\n".join(lines[: chance.randrange(1, 13)]) + "\n" * chance.randrange(2)


def random_context(line_count, chance):
    count = chance.randrange(12)
    parents = [chance.randrange(-1, at) if chance.random() < 0.9 else -1 for at in range(count)]
    return LineContext(
        elements=chance.choices(ELEMENTS, k=count),
        parents=parents,
        lines=[chance.randrange(-1, count) for _ in range(line_count)],
        links=bytes(chance.choices([0, 101, 102, 103, 255], k=line_count)),
        controls=bytes(chance.choices([0, 0, 40, 249, 250, 255], k=line_count)),
    )


def assert_same(actual, expected):
    for name, one, other in zip(actual._fields, actual, expected, strict=True):
        assert np.shape(one) == np.shape(other), name
        assert np.array_equal(one, other), name
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype, name


@pytest.mark.parametrize("page", ODD.values(), ids=ODD)
def test_odd_pages_have_the_features_that_are_defined(page):
    assert_same(page_features(page), defined_features(page))
    assert page_features(page).dense.shape[1] == DENSE


def test_random_pages_have_the_features_that_are_defined():
    words = 0
    for page in random_pages(400):
        features = page_features(page)
        assert_same(features, defined_features(page))
        words += features.words.sum()
    assert words > 4000


def test_logarithms_are_those_of_numpy_for_every_length():
    lengths = [*range(1, 40), *(4000 + 13 * step for step in range(20)), 90_000, 99_999]
    features = page_features("".join("-" * length + "\n" for length in lengths))
    assert np.array_equal(features.dense[:, 0], np.log1p(lengths).astype(np.float32))


def test_random_elements_give_the_features_that_are_defined():
    chance = random.Random(5)
    seen = 0
    for page in random_pages(500):
        features = page_features(page)
        context = random_context(features.line_count, chance)
        if features.lines.size:
            actual = context_features(context, features.lines, features.words)
            assert_same(actual, defined_context(context, features.lines, features.words))
            assert actual.by_leaf.shape[1] == LEAF_DENSE
            assert actual.dense.shape == (features.lines.size, CONTEXT_DENSE)
            seen += len(set(actual.leaves.tolist()))
    assert seen > 1000


def test_deep_elements_and_many_lines_give_the_features_that_are_defined():
    count = 3000
    parents = [at - 1 if at % 60 else at // 120 - 1 for at in range(count)]
    context = LineContext(
        elements=[ELEMENTS[at % len(ELEMENTS)] for at in range(count)],
        parents=parents,
        lines=[at * 7 % count for at in range(5000)],
        links=bytes(at % 256 for at in range(5000)),
        controls=bytes(at * 3 % 256 for at in range(5000)),
    )
    words = np.arange(5000) % 40
    features = context_features(context, np.arange(5000), words)
    assert_same(features, defined_context(context, np.arange(5000), words))


@pytest.mark.parametrize("broken", ["groups", "small", "number", "few", "buckets"])
def test_tables_that_do_not_fit_are_refused(broken):
    groups = np.zeros(4, np.uint8) + 15 * (broken == "number")
    small = np.zeros(3 if broken == "small" else 4, np.uint32)
    given = (groups[:0] if broken == "groups" else groups, small)
    few = 14 if broken == "few" else 15
    if broken == "groups":
        given = (groups[:0], small[:0])
    with pytest.raises(ValueError, match="fit"):
        page_reader(*given, few, 0 if broken == "buckets" else 8, 48)
    read_page(page_reader(np.zeros(4, np.uint8), np.zeros(4, np.uint32), 15, 8, 48), b"")


def tree(parents=(-1, 0), flags=(0, 1), alike=(0, 1), starts=(0, 1, 2), lines=(0, 2), words=(1, 1),
         owners=(0, -1, 1), links=b"\0\0\0"):  # fmt: skip
    def wide(numbers):
        return np.array(numbers, np.int64)

    return tree_features(
        (np.array(parents, np.int32), wide(flags), wide(alike), wide(starts)),
        (wide(lines), wide(words), np.array(owners, np.int32), links),
        (3, 5, 3, (1, 2, 3, 250), 12, 0.4, np.array([0.4], np.float32)),
    )


@pytest.mark.parametrize(
    "worse",
    [
        {"parents": (-1, 1)}, {"parents": (-1, 2)}, {"parents": ()}, {"flags": (0,)},
        {"alike": (0, 2)}, {"alike": (0, -1)}, {"alike": (0,)}, {"starts": (0, 1)},
        {"lines": (0, 3)},
        {"lines": (-1, 2)}, {"words": (1,)}, {"owners": (0, -1, 2)}, {"owners": (0, -1)},
        {"links": b"\0\0"},
    ],
    ids=str,
)  # fmt: skip
def test_elements_and_lines_that_do_not_fit_are_refused(worse):
    assert np.frombuffer(tree()[2], np.int64).tolist() == [0, 1, 0]
    with pytest.raises(ValueError, match="fit"):
        tree(**worse)
