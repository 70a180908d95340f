"""Perplexity of text under a language model, and the three buckets that it sorts pages into.

The rule is CCNet's (Wenzek et al. 2020, "CCNet: Extracting High Quality Monolingual
Datasets from Web Crawl Data", section 3.4): a page is normalised, cut into SentencePiece
pieces and scored by a 5-gram KenLM model of its language. The lower the perplexity, the
closer the page is to the text that the model was trained on, Wikipedia in the paper.

What is here needs no model: normalising, the formula, the limits between the buckets.
"""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache, partial

from skord.native import CharTable, written
from skord.text.char_tables import build_char_table

Limits = tuple[float, float]


class Bucket(StrEnum):
    """Where a page stands among the pages of its language."""

    HEAD = "head"
    """Perplexity below the first limit: most like the text the model was trained on."""
    MIDDLE = "middle"
    """Between the limits."""
    TAIL = "tail"
    """At or above the second limit."""
    ALL = "all"
    """Nothing to decide by: no text, no model of the language, or no limits for it."""


MAPPED_PUNCTUATION = {
    **dict.fromkeys("„”“«»」「《》", '"'),
    **dict(zip("，。、∶：？！（）；～〈〉【】％", ",.,::?!();~<>[]%", strict=True)),
    **dict.fromkeys("´’", "'"),
    **dict.fromkeys("–━►", "-"),
    "—": " - ",
    "．": ". ",
    "…": "...",
}
"""Typographic and CJK marks and what CCNet writes for them.

Its list also names the full-width digit １, which has become 0 before the list is read.
"""


def normalize_for_language_model(text: str) -> str:
    r"""The form of a page that the published models were trained on, as CCNet's code has it.

    In this order: outer white space is stripped, letters are lowered, the text is decomposed
    (NFD) and its non-spacing marks deleted, every decimal digit of Unicode becomes 0,
    `MAPPED_PUNCTUATION` is applied, and control characters are deleted. The result stays
    decomposed. Line feeds and tabs are control characters: **lines are glued without a
    space** and a page becomes one line. `breaks_as_spaces` before this function mends that.

    >>> normalize_for_language_model("  Ånger, 2024… «Så»\n")
    'anger, 0000... "sa"'
    >>> normalize_for_language_model("Hem\nOm oss")
    'hemom oss'
    """
    return _mapped_characters(text.strip(), keep_line_feeds=False)


def normalize_lines(text: str) -> list[str]:
    r"""Every line of `text` normalised on its own; as many as `text.split("\n")` has.

    No step looks across a line feed, so all lines are mapped at once, which is faster.

    >>> normalize_lines("Hem \n\n\tOm oss")
    ['hem', '', 'om oss']
    """
    lines = "\n".join([line.strip() for line in text.split("\n")])
    return _mapped_characters(lines, keep_line_feeds=True).split("\n")


def breaks_as_spaces(text: str, *, keep_line_feeds: bool = False) -> str:
    r"""Writes a space for each control character that separates words: "\n", "\t", "\r"…

    >>> normalize_for_language_model(breaks_as_spaces("Hem\nOm\toss"))
    'hem om oss'
    """
    for mark in _BREAKS:
        if mark != "\n" or not keep_line_feeds:
            text = text.replace(mark, " ")
    return text


_BREAKS = "\n\t\r\v\f\x1c\x1d\x1e\x1f\x85"
_ASCII = bytes(0x30 if 0x30 <= b <= 0x39 else ord(chr(b).lower()) for b in range(128)) * 2
_CONTROL_BYTES = bytes([*range(0x20), 0x7F])


def _mapped_characters(text: str, *, keep_line_feeds: bool) -> str:
    r"""All steps but the strip, through one table look-up for each character.

    Lowering and decomposing look at one character at a time, but for the lower case of the
    Greek sigma, which depends on its neighbours, and for characters whose marks decomposing
    may move; a text with one of those is mapped step by step.
    """
    if text.isascii():
        deleted = _CONTROL_BYTES.replace(b"\n", b"") if keep_line_feeds else _CONTROL_BYTES
        return text.encode().translate(_ASCII, deleted).decode()
    try:
        mapped = written(_character_table(keep_line_feeds), text)
    except UnicodeEncodeError:  # a lone surrogate
        mapped = None
    return step_by_step(text, keep_line_feeds=keep_line_feeds) if mapped is None else mapped


