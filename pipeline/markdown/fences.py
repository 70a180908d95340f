"""Blocks of code between fences in a page's Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

# A run of backticks or tildes after quote signs, indentation and list markers.
_FENCE = re.compile(r"[ >]*(?:(?:[-*+]|\d+[.)]) +)*[ >]*(`{3,}(?=[^`]*$)|~{3,})")


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
    page = "\n".join(lines)
    if "```" not in page and "~~~" not in page:
        return []
    blocks, opened, fence = [], -1, ""
    for number, line in enumerate(lines):
        opening = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if opening and opened < 0:
            opened, fence = number, opening[1]
        elif opening and opening[1].startswith(fence) and not line[opening.end() :].strip():
            blocks.append((opened, number + 1))
            opened = -1
    return blocks


def code_lines(lines: Sequence[str]) -> set[int]:
    """Numbers of the lines of code between fences, the fences among them.

    >>> sorted(code_lines(["a", "```", "x", "```"]))
    [1, 2, 3]
    """
    return {number for start, end in fenced_blocks(lines) for number in range(start, end)}
