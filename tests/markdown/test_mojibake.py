"""What ftfy makes of a text, and what is made of it here."""

from __future__ import annotations

import random

import ftfy
import pytest
from ftfy.badness import MOJIBAKE_CATEGORIES

from skord.markdown.mojibake import mended_by_ftfy
from skord.native import partly_mended

ASCII = "abcZ .,?!&;#1<\t-\"'"
NORDIC = "åäöÅÄÖéæøßÿÞþð–’”“ʼ‘…€\xa0"
LATIN = "".join(map(chr, range(0xA0, 0x300)))
SUSPECT = "".join(f"{signs}\u2013\u2014" for signs in MOJIBAKE_CATEGORIES.values())
PIECES = (
    "&amp;", "&lt", "&#65;", "Ã¤", "â€œ", "Ã ", "\x0b", "\x1b[0m", "\ufeff", "\u3000", "\uff21",
    "\u0301", "\ud800", "\ud83d\ude00", "\u2126", "\u2028", "\r", "\x85", "\u1f71", "ﬁ", "日本",
)  # fmt: skip
LETTERS = "".join(map(chr, [*range(0x370, 0x400), *range(0x400, 0x530)]))
SCRIPTS = (
    "αβΩάΒΓΞ"
    "вагдАВГРСҐЂёі"
    "日本語、。かなカナ한글"
    "שלום"
    "سلام"
    "→←✓☺😀\ufe0f\u200d\u0301\u3000，：；＆ＡＢłżŻĀŠž"
)
POOLS = [
    (ASCII, NORDIC), (ASCII, LATIN), (ASCII, SUSPECT), (ASCII, LATIN, SUSPECT, PIECES),
    (LETTERS,), (SCRIPTS,), (LETTERS, SUSPECT), (SCRIPTS, SUSPECT, NORDIC),
]  # fmt: skip


def random_text(chance: random.Random) -> str:
    lines = []
    for _ in range(chance.randrange(1, 5)):
        pool = chance.choice(POOLS)
        count = chance.randrange(7)
        lines.append("".join(chance.choice(chance.choice(pool)) for _ in range(count)))
    return "\n".join(lines) + chance.choice(["", "\n"])


def mended(text: str) -> str:
    return mended_by_ftfy(*partly_mended(text.encode("utf-8", "surrogatepass")))


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
        ("（好）,\u3000可以，是：Kraków łżej", "(好), 可以,是:Kraków łżej"),
        ("AT&T &amp &; &#;", "AT&T &amp &; &#;"),
        (
            "«\xa0Вот это да!\xa0» – Όχι, 日本語です。 ☺",
            "«\xa0Вот это да!\xa0» – Όχι, 日本語です。 ☺",
        ),
    ],
)
def test_common_text_needs_no_ftfy(text, made):
    assert partly_mended(text.encode()) == (made, [])
    assert ftfy.fix_text(text) == made


def test_every_two_characters_that_need_no_ftfy_are_left_by_it():
    signs = sorted({*ASCII, *NORDIC, *SUSPECT, *SCRIPTS, *"ÎÐØÙàÂÃ√≈‚β€вЂŒœ×°"} - {"\n"})
    for first in signs:
        pairs = [first + second for second in signs]
        text = "\n".join(f"a{pair} {pair}A{pair}1 {pair}. {pair}" for pair in pairs) + "\n"
        lines = text.splitlines(keepends=True)
        doubtful = set(partly_mended(text.encode("utf-8", "surrogatepass"))[1])
        for number in set(range(len(pairs))) - doubtful:
            line = lines[number]
            made = partly_mended(line.encode("utf-8", "surrogatepass"))[0]
            assert ftfy.fix_text(line) == made, line


def test_every_character_that_needs_no_ftfy_is_left_by_it():
    codes = [code for code in range(0x20, 0x20000) if not 0xD800 <= code < 0xE000]
    for code in codes:
        line = f"a{chr(code)}b e{chr(code)}\u1f00{chr(code)} ᄀ"
        made, doubtful = partly_mended(line.encode())
        if not doubtful:
            assert ftfy.fix_text(line) == made, hex(code)


def test_a_line_too_long_for_ftfy_is_mended_in_the_same_parts():
    text = "&amp; " + "ord & " * 200_000 + "VÃ¤dret <b> &amp;\n&amp; “x”\n"
    assert mended(text) == ftfy.fix_text(text)
