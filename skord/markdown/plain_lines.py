r"""A page's Markdown line by line as plain as it can be said.

The published dialect is what annotations and models speak of; a reader of text, and a classifier
that was taught plainer lines, want less of it: no tags, no padding, no needless backslashes. So
each line has a plain form, and there are as many of these as lines: what is decided of the one
holds for the other. Compiled code finds it (native/markdown/plain_lines).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import overload

import numpy as np
from numpy.typing import NDArray

from skord.native import plain_page as compiled_page


@lru_cache(maxsize=1)
def plain_page(markdown: str) -> bytes:
    """The same Markdown in plain lines, as many as it has, in UTF-8.

    Lone surrogates are written like other characters. The last page is remembered, for those who
    ask one after another.
    """
    return compiled_page(utf8_of(markdown))


def utf8_of(markdown: str) -> bytes:
    """Markdown as compiled code reads it."""
    return markdown.encode("utf-8", "surrogatepass")


def plain_markdown(markdown: str) -> str:
    r"""The same as a text.

    >>> plain_markdown("  - a\\!\n    \n      - b\n\n<!-- end list -->\n\n1.  **c  \n**\n")
    '- a!\n\n  - b\n\n\n\n1. c  \n\n'
    >>> plain_markdown('<table>\n<tr class="odd">\n<td><p>a &amp; <em>b</em></p></td>\n</tr>\n')
    '\n\na & *b*\n\n'
    >>> plain_markdown("| a   | b |\n| --- | - |\n")
    '| a | b |\n|---|---|\n'
    >>> plain_markdown("**a** ** ** *b\n****c\n***d***")
    '**a** b\nc\n***d***'
    """
    return plain_page(markdown).decode("utf-8", "surrogatepass")


def plain_lines(lines: Sequence[str]) -> list[str]:
    """Plain forms of a page's lines, one for each."""
    return plain_markdown("\n".join(lines)).split("\n") if lines else []


class PlainLines(Sequence[str]):
    r"""The lines of a page in plain form, of which few are ever looked at as a str.

    "\n" alone ends a line; text after the last one is none.

    Attributes:
        plain: the page, as `plain_page` gives it.

    >>> lines = PlainLines.of(["# Rubrik", "", "Text\u2028mer"])
    >>> len(lines), lines[-1], lines[:2], lines.beginning_with("#")
    (3, 'Text\u2028mer', ['# Rubrik', ''], [0])
    """

    def __init__(self, plain: bytes) -> None:
        self.plain = plain
        octets = np.frombuffer(plain, np.uint8)
        self._ends = np.flatnonzero(octets == ord("\n"))
        self._starts = np.zeros_like(self._ends)
        self._starts[1:] = self._ends[:-1] + 1
        self._first = octets[self._starts]

    @classmethod
    def of(cls, lines: Sequence[str]) -> PlainLines:
        """Of lines without their ends."""
        return cls(utf8_of("".join(f"{line}\n" for line in lines)))

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> list[str]: ...

    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return [self[at] for at in range(*number.indices(len(self)))]
        line = self.plain[self._starts[number] : self._ends[number]]
        return line.decode("utf-8", "surrogatepass")

    def beginning_with(self, sign: str) -> list[int]:
        """Numbers of the lines that begin with a sign of ASCII, ascending."""
        return np.flatnonzero(self._first == ord(sign)).tolist()

    def containing(self, parts: Parts, numbers: Iterable[int]) -> list[int]:
        r"""Which of some lines hold one of some strings, in any case.

        >>> PlainLines.of(["Läsa", "LÄSARE", "Text", "la"]).containing(Parts(["läsa"]), range(4))
        [0, 1]
        """
        octets = np.frombuffer(
            utf8_of(self.plain.decode("utf-8", "surrogatepass").lower()), np.uint8
        )
        places = np.flatnonzero(parts.begins[_hashes(octets)])
        ends = np.flatnonzero(octets == ord("\n"))
        likely = set(np.searchsorted(ends, places).tolist()).intersection(numbers)
        return [number for number in sorted(likely) if parts.in_text(self[number])]


class Parts:
    """Strings to look for in lines.

    Args:
        parts: the strings, in small letters, each of four bytes in UTF-8 or more.

    Attributes:
        begins: whether one begins with four bytes of a hash; shape [65536].
    """

    def __init__(self, parts: Iterable[str]) -> None:
        self._parts = tuple(parts)
        self.begins = np.zeros(2**16, np.bool_)
        for part in self._parts:
            self.begins[_hashes(np.frombuffer(utf8_of(part)[:4], np.uint8))] = True

    def in_text(self, text: str) -> bool:
        """Whether a text holds one of them, in any case."""
        lowered = text.lower()
        return any(part in lowered for part in self._parts)


def _hashes(octets: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """A hash of 16 bits of each four bytes in a row: Knuth's multiplicative one."""
    wide = octets.astype(np.uint32)
    fours = wide[:-3] | wide[1:-2] << 8 | wide[2:-1] << 16 | wide[3:] << 24
    return (fours * np.uint32(2654435761)) >> 16
