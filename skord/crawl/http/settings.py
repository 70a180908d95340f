"""The numbers that say how gently, and how patiently, a crawl's endpoint is asked."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, fields
from importlib import metadata
from urllib.parse import quote, urlsplit

from skord.core.failures import ConfigError

_CONTACT = re.compile(r"(?:https?://[!-'*-~]+|[!-'*-~]+@[!-'*-~]+)")
"""An address or a link in printable ASCII; brackets would end the comment of the header."""

_MAY_BE_ZERO = frozenset({"backoff_s", "max_backoff_s", "cool_down_s", "coalesce_gap_bytes"})


@dataclass(frozen=True)
class CrawlSettings:
    """How the endpoint is asked. The numbers are those of section [crawl] of luigi.cfg.

    Raises:
        ConfigError: the contact is missing, or a number cannot work.
    """

    base_url: str = "https://data.commoncrawl.org"
    """Where `crawl-data/` and `cc-index/` lie."""
    contact: str = ""
    """E-mail address or web page of whoever runs this; needed unless base_url is loopback."""
    connect_timeout_s: float = 10.0
    """How long a connection may take to open."""
    read_timeout_s: float = 60.0
    """How long the endpoint may stay silent, before or inside a body."""
    attempt_timeout_s: float = 900.0
    """How long one request may take in all: a body that trickles ends here, and is resumed."""
    attempts: int = 20
    """Times that one request is made before it is given up."""
    backoff_s: float = 1.0
    """Longest wait after the first attempt; it doubles with every further one …"""
    max_backoff_s: float = 300.0
    """… up to this."""
    cool_down_s: float = 10.0
    """How long all workers pause after a 403, 429 or 503 without Retry-After."""
    max_retry_after_s: float = 1800.0
    """A Retry-After above this is not waited for: the request is given up at once."""
    requests_per_s: float = 10.0
    """Requests that may start each second, over all workers."""
    connections: int = 8
    """Requests that may be under way at once, over all workers."""
    coalesce_gap_bytes: int = 64 * 1024
    """Ranges of one file that are no further apart share a request."""
    max_request_bytes: int = 32 * 1024 * 1024
    """Bytes that one range request may ask for, and thus hold in memory."""
    max_skip_bytes: int = 64 * 1024 * 1024
    """How far into a whole file to read for a range, when the endpoint ignores ranges."""
    max_attempts_corrupt: int = 3
    """Times that a body is fetched which arrives whole but is not intact gzip."""
    max_exhausted_requests: int = 3
    """Range requests in a row that may be given up before the shard is."""

    def __post_init__(self) -> None:
        url = urlsplit(self.base_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ConfigError(
                f"[crawl] base_url = {self.base_url!r} is no web address: set it to one, such "
                "as https://data.commoncrawl.org"
            )
        if not self.contact and not self.is_loopback:
            raise ConfigError(
                "set [crawl] contact to your e-mail address or a web page about your crawl: "
                "the endpoint's operators block clients that they cannot reach"
            )
        if self.contact and not _CONTACT.fullmatch(self.contact):
            raise ConfigError(
                f"[crawl] contact = {self.contact!r}: set it to an e-mail address or a link"
            )
        self._check_numbers()

    @property
    def is_loopback(self) -> bool:
        """Whether the endpoint is this machine.

        >>> CrawlSettings("http://127.0.0.1:8000").is_loopback
        True
        """
        host = urlsplit(self.base_url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    @property
    def user_agent(self) -> str:
        """Who asks, and how to reach them.

        >>> CrawlSettings(contact="corpus@example.org").user_agent.partition(" ")[2]
        '(+corpus@example.org)'
        """
        name = f"skord/{_installed_version()}"
        return f"{name} (+{self.contact})" if self.contact else name

    def url_of(self, path: str) -> str:
        """Address of a file of the crawl; a path that is an address already stays as it is.

        >>> CrawlSettings("http://localhost:1/mirror/").url_of("cc-index/crawl=A/b c.gz")
        'http://localhost:1/mirror/cc-index/crawl=A/b%20c.gz'
        >>> CrawlSettings("http://localhost:1").url_of("https://index.example/collinfo.json")
        'https://index.example/collinfo.json'
        """
        if path.startswith(("http://", "https://")):
            return path
        return self.file_url(path)

    def file_url(self, path: str) -> str:
        """Address of a file that a table or a list names: always of the configured endpoint.

        Tables of pointers come from strangers; an address in one is asked for as a path, and is
        not there.

        >>> CrawlSettings("http://localhost:1").file_url("http://192.0.2.1/secret")
        'http://localhost:1/http://192.0.2.1/secret'
        """
        return f"{self.base_url.rstrip('/')}/{quote(path.lstrip('/'), safe='/=:+,@~')}"

    def _check_numbers(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, str):
                continue
            if not (value > 0 or (value == 0 and field.name in _MAY_BE_ZERO)):
                raise ConfigError(f"[crawl] {field.name} = {value}: set it above 0")


def _installed_version() -> str:
    """The installed version; a checkout that is not installed has none."""
    try:
        return metadata.version("skord")
    except metadata.PackageNotFoundError:
        return "0"
