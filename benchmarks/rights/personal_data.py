"""How much of what names a person is found in strings that others made: faker, phonenumbers, stdnum.

    pip install faker
    python -m benchmarks personal-data [--data ../shared/data] [--number 500]

The strings stand in sentences of web pages at any gap between words. Numbers are right by
python-stdnum and phonenumbers, which the rules ask, too; look-alikes are right ones with a digit
changed, and what else has such a form: dates, prices, ISBNs, IMEIs, VAT, organisation, file and
order numbers, versions, coordinates, chapters. Printed are recall and precision, and how many of
the false marks are right numbers of some country all the same, which no rule can know.
"""

# ruff: noqa: E501, PLW0108 - lists of ways to write things
from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measuring import BenchmarkError, print_table
from skord.publishing.pseudonyms import marked_personal_data

try:
    import phonenumbers
    from faker import Faker
    from stdnum import iban as ibans
    from stdnum import luhn
    from stdnum.dk import cpr
    from stdnum.fi import hetu
    from stdnum.is_ import kennitala
    from stdnum.lv import pvn
    from stdnum.no import fodselsnummer
    from stdnum.se import personnummer
except ImportError as error:
    raise BenchmarkError("pip install faker") from error

SEED = 20261123
LOCALES = {"sv": "sv_SE", "da": "da_DK", "nb": "no_NO", "fi": "fi_FI", "lv": "lv_LV", "is": "is_IS"}
REGIONS = {"sv": "SE", "da": "DK", "nb": "NO", "fi": "FI", "lv": "LV", "is": "IS"}
CALLING = {
    "sv": "Telefon: ", "da": "Tlf.: ", "nb": "Tlf: ", "fi": "Puh. ", "lv": "Tālrunis: ", "is": "Sími: ",
}  # fmt: skip

VALIDATORS: tuple[Callable[[str], bool], ...] = (
    personnummer.is_valid, fodselsnummer.is_valid, kennitala.is_valid, hetu.is_valid,
)  # fmt: skip
"""Of the countries with check digits; Danish and Latvian ones are asked below."""


