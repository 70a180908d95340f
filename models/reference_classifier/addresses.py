"""One form for the many ways to write the URL of a page, and the site that a page is of."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote_to_bytes, urlsplit

from skord.crawl.urls import ascii_host, surt_of
from skord.text.entities import unescape_html

# A copy in an archive stands for the page that was copied.
_ARCHIVED = re.compile(
    r"(?:https?:)?//(?:web\.archive\.org/(?:web/)?|archive\.(?:today|is|ph|fo|li|md|vn)/)"
    r"\d{4,14}[a-z_*]*/(?=(?:https?:)?/?/?)",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"(https?):/*", re.IGNORECASE)
# Parameters that say who sent the reader, not which page is meant.
_TRACKING = re.compile(r"(?:utm_\w+|fbclid|gclid|mc_cid|mc_eid|cmpid)(?:=|$)", re.IGNORECASE)
# Labels under a country code that are no site of their own: bbc.co.uk, but sverigesradio.se.
_SHARED_LABELS = frozenset({"ac", "co", "com", "edu", "go", "gov", "gob", "ne", "net", "or", "org"})


def page_key(url: str) -> str | None:
    """The key under which all spellings of a page's URL meet; None for what is no web page.

    It is the sort key of Common Crawl's index (`surt_of`): without scheme, "www.", default
    port and fragment, lower case, parameters sorted. Beyond that, a copy in a web archive
    counts as its original, tracking parameters go, and letters outside of ASCII are the
    same whether they are percent-encoded or not.

    >>> page_key("http://www.Example.se/Om/?utm_source=x#top")
    'se,example)/om'
    >>> page_key("https://web.archive.org/web/2012/http://blåbär.se/mossa/å")
    'se,xn--blbr-noae)/mossa/%c3%a5'
    >>> page_key("mailto:a@example.se") is page_key("http://[") is None
    True
    """
    plain = _original_url(unescape_html(url.strip()))
    try:
        parts = urlsplit(plain)
        if parts.scheme not in ("http", "https"):
            return None
        host = ascii_host(parts.hostname or "")
        port = f":{parts.port}" if parts.port else ""
        query = "&".join(p for p in parts.query.split("&") if p and not _TRACKING.match(p))
        wanted = (
            f"{_percent_encoded(parts.path)}?{_percent_encoded(query)}"
            if query
            else _percent_encoded(parts.path)
        )
        return surt_of(f"{parts.scheme}://{host}{port}{wanted}")
    except ValueError:
        return None


def site_of(url: str) -> str:
    """The site of a page: the domain somebody registered, as far as labels show.

    The last two labels of the host, or three where the last but one is shared by all sites of
    a country. There is no list of public suffixes behind it, so the blogs of one host count
    as one site: for parting sites that is the safe mistake.

    >>> [site_of(url) for url in ("https://www.ruv.is/a", "http://news.bbc.co.uk", "a b")]
    ['ruv.is', 'bbc.co.uk', '']
    """
    key = page_key(url)
    if key is None:
        return ""
    labels = key.partition(")")[0].partition(":")[0].split(",")
    if all(label.isdecimal() for label in labels):
        return ".".join(reversed(labels))
    shared = len(labels) > 2 and len(labels[0]) == 2 and labels[1] in _SHARED_LABELS
    return ".".join(reversed(labels[: 3 if shared else 2]))


def _original_url(url: str) -> str:
    """Without the archive before it, and with a scheme."""
    while archived := _ARCHIVED.match(url):
        url = url[archived.end() :]
        if not _SCHEME.match(url):
            url = f"http://{url.lstrip('/')}"
    if url.startswith("//"):
        return f"https:{url}"
    return _SCHEME.sub(lambda match: f"{match[1].lower()}://", url, count=1)


def _percent_encoded(part: str) -> str:
    """Percent-encoded in one way: what needs no encoding has none."""
    return quote(unquote_to_bytes(part), safe="/:@!$&'()*+,;=~?")
