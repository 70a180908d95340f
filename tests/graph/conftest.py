"""Crawls of different sizes, a server for them, and whole runs of the graph over them."""

from pathlib import Path

import pytest

from pipeline.cli.sample import build
from pipeline.sample_crawl.faults import NO_FAULTS
from pipeline.sample_crawl.server import CrawlServer
from tests.graph.bench import DUMP, LAST, Bench
from tests.graph.publishing.export_forms import command, copy_of


@pytest.fixture(scope="session")
def crawl_folder(tmp_path_factory) -> Path:
    """The bundled sample crawl, with one record damaged in each way."""
    folder = tmp_path_factory.mktemp("crawl")
    build(folder, [], DUMP)
    return folder


@pytest.fixture(scope="session")
def crawl_url(crawl_folder):
    with CrawlServer(crawl_folder, NO_FAULTS) as server:
        yield server.url


@pytest.fixture(scope="session")
def whole(crawl_url, tmp_path_factory) -> Bench:
    """The whole graph, run cold by the published command for its last task."""
    bench = Bench(tmp_path_factory.mktemp("whole"), crawl_url)
    status, output = bench.luigi(*LAST)
    assert status == 0, output
    return bench


@pytest.fixture(scope="session")
def exported(whole, tmp_path_factory) -> Bench:
    """The corpus of the whole graph, published in a few files."""
    bench = copy_of(whole, tmp_path_factory.mktemp("corpus") / "bench")
    status, output = command(bench, "export", "--dumps", DUMP)
    assert status == 0, output
    return bench


@pytest.fixture
def bench(tmp_path, crawl_url) -> Bench:
    return Bench(tmp_path / "bench", crawl_url)
