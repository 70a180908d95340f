from __future__ import annotations

import base64
import gzip
import json

import pytest

from pipeline.transforms.charset import CharsetSource, charset_name, decode

SWEDISH = "Ärtsoppa och pannkakor på torsdagar är en gammal svensk sed. Smörgåsbord likaså. " * 3
LATVIAN = "Rīga ir Latvijas galvaspilsēta, un tajā dzīvo vairāk nekā sešsimt tūkstoši cilvēku. " * 3
JAPANESE = "日本語の文章です。文字コードを正しく判定できるかどうかを確かめます。" * 3
META = '<meta charset="{}">'
HTTP_EQUIV = "<META HTTP-EQUIV=Content-Type CONTENT='text/html; charset={}'>"


def page(text: str, codec: str, meta: str = "") -> bytes:
    return f"<html><head>{meta}</head><body>{text}</body></html>".encode(codec)


CASES = {
    "UTF-8": (page(SWEDISH, "utf-8"), None, "utf-8", "utf8"),
    "UTF-8 under a false header": (
        page(SWEDISH, "utf-8"),
        "text/html;charset=latin1",
        "utf-8",
        "utf8",
    ),
    "UTF-8 with a mark": (page(SWEDISH, "utf-8-sig"), "x; charset=latin1", "utf-8", "bom"),
    "UTF-16 with a mark": (page(SWEDISH, "utf-16"), "text/html", "utf-16le", "bom"),
    "UTF-16BE with a mark": (b"\xfe\xff" + page(SWEDISH, "utf-16-be"), None, "utf-16be", "bom"),
    "UTF-16 without a mark": (page(SWEDISH, "utf-16-le"), None, "utf-16le", "nul_bytes"),
    "1252, header": (
        page(SWEDISH, "cp1252"),
        "text/html; charset=ISO-8859-1",
        "windows-1252",
        "http_header",
    ),
    "1252, quoted header": (
        page(SWEDISH, "cp1252"),
        'a/b;Charset = "latin1"',
        "windows-1252",
        "http_header",
    ),
    "1252, meta": (
        page(SWEDISH, "cp1252", META.format("ISO-8859-1")),
        None,
        "windows-1252",
        "meta",
    ),
    "1252, nothing": (page(SWEDISH, "cp1252"), "text/html", "windows-1252", "detector"),
    "1252, meta says UTF-8": (
        page(SWEDISH, "cp1252", META.format("utf-8")),
        None,
        "windows-1252",
        "detector",
    ),
    "1252, meta says UTF-16": (
        page(SWEDISH, "cp1252", META.format("utf-16")),
        None,
        "windows-1252",
        "detector",
    ),
    "1252, header says UTF-8": (
        page(SWEDISH, "cp1252"),
        "text/html; charset=utf-8",
        "windows-1252",
        "detector",
    ),
    "1252, unknown label": (
        page(SWEDISH, "cp1252"),
        "text/html; charset=rot13",
        "windows-1252",
        "detector",
    ),
    "1257, meta": (
        page(LATVIAN, "cp1257", META.format("windows-1257")),
        None,
        "windows-1257",
        "meta",
    ),
    "1257, nothing": (page(LATVIAN, "cp1257"), None, "windows-1257", "detector"),
    "Shift_JIS, meta": (
        page(JAPANESE, "cp932", META.format("Shift_JIS")),
        None,
        "shift_jis",
        "meta",
    ),
    "Shift_JIS, x-sjis": (
        page(JAPANESE, "cp932", META.format("x-sjis")),
        None,
        "shift_jis",
        "meta",
    ),
    "Shift_JIS, nothing": (page(JAPANESE, "cp932"), None, "shift_jis", "detector"),
    "Shift_JIS, meta says EUC": (
        page(JAPANESE, "cp932", META.format("euc-jp")),
        None,
        "shift_jis",
        "detector",
    ),
    "ISO-2022-JP": (
        page(JAPANESE, "iso2022_jp"),
        "text/html; charset=iso-2022-jp",
        "iso-2022-jp",
        "http_header",
    ),
    "meta, unquoted": (
        page(LATVIAN, "cp1257", "<meta charset=windows-1257>"),
        None,
        "windows-1257",
        "meta",
    ),
    "meta, single quotes": (
        page(LATVIAN, "cp1257", "<meta charset='windows-1257'/>"),
        None,
        "windows-1257",
        "meta",
    ),
    "meta, http-equiv in capitals": (
        page(LATVIAN, "cp1257", HTTP_EQUIV.format("Windows-1257")),
        None,
        "windows-1257",
        "meta",
    ),
    "meta, after 9 kB": (
        page(LATVIAN, "cp1257", " " * 9_000 + META.format("cp1257")),
        None,
        "windows-1257",
        "meta",
    ),
    "meta in a comment": (
        page(LATVIAN, "cp1257", "<!-- <meta charset=koi8-r> -->"),
        None,
        "windows-1257",
        "detector",
    ),
    "header before meta": (
        page(LATVIAN, "cp1257", META.format("koi8-r")),
        "a; charset=cp1257",
        "windows-1257",
        "http_header",
    ),
}


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
    decoded = decode("a\0b\x01c\x1b\td\r\n\x93Ja\x94 \x85\x81 e\u200b".encode(), None)

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
        ("unicode_escape", None),
        ("base64", None),
        ("iso-8859-12", None),
        ("", None),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label, name):
    assert charset_name(label) == name


@pytest.mark.shared
def test_share_of_real_legacy_files_that_come_out_exact(shared):
    """177 of 184 when this was written; the seven are short or have few letters beyond ASCII."""
    supersets = {"iso-8859-1": "cp1252", "shift_jis": "cp932", "gb2312": "gb18030"}
    with gzip.open(shared / "data/charset/charset.jsonl.gz", "rt") as lines:
        rows = [row for row in map(json.loads, lines) if row["kind"].startswith("real HTML")]

    exact = 0
    for row in rows:
        body = base64.b64decode(row["bytes_b64"])
        truth = body.decode(supersets.get(row["charset"], row["charset"]))
        exact += decode(body, None).text == decode(truth.encode(), None).text

    assert len(rows) == 184
    assert exact >= 175
