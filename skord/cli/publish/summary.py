"""The public summary of training content, as far as a corpus can fill it in."""

from __future__ import annotations

import argparse
from importlib.metadata import version

from skord.cli.json_output import print_json
from skord.core.config import open_storage
from skord.core.dumps import parse_dumps
from skord.core.preflight import check_settings
from skord.core.storage.column_store import ColumnStore
from skord.publishing.summary import gather_content, summary_text


def run(options: argparse.Namespace) -> None:
    """Read the published files, write the summary."""
    check_settings()
    storage = open_storage()
    stores = [ColumnStore(storage, dump) for dump in parse_dumps(options.dumps, storage)]
    content = gather_content(stores)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(summary_text(content, version("skord")), "utf-8")
    if options.json:
        print_json({"summary": options.out, "top_level": content.top_level(),
                    "domains": content.largest_sites(), **vars(content)})  # fmt: skip
    else:
        print(f"{options.out}: what is left to answer begins with “To be answered”")
