"""The dumps that are known, and how new ones become known."""

from __future__ import annotations

import argparse
import sys

from skord.cli.json_output import print_asked
from skord.core.config import open_storage
from skord.core.dumps import known_dumps
from skord.core.preflight import check_settings
from skord.crawl.dumps import refresh_dumps


def run(options: argparse.Namespace) -> None:
    """Print them, the endpoint's list fetched before if wanted."""
    check_settings()
    if options.refresh:
        print(f"{refresh_dumps()} new", file=sys.stderr)
    dumps = known_dumps(open_storage())
    print_asked(options, list(dumps), dumps)
