"""Who a page says wrote it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from itertools import islice
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from skord.html.page_date import MOST_NODES, is_of_others, linked_data_values

_METAS = (
    "author", "article:author", "parsely-author", "sailthru.author", "dc.creator",
    "dcterms.creator", "citation_author", "byl",
)  # fmt: skip
_MARKED = ('[itemprop="author"] [itemprop="name"]', '[itemprop="author"]', '[rel="author"]')
_MOST_CHARS = 200
_MENTIONS = (b"author", b"Author", b"AUTHOR", b"creator", b"Creator", b"byl")


def page_author(html: bytes) -> str | None:
    """The name, several joined by "; "; None where the page does not say it.

    Sources are JSON-LD, `meta` (schema.org, Open Graph, Dublin Core) and elements that are marked as
    the author's name, in this order. Addresses are no names.

    Args:
        html: of the page, in UTF-8.

    >>> page_author(b'<meta name="author" content="Anna  Berg">')
    'Anna Berg'
    >>> page_author(b'<script type="application/ld+json">'
    ...     b'{"@type": "Article", "author": [{"name": "A. Berg"}, {"name": "B. Dal"}]}</script>')
    'A. Berg; B. Dal'
    >>> page_author(b'<meta property="article:author" content="https://x.example/anna">')
    """
    if not any(word in html for word in _MENTIONS):
        return None
    for names in _written_authors(LexborHTMLParser(html)):
        plain = (" ".join(name.split()) for name in names)
        kept = dict.fromkeys(name for name in plain if name and "://" not in name)
        if kept and len(joined := "; ".join(kept)) <= _MOST_CHARS:
            return joined
    return None


def _written_authors(tree: LexborHTMLParser) -> Iterator[list[str]]:
    for script in islice(tree.css('script[type*="ld+json" i]'), MOST_NODES):
        text = script.text(deep=True)
        if '"author"' in text:
            with contextlib.suppress(ValueError, RecursionError):
                yield from (_names(value) for value in list(linked_data_values(text, "author")))
    metas: dict[str, list[str]] = {}
    for meta in tree.css("meta[content]"):
        attributes = meta.attributes
        name = (attributes.get("name") or attributes.get("property") or "").lower()
        if name in _METAS:
            metas.setdefault(name, []).append(attributes.get("content") or "")
    yield from (metas[name] for name in _METAS if name in metas)
    for selector in _MARKED:
        nodes = islice(tree.css(selector), MOST_NODES)
        yield [node.text(deep=True) for node in nodes if not is_of_others(node)][:1]


def _names(value: Any) -> list[str]:
    """Names in a value of JSON-LD: a name, a thing with one, or several."""
    if isinstance(value, list):
        return [name for one in value for name in _names(one)]
    if isinstance(value, dict):
        value = value.get("name")
    return [value] if isinstance(value, str) else []
