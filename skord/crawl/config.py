"""The section [crawl] of luigi.cfg, and the client that it describes.

Its keys are the fields of `CrawlSettings`, which documents each, and three more.
"""

from __future__ import annotations

import logging
import time
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import luigi

from skord.core.config import open_storage
from skord.core.failures import ConfigError
from skord.crawl.http.client import Crawl, PathKind
from skord.crawl.http.rate_limit import RateLimiter
from skord.crawl.http.settings import CrawlSettings

logger = logging.getLogger("luigi-interface")

_KINDS: dict[str, Any] = {
    "str": luigi.Parameter,
    "int": luigi.IntParameter,
    "float": luigi.FloatParameter,
}

COLLINFO_URL = "https://index.commoncrawl.org/collinfo.json"

crawl: Any = type(
    "crawl",
    (luigi.Config,),
    {field.name: _KINDS[str(field.type)](default=field.default) for field in fields(CrawlSettings)}
    | {
        "__module__": __name__,
        "__doc__": "The endpoint that dumps are fetched from, and how gently.",
        "collinfo_url": luigi.Parameter(
            default=COLLINFO_URL,
            description="the endpoint's list of dumps, for `--dumps all` and `dumps --refresh`",
        ),
        "rate_limit_dir": luigi.Parameter(default=""),
    },
)
"""The section as a Luigi configuration class, so that `--crawl-base-url …` works as well."""


def crawl_settings() -> CrawlSettings:
    """The settings of section [crawl].

    Raises:
        ConfigError: it cannot work.
    """
    section = crawl()
    return CrawlSettings(
        **{field.name: getattr(section, field.name) for field in fields(CrawlSettings)}
    )


def open_crawl(base_url: str = "", settings: CrawlSettings | None = None) -> Crawl:
    """A client for the endpoint, or another address, under the rate limit that all workers share.

    Args:
        settings: in the place of the section's.

    Raises:
        ConfigError: the section cannot work.
    """
    settings = settings or crawl_settings()
    if base_url:
        settings = replace(settings, base_url=base_url)
    limiter = RateLimiter(_rate_limit_dir(), settings.requests_per_s, settings.connections)
    return Crawl(settings, limiter)


FIRST_ANSWER_S = 10.0
"""How long the endpoint may be silent at the first request of a run; later ones wait longer."""


_ANSWERED: set[str] = set()
"""Endpoints that answered this process: failures are the run's from then on, which asks again."""


_REFUSED: dict[str, tuple[float, str]] = {}
"""Endpoints that could not be asked: the monotonic time, and the sentence."""

REFUSED_FOR_S = 30.0
"""The tasks of other dumps are refused meanwhile without a request of their own."""


def check_endpoint(dump: str, kind: PathKind) -> None:
    """Ask for a list of paths, unless the endpoint has answered this process before.

    Raises:
        ConfigError: the section cannot work, or no request can be made; the message says what to do.
    """
    settings = crawl_settings()
    if settings.base_url in _ANSWERED:
        return
    refused = _REFUSED.get(settings.base_url)
    if refused and time.monotonic() - refused[0] < REFUSED_FOR_S:
        raise ConfigError(refused[1])
    hurried = replace(
        settings,
        read_timeout_s=min(settings.read_timeout_s, FIRST_ANSWER_S),
        attempt_timeout_s=min(settings.attempt_timeout_s, 3 * FIRST_ANSWER_S),
    )
    limiter = RateLimiter(_rate_limit_dir(), settings.requests_per_s, settings.connections)
    with Crawl(hurried, limiter) as client:
        try:
            client.check_reachable(dump, kind)
        except ConfigError as error:
            _REFUSED[settings.base_url] = (time.monotonic(), str(error))
            raise
    _ANSWERED.add(settings.base_url)


def _rate_limit_dir() -> Path:
    """Where the rate limit's locks lie; the data folder, when it is one that all workers see."""
    storage = open_storage()
    if named := str(crawl().rate_limit_dir):
        return Path(named)
    return Path(storage.root, "_budget") if storage.is_local else Path("budget").absolute()
