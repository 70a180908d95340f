"""From HTML to Markdown, by pandoc or by our own converter, and where the links stood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from skord.core.closing import Closing
from skord.core.failures import DocumentError
from skord.html.charset.decode import in_utf8
from skord.html.cleaning import MAX_CLEANED_CHARS, MAX_HTML_CHARS, Page, characters_of
from skord.html.converter_name import Converter
from skord.html.failures import ConversionFailure
from skord.html.link_spans import (
    LinkSpan,
    carried_over,
    text_with_links,
    without_marks,
)
from skord.html.pandoc.binary import find_pandoc, pandoc_version
from skord.html.pandoc.worker import PandocWorker
from skord.html.pandoc_dialect import DeclinedError, fast_markdown_with_links
from skord.native import convert_html as read_and_convert

__all__ = [
    "Converter",
    "Markdown",
    "Pandoc",
    "PandocWorker",
    "ReadPage",
    "StandbyPandoc",
    "complete_with_pandoc",
    "convert_decoded",
    "convert_html",
    "convert_marked",
    "convert_natively",
    "convert_page",
    "find_pandoc",
    "pandoc_version",
    "read_natively",
    "refuse_empty",
]


_SAYS_SOMETHING = re.compile(r"[^\s#*>_~|`\\-]")
"""Anything but blanks and the marks of empty blocks."""


class Markdown(NamedTuple):
    """A page's Markdown, and which of its characters were the text of links."""

    content: str
    link_spans: list[LinkSpan]


class StandbyPandoc(Closing):
    """A pandoc that is started with the first page that is left to it.

    Args:
        pandoc: as `find_pandoc` gives it.
        timeout_s: CPU seconds for one page.
    """

    def __init__(self, pandoc: Path, timeout_s: float = 20.0) -> None:
        self._pandoc = pandoc
        self._timeout_s = timeout_s
        self._running: PandocWorker | None = None

    def close(self) -> None:
        """End it, if it was started."""
        if self._running is not None:
            self._running.close()

    @property
    def is_running(self) -> bool:
        """Whether a page has been left to it."""
        return self._running is not None

    def convert_all(self, pages: Sequence[str]) -> list[str | DocumentError]:
        """Return for each cleaned page its Markdown, or why there is none, in their order.

        Raises:
            ConfigError: this pandoc cannot convert.
        """
        if self._running is None:
            self._running = PandocWorker(self._pandoc, self._timeout_s)
        return self._running.convert_all(pages)


Pandoc = PandocWorker | StandbyPandoc


def convert_page(
    html: str,
    pandoc: Pandoc,
    *,
    max_html_chars: int = MAX_HTML_CHARS,
    max_cleaned_chars: int = MAX_CLEANED_CHARS,
    converter: str = Converter.PANDOC,
) -> str:
    """Return a page's Markdown.

    Args:
        html: decoded.
        pandoc: ready to convert; with the fast converter, for what that declines.
        max_html_chars, max_cleaned_chars: longer pages are `too_large`.
        converter: a `Converter` or its value.

    Raises:
        DocumentError: any of ConversionFailure but not_html and http_status.
    """
    page, native = read_natively(html, max_html_chars, max_cleaned_chars)
    (answer,) = complete_with_pandoc([page.cleaned], [native], pandoc, converter)
    if isinstance(answer, DocumentError):
        raise answer
    return answer.content


class ReadPage(NamedTuple):
    """A page that was parsed once, for all that is wanted of it.

    Attributes:
        page: as `cleaning.read_page` gives it, links marked.
        native: its Markdown by our own converter; None if that declines.
    """

    page: Page
    native: Markdown | None


def read_natively(
    html: str | bytes,
    max_html_chars: int = MAX_HTML_CHARS,
    max_cleaned_chars: int = MAX_CLEANED_CHARS,
    *,
    alone: bool = False,
) -> ReadPage:
    """Parse, clean and convert a page in one go.

    Args:
        html: decoded, or in UTF-8.
        max_html_chars, max_cleaned_chars: longer pages are `too_large`.
        alone: whether only Markdown and words are wanted: the page is told without its markup, and
            the Markdown without links, unless it is declined.

    Raises:
        DocumentError: too_large or too_deep.

    >>> read = read_natively("<title>A</title><p>Se <a href=/x>hit</a>")
    >>> read.page.title, read.native
    ('A', Markdown(content='Se hit\\n', link_spans=[{'start': 3, 'end': 6}]))
    """
    answer = read_and_convert(characters_of(html), max_html_chars, max_cleaned_chars, alone)
    if len(answer) == 2:
        raise DocumentError(ConversionFailure(answer[0]), answer[1])
    cleaned, title, language, words, markdown, links, declined = answer
    native = None if declined else Markdown(markdown, links)
    return ReadPage(Page(cleaned, title, language, words), native)


