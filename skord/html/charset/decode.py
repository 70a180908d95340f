"""Bytes of a page to text, whatever the page says about itself.

The ladder, and why its rungs stand in this order:

1. A byte-order mark. It cannot be there by chance (WHATWG Encoding, section 6). Then the NULs of
   UTF-16 and UTF-32 without a mark.
2. The shifts of ISO-2022-JP and -KR, which are pure ASCII to everything else.
3. Strict UTF-8, before anything declared. Text in another charset is practically never valid
   UTF-8 by accident: on 318 pages of valid UTF-8 this rung erred on none, while a detector
   asked first garbled up to 4; and it costs 0.03 ms where a general detector takes 1 ms.
4. Nearly valid UTF-8: more than twenty good characters for each broken one (cut by a template,
   or pasted in from elsewhere), or up to three broken places and no fewer good characters.
   Chance is as good as ruled out here too, while a server's blanket "iso-8859-1" decodes any
   bytes and would garble every letter for one broken one.
5. The charset of `<meta>`, then 6. of the HTTP header, unless it is one of those that servers and
   editors declare without looking: the page's author knew more than the server's default.
7. What servers declare without looking (windows-1252 and its kin), `<meta>` first again; where
   nothing is declared, a detector.
8. The letters of a language may overrule 7, and only 7: Latvian pages are declared as iso-8859-1
   more often than as what they are in (`letter_rules`).

What is declared stands unless a share of the text speaks against it (`_fitting`), never for one
byte: bytes without a character, or words of bytes beyond ASCII in a charset of the Latin script.
For the detector one such byte is proof; so it is asked again without them (`_without_strays`).

Last, letters that an editor wrote as entities of the wrong charset are put right.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

import chardet

from skord.core.failures import DocumentError
from skord.html.charset.decoders import read
from skord.html.charset.entities import may_need_mending, with_letters_mended
from skord.html.charset.letter_rules import RULES, LetterRule
from skord.html.charset.letters import charset_by_letters
from skord.html.charset.names import charset_name, name_of_codec
from skord.html.failures import ConversionFailure
from skord.native import is_clean_utf8

META_BYTES = 10_000
"""How far `<meta charset>` is looked for; browsers stop at 1,024, and pages put scripts first."""

LONGEST_DECLARATION = 200
"""Bytes from the last word "charset" to the end of its tag."""

MAX_BAD_SHARE = 0.05
"""Broken characters among the non-ASCII ones, up to which a page is in a charset nevertheless."""

ENOUGH_GOOD = 3
"""So many characters of UTF-8 are none by chance, and as many broken places do not outweigh them."""

FEW_BROKEN = 3
"""So many broken places say nothing against a charset in which twice as many characters are good."""

MOST_BROKEN = 6
"""Broken characters in those places."""

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
    unreadable = "unreadable"
    """No charset reads the bytes: every fiftieth character or more is a control."""


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

_SHIFT_TO_KS = b"\x1b$)C"

_SHIFT_TO_JIS = re.compile(rb"\x1b(?:\$[@B]|\([IJ])")

_MULTIBYTE = re.compile(r"shift_jis|johab|big5|gb|euc-|iso-2022-|utf-")
"""No letter rule is asked about these: their bytes hold any letter, and a detector is sure."""

_OTHER_SCRIPT = re.compile(
    r"shift_jis|johab|big5|gb|euc-|iso-2022-|utf-|koi8-|windows-(?:874|125[1356])|x-mac-(?:cy|gr)"
    r"|iso-8859-(?:5|6|7|8)|ibm(?:866|855|737|862|869|424)|kz|ptcp"
)
"""Charsets of other scripts than the Latin one."""

_C1 = re.compile(r"[\x80-\x9f]")

_C1_LETTERS = re.compile(r"[\x81\x83\x8a\x8c-\x90\x9a\x9c-\x9f]")
"""Not what is a quote, a dash or another sign in the Windows charsets."""

_BROKEN_PLACE = re.compile(r"\ufffd+")

_ASCII_AS_BLANKS = bytes(byte if byte >= 0x80 and byte != 0xA0 else 0x20 for byte in range(0x100))

_BALTIC = frozenset(["windows-1257", "iso-8859-13", "iso-8859-4", "iso-8859-10"])
"""What a detector takes any page with a few accents for: all of Albanian, most of Welsh. It is
believed only where the letters are those of a Baltic language."""


def decode(
    data: bytes, content_type: str | None = None, rules: Sequence[LetterRule] = RULES
) -> Decoded:
    r"""Decode a page; always gives text, with U+FFFD only where nothing else is left.

    NULs and other C0 controls go; C1 controls become the windows-1252 characters that their
    authors saw, or go with a Windows charset, which has those itself; a byte-order mark goes.
    Bytes that are no text in any charset come with `source` "unreadable".

    Args:
        data: the body of the response, with transfer and content encoding undone.
        content_type: the HTTP header's value; None if absent.
        rules: the languages whose letters may overrule what servers declare without looking.

    >>> decode("Blåbärssylt".encode("latin1"), "text/html; charset=ISO-8859-1")[:2]
    ('Blåbärssylt', 'windows-1252')
    >>> decode("Å".encode() + b"\xc3", None).text
    'Å'
    """
    if is_clean_utf8(data):
        decoded = Decoded(data.decode(), "utf-8", CharsetSource.utf8)
    else:
        decoded = decide_charset(data, content_type, rules)
        if _is_no_text(decoded.text):
            decoded = decoded._replace(source=CharsetSource.unreadable)
        if decoded.charset.startswith("windows-") and _C1_IN_UTF8.search(_utf8_of(decoded.text)):
            decoded = decoded._replace(text=_C1.sub("", decoded.text))
        decoded = decoded._replace(text=without_controls(decoded.text))
        if decoded.source is CharsetSource.unreadable:
            return decoded
    is_of_utf8 = decoded.source is CharsetSource.utf8
    if may_need_mending(data) if data.isascii() else not is_of_utf8:
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

    Raises:
        DocumentError: the bytes are no text in any charset.

    >>> in_utf8("Blåbär".encode("latin1"), None).page == in_utf8("Blåbär".encode(), None).page
    True
    """
    if is_clean_utf8(body) and not (body.isascii() and may_need_mending(body)):
        return InUTF8(body, "utf-8", CharsetSource.utf8)
    decoded = decode(body, content_type, rules)
    if decoded.source is CharsetSource.unreadable:
        raise DocumentError(ConversionFailure.undecodable, decoded.charset)
    return InUTF8(decoded.text.encode("utf-8", "ignore"), decoded.charset, decoded.source)


