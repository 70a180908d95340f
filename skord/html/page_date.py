"""When a page says that it was published."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import islice
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

EARLIEST = date(1990, 1, 1)
"""There was no web before; what is older is the date of what the page is about, or a default."""

_METAS = (
    "article:published_time", "og:article:published_time", "og:published_time", "datepublished",
    "dc.date.issued", "dcterms.issued", "dcterms.date", "dcterms.created", "dc.date.created",
    "dc.date", "publish-date", "publish_date", "publishdate", "publication_date", "pubdate",
    "article.published", "parsely-pub-date", "sailthru.date", "date",
)  # fmt: skip
"""Names and properties of `meta`, the surest first: Open Graph, schema.org, Dublin Core, others."""

_TIMES = (
    'time[itemprop="datePublished"]', "time[pubdate]", "article time[datetime]", "time[datetime]",
)  # fmt: skip
MOST_NODES, _MOST_PARENTS = 50, 100
"""Of a selector, and above a node, that are looked at."""

_MENTIONS = ("datePublished", "published", "<time", "<TIME", "date", "Date", "DATE")
"""A page without any of these says no date; it is not parsed."""

_OF_READERS = re.compile(
    r"(?:comment|kommentar|kommentti|kommentit|kommentaar|komentār|komentar|reply|replies|disqus"
    r"|review|anmeldels|athugasemd|ummæli)(?!\w*[-_](?:open|closed|link|count|number|status))"
)
"""How a class or an id begins of what readers wrote; `comments-open` is about an article."""
_OF_OTHER_PAGES = frozenset(("aside", "nav", "footer"))
_WHOLE = frozenset(("html", "body", "main"))
"""Elements whose classes are about the whole page."""

_OTHER_WORKS = frozenset(
    (
        "comment", "comments", "review", "reviews", "acceptedAnswer", "suggestedAnswer", "citation",
        "hasPart", "itemListElement", "mentions", "isBasedOn", "video", "image", "associatedMedia",
        "relatedLink", "isRelatedTo", "blogPost",
    )
)  # fmt: skip
"""Properties of schema.org whose values are other works than the page."""
_READERS_TYPES = frozenset(("Comment", "Answer", "UserComments", "UserReview"))

_ISO = re.compile(r"\s*(\d{4})([-/.]?)(\d{2})\2(\d{2})(?!\d)")
_DOTTED = re.compile(r"\s*(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)")
_STATED = re.compile(r'"datePublished"\s*:\s*"([^"]{8,40})"')


def page_date(html: str | bytes, latest: date | None) -> str | None:
    """The day, as 2024-03-01; None where the page does not say it so that one can be sure.

    Sources are JSON-LD and other data in scripts, `meta`, and `<time>`, in this order. Dates of
    comments, reviews and other works, before 1990 and later than the fetch are passed over.

    Args:
        html: of the page; bytes are UTF-8.
        latest: when it was fetched; a day later counts, since clocks differ over the world. None
            where nobody knows: then a date may lie in the future.

    >>> today = date(2024, 6, 1)
    >>> page_date('<meta name="dc.date" content="2023-05-01T08:00:00Z">', today)
    '2023-05-01'
    >>> page_date("<time datetime='2023-13-01'>i våras</time>", today)
    >>> page_date("<time datetime='2204-01-01'>snart</time>", today)
    """
    mentions = _MENTIONS if isinstance(html, str) else [word.encode() for word in _MENTIONS]
    if not any(word in html for word in mentions):  # type: ignore[operator]
        return None
    tree = LexborHTMLParser(html)
    for written in _written_dates(tree):
        day = _read_day(written)
        if day is None or day < EARLIEST:
            continue
        if latest is None or day - timedelta(days=1) <= latest:
            return day.isoformat()
    return None


def _written_dates(tree: LexborHTMLParser) -> Iterator[str]:
    for selector in ('script[type*="ld+json" i]', "script:not([src])"):
        for script in islice(tree.css(selector), MOST_NODES):
            text = script.text(deep=True)
            if "datePublished" in text:
                yield from _dates_of_linked_data(text)
    metas: dict[str, str] = {}
    for meta in tree.css("meta[content]"):
        attributes = meta.attributes
        name = (
            attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
        )
        if name.lower() in _METAS and not is_of_others(meta):
            metas.setdefault(name.lower(), attributes.get("content") or "")
    yield from (metas[name] for name in _METAS if name in metas)
    for selector in _TIMES:
        for node in islice(tree.css(selector), MOST_NODES):
            if not is_of_others(node):
                yield node.attributes.get("datetime") or ""
                break


def _dates_of_linked_data(text: str) -> Iterator[str]:
    """Values of `datePublished` of the page's own work, the outermost first."""
    try:
        values = list(linked_data_values(text, "datePublished"))
    except (ValueError, RecursionError):
        if not re.search(r'"(?:comments?|reviews?|suggestedAnswer)"', text):
            yield from _STATED.findall(text)
        return
    yield from (value for value in values if isinstance(value, str))


def linked_data_values(text: str, name: str) -> Iterator[Any]:
    """Values of a property of the page's own work in JSON-LD, the outermost first.

    Raises:
        ValueError, RecursionError: it is no JSON, or nested without end.
    """
    waiting: deque[Any] = deque([json.loads(text, strict=False)])
    while waiting:
        value = waiting.popleft()
        if isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict) and not _READERS_TYPES.intersection(_types_of(value)):
            if name in value:
                yield value[name]
            waiting.extend(
                inner
                for key, inner in value.items()
                if isinstance(inner, dict | list) and key not in _OTHER_WORKS
            )


def _types_of(thing: dict[str, Any]) -> list[str]:
    kinds = thing.get("@type")
    return [one for one in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(one, str)]


def is_of_others(node: LexborNode) -> bool:
    """Whether an element stands in what readers wrote, or beside the page's text."""
    parent: LexborNode | None = node
    is_beside = False
    for _ in range(_MOST_PARENTS):
        if parent is None or parent.tag in _WHOLE:
            break
        # An <aside> of an article may hold its date; one that holds articles has others'.
        is_beside = (is_beside or parent.tag in _OF_OTHER_PAGES) and parent.tag != "article"
        attributes = parent.attributes
        words = " ".join(attributes.get(name) or "" for name in ("class", "id", "itemprop"))
        kind = (attributes.get("itemtype") or "").rpartition("/")[2]
        if kind in _READERS_TYPES or any(map(_OF_READERS.match, words.lower().split())):
            return True
        parent = parent.parent
    return is_beside


def _read_day(written: str) -> date | None:
    """The day of a date of ISO 8601, or of one with dots, as the Nordic countries write it.

    >>> [str(_read_day(one)) for one in ("20240301", "2024/03/01 10:00", "1.3.2024", "2024-3")]
    ['2024-03-01', '2024-03-01', '2024-03-01', 'None']
    """
    if iso := _ISO.match(written):
        year, month, day = iso[1], iso[3], iso[4]
    elif dotted := _DOTTED.match(written):
        day, month, year = dotted.groups()
    else:
        return None
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
