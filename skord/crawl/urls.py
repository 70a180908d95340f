"""Web addresses in the forms in which removals, robots.txt rules and the crawl's index compare them.

Whoever asks for a removal writes an address as a browser shows it, which is rarely as it was
crawled. What seldom tells two pages apart is dropped: a removal that takes a twin along errs on
the side of whoever asked.
"""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Collection, Iterator
from urllib.parse import quote, unquote, unquote_to_bytes, urlsplit

import idna

_KEPT = "/%:@!$&'()*+,;=~-._?#"
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_ORDINARY = frozenset("!$'()*,;:@")
"""Signs that mean the same in an address whether they are escaped or not."""
_MAX_HOST_CHARS = 1000
"""DNS has 253; what is far longer is no host, and punycode takes time with the square of it."""


def ascii_host(host: str) -> str:
    """A host as DNS has it: lower case, without a final dot, other letters as punycode.

    By UTS #46 without transitional mappings, as browsers read a host: IDNA 2008, and signs that it
    does not know (emoji) as they are.

    >>> ascii_host("Åmål.SE."), ascii_host("faß.de"), ascii_host("%C3%A5.se")
    ('xn--ml-xiab.se', 'xn--fa-hia.de', 'xn--5ca.se')
    """
    plain = (unquote(host) if "%" in host else host).lower().rstrip(".")
    if plain.isascii() or len(plain) > _MAX_HOST_CHARS:
        return plain
    try:
        mapped = idna.uts46_remap(plain, std3_rules=False, transitional=False)
    except idna.IDNAError:
        mapped = plain
    return ".".join(map(_ascii_label, mapped.split("."))).rstrip(".")


def _ascii_label(label: str) -> str:
    return label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}"


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
    path. Escapes of letters, digits and `-._~!$'()*,;:@` are undone, others written in capitals;
    blanks, letters outside ASCII and the signs that browsers escape are escaped, and a `+` of the
    query is a blank. Path and query keep their case and order.

    >>> canonical_url("https://WWW.Example.se/å/%7Eb/?q=%2f#mitt")
    'example.se/%C3%A5/~b?q=%2F'
    >>> canonical_url("http://example.se:80") == canonical_url("example.se/")
    True
    >>> canonical_url("example.se/Ö_(s%C3%B6)?a b"), canonical_url("example.se/%c3%96_%28sö%29?a+b")
    ('example.se/%C3%96_(s%C3%B6)?a%20b', 'example.se/%C3%96_(s%C3%B6)?a%20b')

    Raises:
        ValueError: it has no host.
    """
    parts = urlsplit(written if "//" in written else f"//{written}")
    host = ascii_host(parts.hostname or "")
    if not host:
        raise ValueError(f"{written!r} is no web address")
    port = f":{parts.port}" if parts.port not in (None, 80, 443) else ""
    path = canonical_escapes(parts.path, _ORDINARY).removesuffix("/")
    query = canonical_escapes(parts.query.replace("+", "%20"), _ORDINARY)
    return f"{host.removeprefix('www.')}{port}{path}{f'?{query}' if query else ''}"


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

    The `?` of an empty query stays: rules name it (`Disallow: /search?`).

    >>> path_of("https://example.se/å?b=%c3%a4"), path_of("https://example.se?")
    ('/%C3%A5?b=%C3%A4', '/?')
    """
    behind = re.sub(r"^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*", "", url).partition("#")[0]
    return canonical_escapes(behind if behind.startswith("/") else f"/{behind}")


def canonical_escapes(text: str, unescaped: Collection[str] = ()) -> str:
    """The same text with the same escapes, however it was written.

    Args:
        text: path or query of an address, or a pattern of robots.txt.
        unescaped: further signs than `-._~` and letters whose escapes are undone.

    >>> canonical_escapes("/%61%2fb c/%C3%a5/ö")
    '/a%2Fb%20c/%C3%A5/%C3%B6'
    """
    escaped = quote(text.encode(errors="surrogatepass"), safe=_KEPT)

    def canonical_escape(escape: re.Match[str]) -> str:
        plain = unquote(escape[0], errors="replace")
        harmless = plain.isascii() and (plain.isalnum() or plain in "-._~" or plain in unescaped)
        return plain if harmless else escape[0].upper()

    return _ESCAPE.sub(canonical_escape, escaped)


_SCHEMES = re.compile(r"(?:https?://)*(https?://)", re.IGNORECASE)
_PARTS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?", re.DOTALL)
_WWW = re.compile(rb"www\d*\.")
_NUMBER_HOST = re.compile(rb"(?:[1-9]\d*(?:\.\d+){0,3}|0[0-7]*(?:\.[0-7]+){0,3})")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_PRINTABLE = bytes(range(0x21, 0x7F)).translate(None, b"#%").decode()
_MAX_UNESCAPINGS = 50
"""How many times escapes of escapes are undone, which takes time with the square of the length."""

