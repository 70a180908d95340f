"""What a dump came to, in one HTML file to look at and one JSON file to reckon with."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pipeline.cli.report.collect import collect
from pipeline.cli.report.page import render
from pipeline.core.column_store import ColumnStore
from pipeline.core.config import open_storage
from pipeline.core.config_check import check_settings
from pipeline.core.dumps import parse_dumps


def add_report(commands: Any) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "report",
        help="an HTML file of what became of a dump, with pages to read",
        description=f"{__doc__} Several dumps stand side by side.",
    )
    command.add_argument(
        "--dumps", "--dump", required=True, help="such as 2024-10, or 2024-10,2024-18"
    )
    command.add_argument("--out", type=Path, default=Path("report.html"), help="the HTML file")
    command.add_argument(
        "--max-shards",
        type=int,
        default=100,
        help="shards that are read, evenly spaced, in a dump with more",
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Read the tables, write both files."""
    check_settings()
    storage = open_storage()
    dumps = parse_dumps(options.dumps, storage)
    figures = [collect(ColumnStore(storage, dump), options.max_shards) for dump in dumps]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(render(figures), "utf-8")
    values = options.out.with_suffix(".json")
    text = json.dumps([asdict(one) for one in figures], ensure_ascii=False, indent=1)
    values.write_text(text + "\n", "utf-8")
    print(f"{options.out} and {values}")
    for one in figures:
        for alarm in one.alarms:
            print(f"{one.dump}: {alarm}")
