"""Texts in no language: code, lists of numbers, lists of tags.

A language identifier names some language for every text. OpenLID-v3 has a class for what is none;
here three shares tell it, in any script.
"""

from __future__ import annotations

import re
from enum import StrEnum

_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*")
_CAMEL = re.compile(r"[a-z][A-Z]")
_END = re.compile(r"[.!?…。！？।؟։።]|\u0e2f")
_NO_BLANKS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")

LEAST_LETTERS = 0.66
"""Share of letters of words in all characters but blanks; prose has .9, code half."""
_SIGNS = re.compile(r"[{}()\[\];=<>_\\|&*#`~^$+@/:]")
MOST_SIGNS = 0.07
"""Share of the signs of code in all characters but blanks; of 1,000 pages' main texts one has
.063, of Python with its comments the median is .125, of C++ .175."""
MOST_CODE = 0.25
"""Share of words with a capital inside, an underscore or a digit beside them."""
LEAST_LIST_LINES = 12
LIST_WORDS = 4
"""A line of no more words, without an end of sentence, is an entry of a list."""
MOST_LIST = 0.98
"""Share of such lines: nothing but tags."""
EXAMINED_CHARS = 20_000


class NoLanguage(StrEnum):
    """What a text is instead."""

    CODE = "code"
    NUMBERS = "numbers"
    TAGS = "tags"


def no_language(text: str) -> NoLanguage | None:
    r"""What a text is if it is in no language; None for one that may be.

    >>> no_language("for (int i = 0; i < n; i++) { total += rows[i].size(); }")
    <NoLanguage.CODE: 'code'>
    >>> no_language("12 345\n17,5 %\n2024-01-02 13.40")
    <NoLanguage.NUMBERS: 'numbers'>
    >>> no_language("rock\npop\n" * 10)
    <NoLanguage.TAGS: 'tags'>
    >>> no_language("Bron öppnades i går, efter 2 års arbete.")
    """
    text = text[:EXAMINED_CHARS]
    shown = sum(map(len, text.split()))
    if not shown:
        return NoLanguage.NUMBERS
    words = _WORD.findall(text)
    letters = sum(map(len, words))
    digits = sum(map(str.isdigit, text))
    if len(_SIGNS.findall(text)) > MOST_SIGNS * shown and digits < letters:
        return NoLanguage.CODE
    if letters < LEAST_LETTERS * shown:
        return NoLanguage.NUMBERS if digits > letters else NoLanguage.CODE
    if sum(map(_is_code, words)) + text.count("_") > MOST_CODE * len(words):
        return NoLanguage.CODE
    return NoLanguage.TAGS if _is_list(text) else None


def _is_code(word: str) -> bool:
    return bool(_CAMEL.search(word))


def _is_list(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < LEAST_LIST_LINES or _NO_BLANKS.search(text):
        return False
    entries = sum(len(line.split()) <= LIST_WORDS and not _END.search(line) for line in lines)
    return entries >= MOST_LIST * len(lines)
