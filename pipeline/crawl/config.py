"""The section [crawl] of luigi.cfg, and the client that it describes.

Its keys are the fields of `CrawlSettings`, which documents each, and two more.
"""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import luigi

from pipeline.core.config import open_storage
from pipeline.crawl.http.settings import CrawlSettings

if TYPE_CHECKING:
    from pipeline.crawl.http.client import Crawl

_KINDS: dict[str, Any] = {
    "str": luigi.Parameter,
    "int": luigi.IntParameter,
    "float": luigi.FloatParameter,
}

crawl: Any = type(
    "crawl",
    (luigi.Config,),
    {field.name: _KINDS[str(field.type)](default=field.default) for field in fields(CrawlSettings)}
    | {
        "__module__": __name__,
        "__doc__": "The endpoint that dumps are fetched from, and how gently.",
        "collinfo_url": luigi.Parameter(
            default="https://index.commoncrawl.org/collinfo.json",
            description="the endpoint's list of dumps, for `dumps --refresh`",
        ),
        "budget_dir": luigi.Parameter(default=""),
    },
)
"""The section as a Luigi configuration class, so that `--crawl-base-url …` works as well."""


def crawl_settings() -> CrawlSettings:
    """What section [crawl] says.

    Raises:
        ConfigError: it cannot work.
    """
    section = crawl()
    return CrawlSettings(
        **{field.name: getattr(section, field.name) for field in fields(CrawlSettings)}
    )


def open_crawl(base_url: str = "") -> Crawl:
    """A client for the endpoint, or for another address, under the budget that all workers share.

    Raises:
        ConfigError: the section cannot work.
    """
    from pipeline.crawl.http.client import Crawl
    from pipeline.crawl.http.rate_limit import RateLimiter

    settings = crawl_settings()
    if base_url:
        settings = replace(settings, base_url=base_url)
    budget = RateLimiter(_budget_dir(), settings.requests_per_s, settings.connections)
    return Crawl(settings, budget)


def _budget_dir() -> Path:
    """Where the budget's locks lie; the data folder, when it is one that all workers see."""
    named = str(crawl().budget_dir)
    storage = open_storage()
    if named:
        return Path(named)
    return Path(storage.root, "_budget") if storage.is_local else Path("budget").absolute()
