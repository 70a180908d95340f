"""A crawl of a few pages written for these tests, and one of the bundled pages."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from skord.crawl.cdx import Capture, parse_cdx_line
from skord.sample_crawl.builder import Built, Damage, build_crawl
from skord.sample_crawl.page_source import PageSource, bundled_pages, read_pages

DAMAGE = Damage(corrupt_members=3, wrong_digests=2, missing_from_index=4)


@dataclass(frozen=True)
class Crawl:
    """A built crawl and the ways in which tests look at it."""

    root: Path
    built: Built

    def paths(self, name: str) -> list[str]:
        listed = self.root / f"crawl-data/CC-MAIN-{self.built.dump}/{name}.paths.gz"
        return gzip.decompress(listed.read_bytes()).decode().split()

    def captures(self) -> list[Capture]:
        lines = (
            line
            for name in self.paths("cc-index")
            if name.endswith(".gz")
            for line in gzip.decompress((self.root / name).read_bytes()).split(b"\n")
        )
        return [parse_cdx_line(line) for line in lines if line]

    def member(self, capture: Capture) -> bytes:
        content = (self.root / capture.filename).read_bytes()
        return content[capture.offset : capture.offset + capture.length]

    def gold(self) -> list[dict[str, Any]]:
        written = (self.root / "gold.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in written.split("\n") if line]


@pytest.fixture(scope="session")
def few_pages() -> list[PageSource]:
    return read_pages(Path(__file__).parent / "pages")


@pytest.fixture(scope="session")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    root = tmp_path_factory.mktemp("crawl")
    return Crawl(root, build_crawl(bundled_pages(), root))


@pytest.fixture(scope="session")
def damaged_crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    root = tmp_path_factory.mktemp("damaged_crawl")
    return Crawl(root, build_crawl(bundled_pages(), root, damage=DAMAGE))
