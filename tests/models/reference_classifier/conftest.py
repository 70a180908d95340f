"""Made-up pages whose truth is known: cited ones report, others sell."""

from __future__ import annotations

import random

import pytest

from skord.models.reference_classifier.dataset import Page

SHARED = "och att det som en på är av för med till den har inte om ett men var sig så"
REPORT = "enligt rapporten undersökning professor myndighet årtal källa historia landet"
SHOP = "köp rabatt varukorg leverans erbjudande rea klicka kampanj pris nyhetsbrev"


def text(words: random.Random, topic: str, share: float = 0.3) -> str:
    drawn = (topic if words.random() < share else SHARED for _ in range(60))
    return " ".join(words.choice(given.split()) for given in drawn)


@pytest.fixture(scope="session")
def separable():
    words = random.Random(3)
    return [
        Page(
            text(words, REPORT if n % 2 else SHOP), f"http://s{n}.se/", f"s{n}.se", "sv", n % 2 > 0
        )
        for n in range(400)
    ]


@pytest.fixture(scope="session")
def random_labels():
    words = random.Random(4)
    return [
        Page(text(words, words.choice([REPORT, SHOP])), "", f"s{n}.se", "sv", words.random() < 0.5)
        for n in range(400)
    ]