def step_by_step(text: str, *, keep_line_feeds: bool = False) -> str:
    """The rule itself, after the strip: what the table is made from and compared with."""
    apart = unicodedata.normalize("NFD", text.lower())
    return apart.translate(_character_map(keep_line_feeds))


class _Characters(dict[int, str | None]):
    """What becomes of each code point of a decomposed text, found out when it first comes."""

    def __init__(self, *, keep_line_feeds: bool) -> None:
        super().__init__({ord("\n"): "\n"} if keep_line_feeds else {})

    def __missing__(self, point: int) -> str | None:
        char = chr(point)
        written_char = "0" if char.isdecimal() else MAPPED_PUNCTUATION.get(char, char)
        deleted = unicodedata.category(char) in {"Mn", "Cc"}
        self[point] = None if deleted else written_char
        return self[point]


@cache
def _character_map(keep_line_feeds: bool) -> _Characters:
    return _Characters(keep_line_feeds=keep_line_feeds)


@cache
def _character_table(keep_line_feeds: bool) -> CharTable:
    """What becomes of each character, None where its neighbours decide."""

    def write_char(char: str) -> str | None:
        apart = unicodedata.normalize("NFD", char.lower())
        moves = any(
            unicodedata.combining(part) and unicodedata.category(part) != "Mn" for part in apart
        )
        return None if moves or char == "Σ" else write_text(char)

    write_text = partial(step_by_step, keep_line_feeds=keep_line_feeds)
    return build_char_table(write_text, write_char)


def line_perplexity(log10_score: float, pieces: int) -> float:
    """Perplexity of a line of so many pieces, whose end counts as one more.

    Args:
        log10_score: what KenLM gives for the line, with its begin and end.
        pieces: pieces of the line; more than none.

    >>> line_perplexity(-6.0, 2)
    100.0
    """
    return float(10.0 ** (-log10_score / (pieces + 1)))


def perplexity_bucket(page_perplexity: float | None, limits: Limits | None) -> Bucket:
    """The bucket of a page; a perplexity that equals a limit is above it.

    >>> [perplexity_bucket(value, (340.0, 520.0)).value for value in (339.9, 340.0, 520.0, None)]
    ['head', 'middle', 'tail', 'all']
    """
    if page_perplexity is None or limits is None:
        return Bucket.ALL
    if page_perplexity < limits[0]:
        return Bucket.HEAD
    return Bucket.MIDDLE if page_perplexity < limits[1] else Bucket.TAIL


HEAD_PERCENTILE = 30
"""Share of pages, in per cent, below the first limit; the published choice."""
TAIL_PERCENTILE = 60
"""Share of pages, in per cent, below the second limit; the published choice."""


def read_cutoffs(cutoff_csv: str) -> dict[str, list[float]]:
    r"""The percentiles of every language in a file of the published form.

    The form: a header of an empty cell and language codes, then a row for each percentile
    from 0 to 99, its number first. The published file has 48 languages.

    Raises:
        ValueError: the text has another form.

    >>> read_cutoffs(",da,is\n0,10,20\n1,30,40.5\n")
    {'da': [10.0, 30.0], 'is': [20.0, 40.5]}
    """
    header, *rows = [row for row in csv.reader(cutoff_csv.splitlines()) if row] or [[]]
    numbers = [row[0] for row in rows]
    if header[:1] != [""] or numbers != [str(number) for number in range(len(rows))]:
        raise ValueError("the first column is not that of the percentiles from 0 on")
    columns = zip(*([float(cell) for cell in row[1:]] for row in rows), strict=True)
    return dict(zip(header[1:], map(list, columns), strict=True))


def limits_of(
    cutoffs: Mapping[str, Sequence[float]],
    head_percentile: int = HEAD_PERCENTILE,
    tail_percentile: int = TAIL_PERCENTILE,
) -> dict[str, Limits]:
    """The two limits of every language.

    Raises:
        ValueError: the file has no such percentile.

    >>> limits_of({"sv": [float(number) for number in range(100)]})
    {'sv': (30.0, 60.0)}
    """
    rows = min((len(column) for column in cutoffs.values()), default=100)
    if not 0 <= head_percentile <= tail_percentile < rows:
        raise ValueError(f"{head_percentile} and {tail_percentile} are not percentiles of it")
    return {
        language: (column[head_percentile], column[tail_percentile])
        for language, column in cutoffs.items()
    }
