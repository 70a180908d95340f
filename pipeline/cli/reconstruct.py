"""Rebuild texts from WET files and what MinifyCCNet, or cc_net's minify, kept of them."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from luigi.configuration import get_config

from pipeline.ccnet.published.reconstruct import (
    CrawledWET,
    StoredWET,
    WETSource,
    failures_in,
    publish_rebuilt,
    reconstruct_file,
    stem_of,
)
from pipeline.ccnet.text_pages import Mode
from pipeline.core.column_store import ColumnStore
from pipeline.core.failures import ConfigError
from pipeline.core.storage import Storage
from pipeline.crawl.config import open_crawl

INCOMPLETE = 3
"""Exit status when some documents could not be rebuilt."""


def add_reconstruct(commands: Any) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "reconstruct",
        help="rebuild texts from WET files and minified files",
        description=f"{__doc__} Exit status {INCOMPLETE}: some documents could not be rebuilt; "
        "each has its row, and in it the reason.",
    )
    command.add_argument(
        "--minified",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="MinifyCCNet's .parquet, or published .json.gz; of a folder, all there are",
    )
    command.add_argument(
        "--wet",
        default="",
        metavar="FOLDER|URL",
        help="a folder or s3://bucket/prefix with WET files, or the http(s) address of a crawl; "
        "[crawl] base_url when left out",
    )
    command.add_argument("--out", type=Path, required=True, help="folder for the .parquet files")
    command.add_argument(
        "--json", action="store_true", help="write published .json.gz files beside them"
    )
    command.add_argument(
        "--mode",
        choices=[str(mode) for mode in Mode],
        default="",
        help="[HashParagraphs] mode of the selection; when left out, as a .parquet file says, "
        "and exact for a published one",
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Rebuild file after file, and say how many documents are there and how many are not."""
    files = minified_files(options.minified)
    source = wet_source(options.wet)
    out = ColumnStore(Storage(str(options.out)), "")
    total: Counter[str] = Counter()
    for path in files:
        counts = reconstruct_file(path, out, source, options.mode)
        if options.json:
            publish_rebuilt(path, out)
        total.update(counts)
        print(f"{path}: {_sentence(counts)}", flush=True)
    print(f"{len(files)} files: {_sentence(total)}")
    return INCOMPLETE if failures_in(total) else 0


def minified_files(paths: Sequence[Path]) -> list[Path]:
    """The files named, and those in the folders named.

    Raises:
        ConfigError: there is none, or two would have the same result.
    """
    files = [file for path in paths for file in _files_in(path)]
    twice = [stem for stem, n in Counter(map(stem_of, files)).items() if n > 1]
    if twice:
        raise ConfigError(f"--minified: several files named {twice[0]}: rebuild them in turn")
    return files


def _files_in(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    found = [p for ending in ("*.parquet", "*.json.gz", "*.json") for p in path.glob(ending)]
    wanted = sorted(p for p in found if not p.name.startswith("_"))
    if not wanted:
        raise ConfigError(f"--minified {path}: there is no .parquet or .json.gz file")
    yield from wanted


def wet_source(said: str) -> WETSource:
    """Where `--wet` says that the files are.

    Raises:
        ConfigError: there is no such folder, or the endpoint's settings cannot work.
    """
    if said and not said.startswith(("http://", "https://")):
        if "://" not in said and not Path(said).is_dir():
            raise ConfigError(f"--wet {said}: there is no such folder")
        return StoredWET(Storage(said))
    if said:
        get_config().set("crawl", "base_url", said)
    return CrawledWET(open_crawl())


def _sentence(counts: Mapping[str, int]) -> str:
    failures = failures_in(counts)
    failed = sum(failures.values())
    parts = [f"{counts.get('documents', 0) - failed:,} documents rebuilt, {failed:,} not"]
    if failures:
        parts.append(", ".join(f"{name} {n:,}" for name, n in sorted(failures.items())))
    bad = sum(n for name, n in counts.items() if name.startswith("bad_record."))
    if bad:
        parts.append(f"{bad:,} WET records cannot be read")
    return "; ".join(parts)
