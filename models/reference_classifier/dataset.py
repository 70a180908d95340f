"""Pages that Wikipedia cites and pages drawn at random, each site in one part only.

Two ways to give them: tables of pages with URLs beside a set of cited URLs, or one file of
cited pages and one of others. Files are Parquet or JSON lines (`.jsonl`, `.jsonl.gz`) with
`text` (or `raw_content`), and, where known, `url` and `language`. CCNet's table is such a
file. A page without a URL is a site of its own.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, cast

import pyarrow as pa
import pyarrow.parquet as pq

from skord.core.failures import ConfigError
from skord.models.reference_classifier.addresses import page_key, site_of

TEXT_COLUMNS = ("text", "raw_content")
OTHER_COLUMNS = ("url", "language")


class Part(StrEnum):
    """What a site's pages are for."""

    train = "train"
    dev = "dev"
    test = "test"


class Page(NamedTuple):
    """One page; `site` and `language` are "" where not known."""

    text: str
    url: str
    site: str
    language: str
    cited: bool


def part_of(site: str, seed: int) -> Part:
    """Four in five sites are for training; the rest chooses and calibrates, or tests.

    >>> [str(part_of(site, 0)) for site in ("ruv.is", "dn.se", "example.org")]
    ['dev', 'train', 'train']
    """
    percent = _seeded_hash("part", seed, site) % 100
    return Part.test if percent < 10 else Part.dev if percent < 20 else Part.train


def split_by_site(pages: Iterable[Page], seed: int) -> dict[Part, list[Page]]:
    """The pages by part; all pages of a site, and all copies of a text, are in one part.

    A text that several sites carry would be in training and test at once, so only its first
    copy stays.
    """
    pages_of_part: dict[Part, list[Page]] = {part: [] for part in Part}
    seen: set[int] = set()
    for page in pages:
        key = _seeded_hash("text", 0, page.text)
        if key not in seen:
            pages_of_part[part_of(page.site, seed)].append(page)
        seen.add(key)
    return pages_of_part


def pages_of_two_files(positive: Path, negative: Path) -> list[Page]:
    """All pages of a file of cited pages and of a file of others."""
    cited = [page._replace(cited=True) for page in read_pages([positive])]
    return [*cited, *read_pages([negative])]


def from_tables(
    tables: Sequence[Path], references: Collection[str], seed: int, site_pages: int = 50
) -> list[Page]:
    """The cited pages of some tables, and a random sample of as many others.

    The tables are read twice, and only the pages taken are held. Which they are depends on
    the seed and their URLs alone, not on the order of the tables.

    Args:
        tables: files of pages with URLs.
        references: canonical URLs, as `references.read_references` gives them.
        site_pages: at most so many cited pages of a site, and as many others of it, or a
            newspaper's frame would be what is learned.
    """
    keys = {page_key(page.url) or "" for page in read_pages(tables)} - {""}
    cited = _capped_by_site(sorted(keys & set(references)), seed, site_pages)
    others = _capped_by_site(sorted(keys - set(references)), seed, site_pages)
    wanted = dict.fromkeys(cited, True)
    wanted |= dict.fromkeys(others[: len(cited)], False)
    taken: dict[str, Page] = {}
    for page in read_pages(tables):
        key = page_key(page.url) or ""
        if key in wanted and key not in taken:
            taken[key] = page._replace(cited=wanted[key])
    return [taken[key] for key in wanted]


def _capped_by_site(keys: list[str], seed: int, site_pages: int) -> list[str]:
    """In random order, without what a site has too many of."""
    pages: Counter[str] = Counter()
    kept = []
    for key in sorted(keys, key=lambda key: (_seeded_hash("sample", seed, key), key)):
        site = site_of(_url_of(key))
        pages[site] += 1
        if pages[site] <= site_pages:
            kept.append(key)
    return kept


def _url_of(key: str) -> str:
    host = key.partition(")")[0].partition(":")[0]
    return f"http://{'.'.join(reversed(host.split(',')))}"


def read_pages(paths: Iterable[Path]) -> Iterator[Page]:
    """The pages of some files that have a text, in order; none counts as cited.

    Raises:
        ConfigError: a file is missing or damaged, or has no column of texts.
    """
    for path in paths:
        try:
            yield from map(_page_of_row, _text_rows(path))
        except (OSError, EOFError, ValueError, zlib.error, pa.ArrowException) as error:
            raise ConfigError(f"cannot read the pages of {path}: {error}") from error


def _page_of_row(row: dict[str, Any]) -> Page:
    text, url = str(row["text"]), str(row.get("url") or "")
    site = site_of(url) or f"text-{_seeded_hash('site', 0, text):x}"
    return Page(text, url, site, str(row.get("language") or ""), cited=False)


def _text_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Rows whose `text` is not null or empty."""
    read = _parquet_rows if path.suffix == ".parquet" else _json_rows
    for row in read(path):
        text = next((row[name] for name in TEXT_COLUMNS if name in row), None)
        if text:
            yield {**row, "text": text}


def _parquet_rows(path: Path) -> Iterator[dict[str, Any]]:
    with pq.ParquetFile(path) as file:
        names = [n for n in (*TEXT_COLUMNS, *OTHER_COLUMNS) if n in file.schema_arrow.names]
        _check_text(names)
        for batch in file.iter_batches(columns=names):
            yield from batch.to_pylist()


def _json_rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as lines:
        for line in lines:
            row = json.loads(line)
            _check_text(row if isinstance(row, dict) else ())
            yield cast("dict[str, Any]", row)


def _check_text(names: Collection[str]) -> None:
    if not set(TEXT_COLUMNS) & set(names):
        raise ValueError(f"no column {' or '.join(TEXT_COLUMNS)}")


def _seeded_hash(use: str, seed: int, value: str) -> int:
    """64 bits; no use of it and no seed has to do with another."""
    content = f"{use}\0{seed}\0{value}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(content).digest()[:8], "big")
