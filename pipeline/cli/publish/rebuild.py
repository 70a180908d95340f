"""Make the texts of a corpus again from its pointers and the crawl, byte for byte."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from luigi.configuration import get_config

from pipeline.cli.arguments.publish import INCOMPLETE
from pipeline.cli.json_output import print_json
from pipeline.core.failures import ConfigError
from pipeline.core.storage.column_store import ColumnStore
from pipeline.core.storage.filesystem import Storage
from pipeline.crawl.config import crawl_settings, open_crawl
from pipeline.html.converter import StandbyPandoc, find_pandoc, pandoc_version
from pipeline.publishing.rebuild import Rebuilder, read_about

LISTED = 20
"""Failed documents that are named in the terminal; all are in the output."""


def run(options: argparse.Namespace) -> int:
    """Make file after file again; say how many texts are there, and which are not, and why."""
    files = [file for path in options.pointers for file in _files_in(path)]
    if options.crawl:
        get_config().set("crawl", "base_url", options.crawl)
    crawl_settings()
    binary = find_pandoc(options.pandoc or None)
    for wanted in sorted({read_about(file).pandoc for file in files} - {pandoc_version(binary)}):
        print(
            f"the texts were made with pandoc {wanted}, this is {pandoc_version(binary)}: those "
            "that come out otherwise will fail with text_differs",
            file=sys.stderr,
        )
    out, total = ColumnStore(Storage(str(options.out)), ""), Counter[str]()
    told: list[dict[str, object]] = []
    with StandbyPandoc(binary) as pandoc:
        rebuilder = Rebuilder(open_crawl, pandoc, options.threads)
        for file in files:
            counts = rebuilder.rebuild(file, out)
            total.update(counts)
            told.append({"file": file, **_counted(counts), "failed": _failed_rows(out, file)})
            if not options.json:
                print(f"{file}: {_sentence(counts)}", flush=True)
                print("".join(f"  {line}\n" for line in _failed(out, file)), end="")
    if options.json:
        print_json(told)
    else:
        print(f"{len(files)} files: {_sentence(total)}")
    return INCOMPLETE if _failures(total) else 0


def _files_in(path: Path) -> list[Path]:
    tables = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not tables or not tables[0].exists():
        raise ConfigError(f"{path}: there is no table of pointers")
    return tables


def _failures(counts: Mapping[str, int]) -> dict[str, int]:
    prefix = "failure."
    return {k.removeprefix(prefix): n for k, n in sorted(counts.items()) if k.startswith(prefix)}


def _sentence(counts: Mapping[str, int]) -> str:
    failures = _failures(counts)
    failed = sum(failures.values())
    text = f"{counts.get('documents', 0) - failed:,} texts made again, {failed:,} not"
    return text + "".join(f", {name} {number:,}" for name, number in failures.items())


def _counted(counts: Mapping[str, int]) -> dict[str, object]:
    failures = _failures(counts)
    made = counts.get("documents", 0) - sum(failures.values())
    return {"made_again": made, "failures": failures}


def _failed_rows(out: ColumnStore, file: Path) -> list[dict[str, str]]:
    table = out.read_table(f"{file.stem}.parquet", ["id", "url", "failure"])
    return [row for row in table.to_pylist() if row["failure"]]


def _failed(out: ColumnStore, file: Path) -> Iterator[str]:
    rows = _failed_rows(out, file)
    for row in rows[:LISTED]:
        yield f"{row['failure']}  {row['id']}  {row['url']}"
    if len(rows) > LISTED:
        yield f"… and {len(rows) - LISTED:,} more in {out.storage.shown(f'{file.stem}.parquet')}"
