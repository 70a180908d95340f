"""Which dumps the endpoint has: what its collinfo.json lists, else those whose files are there."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from functools import cache
from typing import Any

from skord.core.config import open_storage
from skord.core.dumps import (
    PREFIX,
    REFRESHED,
    all_dumps,
    dumps_of,
    known_dumps,
    parse_dumps,
    published_dumps,
)
from skord.core.failures import ConfigError
from skord.core.storage.filesystem import Storage
from skord.crawl.config import COLLINFO_URL, FIRST_ANSWER_S, crawl, crawl_settings, open_crawl
from skord.crawl.http.client import Crawl, CrawlError, CrawlUnreachableError
from skord.crawl.http.settings import CrawlSettings

logger = logging.getLogger("luigi-interface")

ATTEMPTS = 3
"""Of one request here: a person waits for it, and the run asks more patiently."""


def named_dumps(text: str) -> tuple[str, ...]:
    """The dumps of a run: those listed, or for `all` those that the endpoint has.

    Raises:
        ConfigError: a dump is not known, or the endpoint has none or does not answer.
    """
    storage = open_storage()
    if text != "all":
        return parse_dumps(text, storage)
    return _asked_dumps(str(crawl().base_url), collinfo_address(), storage.root)


def refresh_dumps() -> int:
    """Fetch the endpoint's list into the data folder; returns how many dumps are new.

    Raises:
        ConfigError: what came is no such list.
        ShardError: the endpoint could not be reached.
    """
    storage = open_storage()
    before = known_dumps(storage)
    with open_crawl() as client:
        dumps = dumps_of(_keep_collinfo(client, storage, collinfo_address()))
    return len(set(dumps) - set(before))


def collinfo_address() -> str:
    """[crawl] collinfo_url; beside the crawl where base_url is a mirror and no other is set."""
    section = crawl()
    asked, base_url = str(section.collinfo_url), str(section.base_url)
    is_mirror = base_url.rstrip("/") != CrawlSettings.base_url
    return f"{base_url.rstrip('/')}/collinfo.json" if is_mirror and asked == COLLINFO_URL else asked


@cache
def _asked_dumps(base_url: str, collinfo_url: str, root: str) -> tuple[str, ...]:
    """Ask once in each process; the arguments distinguish endpoints and data folders."""
    storage = Storage(root)
    settings = crawl_settings()
    hurried = replace(
        settings,
        attempts=min(settings.attempts, ATTEMPTS),
        max_backoff_s=min(settings.max_backoff_s, 1.0),
        read_timeout_s=min(settings.read_timeout_s, FIRST_ANSWER_S),
    )
    with open_crawl(settings=hurried) as client:
        try:
            _keep_collinfo(client, storage, collinfo_url)
        except (CrawlError, ConfigError) as error:
            if base_url.rstrip("/") == CrawlSettings.base_url:
                logger.warning("%s; so all are those known when this was released", error)
            elif isinstance(error, CrawlUnreachableError):
                raise ConfigError(
                    f"--dumps all: {error}; check [crawl] base_url, or name the dumps, such as "
                    "--dumps 2024-10"
                ) from error
            else:
                _keep_found(client, storage)
    return all_dumps(storage)


def _keep_collinfo(client: Crawl, storage: Storage, address: str) -> Any:
    """Fetch collinfo.json and keep it in the data folder."""
    answer = client.get(address)
    try:
        listed = json.loads(answer)
    except ValueError as error:
        raise ConfigError(f"{address} is not JSON: check [crawl] collinfo_url") from error
    dumps_of(listed)
    storage.write(REFRESHED, answer)
    return listed


def _keep_found(client: Crawl, storage: Storage) -> None:
    """Keep a list of the published dumps whose WET files the endpoint lists.

    Raises:
        ConfigError: there is none.
    """
    found = [dump for dump in published_dumps() if _has_dump(client, dump)]
    if not found:
        raise ConfigError(
            f"--dumps all: {client.settings.base_url} has neither collinfo.json nor the WET list of "
            "a known dump: check [crawl] base_url, or name the dumps"
        )
    logger.info("%s has no collinfo.json; found there: %s", client.settings.base_url, found)
    storage.write(REFRESHED, json.dumps([{"id": f"{PREFIX}{dump}"} for dump in found]).encode())


def _has_dump(client: Crawl, dump: str) -> bool:
    try:
        client.size(f"crawl-data/{PREFIX}{dump}/wet.paths.gz")
    except CrawlUnreachableError as error:
        raise ConfigError(f"--dumps all: {error}; name the dumps, such as {dump}") from error
    except CrawlError:
        return False
    return True