def convert_marked(
    pages: Sequence[str], pandoc: Pandoc, converter: str = Converter.PANDOC
) -> list[Markdown | DocumentError]:
    """Return for each page its Markdown, or why there is none, in their order.

    Args:
        pages: as `clean_html` gives them with `mark_links`.
        pandoc: ready to convert.
        converter: a `Converter` or its value.
    """
    return complete_with_pandoc(
        pages, [convert_natively(page) for page in pages], pandoc, converter
    )


def complete_with_pandoc(
    pages: Sequence[str], natives: Sequence[Markdown | None], pandoc: Pandoc, converter: str
) -> list[Markdown | DocumentError]:
    """The same of pages that our own converter has been tried on.

    Args:
        pages: as `clean_html` gives them with `mark_links`.
        natives: of each, None where it was declined.
        pandoc: ready to convert.
        converter: a `Converter` or its value.
    """
    answers: list[str | DocumentError | None] = [None] * len(pages)
    is_fast = Converter(converter) is Converter.FAST
    left = [at for at, native in enumerate(natives) if native is None or not is_fast]
    converted = pandoc.convert_all([without_marks(pages[at]) for at in left]) if left else []
    for at, answer in zip(left, converted, strict=True):
        answers[at] = answer
    return [
        _markdown(page, native, answer)
        for page, native, answer in zip(pages, natives, answers, strict=True)
    ]


def convert_natively(page: str) -> Markdown | None:
    """By our own converter; None if that declines.

    Args:
        page: as `clean_html` gives it with `mark_links`.
    """
    try:
        return Markdown(*fast_markdown_with_links(page))
    except DeclinedError:
        return None


def _markdown(
    page: str, native: Markdown | None, answer: str | DocumentError | None
) -> Markdown | DocumentError:
    """Pandoc's answer with the links that our own converter found, or the latter's alone."""
    if isinstance(answer, DocumentError):
        return answer
    known = native or Markdown(*text_with_links(page))
    content = known.content if answer is None else answer
    if not _SAYS_SOMETHING.search(content):
        return DocumentError(ConversionFailure.empty_page)
    return Markdown(content, carried_over(known.link_spans, known.content, content))


def refuse_empty(markdown: Markdown) -> Markdown:
    """The same if it says anything.

    Raises:
        DocumentError: empty_page.
    """
    if not _SAYS_SOMETHING.search(markdown.content):
        raise DocumentError(ConversionFailure.empty_page)
    return markdown


def convert_html(html: str | bytes, pandoc_path: str | None = None) -> str:
    """Markdown of one page outside of any task.

    Args:
        html: decoded, or as bytes whose charset is then found out.
        pandoc_path: a pandoc to convert with; None: our own converter, and the bundled pandoc for
            what that declines, which is not started before.

    Raises:
        DocumentError: it cannot be converted.
        ConfigError: there is no pandoc.
    """
    text = html if isinstance(html, str) else in_utf8(html, None).page
    return convert_decoded(text, pandoc_path)[1].content


def convert_decoded(html: str | bytes, pandoc_path: str | None = None) -> tuple[Page, Markdown]:
    """A page, decoded or in UTF-8, and its Markdown, outside of any task.

    Where our own converter alone was needed, they come without markup and links.

    Args, Raises: as of `convert_html`.
    """
    page, native = read_natively(html, alone=pandoc_path is None)
    if native and pandoc_path is None:
        return page, refuse_empty(native)
    with PandocWorker(find_pandoc(pandoc_path)) as pandoc:
        (answer,) = complete_with_pandoc([page.cleaned], [native], pandoc, Converter.PANDOC)
    if isinstance(answer, DocumentError):
        raise answer
    return page, answer
