r"""A page's Markdown line by line as plain as it can be said.

The published dialect is what annotations and models speak of; a reader of text, and a classifier
that was taught plainer lines, want less of it: no tags, no padding, no needless backslashes. So
each line has a plain form, and there are as many of these as lines: what is decided of the one
holds for the other. Compiled code finds it (native/markdown/plain_lines).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

from skord.native import marked_lines
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


class PlainLines:
    r"""The lines of a page in plain form, of which few are ever looked at as a str.

    "\n" alone ends a line; text after the last one is none.

    Attributes:
        plain: the page, as `plain_page` gives it.
        headings: the lines that begin with "#", by their numbers, ascending.
        rows: numbers of the lines that begin with "|", ascending.

    >>> lines = PlainLines("# Rubrik\n\n| Text\u2028mer |\nrest".encode())
    >>> len(lines), lines[2], lines.headings, lines.rows
    (3, '| Text\u2028mer |', {0: '# Rubrik'}, [2])
    """

    def __init__(self, plain: bytes) -> None:
        self.plain = plain
        headings, self.rows = marked_lines(plain)
        self.headings = dict(headings)

    @cached_property
    def _lines(self) -> list[bytes]:
        return self.plain.split(b"\n")[:-1]

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, number: int) -> str:
        return self._lines[number].decode("utf-8", "surrogatepass")

    @classmethod
    def of(cls, lines: Sequence[str]) -> PlainLines:
        """Of lines without their ends."""
        return cls(utf8_of("".join(f"{line}\n" for line in lines)))