def decide_charset(
    body: bytes, content_type: str | None, rules: Sequence[LetterRule] = RULES
) -> Decoded:
    """Decode a page and change nothing else; the arguments are those of `decode`."""
    mark, marked = next((pair for pair in _BOMS if body.startswith(pair[0])), (b"", ""))
    rest = body[len(mark) :]
    if marked:
        return Decoded(read(rest, marked, "replace"), marked, CharsetSource.bom)
    if (silent := _nul_pattern(rest)) and (text := _in_unicode(rest, silent)) is not None:
        return Decoded(text, silent, CharsetSource.nul_bytes)
    return _without_mark(rest, content_type, rules)


def _without_mark(body: bytes, content_type: str | None, rules: Sequence[LetterRule]) -> Decoded:
    declared = list(_declared(body, content_type))
    shifted = _shifted(body, declared)
    if shifted is not None:
        return shifted
    try:
        return Decoded(read(body, "utf-8"), "utf-8", CharsetSource.utf8)
    except UnicodeDecodeError:
        if nearly := _nearly_utf8(body, any(name == "utf-8" for name, _ in declared)):
            return nearly
    return _by_declaration(body, [pair for pair in declared if pair[0] != "utf-8"], rules)


def _by_declaration(body: bytes, declared: list[Candidate], rules: Sequence[LetterRule]) -> Decoded:
    """Decode what is not in Unicode."""
    for name, source in declared:
        if name not in BLANKET and (text := _fitting(body, name)) is not None:
            return Decoded(text, name, source)
    vague = next(
        (
            Decoded(text, name, source)
            for name, source in declared
            if name in BLANKET and (text := _fitting(body, name)) is not None
        ),
        None,
    ) or _detected(body)
    if _MULTIBYTE.match(vague.charset) or _is_of_other_script(body, "windows-1252"):
        return vague
    letters = charset_by_letters(body, rules)
    if letters is None and vague.charset in _BALTIC:
        letters = "windows-1252"
    text = _fitting(body, letters) if letters else None
    is_romanian = vague.charset == "iso-8859-16"  # its letters are at the places of windows-1250's
    if letters is None or text is None or is_romanian or {letters, vague.charset} <= BLANKET:
        return vague
    return Decoded(text, letters, CharsetSource.letters) if text != vague.text else vague


