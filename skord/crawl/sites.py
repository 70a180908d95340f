"""Which sites are taken: lists of hosts, domains, top-level domains, addresses and networks."""

from __future__ import annotations

import fnmatch
import ipaddress
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from skord.crawl.urls import ascii_host, domains_over, host_of

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_DOMAIN = re.compile(r"[\w-]+(\.[\w-]+)*")


@dataclass(frozen=True)
class SiteList:
    """One list of sites.

    An entry is one of four: `example.se`, a domain with all hosts below it; `.se`, a top-level
    domain (or any other suffix); `=www.example.se`, a host alone; and, if it holds `/` or `*`, a
    pattern of whole addresses, in which `*` is anything: `example.se/blogg/*`,
    `https://*.example.se/*/nyheter*`. Without a scheme in the pattern any will do.

    Raises:
        ValueError: an entry is none of these.
    """

    entries: Sequence[str]
    _hosts: set[str] = field(default_factory=set)
    _domains: set[str] = field(default_factory=set)
    _patterns: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for entry in self.entries:
            if "/" in entry or "*" in entry:
                self._patterns.append(entry.lower() if "://" in entry else f"*://{entry.lower()}")
                continue
            host = ascii_host(entry.removeprefix("=").strip("."))
            if not _DOMAIN.fullmatch(host):
                raise ValueError(
                    f"{entry!r} is no site: write example.se, .se, =www.example.se or "
                    "example.se/blogg/*"
                )
            (self._hosts if entry.startswith("=") else self._domains).add(host)

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        parts = [fnmatch.translate(pattern.replace("[", "[[]")) for pattern in self._patterns]
        return re.compile("|".join(parts)) if parts else None

    def holds(self, url: str) -> bool:
        """Whether an address is in it.

        >>> sites = SiteList(["example.se", ".fi", "=a.example.no", "example.is/blogg/*"])
        >>> [sites.holds(url) for url in ("http://www.example.se:80/x", "https://b.fi/",
        ...     "http://a.example.no/", "http://b.a.example.no/", "https://example.is/blogg/1")]
        [True, True, True, False, True]
        """
        host = host_of(url)
        if host in self._hosts or any(domain in self._domains for domain in domains_over(host)):
            return True
        return bool(self._pattern and self._pattern.match(url.lower()))


def parse_networks(entries: Sequence[str]) -> list[Network]:
    """Networks as `192.0.2.0/24`, `2001:db8::/32`, or single addresses.

    Raises:
        ValueError: an entry is none.
    """
    return [ipaddress.ip_network(entry, strict=False) for entry in entries]


@dataclass(frozen=True)
class SiteRule:
    """Pages of which sites are taken.

    Attributes:
        only: none but these, if any are named.
        only_networks: none but pages that came from these addresses, if any are named; what came
            from an unknown address is none of them.
        never_networks: not those that came from these.
        either: a page of `only` or of `only_networks` is taken, where both are named; otherwise
            it must be of both.
    """

    only: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    only_networks: tuple[str, ...] = ()
    never_networks: tuple[str, ...] = ()
    either: bool = False

    @property
    def takes_all(self) -> bool:
        """Whether all sites are taken."""
        return not (self.only or self.never or self.only_networks or self.never_networks)

    @property
    def needs_addresses(self) -> bool:
        """Whether it asks from where a page came."""
        return bool(self.only_networks or self.never_networks)

    def written(self) -> str:
        """All of it, which decides a fingerprint."""
        lists = (self.only, self.never, self.only_networks, self.never_networks)
        return json.dumps([sorted(entries) for entries in lists] + ["either"] * self.either)

    @cached_property
    def _lists(self) -> tuple[SiteList, SiteList, list[Network], list[Network]]:
        return (
            SiteList(self.only),
            SiteList(self.never),
            parse_networks(self.only_networks),
            parse_networks(self.never_networks),
        )

    def check(self) -> None:
        """Raise ValueError for an entry that cannot be read."""
        _ = self._lists

    def takes(self, url: str, ip: str | None = None) -> bool:
        """Whether a page is taken.

        Args:
            ip: address of the machine that it came from, if that is known.

        >>> rule = SiteRule(only=(".se",), never=("bad.se",), never_networks=("192.0.2.0/24",))
        >>> rule.takes("http://a.se/"), rule.takes("http://bad.se/"), rule.takes("http://a.no/")
        (True, False, False)
        >>> rule.takes("http://a.se/", "192.0.2.7")
        False
        >>> union = SiteRule(only=(".lv",), only_networks=("192.0.2.0/24",), either=True)
        >>> union.takes("http://a.lv/"), union.takes("http://a.com/", "192.0.2.7")
        (True, True)
        """
        only, never, inside, outside = self._lists
        try:
            address = ipaddress.ip_address((ip or "").strip())
        except ValueError:
            address = None
        if never.holds(url) or _is_inside(address, outside):
            return False
        answers = [only.holds(url)] if self.only else []
        answers += [_is_inside(address, inside)] if self.only_networks else []
        return any(answers) or not answers if self.either else all(answers)


def _is_inside(address: Address | None, networks: Sequence[Network]) -> bool:
    return address is not None and any(address in network for network in networks)
