"""Blocks of code in a page's Markdown, and prose that looks like one."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Statutes and letters in `<pre>` are words in lines; programs and configurations are signs.
# Of 2,963 blocks on pages whose gold leaves code out, 12 pass for prose.
PROSE_WORDS = 30
MOST_SIGNS = 0.04  # of the characters that are no blanks
LEAST_PLAIN = 0.6  # of the words: small letters alone, nothing but punctuation around them
LEAST_WORDS_A_LINE = 3.5
LEAST_PARTED = 0.03  # of the words: a sign behind them that ends or parts a sentence
LEAST_OTHER_LETTERS = 0.01
"""Share of a page's letters that are not ASCII, from which on it is not in code's own letters.
Swedish has 5 %, Danish and Norwegian 3 %, English hardly any."""
LEAST_TELLING_WORDS = 20
"""Likely main text of fewer words does not tell what letters a page is written in."""
_SIGN = re.compile(r"[{}\[\]()<>=;/\\_|&$#@*+~^`\"']")
_PLAIN = re.compile(r"(?<![\w./-])[a-zà-öø-ÿāčēģīķļņšūž]{2,}(?=[\s,.;:!?)]|$)")
_PARTED = re.compile(r"[^\W\d_][.,;:!?][)\"'»”]?(?=\s|$)")
_WORD = re.compile(r"[^\W\d_]+")
_ASCII_LETTERS = re.compile("[A-Za-z]+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


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


def is_in_letters_of_code(
    lines: Sequence[str], blocks: Sequence[tuple[int, int]], likely: NDArray[np.bool_]
) -> bool:
    """Whether a page is written, outside of its code, in ASCII letters as code is.

    Its likely main text tells, where that has some words: a menu may be in another language.

    Args:
        lines: of the page.
        blocks: first line of each block of code, and the line after its last.
        likely: which lines are main text, as far as is known.

    >>> every = np.array([True])
    >>> is_in_letters_of_code(["Run it:"], [], every)
    True
    >>> is_in_letters_of_code(["Kör så här:"], [], every)
    False
    """
    uncoded = np.ones(len(lines), bool)
    for start, end in blocks:
        uncoded[start:end] = False
    main = [lines[number] for number in np.flatnonzero(uncoded & likely).tolist()]
    if sum(len(line.split()) for line in main) < LEAST_TELLING_WORDS:
        main = [lines[number] for number in np.flatnonzero(uncoded).tolist()]
    text = "".join(main)
    letters = len("".join(_ASCII_LETTERS.findall(text)))
    others = sum(map(str.isalpha, "".join(_NOT_ASCII.findall(text))))
    return others < LEAST_OTHER_LETTERS * max(letters + others, 1)


def is_prose(block: Sequence[str]) -> bool:
    """Whether a block between fences holds running text and no language is named for it.

    Args:
        block: its lines, the fences among them.

    >>> is_prose(["```", *["Kungen stadgar att detta gäller i hela riket från i dag."] * 4, "```"])
    True
    >>> is_prose(["```", *["if (a == b) { return c[0]; }"] * 20, "```"])
    False
    >>> is_prose(["```", *["ip nat inside source list pool overload"] * 20, "```"])
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
        and len(_PARTED.findall(text)) >= LEAST_PARTED * words
    )
