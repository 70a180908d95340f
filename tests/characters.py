"""Characters on which a rule is checked that is a table in one place and steps in another."""

import unicodedata

FIRST_ALIKE = 0x3400
"""From here on ideographs, syllables and unassigned code points fill whole blocks."""


def telling_points(*ranges: range) -> list[int]:
    """Code points but surrogates; of those that are alike each 17th.

    Alike are letters without case that are made of no others, and unassigned code points.
    """
    return [point for part in ranges for point in part if _is_telling(point)]


def _is_telling(point: int) -> bool:
    sign = chr(point)
    alike = point >= FIRST_ALIKE and unicodedata.category(sign) in ("Lo", "Cn", "Co")
    alike = alike and not unicodedata.decomposition(sign)
    return not 0xD800 <= point < 0xE000 and (not alike or point % 17 == 0)
