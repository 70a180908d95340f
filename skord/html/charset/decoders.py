"""Bytes to text by the tables of the WHATWG Encoding Standard.

Each decoder is the codec of Python that comes nearest, with its differences from the standard put
right: bytes that the codec has no character for, and signs that it takes for others. So 0x98 of
windows-1251 is a C1 control and no error, EUC-JP and ISO-2022-JP have the rows of NEC and IBM (their
table is that of Shift_JIS, which is Python's cp932), 0x80 of GBK is the euro sign, and Big5 holds
HKSCS as of 2008. Beyond the standard stand UTF-32 and, for the detector and the letter rules alone,
charsets that pages were written in before browsers agreed to forget them.

The differences were computed from the index files of the standard (Copyright WHATWG (Apple, Google,
Mozilla, Microsoft), under the BSD 3-Clause License: see NOTICE).
"""

from __future__ import annotations

import codecs
import re
from functools import cache, partial
from typing import NamedTuple

CODECS = {
    "utf-8": "utf-8",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "utf-32le": "utf-32-le",
    "utf-32be": "utf-32-be",
    "ibm866": "cp866",
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "windows-874": "cp874",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "big5": "big5hkscs",
    "gb18030": "gb18030",
    "gbk": "gb18030",
    "euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "iso-8859-8-i": "iso8859-8",
    **{f"windows-{page}": f"cp{page}" for page in range(1250, 1259)},
    **{f"iso-8859-{part}": f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
}
"""WHATWG encoding -> the Python codec that is nearest (UTF-32 is our addition)."""

BEYOND = {
    **{
        f"ibm{page}": f"cp{page}"
        for page in (437, 737, 775, 850, 852, 855, 857, 861, 862, 865, 869)
    },
    "x-mac-ce": "mac-latin2",
    "x-mac-icelandic": "mac-iceland",
    "x-mac-greek": "mac-greek",
    "x-mac-turkish": "mac-turkish",
    "iso-2022-kr": "iso2022_kr",
    "johab": "johab",
    "kz-1048": "kz1048",
    "ptcp154": "ptcp154",
    "ibm037": "cp1140",
    "ibm424": "cp424",
}
"""What no page may declare (browsers know none of it), but what a page can turn out to be in."""

_BIG5_LACKS = (
    "877a㡵𡵓𣚞𦀡㻬𥣞㫵竼龗𤅡𨤍𣇪𠪊𣉞䌊蒄龖鐯䤰蘓墖靊鈘秐稲晠権袝瑌篅枂稬"
    "剏遆㓦珄𥶹瓆鿇垳䤯呌䄱𣚎堘穲𧭥讏䚮𦺈䆁𥶙箮𢒼鿈𢓁𢓉𢓌鿉蔄𣖻䂴鿊䓡𪷿拁灮鿋 "
    "8e69箸 8e6f簆 8e7e糎 8eab緒 8eb4縝 8ecd者 8ed0耨 8f57菁 8f69蒨 8f6e萏 "
    "8fcb覦覩 8ffe起 906d都 907a銹 90dc靜 90f1響 91bf鼖 9244蔃 92af兙兛兝兞 92c8鍮 "
    "92d1瑹 9447浧 94ca禛 95d9邗 9644靝 96ed瀞 96fc嬨 9b76爁 9b78矗 9b7b纇 9bc6駖 "
    "9bde釔 9bec惞 9bf6澶 9c42輶 9c53侻 9c62營 9c68鄄 9c6b鷰 9c77菏 9cbc尐秣 "
    "9cd0婧 9d57輋 9d5a筑 9dc4拐 9ea9恢 9eef痹 9efd汊 9f60鬮 9f66鼗 9fcb僭 9fd8弌 "
    "a063蠏 a077拎 a0d5瑨 a0df煢 a0e4牐 "
    "a3c0␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟␡€ c6cf廴 c6d3无 c6d5癶 c6d7隶 "
    "c6de〃仝 fa5f倩 fa66偽 fabd包 fac5卄 fad5卿 fb48嘅 fbb8婷 fbf3幵 fbf9廐 "
    "fc4f彘 fc6c悤 fcb9撐 fce2晴 fcf1杞 fdb7沜渝 fdbb港 fdf1煮 fe52猪 fe6f瑜 "
    "feaa瓩 fedd砉"
)
"""Runs of characters: the code of the first one, and those at the next codes of Big5."""


def _trail_bytes_of_big5() -> list[int]:
    return [*range(0x40, 0x7F), *range(0xA1, 0xFF)]


def _characters_of(runs: str) -> dict[bytes, str]:
    trails = _trail_bytes_of_big5()
    table: dict[bytes, str] = {}
    for run in runs.split(" "):
        first = int(run[:4], 16)
        at = (first >> 8) * len(trails) + trails.index(first & 0xFF)
        for char in run[4:]:
            table[bytes([at // len(trails), trails[at % len(trails)]])] = char
            at += 1
    return table


def _nec_and_ibm_rows() -> dict[bytes, str]:
    """What EUC-JP has besides JIS X 0208: rows 13 and 89 to 92 of Shift_JIS's table."""
    table: dict[bytes, str] = {}
    for row in (13, 89, 90, 91, 92):
        for cell in range(1, 95):
            at = (row - 1) * 94 + cell - 1
            lead, trail = divmod(at, 188)
            lead += 0x81 if lead < 0x1F else 0xC1
            trail += 0x40 if trail < 0x3F else 0x41
            char = bytes([lead, trail]).decode("cp932", "replace")
            if "\ufffd" not in char:
                table[bytes([0xA0 + row, 0xA0 + cell])] = char
    return table


class _Differences(NamedTuple):
    """From the codec of Python to the standard.

    Attributes:
        lacks: codes that the codec takes for errors.
        other: characters of the codec that are others in the standard.
        codes: codes whose character the codec has in another place as well -> codes that it lacks
            or that mean the same in the standard.
        leads: the bytes that begin a character of several.
    """

    lacks: dict[bytes, str] = {}
    other: dict[int, int] = {}
    codes: dict[bytes, bytes] = {}
    leads: range = range(0x81, 0xFF)


_DIFFERENCES = {
    "big5hkscs": _Differences(
        _characters_of(_BIG5_LACKS) | {b"\x80\x41": "\u2215", b"\x80\x42": "\ufe68"},
        str.maketrans("•､‾∼♁☉¥¢£", "‧﹑¯～⊕⊙￥￠￡"),
        {b"\xa2\x41": b"\x80\x41", b"\xa2\x42": b"\x80\x42"},
    ),
    "gb18030": _Differences(
        {b"\x80": "€"},
        str.maketrans(
            "\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796\ue7c7\ue81e\ue826\ue82b"
            "\ue82c\ue832\ue843\ue854\ue864",
            "\u3000︐︒︑︓︔︕︖︗︘︙ḿ龴龵龶龷龸龹龺龻",
        ),
    ),
    "euc_jp": _Differences(
        _nec_and_ibm_rows(),
        str.maketrans("〜‖−¢£¬", "～∥－￠￡￢"),
        {b"\x8f\xa2\xb7": b"\xa1\xc1"},
        range(0xA1, 0xFF),
    ),
    "cp932": _Differences(
        other=dict.fromkeys(range(0xF8F0, 0xF8F4), 0xFFFD), leads=range(0x81, 0xFD)
    ),
    "cp949": _Differences(),
}
"""By the codec of Python; of Big5, 0x80 begins nothing, so it can stand for what is ambiguous."""

_CONTROLS = {byte: chr(byte) for byte in range(0x80, 0xA0)}
_SINGLE_BYTE_DIFFERENCES = {
    "koi8-u": {0xAE: "ў", 0xBE: "Ў"},
    "windows-1255": {0xCA: "\u05ba"},
    "x-user-defined": {byte: chr(0xF700 + byte) for byte in range(0x80, 0x100)},
}
_UNDEFINED = "\ufffe"
"""What `codecs.charmap_decode` takes for an error."""

_SHIFTS = {
    b"(B": "ascii",
    b"(J": "roman",
    b"(I": "katakana",
    b"$@": "jis",
    b"$B": "jis",
}
_SHIFT = re.compile(rb"\x1b(\([BJI]|\$[@B])")
_PAIR_OR_BYTE = re.compile(rb"[\x21-\x7e]{2}|[\s\S]")
_TO_EUC = bytes(byte | 0x80 for byte in range(0x100))
_ROMAN = str.maketrans("\\~", "¥‾")


def read(body: bytes, name: str, errors: str = "strict") -> str:
    r"""Decode by one of our names; a character cut off at the end is left out, and no error.

    Args:
        body: the bytes.
        name: as `charset_name` or `name_of_codec` returns it.
        errors: "strict", "replace" or "ignore".

    Raises:
        UnicodeDecodeError: a byte has no character, and errors is "strict".

    >>> read(b"\x98", "windows-1251"), read(b"\xad\xa1", "euc-jp"), read(b"\x80 5", "gbk")
    ('\x98', '①', '€ 5')
    >>> read("Ā".encode() + b"\xc4", "utf-8")
    'Ā'
    """
    if name == "utf-8":
        return codecs.utf_8_decode(body, errors, False)[0]  # as below, in less time
    if name == "replacement":
        return "\ufffd" if body else ""
    if name == "iso-2022-jp":
        return _iso_2022_jp(body, errors)
    if name == "x-user-defined" or name.startswith(("windows-", "iso-8859-", "koi8-")):
        return codecs.charmap_decode(body, errors, _table(name))[0]
    codec = CODECS.get(name) or BEYOND[name]
    if codec in _DIFFERENCES:
        return _multibyte(body, codec, errors)
    return codecs.getincrementaldecoder(codec)(errors).decode(body, final=False)


@cache
def _table(name: str) -> str:
    """The characters of all 256 bytes; what the codec lacks below 0xA0 is a control."""
    codec = CODECS.get(name, "ascii")
    differences = _SINGLE_BYTE_DIFFERENCES.get(name, {})
    return "".join(
        differences.get(byte)
        or bytes([byte]).decode(codec, "ignore")
        or _CONTROLS.get(byte, _UNDEFINED)
        for byte in range(0x100)
    )


def _multibyte(body: bytes, codec: str, errors: str) -> str:
    """Decode by a codec of Python, and put right what it reads otherwise than the standard."""
    differences = _DIFFERENCES[codec]
    if any(code in body for code in differences.codes):
        body = _aligned(differences.leads).sub(
            lambda code: differences.codes.get(code[0], code[0]), body
        )
    decoder = codecs.getincrementaldecoder(codec)(f"skord.{errors}")
    text = decoder.decode(body, final=False)
    if differences.other and _signs(codec).search(text):
        text = text.translate(differences.other)
        if errors == "strict" and codec == "cp932" and "\ufffd" in text:
            raise UnicodeDecodeError(codec, body, 0, 1, "a byte without a character")
    return text


@cache
def _aligned(leads: range) -> re.Pattern[bytes]:
    """Whole characters of two bytes, and of three of EUC-JP."""
    lead = rb"[\x%02x-\x%02x]" % (leads[0], leads[-1])
    return re.compile(rb"\x8f[\xa1-\xfe]{2}|" + lead + rb"[\x40-\x7e\xa1-\xfe]")


@cache
def _signs(codec: str) -> re.Pattern[str]:
    return re.compile("[" + "".join(map(chr, _DIFFERENCES[codec].other)) + "]")


def _correct(error: UnicodeError, errors: str) -> tuple[str, int]:
    """Continue where a codec of Python stopped: a character that it lacks, or an error.

    Of a character that cannot be, the second byte is read again where it is ASCII (WHATWG
    Encoding, sections 10 to 13).
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    body, start = error.object, error.start
    differences = _DIFFERENCES.get(error.encoding, _Differences())
    for length in (2, 1):
        if char := differences.lacks.get(body[start : start + length]):
            return char, start + length
    if errors == "strict":
        raise error
    of_two = body[start] in differences.leads and body[start + 1 : start + 2] > b"\x7f"
    return "\ufffd" if errors == "replace" else "", start + 1 + of_two


for _errors in ("strict", "replace", "ignore"):
    codecs.register_error(f"skord.{_errors}", partial(_correct, errors=_errors))


def _iso_2022_jp(body: bytes, errors: str) -> str:
    """Decode Japanese in seven bits: between shifts, pairs are those of EUC-JP without bit 8."""
    first, *shifted = _SHIFT.split(body)
    parts = [_seven_bits(first, "ascii", errors)]
    for shift, part in zip(shifted[::2], shifted[1::2], strict=True):
        parts.append(_seven_bits(part, _SHIFTS[shift], errors))
    return "".join(parts)


def _seven_bits(part: bytes, state: str, errors: str) -> str:
    if state == "jis":
        codes = _PAIR_OR_BYTE.findall(part)
        whole = b"".join(code if len(code) == 2 else b"\x7f" for code in codes)  # 0xFF: an error
        return _multibyte(whole.translate(_TO_EUC), "euc_jp", errors)
    if state == "katakana":
        return codecs.charmap_decode(part, errors, _KATAKANA)[0]
    text = part.decode("ascii", errors)
    return text.translate(_ROMAN) if state == "roman" else text


_KATAKANA = "".join(
    chr(0xFF40 + byte) if 0x21 <= byte <= 0x5F else chr(byte) if byte in b"\n\r" else _UNDEFINED
    for byte in range(0x100)
)
