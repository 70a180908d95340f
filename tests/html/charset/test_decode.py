from __future__ import annotations

import base64
import gzip
import json
import random
from collections import Counter
from html.entities import codepoint2name

import pytest

from skord.html.charset.decode import CharsetSource, charset_name, decode, in_utf8, without_controls
from skord.html.charset.decoders import read
from skord.html.charset.names import name_of_codec

SWEDISH = "Ärtsoppa och pannkakor på torsdagar är en gammal svensk sed. Smörgåsbord likaså. " * 3
LATVIAN = "Rīga ir Latvijas galvaspilsēta, un tajā dzīvo vairāk nekā sešsimt tūkstoši cilvēku. " * 3
JAPANESE = "日本語の文章です。文字コードを正しく判定できるかどうかを確かめます。" * 3
META = '<meta charset="{}">'
HTTP_EQUIV = "<META HTTP-EQUIV=Content-Type CONTENT='text/html; charset={}'>"


def page(text: str, codec: str, meta: str = "") -> bytes:
    return f"<html><head>{meta}</head><body>{text}</body></html>".encode(codec)


CASES = {
    "UTF-8": (page(SWEDISH, "utf-8"), None, "utf-8", "utf8"),
    "UTF-8 under a false header": (page(SWEDISH, "utf-8"), "text/html;charset=latin1", "utf-8",
     "utf8"),
    "UTF-8 with a mark": (page(SWEDISH, "utf-8-sig"), "x; charset=latin1", "utf-8", "bom"),
    "UTF-16 with a mark": (page(SWEDISH, "utf-16"), "text/html", "utf-16le", "bom"),
    "UTF-16BE with a mark": (b"\xfe\xff" + page(SWEDISH, "utf-16-be"), None, "utf-16be", "bom"),
    "UTF-16 without a mark": (page(SWEDISH, "utf-16-le"), None, "utf-16le", "nul_bytes"),
    "1252, header": (page(SWEDISH, "cp1252"), "text/html; charset=ISO-8859-1", "windows-1252",
     "http_header"),
    "1252, quoted header": (page(SWEDISH, "cp1252"), 'a/b;Charset = "latin1"', "windows-1252",
     "http_header"),
    "1252, meta": (page(SWEDISH, "cp1252", META.format("ISO-8859-1")), None, "windows-1252",
     "meta"),
    "1252, nothing": (page(SWEDISH, "cp1252"), "text/html", "windows-1252", "detector"),
    "1252, meta says UTF-8": (page(SWEDISH, "cp1252", META.format("utf-8")), None, "windows-1252",
     "detector"),
    "1252, meta says UTF-16": (page(SWEDISH, "cp1252", META.format("utf-16")), None,
     "windows-1252", "detector"),
    "1252, header says UTF-8": (page(SWEDISH, "cp1252"), "text/html; charset=utf-8",
     "windows-1252", "detector"),
    "1252, unknown label": (page(SWEDISH, "cp1252"), "text/html; charset=rot13", "windows-1252",
     "detector"),
    "1257, meta": (page(LATVIAN, "cp1257", META.format("windows-1257")), None, "windows-1257",
     "meta"),
    "1257, nothing": (page(LATVIAN, "cp1257"), None, "windows-1257", "detector"),
    "Shift_JIS, meta": (page(JAPANESE, "cp932", META.format("Shift_JIS")), None, "shift_jis",
     "meta"),
    "Shift_JIS, x-sjis": (page(JAPANESE, "cp932", META.format("x-sjis")), None, "shift_jis",
     "meta"),
    "Shift_JIS, nothing": (page(JAPANESE, "cp932"), None, "shift_jis", "detector"),
    "Shift_JIS, meta says EUC": (page(JAPANESE, "cp932", META.format("euc-jp")), None, "shift_jis",
     "detector"),
    "ISO-2022-JP": (page(JAPANESE, "iso2022_jp"), "text/html; charset=iso-2022-jp", "iso-2022-jp",
     "http_header"),
    "meta, unquoted": (page(LATVIAN, "cp1257", "<meta charset=windows-1257>"), None,
     "windows-1257", "meta"),
    "meta, single quotes": (page(LATVIAN, "cp1257", "<meta charset='windows-1257'/>"), None,
     "windows-1257", "meta"),
    "meta, http-equiv in capitals": (page(LATVIAN, "cp1257", HTTP_EQUIV.format("Windows-1257")),
     None, "windows-1257", "meta"),
    "meta, after 9 kB": (page(LATVIAN, "cp1257", " " * 9_000 + META.format("cp1257")), None,
     "windows-1257", "meta"),
    "meta in a comment": (page(LATVIAN, "cp1257", "<!-- <meta charset=koi8-r> -->"), None,
     "windows-1257", "detector"),
    "meta before header": (page(LATVIAN, "cp1257", META.format("cp1257")), "a; charset=koi8-r",
     "windows-1257", "meta"),
    "header before a blanket meta": (page(LATVIAN, "cp1257", META.format("iso-8859-1")),
     "a; charset=cp1257", "windows-1257", "http_header"),
    "header and meta at one": (page(LATVIAN, "cp1257", META.format("cp1257")),
     "a; charset=windows-1257", "windows-1257", "http_header"),
    "header that cannot be": (page(LATVIAN, "cp1257"), "a; charset=euc-jp", "windows-1257",
     "detector"),
    "Latvian under a blanket meta": (page(LATVIAN, "cp1257", META.format("iso-8859-1")), None,
     "windows-1257", "letters"),
    "Latvian under a blanket header": (page(LATVIAN, "iso8859-4"), "text/html; charset=ISO-8859-1",
     "iso-8859-4", "letters"),
    "label with an underscore": (page(JAPANESE, "euc_jp", META.format("euc_jp")), None, "euc-jp",
     "meta"),
    "UTF-32 without a mark": (page(SWEDISH, "utf-32-le"), None, "utf-32le", "nul_bytes"),
    "UTF-32BE without a mark": (page(JAPANESE, "utf-32-be"), None, "utf-32be", "nul_bytes"),
    "UTF-8 after NULs": (b"\0" * 3000 + page(SWEDISH, "utf-8"), None, "utf-8", "utf8"),
    "UTF-8 that holds an escape": (page("\x1b$B" + SWEDISH, "utf-8"), "a/b; charset=latin1",
     "utf-8", "utf8"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "content_type", "charset", "source"), CASES.values(), ids=CASES)
