"""Stand-ins in text as it is written in Scandinavia."""

import pytest

from skord.publishing.pseudonyms import EMAIL, IPV4, IPV6, marked_personal_data, pseudonymise
from skord.publishing.replaced_kinds import Replaced

IN_THE_WILD = [
    ("Mejla info@kommun.se.", f"Mejla {EMAIL}."),
    ("Kontakt: anna.åberg@blåbær.no, tlf 22 33 44 55", f"Kontakt: {EMAIL}, tlf 22 33 44 55"),
    ("**post@søgne.kommune.no**", f"**{EMAIL}**"),
    ("| Rektor | gunnar.thor@skoli.is |", f"| Rektor | {EMAIL} |"),
    (r"skriv till anna\_berg@forening.se", f"skriv till {EMAIL}"),
    ("<redaktion@avisen.dk>", f"<{EMAIL}>"),
    ("E-post:info@1177.se/Frågor", f"E-post:{EMAIL}/Frågor"),
    ("info@kommun.se.Ring oss gärna", f"{EMAIL}.Ring oss gärna"),
    ("info(at)kommun.se", EMAIL),
    ("info [snabel-a] kommun [punkt] se", EMAIL),
    ("post(a)kommune.no", EMAIL),
    ("leder {krøllalfa} lag.no", EMAIL),
    ("a@x.se, b@y.dk;c@z.is", f"{EMAIL}, {EMAIL};{EMAIL}"),
    ("INFO@KOMMUN.SE eller Info@Kommun.Se", f"{EMAIL} eller {EMAIL}"),
    ("mailto:o'brien@firma.ie?subject=Hej", f"mailto:{EMAIL}?subject=Hej"),
    ("inlägg från 83.233.12.4 kl 12:30:45", f"inlägg från {IPV4} kl 12:30:45"),
    ("83.233.12.4:8080, 83.233.12.4-83.233.12.9", f"{IPV4}:8080, {IPV4}-{IPV4}"),
    ("Redigerad av 2a02:1406:1:2:3:4:5:6.", f"Redigerad av {IPV6}."),
    ("2a02:1406::1: blockerad", f"{IPV6}: blockerad"),
    ("2a02:1406:1::/48", f"{IPV6}/48"),
    ("83.233.12.4/24, 83.233.12.4/32", f"{IPV4}/24, {IPV4}/32"),
    ("::ffff:83.233.12.4", f"::ffff:{IPV4}"),
]

NEGATIVE = [
    "@anna@mastodon.se och @namn",
    "logo@2x.png ligger i mappen",
    "Kaffe 25 kr/st @ Torget",
    "a@b, pris 99@99.99",
    "punkt (a) se nedan och (b) se ovan",
    "kapitel 3.4.2.1 Bakgrund, version 1.2.3.4",
    "Windows 10.0.19041.1 och 1.2.3",
    "192.168.0.1, 10.0.0.1, 127.0.0.1, 169.254.3.200, 172.16.200.1",
    "203.0.113.200 och 2001:db8::2 är exempel",
    "fe80::1, ::1, dead::beef, std::vector, 00:1a:2b:3c:4d:5e",
    "kl. 12:30:45, Matt 5:3-12, 256.300.1.1",
    "255.255.255.0 224.0.0.251",
    "prefixet 2002::/16 och 2a02:1406::/29",
    "näten 83.233.0.0/16, 83.233.12.0/24 och 83.233.128.0 netmask 255.255.128.0",
    "prefix 2000::/64, 2001::",
    "ip address 100.10.10.17, från 30.0.0.50, 123.123.123.123",
    "08-123 456 78, 19811218-9876",
    "någon@example.com och x@mail.example.org",
]

KNOWN_FAILURES = [
    ("info @ kommun.se", EMAIL),
    ("info@kommun.se.ring oss", f"{EMAIL}.ring oss"),
    ("Telefon 33.12.45.67", "Telefon 33.12.45.67"),
    ("DNS 8.8.8.8", f"DNS {IPV4}"),
]


@pytest.mark.parametrize(("text", "wanted"), IN_THE_WILD)
def test_addresses_are_replaced(text, wanted):
    assert pseudonymise(text).text == wanted


@pytest.mark.parametrize("text", NEGATIVE)
def test_what_only_looks_like_an_address_stays(text):
    actual = pseudonymise(text)

    assert actual.text == text
    assert not actual.counts


@pytest.mark.parametrize(("text", "wanted"), KNOWN_FAILURES)
@pytest.mark.xfail(strict=True)
def test_what_is_known_to_go_wrong(text, wanted):
    assert pseudonymise(text).text == wanted


@pytest.mark.parametrize("text", [text for text, _ in IN_THE_WILD])
def test_replacing_twice_changes_nothing(text):
    once = pseudonymise(text, list(Replaced))
    again = pseudonymise(once.text, list(Replaced))

    assert again.text == once.text
    assert not again.counts


