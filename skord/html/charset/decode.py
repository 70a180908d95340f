"""Bytes of a page to text, whatever the page says about itself.

The ladder, and why its rungs stand in this order:

1. A byte-order mark. It cannot be there by chance (WHATWG Encoding, section 6). Then the NULs of
   UTF-16 and UTF-32 without a mark.
2. Strict UTF-8, before anything declared. Text in another charset is practically never valid
   UTF-8 by accident: on 318 pages of valid UTF-8 this rung erred on none, while a detector
   asked first garbled up to 4; and it costs 0.03 ms where a general detector takes 1 ms.
3. Nearly valid UTF-8: more than twenty good characters for each broken one (cut by a template,
   or pasted in from elsewhere). Chance is as good as ruled out here too, while a server's
   blanket "iso-8859-1" decodes any bytes and would garble every letter for one broken one.
4. The charset of `<meta>`, then 5. of the HTTP header, unless it is one of those that servers and
   editors declare without looking: the page's author knew more than the server's default.
6. What servers declare without looking (windows-1252 and its kin), `<meta>` first again; where
   nothing is declared, a detector.
7. The letters of the languages that this project is about may overrule 6, and only 6: Latvian
   pages are declared as iso-8859-1 more often than as what they are in (`letter_rules`).

A charset counts only if every byte maps to a character, so a lie is noticed wherever it can be; a
character cut off at the end of the page is no error, and in declared East Asian charsets as few
broken ones as in UTF-8 are none. Where even the detector's answer does not
decode, it is taken nevertheless, or UTF-8 if that leaves fewer bytes without a character.

Last, letters that an editor wrote as entities of the wrong charset are put right.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

import chardet

from skord.html.charset.decoders import read
from skord.html.charset.entities import may_need_mending, with_letters_mended
from skord.html.charset.letter_rules import RULES, LetterRule
from skord.html.charset.letters import charset_by_letters
from skord.html.charset.names import charset_name, name_of_codec
from skord.native import is_clean_utf8

META_BYTES = 10_000
"""How far `<meta charset>` is looked for; browsers stop at 1,024, and pages put scripts first."""

MAX_BAD_SHARE = 0.05
"""Broken characters among the non-ASCII ones, up to which a page counts as UTF-8."""

BLANKET = frozenset(["windows-1252", "iso-8859-15"])
"""What is declared for pages in any charset: ISO-8859-1 and ASCII are windows-1252 to a browser."""


class CharsetSource(StrEnum):
    """Which rung of the ladder decided."""

    bom = "bom"
    """A byte-order mark."""
    utf8 = "utf8"
    """The bytes are valid UTF-8."""
    nearly_utf8 = "nearly_utf8"
    """UTF-8 but for a few broken characters."""
    http_header = "http_header"
    """The HTTP header's charset."""
    meta = "meta"
    """The page's `<meta>`."""
    nul_bytes = "nul_bytes"
    """NULs where UTF-16 or UTF-32 without a mark has them."""
    detector = "detector"
    """A detector, where nothing true is declared."""
    letters = "letters"
    """The letters of a language overruled header or detector (`letter_rules`)."""
    entities = "entities"
    """Letters written as entities of a wrong charset were put right, too."""


class Decoded(NamedTuple):
    """Text of a page, the WHATWG name of its charset in lower case, and what decided."""

    text: str
    charset: str
    source: CharsetSource


Candidate = tuple[str, CharsetSource]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32le"),  # begins like UTF-16, so it is asked first
    (codecs.BOM_UTF32_BE, "utf-32be"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)

_HEADER_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)

_META_CHARSET = re.compile(rb"<meta\s[^>]*?\bcharset\s*=\s*[\"']?\s*([a-z0-9_:.-]+)", re.IGNORECASE)
"""Both `<meta charset=x>` and `<meta http-equiv=… content="…; charset=x">`, quoted or not."""

_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)

_SHIFTS = (b"\x1b$B", b"\x1b$@", b"\x1b(J", b"\x1b$)C")
"""ISO-2022-JP and -KR are pure ASCII to a UTF-8 decoder; these shifts give them away."""

_MULTIBYTE = re.compile(r"shift_jis|johab|big5|gb|euc-|iso-2022-|utf-")
"""No letter rule is asked about these: their bytes hold any letter, and a detector is sure."""

_BALTIC = frozenset(["windows-1257", "iso-8859-13", "iso-8859-4", "iso-8859-10"])
"""What a detector takes any page with a few accents for: all of Albanian, most of Welsh. It is
believed only where the letters are those of a Baltic language."""


