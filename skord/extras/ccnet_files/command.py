"""Rebuild texts from WET files and what MinifyCCNet, or cc_net's minify, kept of them."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from luigi.configuration import get_config

from skord.cli.parser import INCOMPLETE
from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.crawl.config import open_crawl
from skord.extras.ccnet_files.reconstruct import (
    CrawledWET,
    StoredWET,
    WETSource,
    publish_rebuilt,
    reconstruct_file,
    stem_of,
)
from skord.publishing.rebuild import failures_in


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
    files = [p for ending in ("*.parquet", "*.json.gz", "*.json") for p in path.glob(ending)]
    wanted = sorted(p for p in files if not p.name.startswith("_"))
    if not wanted:
        raise ConfigError(f"--minified {path}: there is no .parquet or .json.gz file")
    yield from wanted


def wet_source(place: str) -> WETSource:
    """The files that `--wet` names."""
    if place and not place.startswith(("http://", "https://")):
        if "://" not in place and not Path(place).is_dir():
            raise ConfigError(f"--wet {place}: there is no such folder")
        return StoredWET(Storage(place))
    if place:
        get_config().set("crawl", "base_url", place)
    return CrawledWET(open_crawl())


def _sentence(counts: Mapping[str, int]) -> str:
    failures = failures_in(counts)
    failed = sum(failures.values())
    parts = [f"{counts.get('documents', 0) - failed:,} documents rebuilt, {failed:,} not"]
    if failures:
        parts.append(", ".join(f"{name} {n:,}" for name, n in failures.items()))
    bad = sum(n for name, n in counts.items() if name.startswith("bad_record."))
    if bad:
        parts.append(f"{bad:,} WET records cannot be read")
    return "; ".join(parts)