def test_a_page_is_decoded_exactly(body, content_type, charset, source):
    decoded = decode(body, content_type)

    assert (decoded.charset, decoded.source) == (charset, CharsetSource(source))
    assert any(text in decoded.text for text in (SWEDISH, LATVIAN, JAPANESE))
    assert "\ufffd" not in decoded.text


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_character_cut_off_at_the_end_is_no_error(cut):
    whole = ("å" * 50 + "😀").encode()

    decoded = decode(whole[:-cut], "text/html; charset=latin1")

    assert decoded == ("å" * 50, "utf-8", CharsetSource.utf8)


def test_a_cut_multibyte_page_keeps_its_declared_charset():
    decoded = decode(page(JAPANESE, "cp932", META.format("sjis"))[: 60 + 31], None)

    assert decoded.source is CharsetSource.meta


@pytest.mark.parametrize("content_type", [None, "text/html; charset=ISO-8859-1"])
def test_a_few_broken_characters_leave_a_page_utf8(content_type):
    decoded = decode(page(SWEDISH * 2, "utf-8") + b"<p>\xe5</p>", content_type)

    assert decoded.source is CharsetSource.nearly_utf8
    assert SWEDISH in decoded.text
    assert decoded.text.count("\ufffd") == 1


def test_a_page_that_quotes_the_replacement_character_is_not_broken_by_it():
    body = ("å" * 10 + "\ufffd" * 10).encode() + b"\xff" + ("ö" * 10).encode()

    assert decode(body, None).source is CharsetSource.nearly_utf8


def test_controls_leave_no_trace():
    decoded = decode("a\0b\x01c\x7f\x1b\td\r\n\x93Ja\x94 \x85\x81 e\u200b".encode(), None)

    assert decoded.text == "abc\td\r\n“Ja” … e\u200b"


@pytest.mark.parametrize(
    "body", [b"", b"\xff", b"\xff\xfe", b"\xfe\xff\xd8", b"\0", bytes(range(256)) * 9]
)
def test_anything_at_all_gives_text(body):
    text = decode(body, "text/html; charset=shift_jis").text

    assert text.encode("utf-8").decode("utf-8") == text


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("ISO-8859-1", "windows-1252"),
        ("us-ascii", "windows-1252"),
        (" Latin1 ", "windows-1252"),
        ("ISO_8859-9", "windows-1254"),
        ("iso8859-15", "iso-8859-15"),
        ("ISO8859-13", "iso-8859-13"),
        ("tis-620", "windows-874"),
        ("sjis", "shift_jis"),
        ("Windows-31J", "shift_jis"),
        ("ks_c_5601-1987", "euc-kr"),
        ("gb2312", "gbk"),
        ("utf8", "utf-8"),
        ("utf_8", "utf-8"),
        ("euc_kr", "euc-kr"),
        ("cp850", None),
        ("iso-2022-kr", "replacement"),
        ("csISO88596E", "iso-8859-6"),
        ("iso-8859-8-i", "iso-8859-8-i"),
        ("x-user-defined", "x-user-defined"),
        ("unicode_escape", None),
        ("base64", None),
        ("iso-8859-12", None),
        ("", None),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label, name):
    assert charset_name(label) == name


def test_iso_8859_13_holds_the_quotes_of_windows_1257():
    body = "Viņš teica: ".encode("iso8859-13") + b"\x84j\xe2\x94"

    assert decode(body, "text/html; charset=ISO-8859-13").text == "Viņš teica: „jā”"


def test_a_byte_that_no_windows_charset_has_does_not_take_the_letters_along():
    decoded = decode(page(SWEDISH, "cp1252") + b"\x81", None)

    assert decoded.source is CharsetSource.detector
    assert SWEDISH in decoded.text


