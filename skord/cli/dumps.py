"""The dumps that are known, and how new ones become known."""

from __future__ import annotations

import argparse
import json
import sys

from skord.cli.json_output import print_json
from skord.core.config import open_storage
from skord.core.dumps import REFRESHED, dumps_of, known_dumps
from skord.core.failures import ConfigError
from skord.core.preflight import check_settings
from skord.crawl.config import crawl, open_crawl


def run(options: argparse.Namespace) -> None:
    """Print them, the endpoint's list fetched before if wanted."""
    check_settings()
    if options.refresh:
        print(f"{refresh_dumps()} new", file=sys.stderr)
    dumps = known_dumps(open_storage())
    if options.json:
        print_json(list(dumps))
    else:
        print("\n".join(dumps))


def refresh_dumps() -> int:
    """Fetch the endpoint's list into the data folder; returns how many dumps are new.

    Raises:
        ConfigError: what came is no such list.
        ShardError: the endpoint could not be reached.
    """
    storage = open_storage()
    before = known_dumps(storage)
    answer = open_crawl().get(str(crawl().collinfo_url))
    try:
        dumps = dumps_of(json.loads(answer))
    except ValueError as error:
        raise ConfigError(
            f"{crawl().collinfo_url} is not JSON: check [crawl] collinfo_url"
        ) from error
    storage.write(REFRESHED, answer)
    return len(set(dumps) - set(before))
