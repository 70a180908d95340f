"""A crawl of Latvian pages in all their charsets, and the whole graph for Latvian over it."""

import pytest

from skord.sample_crawl.builder import build_crawl
from skord.sample_crawl.faults import NO_FAULTS
from skord.sample_crawl.page_source import harvest_pages
from skord.sample_crawl.server import CrawlServer
from tests.graph.bench import DUMP, Bench


@pytest.fixture(scope="session")
def pages():
    return harvest_pages()


@pytest.fixture(scope="session")
def latvian(pages, tmp_path_factory) -> Bench:
    """The graph for Latvian, by the published command for its last task, grades included."""
    crawl = tmp_path_factory.mktemp("latvian-crawl")
    build_crawl(pages, crawl, dump=DUMP, with_extras=False)
    with CrawlServer(crawl, NO_FAULTS) as server:
        bench = Bench(tmp_path_factory.mktemp("latvian"), server.url, num_shards=1, workers=1)
        bench.extra = "[GradeDocuments]\nrestore_accents = true\n"
        status, output = bench.luigi(
            "skord.extras.grading.task", "GradeDocuments", "--dump", DUMP, "--languages", "lv",
            "--GradeDocuments-language", "lv", "--CCNet-min-score", "0.01",
        )  # fmt: skip
        assert status == 0, output
    return bench
