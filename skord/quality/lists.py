"""Lists of domains and addresses whose pages are not wanted.

A listed domain covers its subdomains. Hosts are compared as DNS knows them: in lower case,
without a final dot, other letters as punycode. An address without a readable host is on no
list of domains: it was good enough to fetch the page, and the published setting for this case
is called "keep".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from urllib.parse import urlsplit

from skord.crawl.urls import ascii_host, domains_over, host_of


def domain_set(lines: Iterable[str]) -> frozenset[str]:
    """A list of domains in the form that `is_listed_domain` compares.

    Blank lines are left out; of an address the host counts.

    >>> sorted(domain_set(["Example.com.", "blåbär.se", "", "http://a.example/b"]))
    ['a.example', 'example.com', 'xn--blbr-noae.se']
    """
    return frozenset(host for line in lines if (host := _listed_host(line.strip())))


def is_listed_domain(url: str, domains: Collection[str]) -> bool:
    """Whether the host of an address is a listed domain or lies under one.

    >>> listed = domain_set(["example.com"])
    >>> [is_listed_domain(url, listed) for url in
    ...     ("https://shop.Example.com/a", "https://notexample.com/", "http://[broken")]
    [True, False, False]
    """
    if not domains:
        return False
    return any(domain in domains for domain in domains_over(host_of(url)))


def url_set(lines: Iterable[str]) -> frozenset[str]:
    """A list of addresses in the form that `is_listed_url` compares.

    >>> sorted(url_set(["https://www.Example.com/a/#top", ""]))
    ['example.com/a']
    """
    return frozenset(address for line in lines if (address := plain_address(line.strip())))


def is_listed_url(url: str, urls: Collection[str]) -> bool:
    """Whether an address is a listed one, in whatever way it is written.

    >>> is_listed_url("HTTP://example.com/a", url_set(["https://www.example.com/a/"]))
    True
    """
    return bool(urls) and plain_address(url) in urls


def plain_address(url: str) -> str:
    """Host, port, path and query of an address; "" when it cannot be read.

    Scheme, user, a leading `www.`, fragment and final slash are left out: they seldom distinguish two
    pages apart. Path and query keep their case.

    >>> plain_address("https://www.Exempel.se:8443/A/?b=1#c")
    'exempel.se:8443/A/?b=1'
    """
    try:
        parts = urlsplit(url if "//" in url else f"//{url}")
        host = ascii_host(parts.hostname or "").removeprefix("www.")
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    query = f"?{parts.query}" if parts.query else ""
    path = parts.path if query else parts.path.rstrip("/")
    return f"{host}{port}{path}{query}" if host else ""


def _listed_host(line: str) -> str:
    return host_of(line) if "//" in line else ascii_host(line)
