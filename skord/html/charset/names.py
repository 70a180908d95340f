"""Names of charsets: what a label means to a browser, and how to read bytes by each name.

A name here is that of an encoding of the WHATWG Encoding Standard in lower case, with the
decoder that the standard gives it: `iso-8859-1` is read as windows-1252, `shift_jis` as
windows-31j, `gb2312` as GBK. Beyond the standard stand UTF-32 and, for the detector and the letter
rules alone, charsets that pages were written in before browsers agreed to forget them.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache

_CODECS = {
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
    **{f"windows-{page}": f"cp{page}" for page in range(1250, 1259)},
    **{f"iso-8859-{part}": f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
}
"""WHATWG encoding -> the Python codec that maps the same characters (UTF-32 is our addition)."""

_BEYOND = {
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

_LABELS = {
    "utf-8": "utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
    "utf-16le": "utf-16 unicode csunicode iso-10646-ucs-2 ucs-2 unicodefeff",
    "utf-16be": "unicodefffe",
    "ibm866": "866 cp866 csibm866",
    "macintosh": "csmacintosh mac x-mac-roman",
    "x-mac-cyrillic": "x-mac-ukrainian",
    "windows-874": "cp874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620",
    "windows-1250": "cp1250 x-cp1250",
    "windows-1251": "cp1251 x-cp1251",
    "windows-1252": "ansi_x3.4-1968 ascii us-ascii cp1252 x-cp1252 cp819 ibm819 csisolatin1"
    " iso-ir-100 iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 latin-1",
    "windows-1253": "cp1253 x-cp1253",
    "windows-1254": "cp1254 x-cp1254 csisolatin5 iso-8859-9 iso8859-9 iso88599 iso_8859-9"
    " iso_8859-9:1989 iso-ir-148 l5 latin5",
    "windows-1255": "cp1255 x-cp1255",
    "windows-1256": "cp1256 x-cp1256",
    "windows-1257": "cp1257 x-cp1257",
    "windows-1258": "cp1258 x-cp1258",
    "shift_jis": "csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis",
    "euc-jp": "cseucpkdfmtjapanese x-euc-jp",
    "iso-2022-jp": "csiso2022jp",
    "euc-kr": "cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601"
    " ksc_5601 windows-949",
    "big5": "big5-hkscs cn-big5 csbig5 x-x-big5",
    "gbk": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk",
    "koi8-r": "cskoi8r koi koi8 koi8_r",
    "koi8-u": "koi8-ru",
    "iso-8859-2": "csisolatin2 iso-ir-101 l2 latin2",
    "iso-8859-3": "csisolatin3 iso-ir-109 l3 latin3",
    "iso-8859-4": "csisolatin4 iso-ir-110 l4 latin4",
    "iso-8859-5": "csisolatincyrillic cyrillic iso-ir-144",
    "iso-8859-6": "arabic asmo-708 csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i iso-ir-127",
    "iso-8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 sun_eu_greek",
    "iso-8859-8": "csisolatinhebrew hebrew iso-8859-8-e iso-8859-8-i iso-ir-138 visual logical",
    "iso-8859-10": "csisolatin6 iso-ir-157 l6 latin6",
    "iso-8859-15": "csisolatin9 l9",
}
"""WHATWG Encoding, section 4.2: the labels that pages write for each encoding."""

_BALTIC = bytes(range(0x80, 0xA0)).decode("cp1257", "replace") + bytes(range(0xA0, 0x100)).decode(
    "iso8859-13"
)
_TABLES = {
    "iso-8859-13": bytes(range(0x80)).decode("ascii")
    + "".join(chr(0x80 + at) if char == "\ufffd" else char for at, char in enumerate(_BALTIC))
}
"""Where no codec of Python will do. Pages "in ISO-8859-13" hold the curly quotes of windows-1257,
as those "in ISO-8859-1" hold those of windows-1252."""


@lru_cache(maxsize=1024)
def charset_name(label: str) -> str | None:
    """Return the WHATWG encoding, in lower case, that a label means; None if it means none.

    >>> charset_name("ISO-8859-1"), charset_name("latin1"), charset_name("gb2312")
    ('windows-1252', 'windows-1252', 'gbk')
    >>> charset_name("rot13") is None
    True
    """
    wanted = label.strip().lower()
    if wanted in _CODECS:
        return wanted
    named = next((name for name, labels in _LABELS.items() if wanted in labels.split()), None)
    if named is None and "_" in wanted:
        return charset_name(wanted.replace("_", "-"))
    if named is None and (latin := re.fullmatch(r"iso[- ]?8859[- ]?(\d+)(:\d{4})?", wanted)):
        return charset_name(f"iso-8859-{latin[1]}") if wanted != f"iso-8859-{latin[1]}" else None
    return named


@lru_cache(maxsize=256)
def name_of_codec(codec: str) -> str | None:
    """Return our name for what a detector calls a charset; None where there is none.

    >>> name_of_codec("ISO-8859-1"), name_of_codec("MacCyrillic"), name_of_codec("cp855")
    ('windows-1252', 'x-mac-cyrillic', 'ibm855')
    """
    named = charset_name(codec)
    if named is None:
        with_same_codec = (
            name for name, ours in {**_CODECS, **_BEYOND}.items() if _same(ours, codec)
        )
        named = next(with_same_codec, None)
    return named


def read(body: bytes, name: str, errors: str = "strict") -> str:
    """Decode by one of our names; a character cut off at the end is left out, and no error.

    Args:
        body: the bytes.
        name: as `charset_name` or `name_of_codec` returns it.
        errors: as of `bytes.decode`.

    Raises:
        UnicodeDecodeError: a byte has no character, and errors is "strict".

    >>> read(b"\\xe2\\x84", "iso-8859-13"), read("Ā".encode() + b"\\xc4", "utf-8")
    ('ā„', 'Ā')
    """
    if name == "utf-8":
        return codecs.utf_8_decode(body, errors, False)[0]  # as below, in less time
    if name in _TABLES:
        return codecs.charmap_decode(body, errors, _TABLES[name])[0]
    codec = _CODECS.get(name) or _BEYOND[name]
    return codecs.getincrementaldecoder(codec)(errors).decode(body, final=False)


def _same(ours: str, theirs: str) -> bool:
    try:
        return codecs.lookup(ours).name == codecs.lookup(theirs).name
    except LookupError:
        return False
