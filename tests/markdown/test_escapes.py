"""Backslashes go where pandoc reads the same without."""

import re

import numpy as np
import pypandoc
import pytest

from skord.markdown.extraction import joined_lines

LONGEST_LINE = 10_000
"""A longer line, in characters, stays as it is."""

NEEDLESS = {
    "stars without a partner": (r"Priset\* är 3 \* 4", "Priset* är 3 * 4"),
    "brackets without an address": (r"a \[1\] b", "a [1] b"),
    "number signs within": (r"Storgatan 1 \#1100, \#väder", "Storgatan 1 #1100, #väder"),
    "a word with a number sign": (r"- \#väder i dag", "- #väder i dag"),
    "numbers in cells": (r"| \-21,0 | \+13,1 % | 8\. |", "| -21,0 | +13,1 % | 8. |"),
    "a temperature": (r"\-21 grader", "-21 grader"),
    "signs in a heading": (r"## \+ mer \> nytt \#1 i Norden", "## + mer > nytt #1 i Norden"),
    "no tags": (r"a \< b \> c \<3 -\> d", "a < b > c <3 -> d"),
    "a backslash before a letter": (r"$A \\subseteq B$", r"$A \subseteq B$"),
    "the end of a tag": (r"\<link\> ett", r"\<link> ett"),
    "signs beside code": (r"`a \#1` b \#2", r"`a \#1` b #2"),
    "signs beside a picture": (r"Fri\* ![\*](a\(1\).png) \#2", r"Fri* ![\*](a\(1\).png) #2"),
    "brackets after a backslash": (r"a \\\[9pt\] b", r"a \\[9pt] b"),
}  # fmt: skip
NEEDED = {
    "stars with a partner": r"\*nej\*, a\*b\*",
    "a star that begins a block": r"- \* ett",
    "an address": r"\[nej\](a)",
    "a line's text": r"\[nej\]: a",
    "an item to tick": r"- \[x\] a",
    "a heading": r"\## ett",
    "an item": r"\- ett",
    "an item in an item": r"- \+ ett",
    "a numbered item": r"8\. Yabla",
    "an item numbered otherwise": r"> 1\) a",
    "a break": r"\---",
    "a quotation": r"\> ett",
    "a tag": r"\<b> \</b>",
    "an open tag": r"<a b \> c",
    "a backslash that escapes": r"a \\# \\* b*",
    "a backslash at the end": "a \\\\",
    "code": r"a \`b\` c",
    "a picture": r"![\#1](filters:quality\(90\))",
    "what looks like a picture": r"\![a](b\(1\))",
}


def without_needless_escapes(line: str) -> str:
    """A line as it stands in a page's text."""
    return joined_lines(f"{line}\n".encode(), np.ones(1, bool)).decode().removesuffix("\n")


def read(line):
    """The HTML that pandoc makes of a line; a row of cells stands in a table."""
    cells = len(re.findall(r"(?<!\\)\|", line)) - 1
    table = f"|{' a |' * cells}\n|{'---|' * cells}\n" if line.startswith("|") else ""
    return pypandoc.convert_text(table + line, "html", "commonmark+pipe_tables")


@pytest.mark.parametrize(("line", "plain"), NEEDLESS.values(), ids=NEEDLESS)
def test_needless_ones_go_and_the_line_reads_the_same(line, plain):
    assert without_needless_escapes(line) == plain
    assert read(line) == read(plain)


@pytest.mark.parametrize("line", NEEDED.values(), ids=NEEDED)
def test_needed_ones_stay(line):
    assert without_needless_escapes(line) == line


@pytest.mark.parametrize("part", ["![[", "`\\", "![a](", "``` ` ", "\\<", "`", "(", "> "])
def test_a_line_that_repeats_itself_is_soon_read(part):
    """A pattern that tried everything would take years."""
    line = part * (LONGEST_LINE // len(part) - 4) + r" a\#"

    assert without_needless_escapes(line).endswith(" a#")
    assert without_needless_escapes(2 * line) == line * 2
