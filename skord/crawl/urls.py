"""Web addresses in the form in which removals compare them.

Whoever asks for a removal writes an address as a browser shows it, which is rarely as it was
crawled. What seldom tells two pages apart is dropped: a removal that takes a twin along errs on
the side of whoever asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote, unquote, urlsplit

_KEPT = "/%:@!$&'()*+,;=~-._?#[]|\\^`{}\"<> "
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")


def ascii_host(host: str) -> str:
    """A host as DNS has it: lower case, without a final dot, other letters as punycode.

    >>> ascii_host("Åmål.SE.")
    'xn--ml-xiab.se'
    """
    plain = host.lower().rstrip(".")
    if plain.isascii():
        return plain
    try:
        return plain.encode("idna").decode("ascii")
    except UnicodeError:  # a label that is too long: compare it as it stands
        return plain


def host_of(url: str) -> str:
    """The host of an address; "" when it has none that can be read."""
    try:
        return ascii_host(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def domains_over(host: str) -> Iterator[str]:
    """The host and every domain that it lies under.

    >>> list(domains_over("shop.example.se"))
    ['shop.example.se', 'example.se', 'se']
    """
    labels = host.split(".")
    return (".".join(labels[at:]) for at in range(len(labels)))


def canonical_domain(written: str) -> str:
    """A domain as it is compared.

    >>> canonical_domain("*.Example.se.")
    'example.se'

    Raises:
        ValueError: it is none, or has one label only and would take a whole country along.
    """
    domain = ascii_host(written.removeprefix("*.").strip("."))
    if "." not in domain or re.search(r"[\s/:@?]", domain):
        raise ValueError(f"{written!r} is no domain, such as example.se")
    return domain


def canonical_url(written: str) -> str:
    """An address as it is compared: host, port if unusual, path and query.

    Dropped are the scheme, user, a leading `www.`, the fragment, and one final slash of the
    path. Escapes of letters, digits and `-._~` are undone, others written in capitals; letters
    outside ASCII are escaped. Path and query keep their case and order.

    >>> canonical_url("https://WWW.Example.se/å/%7Eb/?q=%2f#mitt")
    'example.se/%C3%A5/~b?q=%2F'
    >>> canonical_url("http://example.se:80") == canonical_url("example.se/")
    True

    Raises:
        ValueError: it has no host.
    """
    parts = urlsplit(written if "//" in written else f"//{written}")
    host = ascii_host(parts.hostname or "")
    if not host:
        raise ValueError(f"{written!r} is no web address")
    port = f":{parts.port}" if parts.port not in (None, 80, 443) else ""
    path = canonical_escapes(parts.path).removesuffix("/")
    query = f"?{canonical_escapes(parts.query)}" if parts.query else ""
    return f"{host.removeprefix('www.')}{port}{path}{query}"


def canonical_origin(written: str) -> str:
    """Scheme, host and port of an address: what one robots.txt speaks for (RFC 9309 §2.3).

    >>> canonical_origin("HTTPS://Example.se:443/robots.txt")
    'https://example.se'

    Raises:
        ValueError: it is no web address.
    """
    parts = urlsplit(written)
    host = ascii_host(parts.hostname or "")
    scheme = parts.scheme.lower()
    if scheme not in ("http", "https") or not host:
        raise ValueError(f"{written!r} is no web address")
    port = f":{parts.port}" if parts.port not in (None, 80 if scheme == "http" else 443) else ""
    return f"{scheme}://{host}{port}"


def path_of(url: str) -> str:
    """Path and query, escaped as RFC 9309 §2.2.2 compares them; "/" when there is none.

    >>> path_of("https://example.se/å?b=%c3%a4")
    '/%C3%A5?b=%C3%A4'
    """
    parts = urlsplit(url)
    path = parts.path or "/"
    return canonical_escapes(f"{path}?{parts.query}" if parts.query else path)


def canonical_escapes(text: str) -> str:
    """The same text with the same escapes, however it was written.

    >>> canonical_escapes("/%61%2fb/%C3%a5/ö")
    '/a%2Fb/%C3%A5/%C3%B6'
    """
    return _ESCAPE.sub(_canonical_escape, quote(text.encode(errors="surrogatepass"), safe=_KEPT))


def _canonical_escape(escape: re.Match[str]) -> str:
    plain = unquote(escape[0], errors="replace")
    harmless = plain.isascii() and (plain.isalnum() or plain in "-._~")
    return plain if harmless else escape[0].upper()
