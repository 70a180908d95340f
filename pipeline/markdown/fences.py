"""Blocks of code between fences in a page's Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.markdown.plain_lines import utf8_of
from pipeline.native import fenced_blocks as compiled_blocks


def fenced_blocks(lines: Sequence[str]) -> list[tuple[int, int]]:
    r"""First line of each block of code between fences, and the line after its last.

    A fence that is never closed opens nothing: the rest of the page would be one block. A shorter
    one, or one of the other sign, inside a block is code.

    Args:
        lines: of the page.

    >>> fenced_blocks(["a", "```", "x", "", "```", "~~~"])
    [(1, 5)]
    >>> fenced_blocks(["````", "```", "x", "```", "````"])
    [(0, 5)]
    """
    return compiled_blocks(utf8_of("\n".join(lines)))
