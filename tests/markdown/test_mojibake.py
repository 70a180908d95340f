"""What ftfy makes of a text, and what is made of it here."""

from __future__ import annotations

import random
import re

import ftfy
import pytest
from ftfy.badness import MOJIBAKE_CATEGORIES

from skord.markdown.mojibake import MOJIBAKE_ALONE, repair_mojibake
from skord.native import doubtful_lines
from tests.characters import telling_points

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


CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f\ufeff]")


def doubtful(text: str) -> list[int]:
    return doubtful_lines(text.encode("utf-8", "surrogatepass"))


def repaired(text: str) -> str:
    return repair_mojibake(text, doubtful(text))


def wanted(text: str) -> str:
    return CONTROLS.sub("", ftfy.fix_text(text, MOJIBAKE_ALONE))


def test_it_is_what_ftfy_makes_of_it():
    chance = random.Random(5)
    known = 0
    for _ in range(6_000):
        text = random_text(chance)
        assert repaired(text) == wanted(text), text
        known += not doubtful(text)
    assert known > 1_200


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Två “ord” – och ett’s till…\n",
        "„Tere,“ ütles ta. «Bonjour» ‚nej‘ ‹ja›",
        "Å, ää och ÄÖ kostar € 5 & mer",
        "うれしい！（３００円）　ﾊﾝｶｸ：ＡＢＣ",
        "（好）,\u3000可以，是：Kraków łżej",
        "ﬁlm, eﬀekt, ĳs, ǆep, Œuvre",
        "`&auml;` och &amp; och &#65; &lt;b&gt; AT&T",
        "rad\u2028rad\u2029stycke\x1b[31mröd\x1b[0m\fsida",
        "a\u0308 A\u030a e\u0301 \u2126 \u212a \u00bd \u1f71",
        "می\u200cخواهم \u200fעברית\u200e क्\u200dष 👨\u200d👩\u200d👧 \u2066a\u2069",
        "漢\ufff9字\ufffaか\ufffb H₂O x² ½ ① ㈱ Ⅲ",
        "«\xa0Вот это да!\xa0» – Όχι, 日本語です。 ☺ 1\u202f000\u2009kr",
    ],
)
def test_what_is_no_mojibake_stays_as_written(text):
    assert repaired(text) == text


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("VÃ¤dret i MalmÃ¶", "Vädret i Malmö"),
        ("â€œViâ€\x9d ses", "“Vi” ses"),
        ("ett \x93ord\x94", "ett “ord”"),
        ("\ufeffDet\x00 \x08är", "Det är"),
    ],
)
def test_mojibake_is_decoded_and_controls_that_mean_nothing_are_deleted(text, made):
    assert repaired(text) == made


def test_every_two_characters_that_need_no_ftfy_are_left_by_it():
    signs = sorted({*ASCII, *NORDIC, *SUSPECT, *SCRIPTS, *"ÎÐØÙàÂÃ√≈‚β€вЂŒœ×°ﬁﬂĳ！\ufffd"} - {"\n"})
    for first in signs:
        pairs = [first + second for second in signs]
        lines = [f"a{pair} {pair}A{pair}1 {pair}. {pair}" for pair in pairs]
        for number in set(range(len(pairs))) - set(doubtful("\n".join(lines))):
            assert ftfy.fix_text(lines[number], MOJIBAKE_ALONE) == lines[number]


def test_every_character_that_needs_no_ftfy_is_left_by_it():
    for code in telling_points(range(0x20, 0x20000)):
        line = f"a{chr(code)}b e{chr(code)}\u1f00{chr(code)} ᄀ"
        if not doubtful(line):
            assert wanted(line) == line, hex(code)


def test_a_line_too_long_for_ftfy_is_repaired_in_the_same_parts():
    text = "&amp; " + "ord & " * 200_000 + "VÃ¤dret <b> &amp;\n&amp; “x”\n"
    assert repaired(text) == wanted(text)
