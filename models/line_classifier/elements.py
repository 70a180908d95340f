"""What an element's tag, classes, ids and roles say, as numbers.

An element is written as `pipeline.transforms.line_context` writes it: "div .post-body #main".
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
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
    family.split("|")
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
_BITS = [
    (part, 1 << number)
    for number, family in enumerate(_FAMILIES, start=len(_TAG_NUMBERS))
    for part in family
]
_LITERAL = re.compile(r"[a-z_-]{3,}")
_PATTERNS = [
    (re.sub(r"\\b|\[.*\]", "", part), re.compile(part), bit)
    for part, bit in _BITS
    if not _LITERAL.fullmatch(part)
]
"""What a name must hold at least, the pattern, and the family's bit."""
_START = 3


def _by_start() -> dict[str, list[tuple[str, int]]]:
    """The other parts and their families' bits, by their first characters.

    Most names are of one site, seen once and of no family: so they are not searched for each part.
    """
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for part, bit in _BITS:
        if _LITERAL.fullmatch(part):
            found[part[:_START]].append((part, bit))
    return dict(found)


_LITERALS = _by_start()


def forget_elements() -> None:
    """Empty what is remembered of elements seen before: a measurement sees new pages."""
    element_says.cache_clear()
    _name_says.cache_clear()


def element_flags(element: str) -> int:
    """Tag, families of class names, and whether it is hidden: a bit each, FLAGS in all.

    >>> element_flags("div .post-body").bit_count(), element_flags("nav !hidden").bit_count()
    (3, 3)
    """
    return element_says(element)[0]


def element_tokens(element: str) -> tuple[int, ...]:
    """Buckets of the tag, of each class and id, and of the words these are made of.

    >>> set(element_tokens("div .postBody")) > set(element_tokens("div .body"))
    True
    """
    return element_says(element)[1]


@lru_cache(maxsize=50_000)
def element_says(element: str) -> tuple[int, tuple[int, ...]]:
    """The element's flags and tokens."""
    tag, *names = element.split(" ")
    flags = 1 << _TAG_NUMBERS[tag] if tag in _TAG_NUMBERS else 0
    tokens = {_bucket(f"<{tag}")}
    for name in names:
        of_name, its_tokens = _name_says(name)
        flags |= of_name
        tokens.update(its_tokens)
    return flags, tuple(sorted(tokens))


@lru_cache(maxsize=200_000)
def _name_says(name: str) -> tuple[int, list[int]]:
    """Families and buckets of one class, id or role, which hold no blank."""
    lower = name.lower()
    parts = [part.lower() for part in _PART.findall(name)]
    tokens = [name[0] + part for part in parts if not (part.isdigit() and len(part) == 1)]
    if len(parts) > 1:
        tokens.append(lower)
    return _families(lower), list(map(_bucket, tokens))


def _families(lower: str) -> int:
    """Bits of the families that a name in lower case is of; none spans two names."""
    flags = ("!hidden" in lower) << (FLAGS - 1)
    for at in range(len(lower) - _START + 1):
        for literal, bit in _LITERALS.get(lower[at : at + _START], ()):
            if lower.startswith(literal, at):
                flags |= bit
    for least, pattern, bit in _PATTERNS:
        if least in lower and pattern.search(lower):
            flags |= bit
    return flags


def _bucket(token: str) -> int:
    return zlib.crc32(token.encode()) % TOKEN_BUCKETS
