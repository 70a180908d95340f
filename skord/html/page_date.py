"""When a page says that it was published."""

from __future__ import annotations

import re
from datetime import date

from selectolax.lexbor import LexborHTMLParser

SELECTORS = (
    ('meta[property="article:published_time"]', "content"),
    ('meta[itemprop="datePublished"]', "content"),
    ('meta[name="DC.date.issued" i]', "content"),
    ('meta[name="date" i]', "content"),
    ("article time[datetime]", "datetime"),
    ("time[datetime]", "datetime"),
)
"""Where pages say it, the surest place first."""

_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})(?!\d)")
_STRUCTURED = re.compile(r'"datePublished"\s*:\s*"(\d{4}-\d{2}-\d{2})')


def page_date(html: str) -> str | None:
    """The day, as 2024-03-01; None where the page does not say it so that one can be sure.

    Looked at are Open Graph's and schema.org's `meta`, Dublin Core, JSON-LD, and `<time>`.

    >>> page_date('<meta property="article:published_time" content="2023-05-01T08:00:00Z">')
    '2023-05-01'
    >>> page_date("<time datetime='2023-13-01'>i våras</time>")
    """
    tree = LexborHTMLParser(html)
    written = (
        node.attributes.get(name) or "" for css, name in SELECTORS for node in tree.css(css)[:1]
    )
    days = (match[1] for text in written if (match := _DAY.match(text)))
    stated = _STRUCTURED.search(html)
    for day in (*([stated[1]] if stated else []), *days):
        try:
            return date.fromisoformat(day).isoformat()
        except ValueError:
            continue
    return None
