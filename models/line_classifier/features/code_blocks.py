"""Blocks of code in a page's Markdown, and prose that looks like one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.markdown.extraction import split_lines

# A run of backticks or tildes after quote signs, indentation and list markers.
_FENCE = re.compile(r"[ >]*(?:(?:[-*+]|\d+[.)]) +)*[ >]*(`{3,}(?=[^`]*$)|~{3,})")
# Statutes and letters in `<pre>` are words in lines; programs and configurations are signs.
# Of 2,963 blocks on pages whose gold leaves code out, 12 pass for prose.
PROSE_WORDS = 30
MOST_SIGNS = 0.04  # of the characters that are no blanks
LEAST_PLAIN = 0.6  # of the words: small letters alone, nothing but punctuation around them
LEAST_WORDS_A_LINE = 3.5
LEAST_OTHER_LETTERS = 0.01
"""Share of a page's letters that are not ASCII, from which on it is not in code's own letters.
Swedish has 5 %, Danish and Norwegian 3 %, English hardly any."""
_SIGN = re.compile(r"[{}\[\]()<>=;/\\_|&$#@*+~^`\"']")
_PLAIN = re.compile(r"(?<![\w./-])[a-zà-öø-ÿāčēģīķļņšūž]{2,}(?=[\s,.;:!?)]|$)")
_WORD = re.compile(r"[^\W\d_]+")


def fenced_blocks(markdown: str) -> list[tuple[int, int]]:
    r"""First line of each block of code between fences, and the line after its last.

    A fence that is never closed opens nothing: the rest of the page would be one block.

    >>> fenced_blocks("a\n```\nx\n\n```\n~~~\n")
    [(1, 5)]
    """
    if "```" not in markdown and "~~~" not in markdown:
        return []
    blocks, opened, fence = [], -1, ""
    for number, line in enumerate(split_lines(markdown)):
        opening = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if opening and opened < 0:
            opened, fence = number, opening[1]
        elif opening and opening[1].startswith(fence) and not line[opening.end() :].strip():
            blocks.append((opened, number + 1))
            opened = -1
    return blocks


def prose_blocks(lines: Sequence[str], blocks: Sequence[tuple[int, int]]) -> list[bool]:
    """Which blocks between fences hold prose.

    Where a page stands in such blocks for the most part, and these are prose for the most part,
    all are taken for prose: an author set the page as typed, with its headings and tables.

    Args:
        lines: of the page.
        blocks: first line of each, and the line after its last.
    """
    prose = [is_prose(lines[start:end]) for start, end in blocks]
    if not any(prose):
        return prose
    words = [len(" ".join(lines[start:end]).split()) for start, end in blocks]
    of_prose = sum(count for count, true in zip(words, prose, strict=True) if true)
    as_typed = 2 * of_prose > sum(words) and 2 * sum(words) > len(" ".join(lines).split())
    return [True] * len(blocks) if as_typed else prose


def is_in_letters_of_code(lines: Sequence[str], blocks: Sequence[tuple[int, int]]) -> bool:
    """Whether a page is written, outside of its code, in ASCII letters as code is.

    Args:
        lines: of the page.
        blocks: first line of each block of code, and the line after its last.

    >>> is_in_letters_of_code(["Run it:"], []), is_in_letters_of_code(["Kör så här:"], [])
    (True, False)
    """
    coded = {number for start, end in blocks for number in range(start, end)}
    text = "".join(line for number, line in enumerate(lines) if number not in coded)
    letters = [letter for letter in text if letter.isalpha()]
    others = sum(not letter.isascii() for letter in letters)
    return others < LEAST_OTHER_LETTERS * max(len(letters), 1)


def is_prose(block: Sequence[str]) -> bool:
    """Whether a block between fences holds running text and no language is named for it.

    Args:
        block: its lines, the fences among them.

    >>> is_prose(["```", *["Kungen stadgar att detta gäller i hela riket från i dag."] * 4, "```"])
    True
    >>> is_prose(["```", *["if (a == b) { return c[0]; }"] * 20, "```"])
    False
    """
    if block[0].strip(" >`~-*+.0123456789)"):
        return False
    lines = [line for line in block[1:-1] if line.strip()]
    text = "\n".join(lines)
    words = len(_WORD.findall(text))
    return (
        words >= max(PROSE_WORDS, LEAST_WORDS_A_LINE * len(lines))
        and len(_SIGN.findall(text)) < MOST_SIGNS * len("".join(text.split()))
        and len(_PLAIN.findall(text)) >= LEAST_PLAIN * words
    )
