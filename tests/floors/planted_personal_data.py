"""How much of what names a person is found, and how much else: planted in real sentences.

For each kind `number` strings are planted in real sentences of six languages, in the ways in which
people write them, and as many look-alikes: wrong check digits, dates, prices, ISBNs, organisation
numbers, distances. Recall: planted ones whose whole place is marked. Precision: of all marks in
these sentences, those that cover a planted one; what the sentences held before counts against it.
"""

# ruff: noqa: E501 - lists of ways to write things
from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from skord.publishing.check_digits import (
    FI_CHECKS,
    IBAN_LENGTHS,
    has_danish_check,
    has_luhn,
    is_icelandic,
    is_latvian,
    is_norwegian,
)
from skord.publishing.pseudonyms import marked_personal_data

SENTENCES = {
    "sv": "sv/ud.txt.gz", "da": "da/ud.txt.gz", "nb": "nb/ud.txt.gz", "is": "is/ud.txt.gz",
    "fi": "fi/ud.txt.gz", "lv": "lv/ud_lvtb_dev.txt.gz",
}  # fmt: skip
"""Language to a file of sentences, below `text/` of the data."""

Make = Callable[[random.Random, str], str]


def _digits(chance: random.Random, number: int) -> str:
    return "".join(str(chance.randrange(10)) for _ in range(number))


def _date(chance: random.Random) -> str:
    return f"{chance.randint(1, 28):02d}{chance.randint(1, 12):02d}{chance.randint(0, 99):02d}"


def _until(chance: random.Random, make: Callable[[], str], fits: Callable[[str], bool]) -> str:
    """The first that fits; `chance` is drawn from by `make`."""
    del chance
    return next(one for one in iter(make, None) if fits(one))


def _numbers(text: str) -> list[int]:
    return [int(c) for c in text if c.isdigit()]


def _danish(chance: random.Random, date: str) -> str:
    """With a check digit, or born since 2007 and without one."""
    if chance.random() < 0.2:
        return (
            f"{date[:4]}{chance.randint(8, 25):02d}-{chance.choice('456789')}{_digits(chance, 3)}"
        )
    whole = _until(
        chance, lambda: date + _digits(chance, 4), lambda x: has_danish_check(_numbers(x))
    )
    return f"{whole[:6]}-{whole[6:]}"


def personal(chance: random.Random, language: str) -> str:
    """A personal identity number of the country of a language, check digits right."""
    date = _date(chance)
    if language == "sv":
        turned = date[4:] + date[2:4] + date[:2]
        whole = _until(chance, lambda: turned + _digits(chance, 4), lambda x: has_luhn(_numbers(x)))
        form = chance.choice(["{0}-{1}", "19{0}-{1}", "{0}{1}", "20{0}{1}"])
        return form.format(whole[:6], whole[6:])
    if language == "da":
        return _danish(chance, date)
    if language == "nb":
        whole = _until(chance, lambda: date + _digits(chance, 5),
                       lambda x: is_norwegian(x[:6], _numbers(x)))  # fmt: skip
        return chance.choice([whole, f"{whole[:6]} {whole[6:]}"])
    if language == "is":
        whole = _until(chance, lambda: date + _digits(chance, 3) + chance.choice("09"),
                       lambda x: is_icelandic(x[:6], _numbers(x)))  # fmt: skip
        return chance.choice([whole, f"{whole[:6]}-{whole[6:]}"])
    if language == "fi":
        serial = f"{chance.randint(2, 899):03d}"
        return f"{date}{chance.choice('-A+')}{serial}{FI_CHECKS[int(date + serial) % 31]}"
    whole = _until(chance, lambda: chance.choice([date, f"32{_digits(chance, 4)}"]) + _digits(chance, 5),
                   lambda x: is_latvian(x[:6], _numbers(x)))  # fmt: skip
    return f"{whole[:6]}-{whole[6:]}"


def not_personal(chance: random.Random, language: str) -> str:
    """The same form with a wrong check digit or date, and organisation numbers."""
    if language == "da":
        return f"{chance.randint(32, 99)}{chance.randint(13, 99)}{_digits(chance, 2)}-{_digits(chance, 4)}"
    if chance.random() < 0.2:
        return f"55{chance.randint(60, 99)}{_digits(chance, 2)}-{_digits(chance, 4)}"
    right = personal(chance, language)
    if language == "fi":
        wrong = chance.choice([c for c in FI_CHECKS if c != right[-1]])
        return right[:-1] + wrong
    return right[:-1] + str((int(right[-1]) + chance.randint(1, 9)) % 10)