def test_a_broken_character_leaves_a_japanese_page_its_declared_charset():
    body = page(JAPANESE, "euc_jp", META.format("euc-jp")) + b"<p>\xff</p>"

    decoded = decode(body, "text/html; charset=iso-8859-1")

    assert decoded[1:] == ("euc-jp", CharsetSource.meta)
    assert JAPANESE in decoded.text


def test_a_single_control_character_is_found():
    assert decode(b"<p>a\x7fb</p>", None).text == "<p>ab</p>"


def test_in_utf8_a_page_is_what_it_is_decoded():
    bodies = ["Å".encode(), "å".encode("latin-1"), b"\xef\xbb\xbf\xc3\xa5", b"a\x7fb"]
    bodies += [page(as_latin1_entities(LATVIAN), "ascii"), b"\xc3", "a".encode("utf-16")]
    for body in bodies:
        text, *others = decode(body, None)
        assert in_utf8(body, None) == (text.encode(), *others)


def test_accents_do_not_make_a_page_baltic():
    albanian = "Kjo është një faqe në gjuhën shqipe, ku shkruhet për çdo gjë që ndodh këtu. " * 4

    assert decode(page(albanian, "cp1252"), None).text == page(albanian, "utf-8").decode()


def test_letters_written_as_entities_of_the_wrong_charset_are_put_right():
    body = page(as_latin1_entities(LATVIAN), "ascii", META.format("iso-8859-1"))

    decoded = decode(body + b"<p>&copy; &nbsp;&amp;&lt;</p>", None)

    assert decoded[1:] == ("windows-1257", CharsetSource.entities)
    assert LATVIAN in decoded.text
    assert "<p>&copy; &nbsp;&amp;&lt;</p>" in decoded.text


def test_entities_of_other_languages_are_left_alone():
    text = "Il est tr&egrave;s t&ocirc;t, et l&acirc;me est &agrave; la f&ecirc;te. " * 5
    body = page(text, "ascii")

    assert decode(body, None).text == body.decode("ascii")


def as_latin1_entities(text: str) -> str:
    misread = text.encode("cp1257").decode("latin-1")
    return "".join(f"&{codepoint2name[ord(c)]};" if c > "\x7f" else c for c in misread)


@pytest.mark.shared
def test_share_of_files_of_known_charset_that_come_out_exact(shared):
    """718 of 725 when this was written, and all of the 176 real pages."""
    with gzip.open(shared / "data/charset/charset.jsonl.gz", "rt") as lines:
        rows = list(map(json.loads, lines))

    exact = Counter()
    for row in rows:
        body = base64.b64decode(row["bytes_b64"])
        exact[row["kind"].split(",")[0]] += decode(body, None).text == true_text(row, body)

    assert len(rows) == 727
    assert exact.total() >= 715
    assert exact["real HTML page"] >= 175


def true_text(row: dict, body: bytes) -> str | None:
    """The text by the label; as browsers read labels. None: Python cannot read it."""
    label = row["charset"]
    supersets = {
        "iso-8859-1": "cp1252",
        "iso-8859-9": "cp1254",
        "shift_jis": "cp932",
        "gb2312": "gb18030",
        "euc-kr": "cp949",
        "tis-620": "cp874",
        "mac-centraleurope": "mac_latin2",
    }
    try:
        if label in ("big5", "euc-jp"):  # by tables that Python has not
            text = read(body, label, "replace")
        else:
            text = body.decode(supersets.get(label, label), "replace")
    except LookupError:
        return None
    return without_controls(text.removeprefix("\ufeff"))


@pytest.mark.parametrize("seed", [6, 7])
def test_a_page_with_tags_was_not_written_on_a_mainframe(seed):
    noise = bytes(byte | 0x80 for byte in random.Random(seed).randbytes(400))

    assert decode(b"<p>" + noise, None).text.startswith("<p>")


@pytest.mark.parametrize(
    "page", [437, 737, 775, 850, 852, 855, 857, 861, 862, 865, 866, 869], ids=str
)
def test_code_pages_of_dos_are_known_by_what_detectors_call_them(page):
    name = name_of_codec(f"cp{page}")

    assert name == f"ibm{page}"
    assert read(b"\x9b\xe1", name) == b"\x9b\xe1".decode(f"cp{page}")


def test_charsets_that_are_no_code_page_have_no_name():
    assert name_of_codec("cp863") is None


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"Copyright \xa9 2002-2006 Michael", "Copyright © 2002-2006 Michael"),
        (b"\x93Don\x92t\x94 \x96 it \xa0said\x85", "“Don’t” – it \xa0said…"),
    ],
)
def test_signs_that_all_windows_charsets_share_are_those_signs(body, text):
    assert decode(b"<p>" + body, None)[:2] == (f"<p>{text}", "windows-1252")


def test_letters_of_dos_at_the_place_of_signs_are_left_to_the_detector():
    text = "På kvällen blåste det upp, och båten låg för ankar i en vik. Där är vi än. " * 4

    assert decode(f"<p>{text}".lower().encode("cp850"), None).text == f"<p>{text.lower()}"
