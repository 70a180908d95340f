"""Blocks of code between fences in a page's Markdown."""

from __future__ import annotations

from skord.native import fenced_blocks as compiled_blocks


def fenced_blocks(plain: bytes) -> list[tuple[int, int]]:
    r"""First line of each block of code between fences, and the line after its last.

    A fence that is never closed opens nothing: the rest of the page would be one block. A shorter
    one, or one of the other sign, inside a block is code.

    Args:
        plain: the page, as `plain_page` gives it.

    >>> fenced_blocks(b"a\n```\nx\n\n```\n~~~\n")
    [(1, 5)]
    >>> fenced_blocks(b"````\n```\nx\n```\n````\n")
    [(0, 5)]
    """
    return compiled_blocks(plain)
