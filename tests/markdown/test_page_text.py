"""From verdicts to text in compiled code, as its definition in Python has it."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from skord.markdown.extraction import joined_lines, line_verdicts, text_of_lines
from skord.markdown.fences import fenced_blocks
from skord.native import doubtful_lines, without_images
from tests.reference import page_text as defined

SIGNS = (
    *"aaÅé日1²٣ \t\u00a0\u2028\x1c\xad\u200b\u2060\\\\*_-+>#|[](){}.!?:\"'`~<&;",
    "  ", "ord ", "Ord, ",
)  # fmt: skip
PARTS = (
    "![", "![a](b.png)", "![a [b]](c(d).png \"e\")", "](", "](<a b>)", "][", "]: ", "\\[", "\\]",
    "\\*", "\\\\", "\\#", "\\>", "\\<b", "\\-", "1\\. ", "`", "``", "- [x] ", "# ", "## ", "> ",
    "- ", "10) ", "* * *", "---", "| ", "|---|", "```", "````", "~~~",
    "~~~ py", "Ett två tre fyra fem.", "ett TVÅ tre fyra", "Eva skrev:", " wrote",
    "Click to expand...", "¶", "[edit]", "🔗", "\ud800", "ΟΔΟΣ", "İI",
)  # fmt: skip
LINES = (
    "", "", "  ", "Ett två tre fyra fem.", "> Ett två tre fyra fem.", "> ett två, tre fyra  ",
    "Eva skrev:", "# Ett två tre fyra fem", "- Ett två tre fyra fem", "```", "~~~~", "~~~", "---",
    "| |", "|---|", "| a |", "# a", "## a", "\u200d", "![](a.png)", "- ![](b.png)",
    "![a](b) ![c](d) e", r"Välj\* ett \[2\]", "a  ",
)  # fmt: skip
BLANKS = re.compile(r"(?:^|\n)[ \t]+(?:\n|$)")


def random_line(chance: random.Random) -> str:
    pool = chance.choice([SIGNS, PARTS, SIGNS + PARTS])
    return "".join(chance.choices(pool, k=chance.randrange(12))).replace("\n", " ")


def random_lines(chance: random.Random) -> list[str]:
    return [
        chance.choice(LINES) if chance.random() < 0.7 else random_line(chance)
        for _ in range(chance.randrange(16))
    ]


def utf8(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


def test_images_are_taken_out():
    chance = random.Random(2)
    for _ in range(20_000):
        text = "\n".join(random_line(chance) for _ in range(chance.randrange(1, 4)))
        actual = without_images(text.encode("utf-8", "surrogatepass"))
        assert actual == defined.split_text_and_images(text), text


@pytest.mark.parametrize("seed", range(4))
def test_pages_become_texts(seed):
    chance = random.Random(seed)
    dropped = titled = 0
    for _ in range(5_000):
        lines = random_lines(chance)
        likely = [0, 0.05, 0.1, 0.5, 1, 1, 1]
        chances = np.array([chance.choice(likely) for _ in lines], np.float32)
        page = utf8(lines)

        kept = line_verdicts(page, chances, 0.5)
        joined = joined_lines(page, kept)
        text, images = text_of_lines(joined)

        assert fenced_blocks(page) == defined.fenced_blocks(lines)
        assert kept.tolist() == defined.line_verdicts(lines, chances, 0.5).tolist(), lines
        assert joined == utf8(defined.joined_lines(lines, kept)), lines
        dropped += (~kept & (chances >= 0.5)).sum()
        titled += (kept & (chances < 0.5)).sum()
        if doubtful_lines(joined):  # which ftfy may change
            continue
        of_definition, of_images = defined.defined_text(joined.decode().split("\n")[:-1])
        assert text == of_definition, lines
        assert [image["url"] for image in images] == [url for _, url in of_images]
        places = [image["position"] for image in images]
        assert places == sorted(places)
        if not BLANKS.search(without_images(joined)[0]):  # lines that the definition counts
            assert places == [place for place, _ in of_images], lines
    assert dropped > 1_000
    assert titled > 25
