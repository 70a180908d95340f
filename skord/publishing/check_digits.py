"""Numbers that people and accounts bear, told by their check digits and dates.

Sources: Swedish personnummer (SKV 704), Norwegian fødselsnummer (folkeregisterforskriften 2-2-1),
Icelandic kennitala (Þjóðskrá), Danish CPR (cpr.dk; since 2007 without a check
digit), Finnish henkilötunnus (DVV), Latvian personas kods, IBAN (ISO 13616, ISO 7064 mod 97-10),
payment cards (ISO/IEC 7812, Luhn).
"""

from __future__ import annotations

from collections.abc import Sequence

_NO_WEIGHTS = ((3, 7, 6, 1, 8, 9, 4, 5, 2, 1, 0), (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1))
_DK_WEIGHTS = (4, 3, 2, 7, 6, 5, 4, 3, 2, 1)
_IS_WEIGHTS = (3, 2, 7, 6, 5, 4, 3, 2, 1)
_LV_WEIGHTS = (1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
FI_CHECKS = "0123456789ABCDEFHJKLMNPRSTUVWXY"
"""Check character of a Finnish number, by the remainder modulo 31."""

IBAN_LENGTHS = {
    "AD": 24, "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18,
    "EE": 20, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GI": 23, "GL": 18, "GR": 27,
    "HR": 21, "HU": 28, "IE": 22, "IS": 26, "IT": 27, "LI": 21, "LT": 20, "LU": 20, "LV": 21,
    "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24, "SE": 24, "SI": 19,
    "SK": 24, "SM": 27, "TR": 26, "UA": 29,
}  # fmt: skip
"""Characters of an IBAN by country."""


def is_day(date: str, added: int = 0) -> bool:
    """Whether six digits can be day, month, year; a Norwegian D-number has 40 added to the day."""
    day = int(date[:2])
    return (1 <= day <= 31 or 1 <= day - added <= 31) and 1 <= int(date[2:4]) <= 12


def has_luhn(digits: Sequence[int]) -> bool:
    """Luhn's check digit, the last.

    >>> has_luhn([4, 1, 1, 1] + [1] * 12), has_luhn([4, 1, 1, 1] + [1] * 11 + [2])
    (True, False)
    """
    doubled = (d * (1 + place % 2) for place, d in enumerate(reversed(digits)))
    return sum(n // 10 + n % 10 for n in doubled) % 10 == 0


def is_swedish(date: str, digits: Sequence[int]) -> bool:
    """Year, month, day (60 added for a coordination number) and Luhn's check digit."""
    return 1 <= int(date[2:4]) <= 12 and 1 <= int(date[4:6]) % 60 <= 31 and has_luhn(digits)


def is_norwegian(date: str, digits: Sequence[int]) -> bool:
    """Eleven digits with a day and both check digits."""
    sums = (sum(a * b for a, b in zip(digits, row, strict=True)) for row in _NO_WEIGHTS)
    return is_day(date, added=40) and all(total % 11 == 0 for total in sums)


def is_danish(date: str, digits: Sequence[int]) -> bool:
    """Ten digits with a day, and a check digit or the form of those that have none.

    Since October 2007 there are numbers without a check digit. Of those born in 2007 or later the
    seventh digit is 4 or more; a few others have the first of January as their day.

    >>> is_danish("070761", [0, 7, 0, 7, 6, 1, 4, 2, 8, 5])
    True
    >>> [is_danish(d, list(map(int, d + "4286"))) for d in ("070761", "070712", "010165")]
    [False, True, True]
    """
    is_newer = 7 <= int(date[4:6]) <= 36 and digits[6] >= 4
    return is_day(date) and (has_danish_check(digits) or is_newer or date[:4] == "0101")


def has_danish_check(digits: Sequence[int]) -> bool:
    """Whether the last of ten digits is the check digit (modulus 11)."""
    return sum(a * b for a, b in zip(digits, _DK_WEIGHTS, strict=True)) % 11 == 0


def is_icelandic(date: str, digits: Sequence[int]) -> bool:
    """Ten digits with a day, a check digit and a century (8, 9 or 0)."""
    checked = sum(a * b for a, b in zip(digits, _IS_WEIGHTS, strict=False)) % 11 == 0
    return is_day(date) and checked and digits[9] in (8, 9, 0)


def is_latvian(date: str, digits: Sequence[int]) -> bool:
    """Eleven digits with a day, or 32 in front (since 2017), and the check digit.

    >>> is_latvian("161175", [int(d) for d in "16117519997"])
    True
    """
    total = 1101 - sum(a * b for a, b in zip(digits, _LV_WEIGHTS, strict=False))
    return (date.startswith("32") or is_day(date)) and total % 11 % 10 == digits[10]


def is_finnish(date: str, serial: str, check: str) -> bool:
    """Day, month, year, three digits from 002 and their check character.

    >>> is_finnish("131052", "308", "T")
    True
    """
    remainder = int(date + serial) % 31
    return is_day(date) and int(serial) >= 2 and FI_CHECKS[remainder] == check.upper()


def is_iban(written: str) -> bool:
    """An account's number of a country in the table, of its length, with its check digits.

    >>> is_iban("SE45 5000 0000 0583 9825 7466"), is_iban("SE46 5000 0000 0583 9825 7466")
    (True, False)
    """
    plain = "".join(written.split()).upper()
    if IBAN_LENGTHS.get(plain[:2]) != len(plain):
        return False
    return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1


def is_card(written: str) -> bool:
    """A payment card's number: an issuer's first digits, its length, Luhn.

    >>> is_card("4111 1111 1111 1111"), is_card("1234 5678 9012 3452")
    (True, False)
    """
    plain = "".join(c for c in written if c.isdigit())
    first = int(plain[:4])
    if len(plain) == 15:
        known = 3400 <= first < 3500 or 3700 <= first < 3800
    elif len(plain) == 16:
        known = (
            4000 <= first < 5000 or 5100 <= first < 5600 or 2221 <= first < 2721
            or 6500 <= first < 6600 or 3528 <= first < 3590 or first == 6011
        )  # fmt: skip
    else:
        known = False
    return known and has_luhn([int(c) for c in plain])
