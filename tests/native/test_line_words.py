"""Words of a page's lines, as Python's own tools find them."""

from __future__ import annotations

import random
import re
import unicodedata

import numpy as np
import pytest

from skord.native import best_cut, lines_holding, marked_lines, said_lines
from tests.characters import telling_points

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
    points = telling_points(range(0x110000))
    for first in range(0, len(points), 100):
        page = "x".join(map(chr, points[first : first + 100]))
        page = page.translate(dict.fromkeys(map(ord, "\n|ς")))
        assert said_lines(utf8(page), np.arange(1), 400, 400) == said(page, 400, 400), hex(first)


def test_limits_that_no_line_has_are_refused():
    for limits in ((-1, 1), (1, -1), (1 << 21, 1), (1 << 62, 1)):
        with pytest.raises(ValueError, match="fit"):
            said_lines(b"", np.arange(1), *limits)
    for number in (-1, 1):
        with pytest.raises(ValueError, match="fit"):
            said_lines(b"a", np.array([number]), 9, 9)


def test_parts_are_found_in_any_case():
    chance = random.Random(2)
    parts = ["ord två", "日本語", "éåää", "zord ", "ord x", "i\u0307i\u0307", "i\u0307zz"]
    found = 0
    for _ in range(2000):
        page, most = random_page(chance), chance.choice([3, 20, 400])
        lines = page.split("\n")
        numbers = sorted(chance.sample(range(len(lines)), chance.randint(1, len(lines))))
        holding = [
            number
            for number in numbers
            if len(lines[number]) <= most and any(part in lines[number].lower() for part in parts)
        ]
        found += len(holding)
        assert lines_holding(utf8(page), np.array(numbers), most, parts) == holding
    assert found > 50


def test_parts_that_are_short_or_many_are_refused():
    number = np.arange(1)
    assert lines_holding(b"Fyra", number, 4, ["fyra"] * 254) == [0]
    for parts in (["tre"], ["fyra"] * 255):
        with pytest.raises(ValueError, match="fit"):
            lines_holding(b"fyra", number, 9, parts)
    for line, most in ((-1, 9), (1, 9), (0, -1), (0, 1 << 21)):
        with pytest.raises(ValueError, match="fit"):
            lines_holding(b"fyra", np.array([line]), most, ["fyra"])


def test_headings_and_rows_begin_with_their_sign():
    page = "# Ett\n #\n| b |\n#två\ud800\n\n|\n# rest"
    assert marked_lines(utf8(page)) == ([(0, "# Ett"), (3, "#två\ud800")], [2, 5])
    assert marked_lines(b"") == ([], [])


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