def test_every_stand_in_is_counted_and_only_what_is_asked_for_is_replaced():
    text = "a@x.se b@y.se 83.233.12.4 19811218-9876 tel 070-123 45 67"

    actual = pseudonymise(text, list(Replaced))

    assert actual.counts == {
        "emails": 2, "ip_addresses": 1, "personal_numbers": 1, "phone_numbers": 1,
    }  # fmt: skip
    assert pseudonymise(text, ["ip_addresses"]).text == text.replace("83.233.12.4", IPV4)
    assert pseudonymise(text, []).text == text
    with pytest.raises(ValueError, match="names"):
        pseudonymise(text, ["names"])


@pytest.mark.parametrize(
    ("number", "is_one"),
    [
        ("19811218-9876", True),  # Swedish, check digit right
        ("811218-9875", False),  # and wrong
        ("811278-9873", True),  # a coordination number
        ("15108695088", True),  # Norwegian
        ("15108695089", False),
        ("01014560013", False),  # nobody born then had 600 to 749
        ("120174-3399", True),  # Icelandic
        ("1201743399", True),
        ("070761-4285", True),  # Danish, check digit right
        ("070761-4286", False),
        ("070712-4286", False),  # born since 2007 without one, but nothing says that it is Danish
        ("320190-1234", False),
        ("556036-0793", False),  # a Swedish company
        ("1234567890123", False),
    ],
)
def test_personal_numbers_need_their_check_digits(number, is_one):
    actual = pseudonymise(f"nr {number}.", ["personal_numbers"])

    assert (actual.text == "nr 000000-0000.") is is_one
    assert actual.counts.total() == is_one


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Han er født 070712-4286", True),
        ("CPR-nummeret er 070712-4286", True),
        ("Vores æbletræ: 070712-4286", True),
        ("Our order 070712-4286", False),
        ("Vårt äpple: 070712-4286", False),
        ("Vårt äpple: 261098-0034", False),  # a Swedish number with a wrong digit, rather
        ("CPR 261098-0034 står på ansökan i Malmö", True),
        ("Vores æble: 070799-4286", False),  # nobody born in 1999 lacks a check digit
    ],
)
def test_danish_numbers_without_a_check_digit_need_words_of_danish(text, is_one):
    assert ("000000-0000" in pseudonymise(text, ["personal_numbers"]).text) is is_one


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("08-123 456 78", True), ("+46 70 123 45 67", True), ("0046701234567", True),
        ("tlf. 22334455", True), ("+47 22 33 44 55", True), ("+354 555 1234", True),
        ("1995-2005", False), ("2024-10-11", False), ("010-2024", False), ("22 33 44 55", False),
    ],
)  # fmt: skip
def test_telephone_numbers_only_where_they_say_so(text, is_one):
    assert (pseudonymise(text, ["phone_numbers"]).counts.total() == 1) is is_one


