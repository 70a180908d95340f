"""Quotations of what stands on the page already, as in answers of a forum."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

RUN_WORDS = 4
LEAST_SHARE = 0.8
"""Of a quotation's runs of words, those that stand before it, if it says nothing new."""
MOST_NAMING_WORDS = 12

_WORD = re.compile(r"\w+")
_NAMING = re.compile(
    r".*(?:said|wrote|writes|skrev|skriver|sagde|sade|skrifaði|schrieb)(?: [^:]*)?:\W*"
    r"|\W*click to expand\W*",
    re.IGNORECASE | re.DOTALL,
)


def repeated_quotations(lines: Sequence[str], kept: NDArray[np.bool_]) -> list[int]:
    """Numbers of the kept lines of quotations whose words stand before them in what is kept.

    The line that says who said so goes with a quotation.

    Args:
        lines: of a page, in plain form.
        kept: whether each is kept.

    >>> lines = ["Vad kostar en ny bro?", "", "Eva skrev:", "> Vad kostar en ny bro?"]
    >>> repeated_quotations(lines, np.ones(4, bool))
    [2, 3]
    >>> repeated_quotations(lines[2:], np.ones(2, bool))
    []
    """
    chosen = np.flatnonzero(kept).tolist()
    quoted = [place for place, number in enumerate(chosen) if lines[number][:1] == ">"]
    if not quoted:
        return []
    met: set[tuple[str, ...]] = set()
    tail: list[str] = []
    dropped: list[int] = []
    last = -1
    for block in _blocks(lines, chosen[: quoted[-1] + 1]):
        words = [
            word
            for number in block
            if not is_naming(lines[number])
            for word in _WORD.findall(lines[number].lower())
        ]
        if lines[block[0]][:1] == ">" and _share(words, met) >= LEAST_SHARE:
            if last >= 0 and lines[last][:1] != ">" and is_naming(lines[last]):
                dropped.append(last)
            dropped.extend(block)
            continue
        tail += words
        met.update(_runs(tail))
        tail = tail[1 - RUN_WORDS :]
        if words or is_naming(lines[block[-1]]):
            last = block[-1]
    return dropped


def is_naming(line: str) -> bool:
    """Whether a line says no more than who is quoted."""
    return len(line.split()) <= MOST_NAMING_WORDS and bool(_NAMING.fullmatch(line))


def _blocks(lines: Sequence[str], chosen: Sequence[int]) -> Iterator[list[int]]:
    """The chosen lines one by one, those of a quotation together."""
    block: list[int] = []
    for number in chosen:
        quoted = lines[number][:1] == ">"
        if block and not (quoted and block[-1] == number - 1 and lines[block[-1]][:1] == ">"):
            yield block
            block = []
        block.append(number)
    yield block


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[at:] for at in range(RUN_WORDS)), strict=False)


def _share(words: Sequence[str], met: set[tuple[str, ...]]) -> float:
    """Share of the runs of some words that are met; 0 of fewer words than a run has."""
    runs = list(_runs(words))
    return sum(map(met.__contains__, runs)) / len(runs) if runs else 0.0
