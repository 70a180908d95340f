"""What an element's tag, classes, ids and roles say, as numbers.

An element is written as `pipeline.transforms.line_context` writes it: "div .post-body #main".
"""

from __future__ import annotations

import re
import zlib
from functools import lru_cache

TOKEN_BUCKETS = 1 << 13

_TAGS = (
    "nav header footer aside main article section form figure figcaption table td th ul ol li dl"
    " dd blockquote pre p h1 h2 h3 h4 details dialog address center"
)
_TAG_NUMBERS = {tag: number for number, tag in enumerate(_TAGS.split())}
FRAMES = sum(1 << _TAG_NUMBERS[tag] for tag in ("nav", "footer", "aside"))
"""The flags of elements that hold no main text (WHATWG HTML, section 4.3)."""
_FAMILIES = tuple(
    re.compile(family)
    for family in (
        r"comment|disqus|reply|respond|kommentar",
        r"relat|recommend|teaser|more-|readmore|popular|trending|latest|also",
        r"share|social|facebook|twitter|follow",
        r"nav|menu|breadcrumb|crumb|toc\b|pagination|pager",
        r"sidebar|side-|widget|rail|aside|complementary",
        r"foot|bottom|copyright|contentinfo",
        r"head|masthead|topbar|banner|logo",
        r"\bad\b|\bads\b|advert|promo|sponsor|\bad[-_]|outbrain|taboola",
        r"cookie|consent|gdpr|modal|popup|overlay|newsletter|subscribe|signup|login|paywall",
        r"caption|credit|figure|image|photo|gallery|media",
        r"author|byline|meta\b|date|time|publish|bio\b",
        r"tag|categor|topic|label",
        r"article|entry|story|post\b|single|hentry|blogpost",
        r"content|body|text|prose|markdown|copy\b",
        r"articlebody|article-body|entry-content|post-content|post-body|article__body"
        r"|story-body|main-content|page-content",
        r"hidden|hide|sr-only|screen-reader|visually|collapsed|noprint",
        r"search|filter|form|input",
        r"list|grid|card|item|feed",
    )
)
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+")
FLAGS = len(_TAG_NUMBERS) + len(_FAMILIES) + 1


@lru_cache(maxsize=50_000)
def element_flags(element: str) -> int:
    """Tag, families of class names, and whether it is hidden: a bit each, FLAGS in all.

    >>> element_flags("div .post-body").bit_count(), element_flags("nav !hidden").bit_count()
    (3, 3)
    """
    tag, _, names = element.partition(" ")
    flags = 1 << _TAG_NUMBERS[tag] if tag in _TAG_NUMBERS else 0
    if names:
        lower = names.lower()
        found = [family.search(lower) is not None for family in _FAMILIES]
        for number, true in enumerate([*found, "!hidden" in lower], start=len(_TAG_NUMBERS)):
            flags |= true << number
    return flags


@lru_cache(maxsize=50_000)
def element_tokens(element: str) -> tuple[int, ...]:
    """Buckets of the tag, of each class and id, and of the words these are made of.

    >>> set(element_tokens("div .postBody")) > set(element_tokens("div .body"))
    True
    """
    tag, *names = element.split(" ")
    tokens = {f"<{tag}"}
    for name in names:
        parts = [part.lower() for part in _PART.findall(name)]
        tokens.update(name[0] + part for part in parts if not (part.isdigit() and len(part) == 1))
        if len(parts) > 1:
            tokens.add(name.lower())
    return tuple(sorted({zlib.crc32(t.encode()) % TOKEN_BUCKETS for t in tokens}))