def _shifted(body: bytes, declared: list[Candidate]) -> Decoded | None:
    """Decode ISO-2022, which is pure ASCII to a UTF-8 decoder; its shifts give it away."""
    if _SHIFT_TO_KS in body and body.isascii():
        return Decoded(read(body, "iso-2022-kr", "replace"), "iso-2022-kr", CharsetSource.detector)
    if b"\x1b" not in body or not _SHIFT_TO_JIS.search(body):
        return None
    text = read(body, "iso-2022-jp", "replace")
    if not _few_broken(text, text.count("\ufffd")):
        return None
    sources = (source for name, source in declared if name == "iso-2022-jp")
    return Decoded(text, "iso-2022-jp", next(sources, CharsetSource.detector))


def _nearly_utf8(body: bytes, is_declared: bool) -> Decoded | None:
    """Decode as UTF-8 with U+FFFD where few of the characters beyond ASCII are broken."""
    text = read(body, "utf-8", "replace")
    broken = text.count("\ufffd") - body.count(b"\xef\xbf\xbd")
    good = len(text) - len(text.encode("ascii", "ignore")) - broken
    if _few_broken(text, broken, 1 if is_declared or good >= ENOUGH_GOOD else 2):
        return Decoded(text, "utf-8", CharsetSource.nearly_utf8)
    return None


def _fitting(body: bytes, name: str) -> str | None:
    """Decode by a charset that is declared or likely; None where the bytes speak against it.

    Neither one byte without a character nor a handful in a long text do. What does is a share of
    such bytes, and letters of a script that stand as those of the charset's never do.
    """
    if name in ("replacement", "utf-16le", "utf-16be"):
        return None
    text = read(body, name, "replace")
    broken, weighed = text.count("\ufffd"), text
    if name.startswith(("windows-", "iso-8859-")):
        weighed = read(body.translate(None, _ASCII), name, "replace")
        broken += len((_C1 if name.startswith("windows-") else _C1_LETTERS).findall(weighed))
    if broken and not _few_broken(weighed, broken):
        return None
    return None if _is_of_other_script(body, name) else text


def _few_broken(text: str, broken: int, good_for_each: int = 2) -> bool:
    """Whether hardly any character beyond ASCII is broken.

    Args:
        text: with U+FFFD for what has no character.
        broken: how many characters are, U+FFFD or not.
        good_for_each: in a short text, where up to three places may be broken.
    """
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    if broken < MAX_BAD_SHARE * foreign:
        return True
    if broken > MOST_BROKEN:
        return False
    places = len(_BROKEN_PLACE.findall(text)) or broken
    return places <= FEW_BROKEN and foreign - broken >= good_for_each * places


def _is_of_other_script(body: bytes, name: str) -> bool:
    """Whether the bytes beyond ASCII stand as those of another script do.

    In the Latin script they are single letters among those of ASCII; in any other, whole words are
    of them.
    """
    foreign = len(body.translate(None, _ASCII))
    if _OTHER_SCRIPT.match(name):
        return 2 * len(_WITHIN_WORD.findall(body)) > foreign
    words = body.translate(_ASCII_AS_BLANKS).split() if foreign else []
    in_words = sum(
        len(word) for word in words if len(word) > 2 and word.count(word[:1]) < len(word)
    )
    return in_words > 8 and 2 * in_words > foreign


def _detected(body: bytes) -> Decoded:
    """Decode by the detector's answer, or as UTF-8 where that breaks less."""
    name = detected_charset(body) or "windows-1252"
    broken = {name: read(body, name, "replace") for name in (name, "utf-8")}
    least = min(broken, key=lambda name: broken[name].count("\ufffd"))
    return Decoded(broken[least], least, CharsetSource.detector)


def _declared(body: bytes, content_type: str | None) -> Iterator[Candidate]:
    """Yield what the page and the server say, each once.

    Where both say the same, it is the header's.
    """
    match = _HEADER_CHARSET.search(content_type or "")
    of_server = charset_name(match[1]) if match else None
    for name in dict.fromkeys(prescan(body[:META_BYTES])):
        yield name, CharsetSource.http_header if name == of_server else CharsetSource.meta
    if of_server:
        yield of_server, CharsetSource.http_header


_SPACE = rb"[\t\n\f\r ]"
_MARKUP = re.compile(
    rb"<(?:(?P<comment>!--)|(?P<tag>/?[A-Za-z][^\t\n\f\r />]*)|(?P<other>[!/?]))", re.DOTALL
)
_ATTRIBUTE = re.compile(
    rb"[\t\n\f\r /]*(?P<name>=?[^\t\n\f\r />=]*)"
    rb"(?:" + _SPACE + rb"*=" + _SPACE + rb"*"
    rb"(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\t\n\f\r >\"'][^\t\n\f\r >]*)?))?"
)
_CHARSET_OF_CONTENT = re.compile(
    rb"charset" + _SPACE + rb"*=" + _SPACE + rb"*"
    rb"(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r ;\"'][^\t\n\f\r ;]*))",
    re.IGNORECASE,
)
_XML_ENCODING = re.compile(rb"<\?xml[^>]*?\bencoding\s*=\s*[\"']([\x21-\x7e]+?)[\"']")


