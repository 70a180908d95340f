r"""Text inside one block: words, emphasis, code, images and breaks as Markdown.

What a piece of text becomes depends on where its word begins and ends, so this module knows
pandoc's rules for that (`escapeText` and `blockToMarkdown` of its Markdown writer, 3.8 and 3.9):
which characters get a backslash, and when a first word would be read as the mark of a list.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urljoin

from pipeline.transforms.link_spans import LINK_MARK, has_marks, with_backslashes, without_marks

BREAK = "\n"
"""A `<br>` as a piece of its own; no text holds this character, since blanks are folded."""

_SPECIAL = re.compile(r"!\[|[\\`*\[\]<>|]|(?<![^ \\])#|~(?=~)|(?<![^\W_])_|_(?![^\W_])")
_MAY_BE_SPECIAL = re.compile(r"[\\`*\[\]<>|#~_]")
_ATTRIBUTE = re.compile(r" ([^\s=]+)=\"([^\"]*)\"")
_ROMAN = (
    r"(?=[mdclxvi])m{0,4}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
    r"|(?=[MDCLXVI])M{0,4}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
)
_NUMBER = rf"(?:\d+|[a-zA-Z]|{_ROMAN})"
_LIST_MARK = re.compile(rf"\({_NUMBER}\)|(?:{_NUMBER}|@[\w-]*)[.)]")
_INITIAL = re.compile(r"[A-Z]\.")
_DASH = re.compile(r"[-+](?![^ \n*`!])")
_LONGEST_MARK = 10
_BLANKS = " \n\xa0"
_BLANK_START = re.compile(r"(?:[ \n]|\xa0++(?![^ \n]))+")
_BACKTICKS = re.compile("`+")
_RULE = re.compile(rf"{LINK_MARK}*-{{4,}}{LINK_MARK}*")
_UNDERLINE = re.compile(rf"{LINK_MARK}*(?:=+|-{{2,}}){LINK_MARK}*")
_SUPERSCRIPTS = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_SUBSCRIPTS = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")
_DIGITS = re.compile(r"[0-9+-]+")
_IMAGE = re.compile(r"!\[((?:[^\[\]\\]|\\.)*)\]\([^\s]*\)")
_UNSAFE = re.compile(r"[\x00-\x20\x7f\xa0\"<>\[\]^`{|}]")


def unescape(text: str) -> str:
    """Markup's text as it is meant; a parser's own output holds no other entities.

    >>> unescape("a &lt;b&gt; &amp;amp; c")
    'a <b> &amp; c'
    """
    if "&" not in text:
        return text
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    return text.replace("&nbsp;", "\xa0").replace("&amp;", "&")


def escape(text: str) -> str:
    r"""Text with a backslash before each character that would mean something, links' marks aside.

    >>> escape("# a_b _c_ d#e [1] ![x ~~ 1 < 2")
    '\\# a_b \\_c\\_ d#e \\[1\\] \\![x \\~~ 1 \\< 2'
    """
    if not _MAY_BE_SPECIAL.search(text):
        return text
    if has_marks(text):
        places = [found.start() for found in _SPECIAL.finditer(without_marks(text))]
        return with_backslashes(text, places)
    return _SPECIAL.sub(r"\\\g<0>", text)


def code(text: str) -> str:
    """Text between as many backticks as it takes.

    >>> code("a"), code("a`b")
    ('`a`', '`` a`b ``')
    """
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    if not longest:
        return f"`{text}`"
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}"


def fence(text: str) -> str:
    """The fence of a block of code: longer than any run of backticks in it."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0) if "```" in text else 0
    return "`" * max(3, longest + 1)


def image(attributes: str, base: str) -> str:
    """An image from the attributes of its tag.

    Args:
        attributes: as written in the markup, each with a blank before it.
        base: the page's base address; "" if it has none.

    >>> image(' src="a b(1.png" alt="x [y]"', "http://example.org/z/")
    '![x \\\\[y\\\\]](a%20b%281.png)'
    """
    given = dict(_ATTRIBUTE.findall(attributes))
    source = unescape(given.get("src", ""))
    label = unescape(given.get("alt", "")).strip(" ")
    if base and " " not in source:
        source = urljoin(base, source) + "#" * source.endswith("#")
    if label == source:
        label = ""
    return f"![{escape(label)}]({_address(source)})"