PHONES = {
    "sv": ["070-{3} {2} {2}", "08-{3} {3} {2}", "+46 70 {3} {2} {2}", "+46 (0)8 {3} {2} {2}",
           "0046 70{7}", "tel 0{2}-{2} {2} {2}", "070 {3} {2} {2}"],
    "da": ["+45 {2} {2} {2} {2}", "tlf. {2} {2} {2} {2}", "+45{8}", "tlf {8}", "Telefon: {4} {4}"],
    "nb": ["+47 {3} {2} {3}", "tlf. {2} {2} {2} {2}", "telefon {3} {2} {3}", "mobil: {8}", "+47{8}"],
    "is": ["+354 {3} {4}", "sími {3} {4}", "sími: {3}-{4}", "s. {3} {4}", "+354{7}"],
    "fi": ["+358 40 {3} {4}", "040 {3} {4}", "puh. 09 {3} {4}", "045-{3} {4}", "+35850{7}"],
    "lv": ["+371 2{7}", "tālr. 6{7}", "tālrunis 2{3} {4}", "+371 67 {3} {3}", "tālr.: 67{6}"],
}  # fmt: skip
"""Ways to write a number, {n} for n digits that do not begin with a nought."""

NOT_PHONES = [
    "20{2}-1{1}-2{1}", "0{1}-0{1}-20{2}", "0{1}/1{1} 20{2}", "1{1}.0{1}.20{2}", "{1} {3} {3} kr", "{2} {3} euro", "55{4}-{4}", "{3} {2}",
    "978-91-{2}-{5}-{1}", "19{2}-20{2}", "{1},{3},{3}", "{2}°{2}'", "{1}.{2}.{4}", "{1}-{2}",
    "{3}-{4}", "SFS 20{2}:{3}", "{6}", "{5}/{4}", "nr {4}", "{2}:{2}", "0,{4}", "{12}", "0-{2} %",
    "{1} {3} {3}", "{2}.{3}.{3}",
]  # fmt: skip


def _filled(chance: random.Random, form: str) -> str:
    for length in range(1, 13):
        while f"{{{length}}}" in form:
            digits = str(chance.randint(1, 9)) + _digits(chance, length - 1)
            form = form.replace(f"{{{length}}}", digits, 1)
    return form


def phone(chance: random.Random, language: str) -> str:
    """A telephone number as people of the language write it."""
    return _filled(chance, chance.choice(PHONES[language]))


def not_phone(chance: random.Random, language: str) -> str:
    """Another number: date, price, ISBN, giro, organisation, coordinate, span of years."""
    del language
    return _filled(chance, chance.choice(NOT_PHONES))


COUNTRY = {"sv": "SE", "da": "DK", "nb": "NO", "is": "IS", "fi": "FI", "lv": "LV"}


def _iban(chance: random.Random, country: str) -> str:
    body = _digits(chance, IBAN_LENGTHS[country] - 4)
    if country == "LV":
        body = "HABA" + body[4:]
    rest = int("".join(str(int(c, 36)) for c in f"{body}{country}00")) % 97
    return f"{country}{98 - rest:02d}{body}"


def iban(chance: random.Random, language: str) -> str:
    """An IBAN, in groups of four or not."""
    whole = _iban(chance, COUNTRY[language])
    grouped = " ".join(whole[at : at + 4] for at in range(0, len(whole), 4))
    return chance.choice([whole, grouped])


def not_iban(chance: random.Random, language: str) -> str:
    """One with a wrong check digit or a digit too few, or a part number."""
    whole = _iban(chance, COUNTRY[language])
    wrong = f"{whole[:2]}{(int(whole[2:4]) + chance.randint(1, 90)) % 97 + 2:02d}{whole[4:]}"
    ways = [whole[:-1], f"AB{_digits(chance, 14)}"]
    return chance.choice([wrong, wrong, *ways]) if wrong != whole else whole[:-1]


def card(chance: random.Random, language: str) -> str:
    """A payment card's number."""
    del language
    start = chance.choice(["4", "51", "55", "2221", "34", "37", "6011", "65"])
    length = 15 if start in ("34", "37") else 16
    whole = _until(chance, lambda: start + _digits(chance, length - len(start)),
                   lambda x: has_luhn(_numbers(x)))  # fmt: skip
    if length == 15:
        return chance.choice([whole, f"{whole[:4]} {whole[4:10]} {whole[10:]}"])
    mark = chance.choice(["", " ", "-"])
    return mark.join(whole[at : at + 4] for at in range(0, 16, 4))


def not_card(chance: random.Random, language: str) -> str:
    """Wrong check digits, other issuers, decimals and ISBNs."""
    right = card(chance, language)
    wrong = right[:-1] + str((int(right[-1]) + chance.randint(1, 9)) % 10)
    other = _until(chance, lambda: "1" + _digits(chance, 15), lambda x: has_luhn(_numbers(x)))
    return chance.choice(
        [wrong, wrong, other, f"0.{right.replace(' ', '')}", f"978{_digits(chance, 10)}"]
    )


