"""Words of a page's lines, as Python's own tools find them."""

from __future__ import annotations

import random
import re
import unicodedata

import numpy as np
import pytest

from skord.native import best_cut, said_lines

PIECES = (
    *"aAzZ_09éÅåÄ.,-*> \t\x0b\x1c\x85\u00a0\u2003\u3000\u2028\r日本語Σςσ\u0130\u0307\u212ak\ud800ß",
    "![", "](x)", "ord ", "ORD ", "Ord, ord ", "två tre ", "\n", "\n", "- ", "> ",
)  # fmt: skip


def random_page(chance: random.Random) -> str:
    return "".join(chance.choices(PIECES, k=chance.randrange(60)))


def utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def word_count(line: str) -> int:
    return 0 if line.lstrip(" >-").startswith("![") else len(line.split())


GLUED = re.compile(r"(?<=[a-zà-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])")


def said(line: str, most_letters: int, most_words: int) -> str:
    """Its words, but for the last sigma of one, which is written otherwise."""
    words = re.findall(r"[^\W_]+", GLUED.sub(" ", line).lower().replace("ς", "σ"))
    none = line[:1] == "|" or len(line) > most_letters or len(words) > most_words
    return "" if none else " ".join(words)


def test_words_are_said_in_small_letters():
    page = "- Ord, ORD_x\n| a |\n*ordOrd* Två\nett två tre fyra\n日本 ÅRE\nett"
    numbers = np.array([4, 0, 2, 1, 3])

    assert said_lines(utf8(page), numbers, 20, 3) == "日本 åre\nord ord x\nord ord två\n\n"
    assert said_lines(utf8(page), numbers, 8, 9) == "日本 åre\n\n\n\n"


@pytest.mark.skipif(unicodedata.unidata_version != "14.0.0", reason="Python knows another Unicode")
def test_every_letter_is_said_as_python_does():
    for first in range(0, 0x110000, 100):
        page = "x".join(map(chr, range(first, min(first + 100, 0x110000))))
        page = page.translate(dict.fromkeys(map(ord, "\n|ς")))
        assert said_lines(utf8(page), np.arange(1), 400, 400) == said(page, 400, 400), hex(first)


def test_limits_that_no_line_has_are_refused():
    for limits in ((-1, 1), (1, -1), (1 << 21, 1), (1 << 62, 1)):
        with pytest.raises(ValueError, match="fit"):
            said_lines(b"", np.arange(1), *limits)
    for number in (-1, 1):
        with pytest.raises(ValueError, match="fit"):
            said_lines(b"a", np.array([number]), 9, 9)


def plain_cut(words: list[int], chances: list[float]) -> tuple[float, float]:
    """The best of all thresholds, the highest of several."""
    expected = sum(n * p for n, p in zip(words, chances, strict=True))
    best = (2.0, 0.0)
    for threshold in sorted(set(chances), reverse=True):
        kept = [(n, p) for n, p in zip(words, chances, strict=True) if n and p >= threshold]
        agreed = 2 * sum(n * p for n, p in kept)
        f1 = agreed / (sum(n for n, _ in kept) + expected) if agreed else 0.0
        if f1 > best[1] + 1e-12:
            best = (threshold, f1)
    return best


def test_the_best_cut_is_that_of_all_thresholds():
    chance = random.Random(4)
    for _ in range(500):
        page = random_page(chance)
        words = list(map(word_count, page.split("\n")))[: chance.choice([None, -1])]
        shares = [chance.choice([0, 0.25, 0.5, 0.75, 1]) for _ in words]
        assert best_cut(utf8(page), np.array(shares, np.float32)) == pytest.approx(
            plain_cut(words, shares)
        )


def test_there_are_as_many_lines_as_probabilities():
    with pytest.raises(ValueError, match="fit"):
        best_cut(b"ett\n", np.ones(3, np.float32))
