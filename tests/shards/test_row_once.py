"""What is worked out of a page once is handed on: counted by the interpreter's hook."""

import sys
import threading
from collections import Counter
from contextlib import contextmanager

import pyarrow as pa
from isal import isal_zlib
from warcio.statusandheaders import StatusAndHeadersParser

from pipeline.markdown_processing import ProcessMarkdown
from pipeline.quality_filtering import FilterDocuments
from pipeline.warc_processing import ConvertToMarkdown
from skord import native
from skord.crawl.http.client import Crawl, CrawlSettings
from skord.crawl.http.rate_limit import RateLimiter
from skord.crawl.warc.fetch import RecordFetcher, WantedRecord
from skord.sample_crawl.server import CrawlServer
from tests.members import response_member

DUMP = "2024-10"
PAGES = 5
PAGE = (
    "<html lang=sv><title>Bryggan</title><body><nav><a href=/>Hem</a></nav><h1>Bryggan {}</h1>"
    "<p>Den som vill bada kan åter gå ut på den gamla bryggan, meddelade hamnchefen i går.</p>"
)
COMPILED = {
    isal_zlib.decompressobj: "unpacked",
    native.convert_html: "parsed and converted",
    native.plain_page: "plain form",
    native.line_context: "context",
}
INTERPRETED = {StatusAndHeadersParser.parse.__code__: "HTTP head parsed"}


@contextmanager
def counted():
    """How often each of them is called in this process, by any thread that starts in it."""
    counts = Counter()

    def hook(frame, event, called):
        if event == "c_call" and type(called) is type(len) and called in COMPILED:
            counts[COMPILED[called]] += 1
        elif event == "call" and frame.f_code in INTERPRETED:
            counts[INTERPRETED[frame.f_code]] += 1

    threading.setprofile(hook)
    sys.setprofile(hook)
    try:
        yield counts
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def member(number):
    http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{PAGE.format(number)}"
    return response_member(http.encode(), f"http://a.example/{number}", f"urn:uuid:{number}")


def fetched(tmp_path):
    """The members as the crawl's server gives them, proven."""
    members = [member(number) for number in range(PAGES)]
    starts = [sum(map(len, members[:n])) for n in range(PAGES)]
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "a.warc.gz").write_bytes(b"".join(members))
    wanted = [
        WantedRecord(f"urn:uuid:{n}", "a.warc.gz", start, len(members[n]), None)
        for n, start in enumerate(starts)
    ]
    with CrawlServer(tmp_path / "crawl") as server:
        limiter = RateLimiter(tmp_path / "rate", 10_000, 4)
        fetcher = RecordFetcher(lambda: Crawl(CrawlSettings(server.url), limiter), 2)
        records = fetcher.fetch(wanted)
    assert [record.record for record in records] == members
    return members


def prefixed(name, table):
    return {f"{name}.{column}": table[column] for column in table.column_names}


def test_each_task_unpacks_parses_and_plainly_says_a_page_once(settings, tmp_path):
    ids = {"id": [f"urn:uuid:{n}" for n in range(PAGES)]}
    FilterDocuments(dump=DUMP).check()
    ProcessMarkdown(dump=DUMP).check()

    with counted() as fetching:
        records = fetched(tmp_path)
    batch = {
        "FetchHTMLDocuments.record": records,
        "WARCIndex.warc_file": ["a.warc.gz"] * PAGES,
        "CCNet.url": [f"http://a.example/{n}" for n in range(PAGES)],
        "CCNet.warc_date": ["2024-03-01T00:00:00Z"] * PAGES,
    }
    with counted() as converting, ConvertToMarkdown(dump=DUMP).open_shard(0) as convert:
        pages = prefixed("ConvertToMarkdown", convert(pa.table({**ids, **batch})))
    with counted() as extracting:
        texts = prefixed(
            "ProcessMarkdown", ProcessMarkdown(dump=DUMP).process(pa.table({**ids, **pages}))
        )
    judged = {
        "CCNet.perplexity": pa.array([250.5] * PAGES),
        "CCNet.bucket": ["middle"] * PAGES,
        "CCNet.language": ["sv"] * PAGES,
    }
    with counted() as filtering:
        FilterDocuments(dump=DUMP).process(pa.table({**ids, **pages, **texts, **judged}))

    assert "bada kan åter" in texts["ProcessMarkdown.text"][0].as_py()
    once = dict.fromkeys(("unpacked", "HTTP head parsed"), PAGES)
    assert fetching == once
    assert converting == once | dict.fromkeys(
        ("parsed and converted", "plain form", "context"), PAGES
    )
    assert extracting == {"plain form": PAGES}
    assert filtering == {}
