r"""What a page says of itself as a whole, as the names of an element around no line.

What kind of page it is, a shop's or a forum's, stands in its head and in its address rather than
in its lines: OpenGraph, schema.org's types, the program that made it, the words of its path.

| name | what it tells |
|---|---|
| `~og-article` | `og:type` |
| `~ld-product`, `~it-product` | a type of its linked data (JSON-LD), of its microdata |
| `~by-discourse` | first word of `<meta name=generator>` |
| `~has-product` | that it has `<meta>` of this kind, such as `product:price` |
| `~rel-next` | a `<link>` to a next, a previous or an AMP page |
| `~in-forum`, `~at-forum` | a word of its address that many sites have: of a folder, of the end |
| `~host-docs` | such a word of the host |
| `~dated`, `~asked` | a year in the path; a query |
| `~deep-3` | how many parts the path has, at most 5 |
| `~ends-long`, `~ends-number`, `~ends-html` | five words and more, a number, a file at its end |
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urlsplit

PAGE = "!page"
"""The tag, so to speak, of the element that holds the names; it stands after all others."""
LONG = 5
"""Words from which on the end of an address is a heading rather than a name."""
MOST_PARTS = 5

_TELLING_WORDS = """
    about abc aktuellt aktuelt answers api apps archive archives article articles artikel author
    blog blogg blogs board boards book books brand brands browse buy c career careers cat catalog
    categories category categoria co collection collections column comments community companies
    company contact courses cp d department directory discussion discussions doc docs
    documentation download dp event events explore f faq feature features forum forums frettir
    games gp group groups guide guides help home html i index industries info integrations item
    items itm jobs kategori kb kurser landing latest learn library list listing
    listings lists locations magazine man manual menu men news nyheder nyheter nyhet oppskrift
    opskrift opskrifter p page pages path people photo platform plans post posts pricing prod
    product products produkt produkter produktkategori profile projects publications q question
    questions r read recept recipe recipes ref reference releases reports resources results review
    reviews s search section series services service shop showthread sites solution solutions spec
    sport stories store story subject support t tag tags team theme thema thread threads title
    tjenester topic topics tours tutorial tutorials u uppskriftir use user users v videos viewforum
    viewtopic
    vefverslun vare varer w watch wiki women
"""
"""Of addresses; those that have fewer sites say more of the site than of the page."""
_TELLING = frozenset(_TELLING_WORDS.split())
_PART = re.compile(r"[a-z]+")
_YEAR = re.compile(r"/(?:19|20)\d\d(?:/|-|$)")


def page_element(facts: str, address: str) -> str:
    """The element that says what a page says of itself; "" where that is nothing.

    Args:
        facts: names that the HTML gives.
        address: of the page; "" if not known.

    >>> page_element("~og-article", "https://blog.example/2024/03/en-ny-bro-over-alven/")
    '!page ~og-article ~host-blog ~dated ~deep-3 ~ends-long'
    >>> page_element("", "")
    ''
    """
    names = " ".join([*facts.split(), *address_names(address)])
    return f"{PAGE} {names}" if names else ""


@lru_cache(maxsize=64)
def address_names(address: str) -> tuple[str, ...]:
    """What an address tells of the page, each name once.

    >>> address_names("https://www.shop.example/products/ullgenser?size=m")
    ('~host-shop', '~in-products', '~asked', '~deep-2')
    """
    try:
        parts = urlsplit(address.lower())
        hosts = (parts.hostname or "").split(".")[:-1]
    except ValueError:
        return ()
    if not parts.netloc:
        return ()
    folders = [folder for folder in parts.path.split("/") if folder]
    end = folders.pop() if folders else ""
    words = _PART.findall(end)
    names = [f"~host-{host}" for host in hosts if host in _TELLING]
    names += [f"~in-{w}" for folder in folders for w in _PART.findall(folder) if w in _TELLING]
    names += [f"~at-{word}" for word in words[:2] if word in _TELLING]
    names += ["~dated"] if _YEAR.search(parts.path) else []
    names += ["~asked"] if parts.query else []
    names.append(f"~deep-{min(len(folders) + bool(end), MOST_PARTS)}")
    names += ["~ends-long"] if len(words) >= LONG else []
    names += ["~ends-number"] if end.replace("-", "").isdigit() else []
    names += ["~ends-html"] if end.endswith((".html", ".htm", ".php", ".asp", ".aspx")) else []
    return tuple(dict.fromkeys(names))