def prescan(start: bytes) -> Iterator[str]:
    """Yield the charsets that a page's `<meta>` elements declare; failing these, that of `<?xml`.

    As in the HTML Standard, 13.2.3.2, which takes the first: not in comments or values of
    attributes, `content` only beside `http-equiv=Content-Type`, UTF-8 for UTF-16.

    >>> list(prescan(b"<!--<meta charset=big5>--><meta name=a content='charset=gbk'>"))
    []
    >>> list(prescan(b"<META HTTP-EQUIV=Content-Type CONTENT='text/html; charset=x-sjis'>"))
    ['shift_jis']
    """
    found, at = False, 0
    start = start[: start.lower().rfind(b"charset") + LONGEST_DECLARATION]
    while markup := _MARKUP.search(start, at):
        if markup["comment"]:
            at = start.find(b"-->", markup.start() + 2) + 3
        elif markup["other"]:
            at = start.find(b">", markup.end()) + 1
        else:
            attributes, at = _attributes(start, markup.end())
            is_meta = markup["tag"].lower() == b"meta"
            if at and is_meta and (name := _charset_of_meta(attributes)):
                found = True
                yield name
        if at <= markup.start():  # the end of the tag is not there
            break
    if (
        not found
        and (declared := _XML_ENCODING.match(start[:LONGEST_DECLARATION]))
        and (name := _named(declared[1]))
    ):
        yield name


def _attributes(start: bytes, at: int) -> tuple[dict[bytes, bytes], int]:
    """The attributes of a tag, and where it ends; 0 if it does not."""
    attributes: dict[bytes, bytes] = {}
    while match := _ATTRIBUTE.match(start, at):
        at = match.end()
        if not match[0].strip(b"\t\n\f\r /"):
            return attributes, at + 1 if start[at : at + 1] == b">" else 0
        if start[at : at + 1] in (b'"', b"'") and match[0].rstrip().endswith(b"="):
            return attributes, 0  # no second quote
        value = match["double"] or match["single"] or match["bare"] or b""
        attributes.setdefault(match["name"].lower(), value)
    return attributes, 0


def _charset_of_meta(attributes: dict[bytes, bytes]) -> str | None:
    declared = attributes.get(b"charset")
    if declared is None and attributes.get(b"http-equiv", b"").lower() == b"content-type":
        match = _CHARSET_OF_CONTENT.search(attributes.get(b"content", b""))
        declared = match and next(group for group in match.groups() if group is not None)
    return _named(declared) if declared else None


def _named(label: bytes) -> str | None:
    """What a label means in a page; none that could be read is in UTF-16."""
    name = charset_name(label.decode("ascii", "replace"))
    if name and name.startswith(("utf-16", "utf-32")):
        return "utf-8"
    return "windows-1252" if name == "x-user-defined" else name


def _in_unicode(body: bytes, name: str) -> str | None:
    """Decode UTF-32 where all of it is; UTF-16 on evidence that half a pair does not outweigh."""
    try:
        return read(body, name, "replace" if name.startswith("utf-16") else "strict")
    except UnicodeDecodeError:
        return None


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


_CONTROLS_IN_ASCII = bytes([*range(0x09), 0x0B, *range(0x0E, 0x20), 0x7F])

_C1_IN_UTF8 = re.compile(rb"\xc2[\x80-\x9f]")

_NOT_IN_TEXT = bytes([*range(0x01, 0x09), *range(0x0E, 0x1B), *range(0x1C, 0x20)])
"""NULs fill up pages, and escapes are in ISO-2022."""

_C1_AS_WINDOWS = {code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}
"""C1 controls in a page are windows-1252 bytes that were taken for Latin-1 on the way."""


def _is_no_text(text: str) -> bool:
    """Whether the characters are those of a compressed file, an image, a program."""
    stored = _utf8_of(text)
    found = len(stored) - len(stored.translate(None, _NOT_IN_TEXT))
    return found > 8 and 50 * found > len(text)


def _utf8_of(text: str) -> bytes:
    """The bytes in which controls are searched for, since that takes a fraction of the time."""
    return text.encode("utf-8", "surrogatepass")


