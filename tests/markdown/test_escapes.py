"""Backslashes stay where GitHub's renderer would not show what they stand before."""

import html
import json
import random
import re
from pathlib import Path

import cmarkgfm
import numpy as np
import pytest
from cmarkgfm.cmark import Options

from skord.markdown.extraction import joined_lines

LONGEST_LINE = 10_000
"""A longer line that holds pictures, in characters, stays as it is."""

CASES = json.loads((Path(__file__).parent / "cases" / "escapes.json").read_text())


def plain(line: str) -> str:
    """A line as it stands in a page's text."""
    page = f"{line}\n".encode("utf-8", "surrogatepass")
    made = joined_lines(page, np.ones(1, bool)).decode("utf-8", "surrogatepass")
    return made.removesuffix("\n")


def shown(line: str) -> str:
    """Letters, digits and signs that a reader sees; bullets and numbers of items left out."""
    cells = len(re.findall(r"(?<!\\)\|", line)) - 1
    table = f"|{' a |' * cells}\n|{'---|' * cells}\n" if line.startswith("|") else ""
    rendered = cmarkgfm.github_flavored_markdown_to_html(
        table + line, options=Options.CMARK_OPT_UNSAFE
    )
    text = html.unescape(re.sub(r"<[^>]*>", "", rendered))
    return re.sub(r"^(?:[\s>]|[-+*](?=\s|$)|\d{1,9}[.)](?=\s|$))+|\s", "", text)


@pytest.mark.parametrize(("line", "wanted"), [case[1:] for case in CASES["dropped"]])
def test_needless_ones_go_and_the_same_is_shown(line, wanted):
    assert plain(line) == wanted
    assert shown(wanted) == shown(line)


@pytest.mark.parametrize("line", [case[1] for case in CASES["kept"]])
def test_needed_ones_stay(line):
    assert plain(line) == line


PIECES = (
    r"\*", r"\*", r"\_", r"\_", r"\`", r"\~", r"\#", r"\[", r"\]", r"\<", r"\>", r"\-", r"\+", r"\.",
    r"\!", r"\\", "a", "b", "ö", "1", "12", " ", " ", ".", ",", ")", "!", ":", "–", "`x`", "**y**", "*z*",
)  # fmt: skip


def test_of_random_lines_the_same_is_shown():
    chance = random.Random(3)
    dropped = 0
    for _ in range(20_000):
        line = "".join(chance.choice(PIECES) for _ in range(chance.randrange(1, 9))).strip()
        if not line or line.endswith("\\"):
            continue
        made = plain(line)
        dropped += made != line
        if "~" not in line:  # beside which the renderer finds emphasis where CommonMark does not
            assert shown(made) == shown(line), (line, made)
    assert dropped > 5_000


@pytest.mark.parametrize(
    "part", ["![[", "`\\", "![a](", "``` ` ", "\\<", "`", "(", "> ", "\\*", "\\!["]
)
def test_a_line_that_repeats_itself_is_soon_read(part):
    """A pattern that tried everything would take years."""
    line = part * (LONGEST_LINE // len(part) - 4) + r" a\#"

    assert plain(line).endswith(" a#")
    assert plain(2 * line).endswith(" a#" if "![" not in line else r" a\#")
