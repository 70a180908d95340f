"""What an element's tag, classes, ids and roles say, as numbers.

An element is written as `skord.html.line_context` writes it: "div .post-body #main".
Class names of a site not met before are most of what there is to read, so compiled code reads
them (`skord.native`, element_names). `read_plainly` is its definition, and reads the few
elements that are not ASCII, whose small letters and words Python's own tables tell.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from skord.models.line_classifier.array_types import Ints
from skord.native import ElementReader, element_reader, read_elements

TOKEN_BUCKETS = 1 << 13

TAGS = [
    *("nav", "header", "footer", "aside", "main", "article", "section", "form", "figure"),
    *("figcaption", "table", "td", "th", "ul", "ol", "li", "dl", "dd", "blockquote", "pre", "p"),
    *("h1", "h2", "h3", "h4", "details", "dialog", "address", "center"),
]
FAMILIES = [
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
    r"!hidden",
    r"dialog|banner-sdk|cmp\b|didomi|cybot|onetrust|samtyck|samtykk",
    r"product|\bsku|price|\bpris\b|specif|ingredient",
    r"cart|basket|buy|variant|swatch|quantity|stock|shipping|checkout",
    r"review|rating|star|testimonial|quote",
    r"tab\b|tabs|tabpanel|accordion|collaps|toggle|faq|expand",
    r"thread|message|postbody|reply-|discussion|answer|question|cooked",
    r"user|avatar|profile|signature|member",
    r"hero|feature|pricing|benefit|cta\b|plan\b|plans\b|solution",
    r"carousel|slider|swiper|slick|glide",
    r"toolbar|action|button|btn|control",
]
"""Patterns with a flag each, of the kind that `skord.native.element_reader` takes."""
FLAGS = len(TAGS) + len(FAMILIES)
FRAME_ROLES = (
    r"@navigation\b|@menubar\b|@complementary\b|@contentinfo\b|@search\b|@toolbar\b"
    r"|@dialog\b|@alertdialog\b"
)
"""Roles of elements that hold no main text (WAI-ARIA 1.2, sections 5.3.3 to 5.3.5). Their flag is
one more than FLAGS counts: a rule goes by it, and no feature."""
FRAMES = sum(1 << TAGS.index(tag) for tag in ("nav", "footer", "aside", "dialog")) | 1 << FLAGS
"""The flags of elements that hold no main text (WHATWG HTML, sections 4.3 and 4.11.4), and that of
FRAME_ROLES."""
MENU_NAMES = r"nav|menu|crumb|pagination|pager"
"""Names of what holds menus, trails and numbers of pages, whose links are no main text. Their flag
comes after that of FRAME_ROLES, and is for a rule alone, too."""
MENUS = 1 << FLAGS + 1
FIGURE, CAPTION, NAMED_NOTE, NOTE_BY_ROLE = 1, 2, 4, 8
"""What an element is to the text: `<figure>` and `<figcaption>`, and what WordPress calls so; notes by
the ids of Pandoc, Kramdown, Hugo, MediaWiki, WordPress and Word, and by the roles of DPUB-ARIA."""
_RULED = (*FAMILIES, FRAME_ROLES, MENU_NAMES)
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+")


class ElementNames(NamedTuple):
    """What elements say of themselves.

    Attributes:
        flags: tag, families of class names, and whether it is hidden: a bit each, FLAGS in all, and
            one each for FRAME_ROLES and MENU_NAMES; shape [elements].
        tokens: buckets of the tag, of each class and id, and of the words these are made of;
            ascending, each once, one element after the other.
        token_starts: where each element's tokens start, and the end; shape [elements + 1].
        alike: for each element the number of the first that is called alike; shape [elements].
        kinds: of each the sum of FIGURE, CAPTION, NAMED_NOTE and NOTE_BY_ROLE, a byte each.
    """

    flags: Ints
    tokens: Ints
    token_starts: Ints
    alike: Ints
    kinds: bytes


def read_element_names(elements: Sequence[str]) -> ElementNames:
    """Flags and tokens of a page's elements.

    >>> features = read_element_names(["div .post-body", "ul", "div .blå-post"])
    >>> features.token_starts.tolist(), np.bitwise_count(features.flags).tolist()
    ([0, 4, 5, 10], [3, 1, 1])
    """
    *arrays, kinds = read_elements(_reader(), list(elements))
    flags, tokens, starts, alike, unread = (np.frombuffer(array, np.int64) for array in arrays)
    if not unread.size:
        return ElementNames(flags, tokens, starts, alike, kinds)
    known = {first: read_plainly(elements[first]) for first in unread.tolist()}
    flags, sizes = flags.copy(), np.diff(starts, prepend=0)
    places: list[int] = []
    added: list[int] = []
    for at in np.flatnonzero(np.isin(alike, unread)).tolist():
        flags[at], its_tokens = known[alike[at]]
        sizes[at + 1] = len(its_tokens)
        places += [starts[at]] * len(its_tokens)
        added += its_tokens
    return ElementNames(flags, np.insert(tokens, places, added), np.cumsum(sizes), alike, kinds)


@cache
def _reader() -> ElementReader:
    return element_reader(TAGS, list(_RULED), TOKEN_BUCKETS)


def read_plainly(element: str) -> tuple[int, list[int]]:
    """Flags and tokens of one element, by Python alone.

    >>> flags, tokens = read_plainly("div .post-body")
    >>> flags.bit_count(), set(tokens) > set(read_plainly("div .body")[1])
    (3, True)
    """
    tag, *names = element.split(" ")
    flags = 1 << TAGS.index(tag) if tag in TAGS else 0
    words = {f"<{tag}"}
    for name in names:
        for number, family in enumerate(_RULED, start=len(TAGS)):
            flags |= bool(re.search(family, name.lower())) << number
        words.update(_words(name))
    return flags, sorted({zlib.crc32(word.encode()) % TOKEN_BUCKETS for word in words})


def _words(name: str) -> list[str]:
    """The words of one class, id or role, each behind its mark, and it all if they are more.

    >>> _words(".postBody-2")
    ['.post', '.body', '.postbody-2']
    """
    parts = [part.lower() for part in _PART.findall(name)]
    words = [name[0] + part for part in parts if not (part.isdigit() and len(part) == 1)]
    return [*words, name.lower()] if len(parts) > 1 else words