class Strings:
    """Right strings and look-alikes of one language."""

    def __init__(self, language: str, seed: int) -> None:
        self.language, self.region = language, REGIONS[language]
        self.chance = random.Random(f"{seed}-{language}")
        locale = LOCALES[language]
        self.fake = Faker(locale if locale != "is_IS" else "no_NO")
        self.fake.seed_instance(f"{seed}-{language}")

    def digits(self, number: int) -> str:
        """Random ones."""
        return "".join(self.chance.choices("0123456789", k=number))

    def one_of(self, makers: Sequence[Callable[[], str]]) -> str:
        """What one of them makes."""
        return str(self.chance.choice(makers)())

    def until(self, make: Callable[[], str], fits: Callable[[str], bool]) -> str:
        """The first that fits."""
        return next(one for one in iter(make, None) if fits(one))

    def changed(self, string: str) -> str:
        """With one digit another."""
        at = self.chance.choice([i for i, c in enumerate(string) if c.isdigit()])
        other = self.chance.choice([d for d in "0123456789" if d != string[at]])
        return f"{string[:at]}{other}{string[at + 1 :]}"

    # -- telephone numbers -------------------------------------------------------

    def phone(self) -> str:
        """International, or national, half of these behind the word for it."""
        example = phonenumbers.example_number_for_type(
            self.region,
            self.chance.choice(
                [phonenumbers.PhoneNumberType.MOBILE, phonenumbers.PhoneNumberType.FIXED_LINE]
            ),
        )
        whole = str(example.national_number)
        number = phonenumbers.parse(
            self.until(lambda: whole[:2] + self.digits(len(whole) - 2),
                       lambda n: phonenumbers.is_valid_number(phonenumbers.parse(n, self.region))),
            self.region,
        )  # fmt: skip
        formats = phonenumbers.PhoneNumberFormat
        if self.chance.random() < 0.5:
            return str(
                phonenumbers.format_number(
                    number, self.chance.choice([formats.INTERNATIONAL, formats.E164])
                )
            )
        word = CALLING[self.language] if self.chance.random() < 0.5 else ""
        return word + str(phonenumbers.format_number(number, formats.NATIONAL))

    def not_phone(self) -> str:
        """Other things of digits and marks."""
        fake, chance = self.fake, self.chance
        return self.one_of([
            lambda: fake.isbn13(), lambda: fake.isbn10(), lambda: fake.ean13(), lambda: fake.date(),
            lambda: fake.date("%d/%m %Y"), lambda: fake.date("%d.%m.%y"), lambda: fake.time(),
            lambda: f"{chance.randint(1, 99)} {self.digits(3)} {self.digits(3)} kr", lambda: f"{chance.randint(1, 999)} {self.digits(3)}",
            lambda: f"{self.digits(6)}-{self.digits(4)}", lambda: f"{chance.randint(1, 9)}.{self.digits(2)}.{self.digits(4)}",
            lambda: f"{chance.randint(1900, 1999)}-{chance.randint(2000, 2026)}", lambda: f"{self.digits(2)}/{self.digits(5)}-{self.digits(1)}",
            lambda: str(fake.latitude()), lambda: f"nr. {self.digits(8)}", lambda: f"{chance.randint(2, 90)} 000 000",
            lambda: f"DS {self.digits(5)}", lambda: f"{self.digits(4)}:{self.digits(3)}", lambda: fake.ipv4(), lambda: fake.postcode(),
            lambda: f"{self.digits(3)} {self.digits(2)} {self.digits(3)} st.",
        ])  # fmt: skip

    # -- personal identity numbers -----------------------------------------------

    def personal(self) -> str:
        """Right by stdnum."""
        language, chance = self.language, self.chance
        if language in ("sv", "fi", "lv"):
            whole = str(self.fake.ssn())
            return whole.replace("-", "") if language == "sv" and chance.random() < 0.3 else whole
        if language == "nb":
            return self.until(lambda: self._day() + self.digits(5), fodselsnummer.is_valid)
        if language == "is":
            whole = self.until(
                lambda: self._day() + self.digits(3) + chance.choice("90"), kennitala.is_valid
            )
            return f"{whole[:6]}-{whole[6:]}"
        born_since_2007 = chance.random() < 0.2
        if born_since_2007:
            whole = f"{chance.randint(1, 28):02}{chance.randint(1, 12):02}{chance.randint(8, 24):02}{chance.choice('456789')}{self.digits(3)}"
        else:
            whole = self.until(lambda: self._day() + self.digits(4),
                               lambda n: cpr.is_valid(n) and cpr.checksum(n) == 0)  # fmt: skip
        return f"{whole[:6]}-{whole[6:]}"

    def _day(self) -> str:
        return str(self.fake.date_between("-90y", "-1y").strftime("%d%m%y"))

    def not_personal(self) -> str:
        """A digit changed, or a number of something else."""
        chance = self.chance
        if chance.random() < 0.6:
            return self.changed(self.personal())
        return self.one_of([
            lambda: f"{self.digits(6)}-{self.digits(4)}", lambda: self.digits(10), lambda: self.digits(11), lambda: self.digits(12),
            lambda: f"16556{self.digits(3)}-{self.digits(4)}", lambda: f"55{chance.randint(60, 99)}{self.digits(2)}-{self.digits(4)}",
            lambda: f"{self.fake.date('%d%m%y')}-{self.fake.date('%d%m%y')}", lambda: f"{self.fake.date('%Y%m%d')}-{self.digits(2)}",
            lambda: f"{self.digits(6)}/{self.digits(4)}", lambda: self.fake.isbn10(), lambda: f"{self.fake.date('%y%m%d')} {self.digits(4)}",
        ])  # fmt: skip

    # -- accounts and cards ------------------------------------------------------

    def iban(self) -> str:
        """Right by stdnum, in groups or not."""
        lengths = {"SE": 20, "DK": 14, "NO": 11, "FI": 14, "IS": 22, "LV": 13}
        body = ("UNLA" if self.region == "LV" else "") + self.digits(lengths[self.region])
        whole = f"{self.region}{ibans.calc_check_digits(f'{self.region}00{body}')}{body}"
        return " ".join(re.findall(".{1,4}", whole)) if self.chance.random() < 0.6 else whole

    def not_iban(self) -> str:
        """A digit changed, numbers for taxes, parts and parcels."""
        chance = self.chance
        if chance.random() < 0.6:
            return self.changed(self.iban())
        return self.one_of([
            lambda: f"SE{self.digits(12)}", lambda: f"DK{self.digits(8)}", lambda: f"NO {self.digits(9)} MVA", lambda: f"RR{self.digits(9)}SE",
            lambda: f"LV{self.digits(11)}", lambda: self.fake.swift(), lambda: f"ISO {self.digits(4)}-{self.digits(4)}-{self.digits(4)}",
        ])  # fmt: skip

    def card(self) -> str:
        """Of faker's issuers with 15 or 16 digits; 35 is one's from 3528 to 3589 only."""
        whole = self.until(self.fake.credit_card_number,
                           lambda n: len(n) in (15, 16) and luhn.is_valid(n) and n[0] in "3456" and (n[:2] != "35" or "3528" <= n[:4] <= "3589"))  # fmt: skip
        grouped = " ".join(
            [whole[:4], whole[4:10], whole[10:]] if len(whole) == 15 else re.findall("....", whole)
        )
        return self.chance.choice([whole, grouped, grouped.replace(" ", "-")])

    def not_card(self) -> str:
        """A digit changed; IMEIs, references, parcels, decimals."""
        chance = self.chance
        if chance.random() < 0.6:
            return self.changed(self.card())
        return self.one_of([
            lambda: self.until(lambda: f"35{self.digits(13)}", luhn.is_valid), lambda: f"00{self.digits(18)}",
            lambda: f"1{self.digits(15)}", lambda: f"0,{self.digits(16)}", lambda: f"978{self.digits(10)}",
            lambda: f"9{self.digits(15)}", lambda: self.fake.uuid4(),
        ])  # fmt: skip


