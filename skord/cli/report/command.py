"""What a dump came to, in one HTML file to look at and one JSON file to reckon with."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from skord.cli.json_output import print_asked
from skord.cli.report.collect import collect_figures
from skord.cli.report.page import INSTALL, PACKAGES, render_report
from skord.core.config import executor, open_storage
from skord.core.dumps import parse_dumps
from skord.core.failures import ConfigError
from skord.core.packages import require_package
from skord.core.preflight import check_settings
from skord.core.readable import check_readable
from skord.core.storage.column_store import ColumnStore


def run(options: argparse.Namespace) -> None:
    """Read the tables, write both files."""
    for package in PACKAGES:
        require_package(package, "the report", INSTALL)
    if options.max_shards < 1:
        raise ConfigError(f"--max-shards {options.max_shards}: give 1 or more")
    check_settings()
    storage = open_storage()
    dumps = parse_dumps(options.dumps, storage)
    for dump in dumps:
        check_readable(dump)
    log_dir = Path(executor().log_dir)
    figures = [collect_figures(ColumnStore(storage, d), options.max_shards, log_dir) for d in dumps]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(render_report(figures), "utf-8")
    values = options.out.with_suffix(".json")
    by_name = [asdict(one) for one in figures]
    flat = [{**one, **one.pop("parts")} for one in by_name]
    text = json.dumps(flat, ensure_ascii=False, indent=1)
    values.write_text(text + "\n", "utf-8")
    alarms = [f"{one.dump}: {alarm}" for one in figures for alarm in one.alarms]
    made = {"html": options.out, "json": values, "alarms": alarms}
    print_asked(options, made, [f"{options.out} and {values}", *alarms])
