"""Many texts at once, as Arrow holds them, for compiled code.

There are two kinds of words. SWEb's are runs without white space, with ASCII punctuation taken
out. The plain ones are those with all punctuation and symbols taken out, cut also where the
script changes in Japanese, which writes no spaces. Both are known by a polynomial over their
lower-case, decomposed letters modulo 2**64: two words of one number would be taken for one,
which in a text of a thousand words happens once in some 10**13 texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.native import take_texts


class TextColumn(NamedTuple):
    """Texts in UTF-8, one after another.

    Args:
        starts: where each begins, and where the last ends; shape (texts + 1,).
        data: of all texts.

    >>> column = TextColumn.of([b"Hem", b"", b"Om oss"])
    >>> column.text(2), column.part(1, 3).taken([1]).to_pylist()
    ('Om oss', ['Om oss'])
    """

    starts: NDArray[np.int64]
    data: bytes

    @classmethod
    def of(cls, texts: Iterable[bytes]) -> TextColumn:
        """Such as these, in their order."""

        held = list(texts)
        return cls(np.cumsum([0, *map(len, held)], dtype=np.int64), b"".join(held))

    @classmethod
    def from_native(cls, column: tuple[bytes, bytes]) -> TextColumn:
        """As `skord.native` gives it."""

        return cls(np.frombuffer(column[0], np.int64), column[1])

    def text(self, number: int) -> str:
        """One of them."""
        return self.data[self.starts[number] : self.starts[number + 1]].decode()

    def part(self, first: int, end: int) -> TextColumn:
        """Those from `first` on before `end`; the bytes are shared."""
        return TextColumn(self.starts[first : end + 1], self.data)

    def taken(self, rows: Sequence[int] | NDArray[np.int64]) -> pa.StringArray:
        """Some of them, in the order of `rows`; Arrow's own way imports pyarrow.compute."""

        buffers = take_texts(*self, np.asarray(rows, np.int64))
        return pa.StringArray.from_buffers(len(rows), *map(pa.py_buffer, buffers))


def string_buffers(texts: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Where each text or binary begins, one entry more than there are, and the bytes of all."""

    is_binary = pa.types.is_large_binary(texts.type) or pa.types.is_binary(texts.type)
    large = texts.cast(pa.large_binary() if is_binary else pa.large_string())
    _, offsets, data = large.buffers()
    starts = np.frombuffer(offsets, np.int64)[large.offset : large.offset + len(large) + 1]
    return starts, np.frombuffer(data or b"", np.uint8)
