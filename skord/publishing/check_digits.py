"""Numbers that people and accounts bear: dates and check digits, by python-stdnum.

None of these functions looks at the clock, as python-stdnum does for numbers of people who are not
born yet: the same text must give the same corpus next year.
"""

from __future__ import annotations

from datetime import date

from stdnum import iban, luhn
from stdnum.dk import cpr
from stdnum.ee import ik
from stdnum.exceptions import ValidationError
from stdnum.fi import hetu
from stdnum.is_ import kennitala
from stdnum.lv import pvn
from stdnum.no import fodselsnummer

_COORDINATION = 60
"""Added to the day in Swedish coordination numbers (SKV 707)."""


def is_swedish(number: str) -> bool:
    """Ten digits: year, month, day, and Luhn's check digit.

    >>> is_swedish("8112189876"), is_swedish("8112789873"), is_swedish("8112189875")
    (True, True, False)
    """
    month, day = int(number[2:4]), int(number[4:6])
    day -= _COORDINATION if day > _COORDINATION else 0
    try:
        date(2000 + int(number[:2]) % 4, month, day)  # leap years recur
    except ValueError:
        return False
    return bool(luhn.is_valid(number))


def is_norwegian(number: str) -> bool:
    """Eleven digits with a day and both check digits; D-numbers and H-numbers, too.

    >>> is_norwegian("15108695088"), is_norwegian("15108695077")
    (True, False)
    """
    try:
        fodselsnummer.get_birth_date(number)
    except ValidationError:
        return False
    first, second = fodselsnummer.calc_check_digit1(number), fodselsnummer.calc_check_digit2(number)
    return bool(number[9:] == first + second)


def is_danish(number: str) -> bool:
    """Ten digits with a day, and a check digit or the form of those that have none.

    Since October 2007 there are numbers without a check digit (cpr.dk). Of those born in 2007 or
    later the seventh digit is 4 or more; a few others have the first of January as their day.

    >>> is_danish("0707614285")
    True
    >>> [is_danish(day + "4286") for day in ("070761", "070712", "010165")]
    [False, True, True]
    """
    try:
        cpr.get_birth_date(number)
    except ValidationError:
        return False
    is_newer = 7 <= int(number[4:6]) <= 36 and number[6] >= "4"
    return has_danish_check(number) or is_newer or number.startswith("0101")


def has_danish_check(number: str) -> bool:
    """Whether the last of ten digits is the check digit (modulus 11)."""
    return bool(cpr.checksum(number) == 0)


def is_icelandic(number: str) -> bool:
    """Ten digits with the day of a person, a check digit and a century.

    >>> is_icelandic("1201743399"), is_icelandic("4504012150")
    (True, False)
    """
    return number[0] <= "3" and bool(kennitala.is_valid(number))


def is_finnish(number: str) -> bool:
    """Day, month, year, century, three digits from 002 and their check character, in any case.

    >>> is_finnish("131052-308t"), is_finnish("131052-308U")
    (True, False)
    """
    return bool(hetu.is_valid(number, allow_temporary=True))


def is_latvian(number: str) -> bool:
    """Eleven digits with a day, or 32 in front (since 2017), and the check digit.

    >>> is_latvian("16117519997"), is_latvian("40003521600")
    (True, False)
    """
    return number[0] <= "3" and bool(pvn.is_valid(number))


def is_estonian_or_lithuanian(number: str) -> bool:
    """Eleven digits: sex and century, year, month, day, and the check digit that both share.

    >>> is_estonian_or_lithuanian("36805280109"), is_estonian_or_lithuanian("33309240064")
    (True, True)
    """
    return bool(ik.is_valid(number))


def is_iban(written: str) -> bool:
    """An account's number of a country of the registry, of its form, with its check digits.

    >>> is_iban("SE45 5000 0000 0583 9825 7466"), is_iban("SE46 5000 0000 0583 9825 7466")
    (True, False)
    >>> is_iban("SA03 8000 0000 6080 1016 7519"), is_iban("FO97 5432 0388 8999 44")
    (True, True)
    """
    return bool(iban.is_valid(written, check_country=False))


def is_card(written: str) -> bool:
    """A payment card's number: an issuer's first digits (ISO/IEC 7812), its length, Luhn.

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
    return known and bool(luhn.is_valid(plain))
