"""What is to be taken out of a corpus: domains, addresses, ids, texts, and robots.txt rules.

How each kind is compared:

* `domain`: covers the domain and all its subdomains; case and a final dot do not count, and
  letters outside ASCII are compared as DNS has them (punycode).
* `url`: see `addresses.canonical_url`. http and https, a leading `www.`, the fragment and a
  final slash make no difference; the query does.
* `id`: the page's WARC-Record-ID, with or without `urn:uuid:` and brackets.
* `text`: SHA-256 of the text as exported, in UTF-8; takes out every page with that text.
* `robots`: the rules of one site (scheme, host, port) for one crawler, by RFC 9309.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from skord.crawl import robots
from skord.crawl.urls import (
    canonical_domain,
    canonical_origin,
    canonical_url,
    domains_over,
    host_of,
)

AGENT = "CCBot"
"""The crawler of Common Crawl, as robots.txt files name it."""

DIGEST_BYTES = 12
"""Bytes of a text's SHA-256 that tables keep; an entry's whole digest begins with them."""

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class RemovalKind(StrEnum):
    """What an entry names."""

    domain = "domain"
    url = "url"
    id = "id"
    text = "text"
    robots = "robots"


@dataclass(frozen=True)
class Entry:
    """One thing to be taken out.

    Attributes:
        kind: a `RemovalKind` or its value.
        value: in the form in which it is compared, as `comparable_entry` makes it.
        rules: of kind `robots`, the rules as `robots_lines` writes them.
        added: the list that it came with; lists sort by name in the order in which they came.
    """

    kind: str
    value: str
    rules: str | None = None
    added: str = ""


@dataclass(frozen=True)
class Match:
    """Why a page is taken out: the entry that names it, as in `Entry`."""

    kind: str
    value: str
    added: str = ""


def comparable_entry(kind: str, written: str, rules: str | None = None) -> Entry:
    """An entry as it is compared.

    >>> comparable_entry("domain", "*.Åmål.se.").value, comparable_entry("url", "HTTP://www.Example.se:80/a/#x").value
    ('xn--ml-xiab.se', 'example.se/a')

    Raises:
        ValueError: it is none of that kind.
    """
    return Entry(str(RemovalKind(kind)), _CANONICAL[RemovalKind(kind)](written.strip()), rules)


def stored_entry(kind: str, value: str, rules: str | None, added: str) -> Entry:
    """An entry of a list as it is compared today, whichever version wrote the list.

    >>> stored_entry("url", "example.se/a b", None, "000001-ab.parquet").value
    'example.se/a%20b'
    """
    if kind == RemovalKind.url:
        value = canonical_url(value)
    return Entry(kind, value, rules, added)


def robots_entries(address: str, text: str, agents: Iterable[str] = (AGENT,)) -> list[Entry]:
    """What the robots.txt of a site forbids to these crawlers; nothing if it forbids nothing.

    >>> robots_entries("https://example.se/robots.txt", "User-agent: *\\nDisallow: /x")
    [Entry(kind='robots', value='https://example.se', rules='Disallow: /x', added='')]

    Raises:
        ValueError: the address is none of the web.
    """
    rules_of_agents = (robots.rules_for(text, agent) for agent in agents)
    forbidding = {
        robots.robots_lines(rules) for rules in rules_of_agents if robots.forbids_anything(rules)
    }
    return [comparable_entry(RemovalKind.robots, address, lines) for lines in sorted(forbidding)]


def canonical_id(written: str) -> str:
    """A document's id.

    >>> canonical_id("<urn:uuid:6B7A1F9C-0E3A-4B7B-9C55-7D2A1E0F3C11>")
    'urn:uuid:6b7a1f9c-0e3a-4b7b-9c55-7d2a1e0f3c11'
    """
    plain = written.strip("<>").lower().removeprefix("urn:uuid:")
    if not _UUID.fullmatch(plain):
        raise ValueError(f"{written!r} is no id, such as urn:uuid:6b7a1f9c-…")
    return f"urn:uuid:{plain}"


def canonical_digest(written: str) -> str:
    """A SHA-256 digest in lower case, without the name of the algorithm."""
    plain = written.lower().removeprefix("sha256:")
    if not _SHA256.fullmatch(plain):
        raise ValueError(f"{written!r} is no SHA-256 digest: 64 hexadecimal digits")
    return plain


def text_digest(text: str) -> bytes:
    """The first bytes of a text's SHA-256.

    >>> text_digest("å").hex()
    'e83979df9d36090142f23051'
    """
    return hashlib.sha256(text.encode()).digest()[:DIGEST_BYTES]


_CANONICAL: Mapping[RemovalKind, Callable[[str], str]] = {
    RemovalKind.domain: canonical_domain,
    RemovalKind.url: canonical_url,
    RemovalKind.id: canonical_id,
    RemovalKind.text: canonical_digest,
    RemovalKind.robots: canonical_origin,
}


@dataclass(frozen=True)
class Removals:
    """Entries, ready to be compared with pages.

    >>> removals = Removals((comparable_entry("domain", "example.se"),))
    >>> removals.match("urn:uuid:…", "https://shop.example.se/a", b"")
    Match(kind='domain', value='example.se', added='')
    """

    entries: tuple[Entry, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.entries)

    def match(self, page_id: str, url: str, digest: bytes) -> Match | None:
        """The entry that names a page, the one that came first; None when it may stay.

        So what is found does not change when lists are added.
        """
        matches = (
            *self._named(RemovalKind.id, [page_id]),
            *self._named(RemovalKind.domain, domains_over(host_of(url))),
            *self._named(RemovalKind.url, [_or_empty(canonical_url, url)]),
            *filter(None, [self._texts.get(digest)]),
            *self._forbidding(url),
        )
        first = min(matches, key=lambda one: one.added, default=None)
        return Match(first.kind, first.value, first.added) if first else None

    def _named(self, kind: RemovalKind, values: Iterable[str]) -> Iterator[Entry]:
        named = self._values[kind]
        return (named[value] for value in values if value in named)

    def _forbidding(self, url: str) -> Iterator[Entry]:
        sites = self._sites.get(_or_empty(canonical_origin, url), ()) if self._sites else ()
        return (one for one in sites if not robots.robots_allow(_rules(one.rules or ""), url))

    @cached_property
    def _values(self) -> Mapping[str, Mapping[str, Entry]]:
        return {
            kind: {one.value: one for one in reversed(self._in_order) if one.kind == kind}
            for kind in RemovalKind
        }

    @cached_property
    def _in_order(self) -> Sequence[Entry]:
        return sorted(self.entries, key=lambda one: one.added)

    @cached_property
    def _texts(self) -> Mapping[bytes, Entry]:
        texts = self._values[RemovalKind.text]
        return {bytes.fromhex(value)[:DIGEST_BYTES]: one for value, one in texts.items()}

    @cached_property
    def _sites(self) -> Mapping[str, list[Entry]]:
        sites: dict[str, list[Entry]] = {}
        for one in self._in_order:
            if one.kind == RemovalKind.robots:
                sites.setdefault(one.value, []).append(one)
        return sites


def _or_empty(function: Callable[[str], str], url: str) -> str:
    """What the function gives; "" for an address that cannot be read, which nothing names."""
    try:
        return function(url)
    except ValueError:
        return ""


@functools.lru_cache(maxsize=1000)
def _rules(lines: str) -> tuple[robots.Rule, ...]:
    """Read once for the many pages of a site that follow one another."""
    return robots.rules_of_lines(lines)
