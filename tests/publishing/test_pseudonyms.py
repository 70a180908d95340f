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
        ("01014560013", True),  # Norwegian; nobody born then had 600 to 749
        ("01014560014", False),
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
    ("bor Storgatan 12, 412 54 Ale", "street_addresses", "Storgatan 12, 412 54 Ale"),
    ("bor på Södra Vägen 12 B", "street_addresses", "Södra Vägen 12 B"),
    ("Riksvägen 3 mil bort", "street_addresses", None),
    ("Storgatan 1998 byggdes", "street_addresses", None),
    ("på Dahlbråten 8 og", "street_addresses", "Dahlbråten 8"),
    ("Karl Johans gate 7B, 0154 Oslo.", "street_addresses", "Karl Johans gate 7B, 0154 Oslo"),
    ("Vestergade 41, 2. tv, 8000 Ry", "street_addresses", "Vestergade 41, 2. tv, 8000 Ry"),
    ("c/o Ek, Kungsgatan 37, 3 tr.", "street_addresses", "c/o Ek, Kungsgatan 37, 3 tr."),
    ("býr að Reykjafold 84.", "street_addresses", "Reykjafold 84"),
    ("það er á Blikanesi 12.", "street_addresses", "Blikanesi 12"),
    ("það var í Rofabæ 4 í gær", "street_addresses", "Rofabæ 4"),
    ("það er Helluland 3 - 105 Ós", "street_addresses", "Helluland 3"),
    ("þá vann Breiðanes 4 - 0", "street_addresses", None),
    ("því Skotlandi 4 mörk", "street_addresses", None),
    ("the Helluland 3 release", "street_addresses", None),
    ("Haagan pappilantie 9 A 5", "street_addresses", "Haagan pappilantie 9 A 5"),
    ("Kr. Barona ielā 5, Rīga, LV-1011", "street_addresses", "Kr. Barona ielā 5, Rīga, LV-1011"),
    ("Storgatan 5\n123 45 Ale", "street_addresses", "Storgatan 5\n123 45 Ale"),
    ("Den gatan 51 ligger", "street_addresses", None),
    ("spelade Baldur's Gate 3", "street_addresses", None),
    ("den 31, March 31, 1881 Argentina", "street_addresses", None),
    ("rann ut Koengen 29. mai", "street_addresses", None),
    ("The Nyhaven 8 release", "street_addresses", None),
    ("Besøk: Solskogen 8", "street_addresses", "Solskogen 8"),
    ("Besök: Karlbergsv. 32", "street_addresses", "Karlbergsv. 32"),
    ("Møt oss i Storgt. 12", "street_addresses", "Storgt. 12"),
    ("hon bor i Göteborg. 5 personer", "street_addresses", None),
    ("på Vangen 12B og", "street_addresses", "Vangen 12B"),
    ("på Vangen 12 og", "street_addresses", None),
    ("Torvet 3, og så", "street_addresses", "Torvet 3"),
    ("Hans Nielsen Hauges vei 5", "street_addresses", "Hans Nielsen Hauges vei 5"),
    ("huone on Virastopiha 3 tässä", "street_addresses", "Virastopiha 3"),
    ("På Europaveg 39", "street_addresses", None),
    ("pris 1 200 000 kr", "phone_numbers", None),
    ("tlf. 12 34 56 78", "phone_numbers", "12 34 56 78"),
    ("call 10-10-834 first", "phone_numbers", None),
    ("Katie 21, Hattie 7", "street_addresses", None),
    ("asuu Suotie 21 ja", "street_addresses", "Suotie 21"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "wanted"), CHECKED)
def test_check_digits_decide_and_marks_are_where_it_stands(text, kind, wanted):
    actual = [text[one.start : one.end] for one in marked_personal_data(text, [kind])]

    assert actual == ([wanted] if wanted else [])
    assert marked_personal_data(pseudonymise(text, [kind]).text, [kind]) == []