def decode(body: bytes, content_type: str | None, rules: Sequence[LetterRule] = RULES) -> Decoded:
    r"""Decode a page; always gives text, with U+FFFD only where nothing else is left.

    NULs and other C0 controls go; C1 controls become the windows-1252 characters that their
    authors saw; a byte-order mark goes.

    Args:
        body: of the response, with transfer and content encoding undone.
        content_type: the HTTP header's value; None if absent.
        rules: the languages whose letters may overrule what servers declare without looking.

    >>> decode("Blåbärssylt".encode("latin1"), "text/html; charset=ISO-8859-1")[:2]
    ('Blåbärssylt', 'windows-1252')
    >>> decode("Å".encode() + b"\xc3", None).text
    'Å'
    """
    if is_clean_utf8(body):
        decoded = Decoded(body.decode(), "utf-8", CharsetSource.utf8)
    else:
        decoded = verdict(body, content_type, rules)
        decoded = decoded._replace(text=without_controls(decoded.text))
    is_of_utf8 = decoded.source is CharsetSource.utf8
    if may_need_mending(body) if body.isascii() else not is_of_utf8:
        mended = with_letters_mended(decoded.text)
        return Decoded(*mended, CharsetSource.entities) if mended else decoded
    return decoded


class InUTF8(NamedTuple):
    """A page in UTF-8, the WHATWG name of the charset that it was in, and what decided."""

    page: bytes
    charset: str
    source: CharsetSource


def in_utf8(body: bytes, content_type: str | None, rules: Sequence[LetterRule] = RULES) -> InUTF8:
    """What `decode` gives, in UTF-8: of most pages the body itself.

    Args: as of `decode`.

    >>> in_utf8("Blåbär".encode("latin1"), None).page == in_utf8("Blåbär".encode(), None).page
    True
    """
    if is_clean_utf8(body) and not (body.isascii() and may_need_mending(body)):
        return InUTF8(body, "utf-8", CharsetSource.utf8)
    decoded = decode(body, content_type, rules)
    return InUTF8(decoded.text.encode("utf-8", "ignore"), decoded.charset, decoded.source)


def verdict(body: bytes, content_type: str | None, rules: Sequence[LetterRule] = RULES) -> Decoded:
    """Decode a page and change nothing else; the arguments are those of `decode`."""
    mark, marked = next((pair for pair in _BOMS if body.startswith(pair[0])), (b"", ""))
    rest = body[len(mark) :]
    return _first(rest, _unicode(rest, marked)) or _by_declaration(rest, content_type, rules)


def _by_declaration(body: bytes, content_type: str | None, rules: Sequence[LetterRule]) -> Decoded:
    """Decode what is not in Unicode."""
    declared = list(_declared(body, content_type))
    specific = [pair for pair in declared if pair[0] not in BLANKET]
    believed = _first(body, specific) or _nearly(body, specific)
    if believed is not None:
        return believed
    vague = _first(body, declared) or _detected(body)
    if _MULTIBYTE.match(vague.charset):
        return vague
    letters = charset_by_letters(body, rules)
    if letters is None and vague.charset in _BALTIC:
        letters = "windows-1252"
    by_letters = _first(body, [(letters, CharsetSource.letters)] if letters else [])
    return by_letters if by_letters and by_letters.text != vague.text else vague


def _detected(body: bytes) -> Decoded:
    """Decode by the detector's answer, or as UTF-8 where that breaks less."""
    name = detected_charset(body) or "windows-1252"
    detected = _first(body, [(name, CharsetSource.detector)])
    if detected is not None:
        return detected
    broken = {name: read(body, name, "replace") for name in (name, "utf-8")}
    least = min(broken, key=lambda name: broken[name].count("\ufffd"))
    return Decoded(broken[least], least, CharsetSource.detector)


def _first(body: bytes, candidates: Iterable[Candidate]) -> Decoded | None:
    """Decode by the first candidate in which every byte has a character."""
    for name, source in candidates:
        text = _nearly_utf8(body) if source is CharsetSource.nearly_utf8 else _strict(body, name)
        if text is not None:
            return Decoded(text, name, source)
    return None


def _unicode(body: bytes, marked: str) -> Iterator[Candidate]:
    """Yield what needs no declaration, surest first."""
    if marked:
        yield marked, CharsetSource.bom
    if silent := _nul_pattern(body):
        yield silent, CharsetSource.nul_bytes
    if not (body.isascii() and b"\x1b" in body and any(shift in body for shift in _SHIFTS)):
        yield "utf-8", CharsetSource.utf8
        yield "utf-8", CharsetSource.nearly_utf8


def _declared(body: bytes, content_type: str | None) -> Iterator[Candidate]:
    """Yield what the page and the server say; `<meta>` read as ASCII cannot be in UTF-16.

    Where both say the same, it is the header's.
    """
    match = _HEADER_CHARSET.search(content_type or "")
    of_server = charset_name(match[1]) if match else None
    for label in _META_CHARSET.findall(_COMMENT.sub(b"", body[:META_BYTES])):
        name = charset_name(label.decode("ascii"))
        if name and name != of_server and not name.startswith(("utf-16", "utf-32")):
            yield name, CharsetSource.meta
        elif name and name == of_server:
            yield name, CharsetSource.http_header
    if of_server:
        yield of_server, CharsetSource.http_header


