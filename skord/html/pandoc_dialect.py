r"""A cleaned page to Markdown, in the dialect of pandoc 2.9.2.1.

The markup of `clean_html` is read from its first tag to its last as that version's reader reads
it, and written as its writer writes, but for what docs/explanation/markdown.md lists: compiled code
does (native/pandoc_dialect). Markup that was not cleaned may be read otherwise than pandoc reads it, or
declined: `DeclinedError` says why.
"""

from __future__ import annotations

from enum import StrEnum

from skord.html.link_spans import LinkSpan
from skord.native import dialect_markdown


class Decline(StrEnum):
    """Why markup has no Markdown."""

    columns = "columns"
    """A table with more columns or fields than any reader could follow."""
    nesting = "nesting"
    """Lists, quotations, tables or styles deeper in one another than any reader could follow."""


class DeclinedError(Exception):
    """This markup has no Markdown.

    Args:
        reason: why.
    """

    def __init__(self, reason: Decline) -> None:
        super().__init__(reason.value)
        self.reason = reason


def fast_markdown(cleaned_html: str) -> str:
    r"""Return the Markdown of a page that `clean_html` has reduced; "" if it holds nothing.

    Raises:
        DeclinedError: it is too wide or too deep.

    >>> fast_markdown("<h1>Rubrik</h1><p>Ett <b>ord</b>,<br>två.</p><ul><li>a</li><li>b</li></ul>")
    '# Rubrik\n\nEtt **ord**,  \ntvå.\n\n  - a\n  - b\n'
    """
    return fast_markdown_with_links(cleaned_html)[0]


def fast_markdown_with_links(marked_html: str) -> tuple[str, list[LinkSpan]]:
    r"""Return the Markdown of a page, and which of its characters were the text of links.

    Args:
        marked_html: as `clean_html` gives it with `mark_links`.

    Raises:
        DeclinedError: it is too wide or too deep.

    >>> fast_markdown_with_links('<p>Se <a href="#">hit <b>och dit</b></a>!</p>')
    ('Se hit och dit\\!\n', [{'start': 3, 'end': 14}])
    """
    markdown, links, reason = dialect_markdown(marked_html)
    if reason:
        raise DeclinedError(Decline(reason))
    return markdown, links