KINDS: Mapping[str, tuple[Callable[[Strings], str], Callable[[Strings], str]]] = {
    "phone_numbers": (Strings.phone, Strings.not_phone),
    "personal_numbers": (Strings.personal, Strings.not_personal),
    "ibans": (Strings.iban, Strings.not_iban),
    "payment_cards": (Strings.card, Strings.not_card),
}


class Found(NamedTuple):
    """What one kind came to; `wrong` are pairs of what was marked and its sentence."""

    planted: int
    hits: int
    wrong: list[tuple[str, str]]
    missed: list[tuple[str, str]]

    def row(self, kind: str) -> tuple[str, ...]:
        """Of the table."""
        real = sum(is_a_number(what) for what, _ in self.wrong) if kind == "personal_numbers" else 0
        others = len(self.wrong) - real
        return (kind, f"{self.hits / self.planted:.3f}", f"{self.hits / max(self.hits + len(self.wrong), 1):.3f}",
                f"{self.hits / max(self.hits + others, 1):.3f}", str(len(self.wrong)), str(real))  # fmt: skip


def is_a_number(written: str) -> bool:
    """Whether it is a right personal number of some country, with check digits."""
    plain = written.replace("-", "").replace(" ", "")
    danish = cpr.is_valid(plain) and cpr.checksum(plain) == 0
    return danish or any(valid(written) for valid in VALIDATORS) or pvn.is_valid(plain)


def sentences(data: Path, language: str) -> list[str]:
    """Lines of real web pages in a language, or of what else there is in it."""
    if language in ("sv", "da", "nb", "is"):
        lines: list[str] = []
        with gzip.open(data / "extraction" / "sites.jsonl.gz", "rt", encoding="utf-8") as file:
            for row in map(json.loads, file):
                if row.get("lang") == language:
                    gold = row.get("gold_text") or row.get("gold_md") or ""
                    lines += gold if isinstance(gold, list) else gold.split("\n")
    else:
        name = {"fi": "fi/ud.txt.gz", "lv": "lv/fullstack_lv.txt.gz"}[language]
        lines = gzip.decompress((data / "text" / name).read_bytes()).decode().split("\n")
    return [
        line.strip()
        for line in dict.fromkeys(lines)
        if 40 < len(line) < 300 and not re.search(r"\d{4}", line)
    ]


def measured(data: Path, kind: str, number: int, seed: int = SEED) -> Found:
    """Plant, look, compare."""
    make, mistake = KINDS[kind]
    hits, wrong, missed = 0, [], []
    each = -(-number // len(LOCALES))
    for language in LOCALES:
        strings, chance = Strings(language, seed), random.Random(f"{seed}-{kind}-{language}")
        lines = sentences(data, language)
        for place in range(2 * each):
            planted = place < each
            maker = make if planted else mistake
            string = " ".join(maker(strings).split())
            words = chance.choice(lines).split(" ")
            at = chance.randint(1, len(words))
            before = " ".join(words[:at])
            text = f"{before} {string} {' '.join(words[at:])}".rstrip()
            first = (
                next((i for i, c in enumerate(string) if c.isdigit() or c == "+"), 0)
                if kind == "phone_numbers"
                else 0
            )
            low, high = len(before) + 1 + first, len(before) + 1 + len(string)
            marks = marked_personal_data(text, [kind], strings.language)
            covering = [one for one in marks if planted and one.start <= low and one.end >= high]
            hits += bool(covering)
            if planted and not covering:
                missed.append((string, text))
            wrong += [(text[one.start : one.end], text) for one in marks
                      if one not in covering and not (planted and one.start < high and one.end > low)]  # fmt: skip
    return Found(each * len(LOCALES), hits, wrong, missed)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--number", type=int, default=500)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--show", type=int, default=0, help="wrong ones to print")
    options = parser.parse_args()
    rows: list[tuple[Any, ...]] = []
    for kind in KINDS:
        figures = measured(options.data, kind, options.number, options.seed)
        rows.append(figures.row(kind))
        for name, ones in (("missed", figures.missed), ("wrong", figures.wrong)):
            for what, text in ones[: options.show]:
                print(f"{kind} {name}: {what!r} in {text}")
    print_table(
        [
            "",
            "recall",
            "precision",
            "without right numbers",
            "false marks",
            "right numbers of a country",
        ],
        rows,
    )


if __name__ == "__main__":
    main()
