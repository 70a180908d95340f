"""What many texts are made of: their code points and words, in one go.

There are two kinds of words. SWEb's are runs without white space, with ASCII punctuation taken
out. The plain ones are those with all punctuation and symbols taken out, cut also where the
script changes in Japanese, which writes no spaces. Both are known by a polynomial over their
lower-case, decomposed letters modulo 2**64: two words of one number would be taken for one,
which in a text of a thousand words happens once in some 10**13 texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.text.unicode_tables import text_tables

I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]
Flags = NDArray[np.bool_]


class Words(NamedTuple):
    """The words of some texts, one after another.

    Attributes:
        numbers: what each is known by; equal words have equal ones.
        starts: where each text's begin; one entry more than texts.
        chars: how many characters each has; empty for SWEb's words.
    """

    numbers: U64
    starts: I64
    chars: NDArray[np.int32]


class Headings(NamedTuple):
    """Of each text: headings (ATX), SWEb's words in them, and the number signs they begin with."""

    all: I64
    words: I64
    signs: I64


class Runs(NamedTuple):
    """Of each text: runs without white space, those with a letter, `#`, and ellipses."""

    all: I64
    alphabetic: I64
    number_signs: I64
    ellipses: I64


@dataclass(frozen=True, eq=False)
class Texts:
    """Some texts, taken apart as far as a measure asks.

    Attributes:
        codes: code points of all texts, one after another.
        starts: where each text's begin; one entry more than texts.
        declined: texts that plain Python must measure for SWEb, see `quality.text_measures`.
        by_script: texts whose plain words are also cut where the script changes.
    """

    codes: NDArray[np.int32]
    starts: I64
    declined: Flags
    by_script: Flags

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def chars(self) -> I64:
        """Code points of each text."""
        return np.diff(self.starts)

    @cached_property
    def alnum_and_hiragana(self) -> tuple[I64, I64]:
        """How many letters and digits each has, and how many hiragana."""
        alnum, hiragana = self._zeros(), self._zeros()
        _kernels().count_classes(self.codes, self.starts, text_tables().classes, alnum, hiragana)
        return alnum, hiragana

    @cached_property
    def sweb_words(self) -> Words:
        """SWEb's words. Texts where they may be wrong are marked as declined."""
        tables = text_tables()
        numbers = np.empty(len(self.codes) // 2 + len(self), np.uint64)
        starts = np.zeros(len(self) + 1, np.int64)
        _kernels().sweb_words(
            self.codes, self.starts, tables.classes, tables.factors, tables.terms, numbers, starts,
            self.declined,
        )  # fmt: skip
        return Words(numbers[: starts[-1]], starts, np.empty(0, np.int32))

    @cached_property
    def headings(self) -> Headings:
        """Markdown headings."""
        headings = Headings(*(self._zeros() for _ in Headings._fields))
        _kernels().count_headings(self.codes, self.starts, text_tables().classes, *headings)
        return headings

    @cached_property
    def plain_words(self) -> Words:
        """The plain words."""
        tables = text_tables()
        numbers = np.empty(len(self.codes), np.uint64)
        chars, starts = np.empty(len(self.codes), np.int32), np.zeros(len(self) + 1, np.int64)
        _kernels().plain_words(
            self.codes, self.starts, self.by_script, tables.classes, tables.factors, tables.terms,
            numbers, chars, starts,
        )  # fmt: skip
        return Words(numbers[: starts[-1]], starts, chars[: starts[-1]])

    @cached_property
    def runs(self) -> Runs:
        """What Gopher counts beside words."""
        runs = Runs(*(self._zeros() for _ in Runs._fields))
        _kernels().count_runs(self.codes, self.starts, text_tables().classes, *runs)
        return runs

    def _zeros(self) -> I64:
        return np.zeros(len(self), np.int64)


def read_texts(texts: pa.Array, by_script: Flags | None = None) -> Texts:
    """Take texts apart.

    Args:
        texts: strings without nulls.
        by_script: which texts' plain words are also cut where the script changes; none are
            when None.

    >>> texts = read_texts(pa.array(["# Hej, Åsa!", "二十三日です"]), np.array([False, True]))
    >>> texts.plain_words.starts.tolist(), texts.plain_words.chars.tolist()
    ([0, 2, 4], [3, 3, 4, 2])
    """
    starts, data = string_buffers(texts)
    codes = np.empty(int(starts[-1] - starts[0]), np.int32)
    code_starts, declined = np.zeros(len(texts) + 1, np.int64), np.zeros(len(texts), np.bool_)
    _kernels().decode(data, starts, codes, code_starts, declined)
    cut = np.zeros(len(texts), np.bool_) if by_script is None else by_script
    return Texts(codes[: code_starts[-1]], code_starts, declined, cut)


def string_buffers(texts: pa.Array) -> tuple[I64, NDArray[np.uint8]]:
    """Where each text or binary begins, one entry more than there are, and the bytes of all."""
    is_binary = pa.types.is_large_binary(texts.type) or pa.types.is_binary(texts.type)
    large = texts.cast(pa.large_binary() if is_binary else pa.large_string())
    _, offsets, data = large.buffers()
    starts = np.frombuffer(offsets, np.int64)[large.offset : large.offset + len(large) + 1]
    return starts, np.frombuffer(data or b"", np.uint8)


def _kernels() -> Any:
    from pipeline.text import kernels as text_kernels  # noqa: PLC0415 - takes half a second

    return text_kernels
