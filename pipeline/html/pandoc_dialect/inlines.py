r"""Pieces of text as Markdown: escapes, code and pictures, as pandoc 2.9.2.1 writes them.

That version leaves the writing to libcmark (0.29, `commonmark.c` and `render.c`), whose rules
for which characters get a backslash these are.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urljoin

from pipeline.html.link_spans import LINK_MARK
from pipeline.html.pandoc_dialect.tree import Image, Inline

_SPECIAL = re.compile(r"[\\`*_\[\]#<>~!]|&(?=[A-Za-z])")
_START = re.compile(rf"({LINK_MARK}*)(?:([-+=])|([0-9]+{LINK_MARK}*)([.)])(?={LINK_MARK}*(?: |$)))")
_ATTRIBUTE = re.compile(r" ([^\s=]+)=\"([^\"]*)\"")
_BACKTICKS = re.compile("`+")
_UNSAFE = re.compile(r"[\x00-\x20\x7f\xa0\"<>\[\]^`{|}]")
_URL_SPECIAL = re.compile(r"[\\()]")
_SUPERSCRIPTS = str.maketrans("0123456789+-=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾")
_SUBSCRIPTS = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_SCRIPT = re.compile(rf"(?:[0-9+=() -]|{LINK_MARK})*")


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
    r"""Text with a backslash before each character that could mean something.

    >>> escape("# a_b d#e [1] ~ 1 < 2! R&D & co.")
    '\\# a\\_b d\\#e \\[1\\] \\~ 1 \\< 2\\! R\\&D & co.'
    """
    return _SPECIAL.sub(r"\\\g<0>", text)


def escape_start(text: str) -> str:
    r"""Text at the start of a line, already escaped: nor may it begin as a list does.

    >>> escape_start("1. a"), escape_start("- a"), escape_start("1.5 a"), escape_start("= b")
    ('1\\. a', '\\- a', '1.5 a', '\\= b')
    """
    return _START.sub(_mark_escaped, text, count=1) if _START.match(text) else text


def _mark_escaped(mark: re.Match[str]) -> str:
    links, sign, number, end = mark.groups()
    return f"{links}\\{sign}" if sign else f"{links}{number}\\{end}"


def code(text: str) -> str:
    """Text between the fewest backticks in a row that it does not hold.

    >>> code("a"), code("a`b"), code("`"), code("")
    ('`a`', '``a`b``', '`` ` ``', '`  `')
    """
    runs = set(map(len, _BACKTICKS.findall(text)))
    mark = "`" * next(many for many in range(1, len(runs) + 2) if many not in runs)
    needs_room = not text or text[0] in "` " or text[-1] in "` "
    return f"{mark} {text} {mark}" if needs_room else f"{mark}{text}{mark}"


def fence(text: str) -> str:
    """The fence of a block of code: longer than any run of backticks in it."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0) if "```" in text else 0
    return "`" * max(3, longest + 1)


def image(attributes: str, base: str) -> Image:
    """An image from the attributes of its tag.

    Args:
        attributes: as written in the markup, each with a blank before it.
        base: the page's base address; "" if it has none.

    >>> image(' src="a b(1.png" alt="x  y"', "http://example.org/z/")
    Image(source='a%20b(1.png', alt=['x y'], is_figure=False)
    """
    given = dict(_ATTRIBUTE.findall(attributes))
    source = unescape(given.get("src", ""))
    label = " ".join(unescape(given.get("alt", "")).split(" "))
    if base and " " not in source:
        source = urljoin(base, source) + "#" * source.endswith("#")
    while "  " in label:
        label = label.replace("  ", " ")
    alt: list[Inline] = [label] if label else []
    return Image(_safe(source), alt)


def _safe(source: str) -> str:
    """An address with what no address may hold percent-encoded (RFC 3986, section 2.1)."""
    return source if source.isalnum() else _UNSAFE.sub(lambda found: quote(found[0]), source)


def address(source: str) -> str:
    r"""An address as Markdown has it between parentheses.

    >>> address("a(1).png")
    'a\\(1\\).png'
    """
    return _URL_SPECIAL.sub(r"\\\g<0>", source)


def script(text: str, style: str) -> str | None:
    """Raised or lowered text in digits and signs of its own; None where it has no such.

    >>> script("2", "sup"), script("a", "sub")
    ('²', None)
    """
    if not _SCRIPT.fullmatch(text):
        return None
    return text.translate(_SUPERSCRIPTS if style == "sup" else _SUBSCRIPTS)
