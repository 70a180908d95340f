"""A crawl of Latvian pages in all their charsets, and the whole graph for Latvian over it."""

import dataclasses

import pytest

from models.grammar.corruptions import transliterated
from pipeline.rehearsal.builder import build_crawl
from pipeline.rehearsal.faults import NO_FAULTS
from pipeline.rehearsal.page_source import bundled_pages, read_pages
from pipeline.rehearsal.server import CrawlServer
from tests.conftest import ROOT
from tests.graph.conftest import DUMP, Bench

THREADS = ROOT / "tests/rehearsal/latvian"
IN_8859_4 = "tilta-remonts"


@pytest.fixture(scope="session")
def pages():
    """Latvian pages in UTF-8, windows-1257, ISO-8859-13 and -4; forum threads also in pairs of
    plain letters, at another address."""
    bundled = [page for page in bundled_pages() if page.lang == "lv"]
    articles = [
        dataclasses.replace(page, charset="iso-8859-4", charset_declared="both")
        if page.slug == IN_8859_4
        else page
        for page in bundled
    ]
    threads = read_pages(THREADS)
    twins = [
        dataclasses.replace(
            page,
            slug=f"{page.slug}-twin",
            url=page.url.replace("tema", "tema-translit"),
            title=transliterated(page.title),
            text=transliterated(page.text),
            charset="utf-8",
            charset_declared="both",
        )
        for page in threads
    ]
    return [*articles, *threads, *twins]


@pytest.fixture(scope="session")
def latvian(pages, tmp_path_factory) -> Bench:
    """The graph for Latvian, by the published command for its last task, grades included."""
    crawl = tmp_path_factory.mktemp("latvian-crawl")
    build_crawl(pages, crawl, dump=DUMP, with_extras=False)
    with CrawlServer(crawl, NO_FAULTS) as server:
        bench = Bench(tmp_path_factory.mktemp("latvian"), server.url, num_shards=1, workers=1)
        bench.extra = "[GradeDocuments]\nrestore_accents = true\n"
        status, output = bench.luigi(
            "pipeline.grading", "GradeDocuments", "--dump", DUMP, "--languages", "lv",
            "--GradeDocuments-language", "lv", "--CCNet-min-score", "0.01",
        )  # fmt: skip
        assert status == 0, output
    return bench