def _address(source: str) -> str:
    """An address with what could end it percent-encoded (RFC 3986, section 2.1)."""
    address = source if source.isalnum() else _UNSAFE.sub(lambda found: quote(found[0]), source)
    if "(" in address or ")" in address:
        depth = 0
        for sign in re.findall(r"[()]", address):
            depth += 1 if sign == "(" else -1
            if depth < 0:
                break
        if depth:
            address = address.replace("(", "%28").replace(")", "%29")
    return address


def script(text: str, kind: str) -> str:
    """Raised or lowered text: digits and signs have characters of their own, others stay.

    >>> script("2", "sup"), script("a", "sub")
    ('²', 'a')
    """
    if not _DIGITS.fullmatch(without_marks(text)):
        return text
    return text.translate(_SUPERSCRIPTS if kind == "sup" else _SUBSCRIPTS)


def one_line(text: str) -> str:
    """A run's text where Markdown has room for one line only: breaks are blanks."""
    text = text.replace(BREAK, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip(" ")


def trimmed(text: str) -> str:
    """A run's text without blanks and breaks at its ends, and nothing but single blanks."""
    while "  " in text:
        text = text.replace("  ", " ")
    text = text.strip(" \n")
    if text.startswith("\xa0"):
        found = _BLANK_START.match(text)
        text = text[found.end() :] if found else text
    if text.endswith("\xa0"):
        kept = text.rstrip(_BLANKS)
        word_end = len(text) if text[len(kept) : len(kept) + 1] == "\xa0" else len(kept)
        tail = text[len(kept) : word_end].partition(" ")[0].partition(BREAK)[0]
        text = kept + tail if kept else ""
    return text


def paragraph(text: str) -> str:
    r"""A run's text as a paragraph: a first word that looks like a list's mark is escaped.

    >>> paragraph("1. a"), paragraph("- a"), paragraph("1.5 a"), paragraph("A. Berg")
    ('1\\. a', '\\- a', '1.5 a', 'A. Berg')
    """
    start = text[: 2 * _LONGEST_MARK]
    places = _list_mark(without_marks(start) if has_marks(start) else start)
    return with_backslashes(text, places) if places else text


def _list_mark(start: str) -> list[int]:
    """Which characters of a list's mark at the start of a text need a backslash."""
    word = start[: _LONGEST_MARK + 2].partition(" ")[0]
    if word[-1:] in (".", ")") and len(word) <= _LONGEST_MARK and _LIST_MARK.fullmatch(word):
        is_initial = _INITIAL.fullmatch(word)
        return [] if is_initial else [at for at, sign in enumerate(word) if sign in ".()"]
    return [0] if _DASH.match(start) else []


def lines(text: str) -> list[str]:
    r"""A paragraph's lines: a break is two blanks, two breaks in a row part paragraphs.

    >>> lines("a\nb\n\nc")
    ['a  ', 'b', '', 'c']
    """
    if BREAK not in text:
        return ["---"] if _RULE.fullmatch(text) else [text.rstrip()]
    found = [line.strip(" ").rstrip() for line in text.split(BREAK)]
    kept: list[str] = []
    for at, line in enumerate(found):
        follows = at + 1 < len(found) and found[at + 1]
        if not line:
            if kept[-1:] != [""]:
                kept.append("")
        elif follows:
            kept.append(line + "  ")
        elif at and found[at - 1] and _UNDERLINE.fullmatch(line):
            kept.append("\\" + line)
        else:
            kept.append(line)
    return kept


def shown_length(text: str) -> int:
    """Characters of a run as a reader sees it: without marks, escapes and addresses."""
    return len(re.sub(r"\\(.)|\*+", r"\1", _IMAGE.sub(r"\1", without_marks(text))))
