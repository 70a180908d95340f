r"""A cleaned page to Markdown without pandoc, as pandoc 2.9.2.1 writes it.

The markup of `clean_html` is read from its first tag to its last as that version's reader reads
it, and written as its writer writes. What that takes no part in is left to pandoc:
`DeclinedError` says why.
"""

from __future__ import annotations

import html as html_entities
import re

from pipeline.html.link_spans import LinkSpan, has_marks, taken_out
from pipeline.html.pandoc_dialect.reader import Page
from pipeline.html.pandoc_dialect.tree import Decline, DeclinedError, with_paragraphs
from pipeline.html.pandoc_dialect.writer import markdown_of

__all__ = ["Decline", "DeclinedError", "fast_markdown", "fast_markdown_with_links"]

_TAG = re.compile(r"<(/?[a-z][a-z0-9]*)((?: [^\s=\">]+=\"[^\"]*\")*)>")
_BASE = re.compile(r"<head><base href=\"([^\"]*)\"></head>")
_OTHER_LINE_BREAKS = re.compile("[\x0b\x0c\r\x1c-\x1e\x85\u2028\u2029]")


def fast_markdown(cleaned_html: str) -> str:
    r"""Return the Markdown of a page that `clean_html` has reduced; "" if it holds nothing.

    Raises:
        DeclinedError: it has to be left to pandoc.

    >>> fast_markdown("<h1>Rubrik</h1><p>Ett <b>ord</b>,<br>två.</p><ul><li>a</li><li>b</li></ul>")
    '# Rubrik\n\nEtt **ord**,  \ntvå.\n\n  - a\n  - b\n'
    """
    return fast_markdown_with_links(cleaned_html)[0]


def fast_markdown_with_links(marked_html: str) -> tuple[str, list[LinkSpan]]:
    r"""Return the Markdown of a page, and which of its characters were the text of links.

    Args:
        marked_html: as `clean_html` gives it with `mark_links`.

    Raises:
        DeclinedError: it has to be left to pandoc.

    >>> fast_markdown_with_links('<p>Se <a href="#">hit <b>och dit</b></a>!</p>')
    ('Se hit och dit\\!\n', [{'start': 3, 'end': 14}])
    """
    text = _written(marked_html)
    return taken_out(text) if has_marks(text) else (text, [])


def _written(cleaned_html: str) -> str:
    base = _BASE.match(cleaned_html)
    markup = cleaned_html[base.end() :] if base else cleaned_html
    page = Page(html_entities.unescape(base[1]) if base else "")
    page.read(_TAG.split(_OTHER_LINE_BREAKS.sub(" ", markup)))
    return markdown_of(with_paragraphs(page.root.blocks))
