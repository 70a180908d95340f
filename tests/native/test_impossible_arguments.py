"""Arguments that nothing in the package makes: an error of Python's, and no crash or endless loop."""

from __future__ import annotations

import numpy as np
import pytest

from skord import native
from skord.quality.text_measures import COUNTS

HUGE = 2**62
table, text = np.zeros(0x110000, np.uint32), b"a" * 50
starts = np.array([0, 50], np.uint64)


def zeros(shape, kind):
    return np.zeros(shape, kind)


def scatter():
    made = native.key_scatter(1, 1)
    keys, ranks = np.ones(4, np.uint64), np.arange(4, dtype=np.uint32)
    native.scatter_keys(made, 0, (keys, 1, 0, 1), b"", ranks, 2**32 - 1)
    return made


def sketches(chars, bins, out=112):
    native.sketches(starts, text, table, chars, bins, zeros((1, out), np.uint8), zeros(1, np.uint8))


def tree(parents, flags, up, up_flags):
    element, line = zeros(1, np.int64), zeros(1, np.int64)
    owner, links, shares = zeros(1, np.int32), zeros(1, np.uint8), zeros(1, np.float32)
    native.tree_features(
        (np.array(parents, np.int32), element, element, zeros(2, np.int64), b"\0"),
        (line, line, owner, links),
        (flags, up, up_flags, 0, 0, 1, 1, 1, 0.5, shares),
    )


classes = [zeros(0x20000, np.uint32), zeros(0x20000, np.uint64), zeros(0x20000, np.uint64)]


NUM_COUNTS = len(COUNTS)


def measure(
    starts=starts, tables=classes, moves=(0,), slots=16, lists=(0,) * 16, of=(0,), out=NUM_COUNTS
):
    words = (np.array(lists, np.uint64), slots, np.array(of, np.int32))
    notices = (zeros(0x20000, np.uint8), np.array(moves, np.int32))
    native.measure_texts(
        starts,
        text,
        tuple(tables),
        notices,
        b"\0",
        (30, 10),
        words,
        words,
        zeros(out, np.int64),
        zeros(1, np.float64),
    )


def link(lines, links):
    counts = zeros(1, np.int64)
    native.count_linked(starts, text, (b"", np.array(lines)), (np.array(links), b"", b""), counts)


def find(pages=2, places=2, first=2):
    native.find_lines(
        zeros(1, np.uint64),
        zeros(2, np.uint64),
        zeros(pages, np.int64),
        zeros(places, np.int64),
        zeros(first, np.uint8),
    )


def train(*shown):
    order, answers = map(np.array, shown)
    weights = zeros(8, np.float32)
    native.train_letter_grams((text, starts), (order, answers, 3, 2, 0.1, 0.1), weights)


CALLS = [
    "native.shared_keys(scatter(), 0, [], 1, 2**64 - 1, 0)",
    "native.shared_keys(scatter(), 0, [], 31, HUGE, 0)",
    "native.shared_keys(scatter(), HUGE, [], 1, 4, 0)",
    "native.key_scatter(HUGE, HUGE)",
    "native.keep_lines(np.array([0, 1]), b'a', np.array([HUGE]), b'1')",
    "native.keep_lines(np.array([0, HUGE]), b'a', np.array([1]), b'1')",
    "native.take_texts(np.array([0, 1]), b'a', np.array([HUGE]))",
    "find(pages=1)",
    "find(places=1)",
    "find(first=3)",
    "native.count_chunks(native.chunk_reader(zeros(5, np.int32), 10), b'\\n', lambda piece: b'')",
    "native.chunk_reader(zeros(4, np.int32), 10)",
    "native.html_tokens('', 5, '', False)",
    "native.html_tokens('', -1, '', False)",
    "native.with_blank_lines(zeros(0, int), b'', HUGE, 0)",
    "native.line_network([zeros(4, np.float32)] * 19, (HUGE, HUGE, 1, 1, 1, zeros(1, int), 1, 1))",
    "native.line_network([b''] * 19, (16, 16, 16, 4, 7, np.array([HUGE]), 1, 1))",
    "sketches(HUGE, 112)",
    "sketches(16, 0, 0)",
    "sketches(16, 100_000, 100_000)",
    "sketches(16, HUGE)",
    "native.page_reader(zeros(300, np.uint8), zeros(300, np.uint32), HUGE, 16, 16)",
    "native.page_reader(zeros(300, np.uint8), zeros(300, np.uint32), 300, 16, 16)",
    "tree([-1], 4, HUGE, 1)",
    "tree([-1], 4, 5, HUGE)",
    "tree([-1], HUGE, 5, 3)",
    "tree([0], 4, 5, 3)",
    "measure(starts=np.array([0, 51], np.uint64))",
    "measure(tables=classes[::-1])",
    "measure(moves=(0, HUGE >> 32))",
    "measure(moves=())",
    "measure(slots=HUGE)",
    "measure(slots=0)",
    "measure(lists=(1,) * 16)",
    "measure(of=(1,))",
    "measure(out=NUM_COUNTS + 1)",
    "link([0, 1], [0, 0])",
    "link([0, 0], [0, 9])",
    "native.write_letters(starts, text, b'\\2', 9, zeros(3, np.uint8), zeros(2, np.int64))",
    "native.sum_letter_grams((text, starts), 3, b'\\0' * 24, zeros(8, np.int32), zeros(1, np.int64))",
    "train([7], [0])",
    "train([0], [2])",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_an_impossible_argument_is_a_value_error(call):
    with pytest.raises(ValueError, match=r"\w"):
        eval(call)


def test_what_the_calls_are_made_of_is_possible():
    measure()
    sketches(16, 112)
    tree([-1], 4, 5, 3)
    native.take_keys(scatter(), 0)
    link([0, 0], [0, 0])
    train([0], [1])
