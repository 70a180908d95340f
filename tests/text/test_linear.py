"""Repeated signs and pairs of them cost each function as much more as there are more of them."""

import random
import re
import time

import pytest

from skord.html.link_spans import _without_images
from skord.models.grammar.accents import _WORD
from skord.models.grammar.grader import _RUN, _without_addresses, readable_text

SIGNS = (
    "@", "a@", "a@b.", "@.", "www.", "http://", "[", "![", "](", "[a](b", "![a](b", "(", "_", "*",
    "\\", "<", "<a", "~", "QmFzZTY0+/",
)  # fmt: skip
SMALL, TIMES = 2_000, 8
GENEROUS = 4
"""Linear functions take `TIMES` as long for the larger text, quadratic ones `TIMES` squared."""

FUNCTIONS = {
    "readable_text": readable_text,
    "accents": lambda text: _WORD.sub("", text),
    "images": _without_images,
}


def seconds(function, text):
    """CPU time, the least of two."""
    taken = []
    for _ in range(2):
        began = time.process_time()
        function(text)
        taken.append(time.process_time() - began)
    return min(taken)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_eight_times_the_signs_cost_some_eight_times_as_much(name):
    function = FUNCTIONS[name]
    for sign in SIGNS:
        small = (sign * SMALL)[:SMALL]
        floor = max(seconds(function, f"{small} x@y.se"), 0.001)
        assert seconds(function, f"{small * TIMES} x@y.se") < floor * TIMES * GENEROUS, sign


def test_addresses_are_those_that_one_regular_expression_finds():
    whole = re.compile(r"<?\b(?:https?://|www\.)[^\s<>]+>?|\S+@\S+\.\w+")
    chance = random.Random(4)
    parts = ["@", ".", "a", "b1", " ", "<", ">", "www.", "http://", "-", "å", "/", "\n"]
    for _ in range(10_000):
        text = "".join(chance.choices(parts, k=chance.randrange(1, 14)))
        split = _RUN.sub(_without_addresses, text)
        assert split == whole.sub("\0", text), text


def test_images_are_those_that_one_regular_expression_finds():
    whole = re.compile(r"!\[(?:[^\[\]\\]|\\.)*\]\([^\s)]*\)")
    chance = random.Random(5)
    parts = ["![", "](", ")", "a", " ", "]", "[", "(", "b.png", "!"]
    for _ in range(10_000):
        text = "".join(chance.choices(parts, k=chance.randrange(1, 14)))
        assert _without_images(text) == whole.sub(lambda found: " " * len(found[0]), text), text
