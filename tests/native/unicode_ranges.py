"""Writes `native/text/unicode_ranges.hpp`: what Python's `str` says of characters, as ranges.

    python tests/native/unicode_ranges.py > skord/native/text/unicode_ranges.hpp

The tables are those of Unicode 14, whichever Python runs, so that the same page gives the same
bytes everywhere; make them with Python 3.11.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator

HEAD = """// What the str of Python 3.11 says of characters beyond ASCII (Unicode 14), as ranges.
// Made by tests/native/unicode_ranges.py.

#pragma once

#include "text/unicode.hpp"

namespace skord::unicode_ranges {
"""
WIDTH = 100


def ranges(holds: Callable[[str], bool]) -> list[tuple[int, int]]:
    """First and last of each run of characters beyond ASCII for which something holds."""
    actual: list[tuple[int, int]] = []
    for code in range(0x80, sys.maxunicode + 1):
        if not holds(chr(code)):
            continue
        if actual and actual[-1][1] == code - 1:
            actual[-1] = (actual[-1][0], code)
        else:
            actual.append((code, code))
    return actual


def lower_cases() -> list[tuple[int, int, int, int]]:
    """First, last, what lower case adds, and the step from one to the next, of characters."""
    actual: list[tuple[int, int, int, int]] = []
    for code in range(0x80, sys.maxunicode + 1):
        lower = chr(code).lower()
        if len(lower) > 1 or lower == chr(code):
            continue
        added = ord(lower) - code
        if actual:
            first, last, same, step = actual[-1]
            gap = code - last
            if same == added and gap in (1, 2) and (first == last or step == gap):
                actual[-1] = (first, code, added, gap)
                continue
        actual.append((code, code, added, 1))
    return actual


def is_cased(sign: str) -> bool:
    """As Python has it: a capital sigma behind it ends a word."""
    return (sign + "\u03a3").lower().endswith("\u03c2")


def is_case_ignorable(sign: str) -> bool:
    """As Python has it: between a letter and a capital sigma it changes nothing."""
    return not is_cased(sign) and is_cased("A" + sign)


def table(kind: str, name: str, rows: Iterable[tuple[int, ...]]) -> Iterator[str]:
    """Lines of a table in C++."""
    yield f"\ninline constexpr {kind} {name}[] = {{"
    line = "   "
    for first, last, *more in rows:
        entry = f" {{{', '.join([hex(first), hex(last), *map(str, more)])}}},"
        if len(line) + len(entry) > WIDTH:
            yield line
            line = "   "
        line += entry
    yield line
    yield "};"


def header() -> str:
    """The file."""
    lines = [
        *table("Range", "kAlnum", ranges(str.isalnum)),
        *table("Range", "kNoLetters", ranges(lambda sign: sign.isalnum() and not sign.isalpha())),
        *table("Range", "kDigits", ranges(str.isdigit)),
        *table("Range", "kDecimals", ranges(str.isdecimal)),
        *table("LowerCase", "kLowerCases", lower_cases()),
        *table("Range", "kCased", ranges(is_cased)),
        *table("Range", "kCaseIgnorable", ranges(is_case_ignorable)),
    ]
    return HEAD + "\n".join(lines) + "\n\n}  // namespace skord::unicode_ranges\n"


if __name__ == "__main__":
    sys.stdout.write(header())
