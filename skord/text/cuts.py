"""Ranges of a text that are cut out of it, and how a pointer writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence

KEPT, LATER_COPIES, ALL_COPIES = TREATMENTS = ("kept", "later", "all")
"""What becomes of repeated passages: nothing, all but the first copy goes, or every copy."""


def cut_out(text: str, ranges: Sequence[tuple[int, int]]) -> str:
    """The text without these half-open ranges of characters; lines that are then empty go, too.

    Args:
        text: as it is.
        ranges: ascending, none within another.

    >>> cut_out("Ett två\\n\\ntre fyra\\n\\nfem", [(9, 18)])
    'Ett två\\n\\nfem'
    """
    if not ranges:
        return text
    kept: list[str] = []
    at = 0
    for start, end in ranges:
        kept.append(text[at:start].rstrip(" \t"))
        at = end
    return re.sub(r"\n(?:[ \t]*\n)+", "\n\n", "".join([*kept, text[at:]])).strip()