@pytest.mark.parametrize("piece", ["a.", "a@", "@", "1.2.3.", "ab:", "a@b.", "a (at", "0 ", "a-@"])
@pytest.mark.timeout(600)
def test_no_text_takes_long(piece):
    pseudonymise(piece * (100_000 // len(piece)), list(Replaced))


CHECKED = [
    ("kortti 131052-308T", "personal_numbers", "131052-308T"),
    ("131052-308U", "personal_numbers", None),
    ("pk 161175-19997.", "personal_numbers", "161175-19997"),
    ("161175-19998", "personal_numbers", None),
    ("Konto SE45 5000 0000 0583 9825 7466 AB", "ibans", "SE45 5000 0000 0583 9825 7466"),
    ("SE46 5000 0000 0583 9825 7466", "ibans", None),
    ("NO93 8601 1117 947", "ibans", "NO93 8601 1117 947"),
    ("kort 4111-1111-1111-1111", "payment_cards", "4111-1111-1111-1111"),
    ("kort 4111-1111-1111-1112", "payment_cards", None),
    ("ISBN 9789113084145", "payment_cards", None),
    ("pris 1 200 000 kr", "phone_numbers", None),
    ("tlf. 12 34 56 78", "phone_numbers", "12 34 56 78"),
    ("call 10-10-834 first", "phone_numbers", None),
]  # fmt: skip


FORMS = [
    # Swedish: a dash of any kind, a blank, a plus sign, none
    ("811218-9876", "sv", True), ("811218 9876", "sv", True), ("811218–9876", "sv", True),
    ("811218\u00a09876", "sv", True), ("811218+9876", "sv", True), ("8112189876", "sv", True),
    ("19811218-9876", "sv", True), ("19811218 9876", "sv", True), ("811278 9873", "sv", True),
    ("811218 9875", "sv", False), ("811318-9874", "sv", False), ("070123 4562", "sv", False),
    # Norwegian: with dots, in two groups
    ("15.10.86 95088", "nb", True), ("151086 95088", "nb", True), ("151086-95088", "nb", True),
    ("15108695088", "nb", True), ("15.10.86 95089", "nb", False), ("15.10.86 1995", "nb", False),
    # Icelandic
    ("120174-3399", "is", True), ("120174 3399", "is", True), ("1201743399", "is", True),
    ("120174 3389", "is", False), ("450401-3150", "is", False),
    # Finnish
    ("131052-308T", "fi", True), ("131052-308t", "fi", True), ("131052–308T", "fi", True),
    ("131052-308U", "fi", False),
    # Estonian, Lithuanian, Latvian
    ("36805280109", "et", True), ("36805280108", "et", False), ("33309240064", "lt", True),
    ("33309240164", "lt", False), ("161175-19997", "lv", True), ("161175–19997", "lv", True),
    ("16117519997", "lv", True), ("161175-19998", "lv", False), ("327896-64837", "lv", False),
    # Danish
    ("070761-4285", "da", True), ("070712-4286", "da", True), ("070761-4286", "da", False),
    # what is no number of a person
    ("40003521600", "lv", False), ("556036-0793", "sv", False), ("2024-10-11 1234", "sv", False),
]  # fmt: skip


@pytest.mark.parametrize(("number", "language", "is_one"), FORMS)
def test_personal_numbers_in_every_form_that_is_written(number, language, is_one):
    text = f"Nr: {number}, se."

    actual = marked_personal_data(text, ["personal_numbers"], language)

    assert [text[one.start : one.end] for one in actual] == ([number] if is_one else [])


PHONES = [
    ("08-123 456 78", "sv", True), ("070-123 45 67", "sv", True), ("0910-123 45", "sv", True),
    ("22 33 44 55", "nb", True), ("22 33 44 55", "nn", True), ("33 12 34 56", "da", True),
    ("33 12 34 56", None, False), ("555 1234", "is", True), ("555-1234", "is", True),
    ("09 123 4567", "fi", True), ("050-123 4567", "fi", True), ("5123 4567", "et", True),
    ("612 3456", "et", True), ("67 123 456", "lv", True), ("(8 5) 212 3456", "lt", True),
    ("8 612 34567", "lt", True), ("31 23 45", "fo", True), ("+370 612 34567", "sv", True),
    ("+372 512 3456", None, True),
    ("2019 2020", "nb", False), ("2019-2020", "da", False), ("22334455", "nb", False),
    ("12 345 678", "nb", False), ("22 33 44 55 kr", "nb", False), ("kl. 08-17 12 13", "sv", False),
    ("Öppet: 08-17 12 13", "sv", False), ("mån-fre 08-17 12 13", "sv", False),
    ("klo 09-17 12 13", "fi", False), ("10.30-12 12 13", "sv", False), ("1 200 000", "da", False),
]  # fmt: skip


@pytest.mark.parametrize(("number", "language", "is_one"), PHONES)
def test_telephone_numbers_as_people_of_the_country_write_them(number, language, is_one):
    text = f"Vi: {number}, se."

    actual = pseudonymise(text, ["phone_numbers"], language)

    assert (actual.text == "Vi: +00 00 000 00 00, se.") is is_one, actual.text
    assert actual.counts.total() == is_one
    assert bool(marked_personal_data(text, ["phone_numbers"], language)) is is_one


IBANS = [
    "SE45 5000 0000 0583 9825 7466", "NO93 8601 1117 947", "DK50 0040 0440 1162 43",
    "FI21 1234 5600 0007 85", "IS14 0159 2600 7654 5510 7303 39", "FO62 6460 0001 6316 34",
    "GL89 6471 0001 0002 06", "EE38 2200 2210 2014 5685", "LV80 BANK 0000 4351 9500 1",
    "LT12 1000 0111 0100 1000", "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
    "BR18 0036 0305 0000 1000 9795 493C 1",
    "SA03 8000 0000 6080 1016 7519", "GB29 NWBK 6016 1331 9268 19", "XK05 1212 0123 4567 8906",
    "LC55 HEMM 0001 0001 0012 0012 0002 3015", "NO9386011117947",
]  # fmt: skip


@pytest.mark.parametrize("number", IBANS)
def test_ibans_of_every_country(number):
    wrong = f"{number[:2]}{(int(number[2:4]) + 1) % 97:02d}{number[4:]}"

    assert pseudonymise(f"Konto {number} AB", ["ibans"]).text == "Konto XX00 0000 0000 0000 0000 AB"
    assert pseudonymise(f"Konto {wrong} AB", ["ibans"]).counts.total() == 0


@pytest.mark.parametrize(("text", "kind", "wanted"), CHECKED)
def test_check_digits_decide_and_marks_are_where_it_stands(text, kind, wanted):
    actual = [text[one.start : one.end] for one in marked_personal_data(text, [kind])]

    assert actual == ([wanted] if wanted else [])
    assert marked_personal_data(pseudonymise(text, [kind]).text, [kind]) == []
