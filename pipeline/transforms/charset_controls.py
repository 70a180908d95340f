"""Control characters, which no page means and no converter likes, taken out of a text.

Few pages have any, so what matters is how soon that is known: looking through the bytes takes a
tenth of the time that a regular expression takes on the text.
"""

from __future__ import annotations

import re

import numpy as np

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")

_C1_AS_WINDOWS = {code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}
"""C1 controls in a page are windows-1252 bytes that were taken for Latin-1 on the way."""

_BLANKS_END = np.uint8(0x0E)
"""0x09 to 0x0D are blanks, but for 0x0B."""


def without_controls(text: str) -> str:
    r"""Return a text without control characters; C1 controls become what their authors saw.

    >>> without_controls("a\0b\tc\x93d\x94")
    'ab\tc“d”'
    """
    return _CONTROL.sub(lambda control: _C1_AS_WINDOWS.get(ord(control[0]), ""), text)


def may_hold_controls(body: bytes) -> bool:
    r"""Tell whether a body in UTF-8 holds control characters.

    >>> may_hold_controls(b"a\r\n\tb"), may_hold_controls(b"a\x1fb")
    (False, True)
    >>> may_hold_controls("å\xa0".encode()), may_hold_controls("\x9f".encode())
    (False, True)
    """
    seen = np.frombuffer(body, np.uint8)
    if not seen.size:
        return False
    if seen.min() < 0x09 or (seen - _BLANKS_END).min() < 0x20 - 0x0E:
        return True
    return b"\x0b" in body or b"\x7f" in body or (b"\xc2" in body and _holds_c1(seen))


def _holds_c1(seen: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> bool:
    return bool(((seen[:-1] == 0xC2) & (seen[1:] < 0xA0)).any())
