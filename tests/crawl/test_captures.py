"""Which lines of the index are wanted, and where each page's record lies by them."""

from collections import Counter

import pytest

from skord.crawl.captures import (
    IndexFailure,
    Skipped,
    capture_keys,
    locate_captures,
    wanted_captures,
)

TIME = "20240301120000"
WARC = "crawl-data/a.warc.gz"


def line(url, file=WARC, status="200"):
    fields = f'"url": "{url}", "status": "{status}", "filename": "{file}", "offset": "7",'
    return (
        f'example,a)/ {TIME} {{{fields} "length": "9", "digest": "D", "mime": "text/html"}}'
    ).encode()


def row(offset, status=200, url="http://a.example/"):
    return {
        "warc_file": WARC, "url": url, "timestamp": TIME, "offset": offset, "length": 9,
        "digest": "D", "status": status, "mime": "text/html",
    }  # fmt: skip


def test_only_selected_pages_of_the_dumps_files_are_wanted():
    counts = Counter()
    wanted = capture_keys(["http://a.example/"], [TIME])
    lines = [
        line("http://a.example/"),
        line("http://b.example/"),
        line("http://a.example/", file="crawl-data/robotstxt.warc.gz"),
        b"no line",
    ]

    ((shard, capture),) = wanted_captures(lines, wanted, {WARC: 3}, counts)

    assert (shard, capture.url, capture.offset) == (3, "http://a.example/", 7)
    assert counts == {"lines": 4, Skipped.not_wanted: 2, Skipped.bad_line: 1}


def test_a_key_behind_the_last_is_not_among_them():
    urls = [f"http://{n}.example/" for n in range(50)]
    lowest, *_, highest = sorted(urls, key=lambda url: int(capture_keys([url], [TIME])[0]))
    wanted = capture_keys([lowest], [TIME])

    assert not list(wanted_captures([line(highest)], wanted, {WARC: 0}, Counter()))


@pytest.mark.parametrize("order", [(5, 3, 8), (3, 5, 8), (8, 5, 3)])
def test_of_several_records_of_a_page_the_first_in_the_file_counts(order):
    (located,) = locate_captures(
        [(WARC, "http://a.example/", TIME)], [row(offset) for offset in order]
    )

    assert located["warc_record_offset"] == 3
    assert located["failure"] is None


def test_of_two_rows_for_one_place_the_one_read_first_stays():
    (located,) = locate_captures(
        [(WARC, "http://a.example/", TIME)], [row(3), {**row(3), "mime": "x"}]
    )

    assert located["mime"] == "text/html"


def test_why_a_place_is_not_known():
    places = [(WARC, "http://a.example/", TIME), (WARC, "http://b.example/", TIME)]

    redirect, missing = locate_captures(places, [row(3, status=301)])

    assert redirect["failure"] == IndexFailure.not_a_page
    assert redirect["http_status"] == 301
    assert missing == {"failure": IndexFailure.not_in_index}
