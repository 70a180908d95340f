"""A page's HTML to the little of it that pandoc needs, its title and language, and its words.

Pandoc spends 10-60 µs on every tag, so markup without a trace in Markdown goes first; that
alone halves the time of a page. Compiled code (skord/native/html) parses a page once, as
browsers do (WHATWG HTML, section 13.2), and takes everything from that one tree.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from skord.core.failures import DocumentError
from skord.html.failures import ConversionFailure
from skord.native import PageWords, read_head, read_html

MAX_HTML_CHARS = 3_000_000
"""The longest page accepted, pictures in `data:` addresses left out."""
MAX_CLEANED_CHARS = 2_000_000
"""The longest cleaned markup accepted: more than the longest novel in one page."""

_LARGE_BYTES = 200_000
_PACKED_DATA = re.compile(
    r"data:[a-z]+/[a-z0-9.+-]+(?:;[a-z-]+=[^;,\"'\s<>]{1,99}){0,9};base64,[A-Za-z0-9+/=%\\\s]{999,}"
)
_PACKED_BYTES = re.compile(_PACKED_DATA.pattern.encode("ascii"))


class SizeLimits(NamedTuple):
    """How large a page may be, in characters; others are `too_large`.

    Attributes:
        max_html_chars: of its HTML.
        max_cleaned_chars: of the markup that is left for the converter.
    """

    max_html_chars: int = MAX_HTML_CHARS
    max_cleaned_chars: int = MAX_CLEANED_CHARS


SIZE_LIMITS = SizeLimits()
"""Those that hold where no others are given."""


class Page(NamedTuple):
    """What one parse of a page yields.

    Attributes:
        cleaned: its markup as `clean_html` gives it.
        title: the text of `<title>` with blanks folded; None if there is none.
        language: what `<html lang>` declares, as written; None if it does not.
        words: its words, each with the element it stands in, for `line_context`.
    """

    cleaned: str
    title: str | None
    language: str | None
    words: PageWords


def read_page(
    html: str | bytes,
    max_html_chars: int = MAX_HTML_CHARS,
    max_cleaned_chars: int = MAX_CLEANED_CHARS,
    *,
    mark_links: bool = True,
) -> Page:
    """Parse a page, and take from it all that later steps want of it.

    Args:
        html: of the whole page, decoded, or in UTF-8.
        max_html_chars: longest page accepted.
        max_cleaned_chars: longest cleaned markup accepted; pandoc takes 2 µs a character.
        mark_links: put the marks of `link_spans` around links that hold nothing but text.

    Raises:
        DocumentError: too_large, whose detail names the setting, or too_deep.

    >>> page = read_page("<html lang=sv><title>Blåbär</title><script>x</script><p>Se <i>hit</i>")
    >>> page.cleaned, page.title, page.language
    ('<p>Se <i>hit</i></p>', 'Blåbär', 'sv')
    """
    answer = read_html(characters_of(html), max_html_chars, max_cleaned_chars, mark_links)
    if len(answer) == 2:
        raise DocumentError(ConversionFailure(answer[0]), answer[1])
    return Page(*answer)


def clean_html(
    html: str,
    max_html_chars: int = MAX_HTML_CHARS,
    max_cleaned_chars: int = MAX_CLEANED_CHARS,
    *,
    mark_links: bool = False,
) -> str:
    """Reduce a page to the elements and attributes that show in its Markdown.

    Scripts, styles, templates, drawings, frames, embedded objects, comments and the head (but
    `<base>`) go; sectioning elements, and lists without an item, become `<div>`; attributes stay
    by a short list, links stay only where they hold more than text, their address as `#`; runs of
    blanks become one outside `<pre>`, tabs become four columns inside; images without an address
    of their own, and those one pixel wide, go. `<main>` must not stay: pandoc 3.5 and later drop
    all that lies outside of it; and all of a list that no item holds.

    Args, Raises: as of `read_page`.

    >>> clean_html('<main class="x"><p>Se <a href="/a"><b>allt</b></a><script>x</script></main>')
    '<div><p>Se <a href="#"><b>allt</b></a></p></div>'
    """
    return read_page(html, max_html_chars, max_cleaned_chars, mark_links=mark_links).cleaned


def page_title(html: str) -> str | None:
    """Return the text of `<title>` with blanks folded; None if there is none.

    >>> page_title("<html><head><title> Blåbär &amp;\\n mjölk </title></head><svg><title>x")
    'Blåbär & mjölk'
    """
    return read_head(characters_of(html))[0]


def html_lang(html: str) -> str | None:
    """Return the language that `<html lang>` declares, as written; None if it does not.

    >>> html_lang('<!doctype html><HTML LANG="nb-NO"><body lang="en">x')
    'nb-NO'
    """
    return read_head(characters_of(html))[1]


def characters_of(html: str | bytes) -> bytes:
    """A page in UTF-8, without lone surrogates, which are no characters.

    Of a large page the pictures in `data:` addresses go, which leave nothing in Markdown.
    """
    stored = html if isinstance(html, bytes) else html.encode("utf-8", "ignore")
    may_hold = len(stored) > _LARGE_BYTES and b";base64," in stored
    return _PACKED_BYTES.sub(b"data:,", stored) if may_hold else stored


def without_packed_data(html: str) -> str:
    """A page whose `data:` addresses in base64 are empty: what counts towards its size.

    >>> without_packed_data(f"<img src='data:image/png;base64,{'iVBO' * 999}'><p>Hej")
    "<img src='data:,'><p>Hej"
    """
    return _PACKED_DATA.sub("data:,", html)
