"""Make the texts of a corpus again from its pointers and the crawl, byte for byte."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from luigi.configuration import get_config

from pipeline.cc_net import DownloadWET
from skord.cli.json_output import print_asked
from skord.cli.parser import INCOMPLETE
from skord.core.config import open_storage
from skord.core.dumps import source_of
from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.crawl.config import crawl_settings, open_crawl
from skord.crawl.warc.fetch import FetchedRecord, RecordFetcher, WantedRecord
from skord.html.converter import Converter, find_pandoc, pandoc_version
from skord.publishing.rebuild import Rebuilder, Records, failures_in, read_about
from skord.records.conversion import convert_records
from skord.sources.columns import text_of_record
from skord.sources.files import files_of
from skord.sources.read_again import fetch_own
from skord.sources.shards import source_opener

LISTED = 20
"""Failed documents that are named in the terminal; all are in the output."""


def run(options: argparse.Namespace) -> int:
    """Make file after file again; say how many texts are there, and which are not, and why."""
    files = [file for path in options.pointers for file in _files_in(path)]
    if options.crawl:
        get_config().set("crawl", "base_url", options.crawl)
    dumps = {read_about(file).dump for file in files}
    if not all(source_of(dump, open_storage()).is_own for dump in dumps):
        crawl_settings()
    about = [read_about(file) for file in files]
    used = {one.pandoc for one in about if one.converter == Converter.PANDOC}
    pandoc = find_pandoc() if used else None
    if pandoc:
        for wanted in sorted(used - {pandoc_version(pandoc)}):
            print(
                f"the texts were made with pandoc {wanted}, this is {pandoc_version(pandoc)}: those "
                "that come out otherwise will fail with text_differs",
                file=sys.stderr,
            )
    out, total = ColumnStore(Storage(str(options.out)), ""), Counter[str]()
    files_made: list[dict[str, object]] = []
    fetcher = RecordFetcher(open_crawl, options.threads)
    rebuilder = Rebuilder(lambda dump: _records(dump, fetcher, pandoc))
    for file in files:
        counts = rebuilder.rebuild(file, out)
        total.update(counts)
        files_made.append({"file": file, **_counted(counts), "failed": _failed_rows(out, file)})
        if not options.json:
            print(f"{file}: {_sentence(counts)}", flush=True)
            print("".join(f"  {line}\n" for line in _failed(out, file)), end="")
    print_asked(options, files_made, [f"{len(files)} files: {_sentence(total)}"])
    return INCOMPLETE if failures_in(total) else 0


def _records(dump: str, fetcher: RecordFetcher, pandoc: Path | None) -> Records:
    """Those of a crawl by range; of files of one's own, which the data folder knows, from there."""
    storage = open_storage()
    source = source_of(dump, storage)
    fetch: Callable[[Sequence[WantedRecord]], Sequence[FetchedRecord]] = fetcher.fetch
    if source.is_own:
        opened = source_opener(source, ColumnStore(storage, dump), DownloadWET.get_task_family())
        fetch = partial(fetch_own, source, files_of(source).sizes, opened)
    if source.is_text:
        return Records(fetch, lambda records, _: map(text_of_record, records))
    return Records(
        fetch,
        lambda records, name: convert_records(
            records, pandoc if name == Converter.PANDOC else None
        ),
    )


def _files_in(path: Path) -> list[Path]:
    tables = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not tables or not tables[0].exists():
        raise ConfigError(f"{path}: there is no table of pointers")
    return tables


def _sentence(counts: Mapping[str, int]) -> str:
    failures = failures_in(counts)
    failed = sum(failures.values())
    text = f"{counts.get('documents', 0) - failed:,} texts made again, {failed:,} not"
    return text + "".join(f", {name} {number:,}" for name, number in failures.items())


def _counted(counts: Mapping[str, int]) -> dict[str, object]:
    failures = failures_in(counts)
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