STREETS = {
    "sv": ["Storgatan", "Kungsgatan", "Södra Vägen", "Björkvägen", "Drottninggatan", "Ekstigen", "Järntorget"],
    "da": ["Vestergade", "Nørregade", "Strandvej", "Birkevej", "Søndre Allé", "Rosenstræde"],
    "nb": ["Karl Johans gate", "Storgata", "Kirkeveien", "Parkveien", "Bjerkebakken"],
    "is": ["Laugavegi", "Austurstræti", "Hverfisgötu", "Skólavörðustíg", "Suðurlandsbraut"],
    "fi": ["Mannerheimintie", "Aleksanterinkatu", "Koivukuja", "Hämeenkatu", "Rantapolku"],
    "lv": ["Brīvības iela", "Krišjāņa Barona iela", "Elizabetes ielā", "Raiņa bulvāris", "Dzirnavu iela"],
}  # fmt: skip
NOT_STREETS = {
    "sv": ["gatan {2}", "Europavägen 20{2}", "Kapitlet {2}", "Vägen {2} mil", "Riksvägen 3 mil", "Sidan {3}", "Storgatan år 19{2}"],
    "da": ["vej {2}", "Kapitel {2}", "Motorvej 3 km", "Side {3}", "Strandvej, {2} km"],
    "nb": ["veien {2}", "Kapittel {2}", "Kirkeveien 3 km", "Side {3}", "Storgata i 20{2}"],
    "is": ["vegi {2}", "Kafli {2}", "Laugavegi 3 km", "Bls. {3}"],
    "fi": ["tie {2}", "Luku {2}", "Valtatie 3 km", "Sivu {3}", "Mannerheimintie 20{2}"],
    "lv": ["šī iela {2}", "Nodaļa {2}", "Brīvības iela 20{2}", "{2}. lpp."],
}  # fmt: skip


def street(chance: random.Random, language: str) -> str:
    """A street with its number."""
    number = str(chance.randint(1, 199)) + chance.choice(["", "", "A", " B", "C"])
    return f"{chance.choice(STREETS[language])} {number}"


def not_street(chance: random.Random, language: str) -> str:
    """Roads with years and distances, chapters, pages."""
    return _filled(chance, chance.choice(NOT_STREETS[language]))


KINDS: Mapping[str, tuple[Make, Make]] = {
    "phone_numbers": (phone, not_phone),
    "personal_numbers": (personal, not_personal),
    "ibans": (iban, not_iban),
    "payment_cards": (card, not_card),
    "street_addresses": (street, not_street),
}


class Found(NamedTuple):
    """Shares, and sentences in which something went wrong: (what was planted, sentence)."""

    recall: float
    precision: float
    false: int
    missed: list[tuple[str, str]]
    wrong: list[tuple[str, str]]


def sentences(data: Path, language: str) -> Iterator[str]:
    """Real sentences of a language, long ones, as published."""
    with gzip.open(data / "text" / SENTENCES[language], "rt", encoding="utf-8") as lines:
        yield from (line.strip() for line in lines if 40 < len(line) < 300)


def measured(data: Path, kind: str, number: int, seed: int = 1) -> Found:
    """Plant, look, compare."""
    chance = random.Random(seed)
    make, mistake = KINDS[kind]
    right, false = 0, 0
    missed: list[tuple[str, str]] = []
    wrong: list[tuple[str, str]] = []
    each = -(-number // len(SENTENCES))
    for language in SENTENCES:
        real = list(islice(sentences(data, language), 2 * each))
        for place, sentence in enumerate(real):
            planted = place < each
            string = (make if planted else mistake)(chance, language)
            at = sentence.index(" ") + 1
            text = f"{sentence[:at]}{string} {sentence[at:]}"
            digits = _span(string, at)
            marks = marked_personal_data(text, [kind])
            hit = [
                one for one in marks if planted and one.start <= digits[0] and one.end >= digits[1]
            ]
            others = [one for one in marks if one not in hit]
            right += bool(hit)
            false += len(others)
            if planted and not hit:
                missed.append((string, text))
            wrong += [(text[one.start : one.end], text) for one in others]
    marks_total = right + false
    return Found(right / (each * len(SENTENCES)), right / max(marks_total, 1), false, missed, wrong)


def _span(string: str, at: int) -> tuple[int, int]:
    """The part of a planted string that must be covered: from its first digit or capital on."""
    first = next(i for i, c in enumerate(string) if c.isdigit() or c == "+" or string[0].isupper())
    is_called = any(c.isdigit() for c in string) and string[0].isalpha() and first == 0
    if is_called and string.split(maxsplit=1)[0].rstrip(".:").lower() in (
        "telefon",
        "tel",
        "tlf",
        "mobil",
    ):
        first = next(i for i, c in enumerate(string) if c.isdigit())
    return at + first, at + len(string)
