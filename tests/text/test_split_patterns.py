"""Patterns cut in two, so that they take linear time, match what the whole ones did."""

import random
import re

from skord.html.link_spans import _without_images
from skord.models.grammar.grader import _RUN, _without_addresses


def test_addresses_are_those_that_one_regular_expression_finds():
    whole = re.compile(r"<?\b(?:https?://|www\.)[^\s<>]+>?|\S+@\S+\.\w+")
    chance = random.Random(4)
    parts = ["@", ".", "a", "b1", " ", "<", ">", "www.", "http://", "-", "å", "/", "\n"]
    for _ in range(5_000):
        text = "".join(chance.choices(parts, k=chance.randrange(1, 14)))
        split = _RUN.sub(_without_addresses, text)
        assert split == whole.sub("\0", text), text


def test_images_are_those_that_one_regular_expression_finds():
    whole = re.compile(r"!\[(?:[^\[\]\\]|\\.)*\]\([^\s)]*\)")
    chance = random.Random(5)
    parts = ["![", "](", ")", "a", " ", "]", "[", "(", "b.png", "!"]
    for _ in range(5_000):
        text = "".join(chance.choices(parts, k=chance.randrange(1, 14)))
        assert _without_images(text) == whole.sub(lambda found: " " * len(found[0]), text), text
