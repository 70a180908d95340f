"""Characters on which a rule is checked that is a table in one place and steps in another."""

import unicodedata

FIRST_ALIKE = 0x3400
"""From here on ideographs, syllables and unassigned code points fill whole blocks."""


def telling_points(*ranges: range) -> list[int]:
    """Code points but surrogates; of letters without case and of unassigned ones each 17th."""
    return [point for part in ranges for point in part if _is_telling(point)]


def _is_telling(point: int) -> bool:
    alike = point >= FIRST_ALIKE and unicodedata.category(chr(point)) in ("Lo", "Cn", "Co")
    return not 0xD800 <= point < 0xE000 and (not alike or point % 17 == 0)
