"""Which dumps Common Crawl has published.

The table beside this module lists them as of its last edit. `python -m pipeline dumps
--refresh` fetches the endpoint's `collinfo.json` into the data folder, and what it lists
is known from then on.
"""

from __future__ import annotations

import bisect
import json
from importlib import resources
from typing import Any

from pipeline.core.failures import ConfigError
from pipeline.core.storage import Storage

REFRESHED = "collinfo.json"
"""Name of the refreshed list under the data folder."""

PREFIX = "CC-MAIN-"


def published_dumps() -> tuple[str, ...]:
    """The ids of the shipped table, oldest first.

    >>> published_dumps()[0], "2024-10" in published_dumps()
    ('2013-20', True)
    """
    text = resources.files("pipeline.core").joinpath("dumps.txt").read_text()
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


def known_dumps(storage: Storage) -> tuple[str, ...]:
    """The shipped table and what `collinfo.json` added, oldest first."""
    dumps = set(published_dumps())
    if storage.exists(REFRESHED):
        dumps |= set(dumps_of(json.loads(storage.read(REFRESHED))))
    return tuple(sorted(dumps))


def dumps_of(collinfo: Any) -> tuple[str, ...]:
    """Dump ids in a parsed `collinfo.json`; other collections are passed over.

    >>> dumps_of([{"id": "CC-MAIN-2024-10"}, {"id": "CC-NEWS"}])
    ('2024-10',)

    Raises:
        ConfigError: it is not such a list.
    """
    try:
        ids = [str(entry["id"]) for entry in collinfo]
    except (TypeError, KeyError) as error:
        raise ConfigError(
            "collinfo.json is not a list of collections: check [crawl] collinfo_url"
        ) from error
    return tuple(sorted(i.removeprefix(PREFIX) for i in ids if i.startswith(PREFIX)))


def parse_dumps(text: str, storage: Storage) -> tuple[str, ...]:
    """The dumps that `all`, or a list such as `2024-10,2024-18`, names.

    Raises:
        ConfigError: a dump is not known.
    """
    if text == "all":
        return known_dumps(storage)
    dumps = tuple(part.strip() for part in text.split(",") if part.strip())
    if not dumps:
        raise ConfigError("--dumps names no dump: say all, or a list such as 2024-10,2024-18")
    for dump in dumps:
        check_dump(dump, storage)
    return dumps


def check_dump(dump: str, storage: Storage) -> None:
    """Raise ConfigError, with the nearest known id, unless a known dump is named."""
    if not dump:
        raise ConfigError("no dump is named: add one, such as --dump 2024-10")
    known = known_dumps(storage)
    if dump in known:
        return
    place = bisect.bisect(known, dump.removeprefix(PREFIX))
    near = " and ".join(known[max(place - 1, 0) : place + 1])
    raise ConfigError(
        f"{dump!r} is not a known dump (nearest: {near}); if it is new, run skord dumps --refresh"
    )
