"""What ftfy makes of a text, and what is made of it here."""

from __future__ import annotations

import random

import ftfy
import pytest
from ftfy.badness import MOJIBAKE_CATEGORIES

from pipeline.markdown.mojibake import mended
from pipeline.native import partly_mended

ASCII = "abcZ .,?!&;#1<\t-\"'"
NORDIC = "åäöÅÄÖéæøßÿÞþð–’”“ʼ‘…€\xa0"
LATIN = "".join(map(chr, range(0xA0, 0x300)))
SUSPECT = "".join(f"{signs}\u2013\u2014" for signs in MOJIBAKE_CATEGORIES.values())
PIECES = (
    "&amp;", "&lt", "&#65;", "Ã¤", "â€œ", "Ã ", "\x0b", "\x1b[0m", "\ufeff", "\u3000", "\uff21",
    "\u0301", "\ud800", "\ud83d\ude00", "\u2126", "\u2028", "\r", "\x85", "\u1f71", "ﬁ", "日本",
)  # fmt: skip
POOLS = [(ASCII, NORDIC), (ASCII, LATIN), (ASCII, SUSPECT), (ASCII, LATIN, SUSPECT, PIECES)]


def random_text(chance: random.Random) -> str:
    lines = []
    for _ in range(chance.randrange(1, 5)):
        pool = chance.choice(POOLS)
        count = chance.randrange(7)
        lines.append("".join(chance.choice(chance.choice(pool)) for _ in range(count)))
    return "\n".join(lines) + chance.choice(["", "\n"])


def test_it_is_what_ftfy_makes_of_it():
    chance = random.Random(5)
    known = 0
    for _ in range(15_000):
        text = random_text(chance)
        assert mended(text) == ftfy.fix_text(text), text
        known += not partly_mended(text.encode("utf-8", "surrogatepass"))[1]
    assert known > 3_000


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("", ""),
        ("Två “ord” – och ett’s till…\n", 'Två "ord" – och ett\'s till…\n'),
        ("Å, ää och ÄÖ kostar € 5 & mer", "Å, ää och ÄÖ kostar € 5 & mer"),
    ],
)
def test_common_text_needs_no_ftfy(text, made):
    assert partly_mended(text.encode()) == (made, [])
    assert ftfy.fix_text(text) == made


def test_a_line_too_long_for_ftfy_is_mended_in_the_same_parts():
    text = "&amp; " + "ord & " * 200_000 + "VÃ¤dret <b> &amp;\n&amp; “x”\n"
    assert mended(text) == ftfy.fix_text(text)