def without_controls(text: str) -> str:
    r"""Return a text without control characters; C1 controls become what their authors saw.

    >>> without_controls("a\0b\tc\x93d\x94")
    'ab\tc“d”'
    """
    stored = _utf8_of(text)
    kept = stored.translate(None, _CONTROLS_IN_ASCII)
    if len(kept) < len(stored):
        text = kept.decode("utf-8", "surrogatepass")
    if not _C1_IN_UTF8.search(kept):
        return text
    return _C1.sub(lambda control: _C1_AS_WINDOWS[ord(control[0])], text)


LOOKED_AT_BYTES = 200_000

LEAST_COMMON = 0.7
"""Of the characters of a text in an East Asian language, those that are common there."""

_DECLARATION = re.compile(rb"charset(?=\s*=)", re.IGNORECASE)

_OF_PAGES = chardet.EncodingEra.ALL & ~chardet.EncodingEra.MAINFRAME
"""What has a "<" as ASCII has it was not written on a mainframe."""

_ASCII = bytes(range(0x80))

_UNDEFINED_SOMEWHERE = bytes(
    byte
    for byte in range(0x80, 0xA0)
    if any(bytes([byte]).decode(f"cp125{page}", "replace") == "\ufffd" for page in range(9))
)

_LONE_BYTE = re.compile(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])")

_EAST_ASIAN = {
    "euc-kr": ("cp949", "euc_kr", b"\xa1-\xa3\xb0-\xc8"),
    "euc-jp": ("euc_jp", "euc_jp", b"\xa1-\xa5\xb0-\xcf"),
    "shift_jis": ("cp932", "euc_jp", b"\xa1-\xa5\xb0-\xcf"),
    "gb18030": ("gb18030", "gb2312", b"\xa1-\xa3\xb0-\xd7"),
    "big5": ("big5hkscs", "big5", b"\xa1-\xc6"),
}
"""The codec by which a detector knows the charset; another, and with which bytes the signs,
syllables and common characters of the language begin in that one."""

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
    name = _asked(seen)
    if name not in _EAST_ASIAN or "\ufffd" in read(seen, name, "replace"):
        name = _without_strays(seen, name)
    return _plainer(body, name) if name in _PLAINER else name


def _asked(seen: bytes) -> str | None:
    """What the detector says."""
    eras = chardet.EncodingEra.ALL if b"<" not in seen else _OF_PAGES
    return name_of_codec(chardet.detect(seen, encoding_era=eras)["encoding"] or "")


def _without_strays(seen: bytes, name: str | None) -> str | None:
    """Ask again without what makes the detector rule the truth out.

    For the detector one byte without a character is proof against a charset, and the rows of NEC
    and IBM, the euro sign of GBK, and C1 controls have none.
    """
    is_fitting = name is not None and _fitting(seen, name) is not None
    if is_fitting and not _is_of_other_script(seen, "windows-1252"):
        plain = seen.translate(None, _UNDEFINED_SOMEWHERE)
        few = len(seen) - len(plain) <= FEW_BROKEN
        return _asked(plain) if few and len(plain) < len(seen) else name
    if name in ("ibm037", "ibm424"):
        return name
    readings = {
        charset: text for charset in _EAST_ASIAN if (text := _fitting(seen, charset)) is not None
    }
    shares = {charset: _share_of_common(text, charset) for charset, text in readings.items()}
    likely = sorted(shares, key=lambda charset: -shares[charset])
    if likely and (name in _EAST_ASIAN or not is_fitting) and shares[likely[0]] > LEAST_COMMON:
        return likely[0]
    for charset in likely:
        clean = readings[charset].encode(_EAST_ASIAN[charset][0], "ignore")
        if clean != seen and _asked(clean) == charset:
            return charset
    words = _asked(_LONE_BYTE.sub(b"", seen))
    return words if words and _fitting(seen, words) is not None else name


def _share_of_common(text: str, charset: str) -> float:
    """Of the characters beyond ASCII, those that are common in the charset's language."""
    _, codec, leads = _EAST_ASIAN[charset]
    foreign = [char for char in text if char > "\x7f"][:2000]
    pairs = (char.encode(codec, "ignore")[:2] for char in foreign)
    common = re.compile(b"[" + leads + b"].", re.DOTALL)
    return sum(map(bool, map(common.fullmatch, pairs))) / max(1, len(foreign))


def _plainer(body: bytes, name: str) -> str:
    plain = _PLAINER[name]
    return plain if read(body, plain, "replace") == read(body, name, "replace") else name
