"""From HTML to Markdown, by our own converter or by pandoc, and where the links stood."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from skord.core.failures import DocumentError
from skord.html.charset.decode import in_utf8
from skord.html.cleaning import MAX_CLEANED_CHARS, MAX_HTML_CHARS, Page, characters_of
from skord.html.converter_name import Converter
from skord.html.failures import ConversionFailure
from skord.html.link_spans import LinkSpan, carried_over, without_marks
from skord.html.pandoc import TIMEOUT_S, convert_with_pandoc, find_pandoc, pandoc_version
from skord.native import convert_html as read_and_convert

__all__ = [
    "Converter",
    "Markdown",
    "ReadPage",
    "convert_decoded",
    "convert_html",
    "convert_page",
    "find_pandoc",
    "pandoc_version",
    "read_page_and_convert",
]

_SAYS_SOMETHING = re.compile(r"[^\s#*>_~|`\\-]")
"""Anything but blanks and the marks of empty blocks."""


class Markdown(NamedTuple):
    """A page's Markdown, and which of its characters were the text of links."""

    content: str
    link_spans: list[LinkSpan]


class ReadPage(NamedTuple):
    """A page that was parsed once, for all that is wanted of it.

    Attributes:
        page: as `cleaning.read_page` gives it, links marked.
        markdown: what it became.
    """

    page: Page
    markdown: Markdown


def read_page_and_convert(
    html: str | bytes,
    max_html_chars: int = MAX_HTML_CHARS,
    max_cleaned_chars: int = MAX_CLEANED_CHARS,
    *,
    alone: bool = False,
    pandoc: Path | None = None,
    timeout_s: float = TIMEOUT_S,
) -> ReadPage:
    """Parse, clean and convert a page in one go.

    Args:
        html: decoded, or in UTF-8.
        max_html_chars, max_cleaned_chars: longer pages are `too_large`.
        alone: whether only Markdown and words are wanted: the page is returned without its markup,
            and the Markdown without links; not together with `pandoc`.
        pandoc: as `find_pandoc` gives it; None: our own converter.
        timeout_s: for pandoc.

    Raises:
        DocumentError: any of ConversionFailure but not_html and http_status.

    >>> read = read_page_and_convert("<title>A</title><p>Se <a href=/x>hit</a>")
    >>> read.page.title, read.markdown
    ('A', Markdown(content='Se hit\\n', link_spans=[{'start': 3, 'end': 6}]))
    """
    answer = read_and_convert(
        characters_of(html), max_html_chars, max_cleaned_chars, alone and pandoc is None
    )
    if len(answer) == 2:
        raise DocumentError(ConversionFailure(answer[0]), answer[1])
    cleaned, title, language, words, content, links, declined = answer
    if declined:
        raise DocumentError(ConversionFailure.too_deep, declined)
    markdown = Markdown(content, links)
    if pandoc is not None:
        other = convert_with_pandoc(without_marks(cleaned), pandoc, timeout_s)
        markdown = Markdown(other, carried_over(links, content, other))
    if not _SAYS_SOMETHING.search(markdown.content):
        raise DocumentError(ConversionFailure.empty_page)
    return ReadPage(Page(cleaned, title, language, words), markdown)


def convert_page(
    html: str,
    *,
    max_html_chars: int = MAX_HTML_CHARS,
    max_cleaned_chars: int = MAX_CLEANED_CHARS,
    pandoc: Path | None = None,
) -> str:
    """Return a page's Markdown.

    Args, Raises: as of `read_page_and_convert`.
    """
    read = read_page_and_convert(html, max_html_chars, max_cleaned_chars, alone=True, pandoc=pandoc)
    return read.markdown.content


def convert_html(html: str | bytes, pandoc_path: str | None = None) -> str:
    """Markdown of one page outside of any task.

    Args:
        html: decoded, or as bytes whose charset is then found out.
        pandoc_path: a pandoc to convert with; None: our own converter.

    Raises:
        DocumentError: it cannot be converted.
        ConfigError: there is no pandoc.
    """
    text = html if isinstance(html, str) else in_utf8(html, None).page
    return convert_decoded(text, pandoc_path).markdown.content


def convert_decoded(html: str | bytes, pandoc_path: str | None = None) -> ReadPage:
    """A page, decoded or in UTF-8, and its Markdown, outside of any task; without markup and links.

    Args, Raises: as of `convert_html`.
    """
    pandoc = find_pandoc(pandoc_path) if pandoc_path else None
    return read_page_and_convert(html, alone=True, pandoc=pandoc)