def _strict(body: bytes, name: str) -> str | None:
    """Decode if every byte has a character.

    UTF-16 is only tried on evidence that half a surrogate pair does not outweigh.
    """
    try:
        return read(body, name, "replace" if name.startswith("utf-16") else "strict")
    except UnicodeDecodeError:
        return None


def _nearly_utf8(body: bytes) -> str | None:
    """Decode as UTF-8 with U+FFFD where few of the non-ASCII characters are broken."""
    text = body.decode("utf-8", "replace")
    return text if _few_broken(text, body.count(b"\xef\xbf\xbd")) else None


def _nearly(body: bytes, candidates: Iterable[Candidate]) -> Decoded | None:
    """Decode by the first East Asian charset in which few characters are broken.

    One broken byte would otherwise leave a page to detectors, which then rule the truth out.
    """
    for name, source in candidates:
        if _MULTIBYTE.match(name) and _few_broken(text := read(body, name, "replace")):
            return Decoded(text, name, source)
    return None


def _few_broken(text: str, quoted: int = 0) -> bool:
    """Whether hardly any character beyond ASCII is U+FFFD, but for those that the page quotes."""
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    return text.count("\ufffd") - quoted < MAX_BAD_SHARE * foreign


def _nul_pattern(body: bytes) -> str | None:
    """UTF-16 without a mark: western text has a NUL in nearly every second byte, in UTF-32 three
    of four bytes are NUL or small."""
    start = body[:2000]
    if 0 not in start:
        return None
    for name, high, plane in (
        ("utf-32le", start[3::4], start[2::4]),
        ("utf-32be", start[::4], start[1::4]),
    ):
        if plane and not any(high) and max(plane) <= 0x10:
            return name
    even, odd = start[::2].count(0), start[1::2].count(0)
    if max(even, odd) * 5 <= len(start) or 2 * min(even, odd) > max(even, odd):
        return None
    return "utf-16le" if odd > even else "utf-16be"


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")

_C1_AS_WINDOWS = {code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}
"""C1 controls in a page are windows-1252 bytes that were taken for Latin-1 on the way."""


def without_controls(text: str) -> str:
    r"""Return a text without control characters; C1 controls become what their authors saw.

    >>> without_controls("a\0b\tc\x93d\x94")
    'ab\tc“d”'
    """
    return _CONTROL.sub(lambda control: _C1_AS_WINDOWS.get(ord(control[0]), ""), text)


LOOKED_AT_BYTES = 200_000

_DECLARATION = re.compile(rb"charset(?=\s*=)", re.IGNORECASE)

_OF_PAGES = chardet.EncodingEra.ALL & ~chardet.EncodingEra.MAINFRAME
"""What has a "<" as ASCII has it was not written on a mainframe."""

_ASCII = bytes(range(0x80))

_SIGNS = bytes(
    byte
    for byte in range(0x80, 0x100)
    if len({bytes([byte]).decode(f"cp125{page}", "replace") for page in range(9)}) == 1
    and not bytes([byte]).decode("cp1252", "replace").isalpha()
)
"""What is the same sign in all Windows charsets: quotes, dashes, a blank that is not broken …"""

_WITHIN_WORD = re.compile(rb"[A-Za-z][\x80-\x91\x93-\xff][A-Za-z]")
"""Where a letter of another charset may stand, such as those of DOS; an apostrophe may, too."""

_PLAINER = {"iso-8859-13": "windows-1257", "iso-8859-15": "windows-1252"}
"""What is named instead where it gives the same text, since pages mostly mean that."""


def detected_charset(body: bytes) -> str | None:
    r"""Return the likeliest charset, by our names; None if there is none to tell.

    A page whose only characters beyond ASCII are signs that all Windows charsets share says nothing
    that a detector could go by: one takes the © of an English page for a Czech letter.

    Args:
        body: of a page whose declared charset, if any, is known not to be true.

    >>> detected_charset(b"All contents \xa9 2002")
    'windows-1252'
    >>> detected_charset("Съешь ещё этих мягких французских булок, да выпей чаю".encode("cp1251"))
    'windows-1251'
    """
    foreign = body.translate(None, _ASCII)
    if foreign and not foreign.translate(None, _SIGNS) and not _WITHIN_WORD.search(body):
        return "windows-1252"
    seen = _DECLARATION.sub(b"x", body[:LOOKED_AT_BYTES])
    eras = chardet.EncodingEra.ALL if b"<" not in seen else _OF_PAGES
    name = name_of_codec(chardet.detect(seen, encoding_era=eras)["encoding"] or "")
    return _plainer(body, name) if name in _PLAINER else name


def _plainer(body: bytes, name: str) -> str:
    plain = _PLAINER[name]
    return plain if read(body, plain, "replace") == read(body, name, "replace") else name