_PATH_SESSIONS = (
    re.compile(rb"(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)", re.IGNORECASE | re.DOTALL),
    re.compile(rb"(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)", re.IGNORECASE | re.DOTALL),
)
_QUERY_SESSIONS = tuple(
    re.compile(rb"(.*)(?:" + session + rb")(?:&(.*))?", re.IGNORECASE | re.DOTALL)
    for session in (
        rb"jsessionid=[0-9a-z]{32}",
        rb"phpsessid=[0-9a-z]{32}",
        rb"sid=[0-9a-z]{32}",
        rb"aspsessionid[a-z]{8}=[a-z]{24}",
        rb"cfid=(?:(?!cfid=)[^&])++&cftoken=[^&]++",
    )
)
"""Ids of visits that the index leaves out, in its order."""


def surt_of(url: str) -> str:
    """The sort key of an address in a crawl's index (Sort-friendly URI Reordering Transform).

    As the Internet Archive's canonicalizer has it, by which Common Crawl's index is sorted: escapes
    are undone and made anew, letters are lower case, the host is turned around without `www.`, dots
    and empty segments of the path are resolved, parameters are sorted; scheme, user, default port,
    fragment, session ids and a final slash go.

    Raises:
        ValueError: the address has no host, or an impossible port.

    >>> surt_of("https://www.Example.se:443/a/../Om/?b=2&a=%C3%85")
    'se,example)/om?a=%c3%85&b=2'
    """
    plain = re.sub(r"[\t\r\n]", "", url.strip(" \t\r\n\f\v"))
    scheme, authority, path, query = _split_address(_SCHEMES.sub(r"\1", plain, count=1))
    parts = urlsplit(f"//{authority.rstrip(':')}")
    host = _index_host(parts.hostname or "")
    if not host:
        raise ValueError(f"no host in {url!r}")
    port = "" if parts.port in (None, _DEFAULT_PORTS.get(scheme)) else f":{parts.port}"
    shown = _escaped(_resolved_path(_unescaped(path))).lower()
    for session in _PATH_SESSIONS:
        if match := session.fullmatch(shown):
            shown = match[1] + match[2]
    shown = shown[:-1] if len(shown) > 1 and shown.endswith(b"/") else shown
    parameters = _index_query(_escaped(_unescaped(query)))
    key = b",".join(reversed(host.split(b"."))) + port.encode() + b")" + shown + parameters
    return key.decode("ascii")


def _split_address(url: str) -> tuple[str, str, str, str]:
    """Scheme, authority, path and query; what has no scheme has none of them."""
    match = _PARTS.match(url)
    scheme, authority, path, query = (part or "" for part in match.groups()) if match else [""] * 4
    if not authority and scheme.lower() in _DEFAULT_PORTS:
        authority, _, path = path.lstrip("/").partition("/")
        path = f"/{path}"
    return scheme.lower(), authority, path, query


def _unescaped(text: str) -> bytes:
    stored = text.encode(errors="surrogatepass")
    for _ in range(_MAX_UNESCAPINGS):
        plain = unquote_to_bytes(stored)
        if plain == stored:
            break
        stored = plain
    return stored


def _escaped(plain: bytes) -> bytes:
    return quote(plain, safe=_PRINTABLE).encode("ascii")


def _index_host(host: str) -> bytes:
    name = _unescaped(host)
    if not name.isascii():
        name = ascii_host(name.decode("utf-8", "ignore")).encode(errors="ignore")
    name = name.replace(b"..", b".").strip(b".")
    if name.isdigit():
        number = int(name[-_MAX_HOST_CHARS:]) & 0xFFFFFFFF
        name = socket.inet_ntoa(number.to_bytes(4, "big")).encode()
    elif _NUMBER_HOST.fullmatch(name):
        with contextlib.suppress(OSError):  # four numbers, and one is too large: a name
            name = socket.inet_ntoa(socket.inet_aton(name.decode())).encode()
    lowered = _escaped(name.lower())
    www = _WWW.match(lowered)
    return lowered[www.end() :] if www else lowered


def _resolved_path(path: bytes) -> bytes:
    """Without `.`, `..` and empty segments; a final slash stays."""
    kept: list[bytes] = []
    for segment in path.split(b"/")[1:]:
        if segment == b".." and kept:
            kept.pop()
        elif segment != b".":
            kept.append(segment)
    *above, last = kept or [b""]
    return b"/" + b"".join(segment + b"/" for segment in above if segment) + last


def _index_query(query: bytes) -> bytes:
    for session in _QUERY_SESSIONS:
        if match := session.fullmatch(query):
            query = match[1] + (match[2] or b"")
    pairs = sorted(parameter.split(b"=", 1) for parameter in query.lower().split(b"&"))
    ordered = b"&".join(b"=".join(pair) for pair in pairs) if len(query) > 1 else query.lower()
    return b"?" + ordered if ordered else b""
