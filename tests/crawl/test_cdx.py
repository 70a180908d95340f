"""Lines of the URL index: old and new dumps, and lines that are none."""

from __future__ import annotations

import json

import pytest

from skord.crawl.cdx import BadCDXLine, parse_cdx_line, timestamp_of, twin_warc, twin_wet
from skord.crawl.urls import surt_of

FIELDS = {
    "url": "https://example.se/om",
    "mime": "text/html",
    "mime-detected": "application/xhtml+xml",
    "status": "200",
    "digest": "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
    "length": "940",
    "offset": "0",
    "filename": "crawl-data/CC-MAIN-2024-10/segments/17.0/warc/a.warc.gz",
    "charset": "UTF-8",
    "languages": "swe,eng",
}


def line(**changes: object) -> str:
    fields = {key: value for key, value in (FIELDS | changes).items() if value is not None}
    return f"se,example)/om 20240221051109 {json.dumps(fields)}\n"


def test_a_line_of_today_is_read_whole() -> None:
    capture = parse_cdx_line(line(redirect="https://example.se/", truncated="length"))
    assert (capture.surt, capture.timestamp) == ("se,example)/om", "20240221051109")
    assert (capture.status, capture.offset, capture.length) == (200, 0, 940)
    assert capture.mime_detected == "application/xhtml+xml"
    assert (capture.charset, capture.languages) == ("UTF-8", "swe,eng")
    assert (capture.redirect, capture.truncated) == ("https://example.se/", "length")
    assert parse_cdx_line(line().encode()) == parse_cdx_line(line())


def test_an_old_line_lacks_fields_and_may_write_numbers_as_numbers() -> None:
    old = {"mime-detected": None, "charset": None, "languages": None, "digest": None}
    capture = parse_cdx_line(line(**old, status=301, length=17, offset=5))
    assert (capture.status, capture.length, capture.offset) == (301, 17, 5)
    assert (capture.mime_detected, capture.charset, capture.digest) == (None, None, None)


def test_lone_surrogates_of_an_address_become_question_marks() -> None:
    capture = parse_cdx_line(line(url="http://x\udfff.se/"))

    assert capture.url == "http://x?.se/"


@pytest.mark.parametrize(
    "bad",
    [
        "",
        " CDX N b a m s k r M S V g",
        "se,example)/om 20240221051109",
        "se,example)/om 2024 {}",
        "se,example)/om 20240221051109 {not json}",
        "se,example)/om 20240221051109 []",
        "se,example)/om 20240221051109 " + "[" * 100_000,
        line()[:-20],
        *(line(**{name: None}) for name in ("url", "status", "length", "offset", "filename")),
        *(line(**{name: "-"}) for name in ("status", "length", "offset")),
        line(offset="-1"),
        line(length="0"),
        line(length="１２"),
        line(length="9" * 40),
        line(length="0000").replace('"0000"', "9" * 5000),
        line(length=["1"]),
        line().encode()[:30] + b"\xff" + line().encode()[30:],
    ],
)
def test_a_bad_line_is_an_error_of_its_own(bad: str | bytes) -> None:
    with pytest.raises(BadCDXLine):
        parse_cdx_line(bad)
    assert issubclass(BadCDXLine, ValueError)


@pytest.mark.parametrize("date", ["", "2024-02-21", "20240221051109", "2024-02-21T05:11:09+01:00"])
def test_what_is_no_warc_date_has_no_timestamp(date: str) -> None:
    with pytest.raises(ValueError, match="WARC-Date"):
        timestamp_of(date)


def test_twins_lead_back_to_each_other_and_other_paths_are_refused() -> None:
    wet = "crawl-data/CC-MAIN-2024-10/segments/wet/wet/a.warc.wet.gz"
    assert twin_wet(twin_warc(wet)) == wet
    assert twin_warc("wet/a.warc.wet.gz") == "warc/a.warc.gz"
    for path in (twin_warc(wet), "a.warc.wet.gz", wet.replace(".wet.gz", ".wat.gz")):
        with pytest.raises(ValueError, match="not a path"):
            twin_warc(path)
    with pytest.raises(ValueError, match="not a path"):
        twin_wet("segments/17.0/robotstxt/a.warc.gz")


@pytest.mark.parametrize(
    ("url", "surt"),
    [
        ("http://Example.se", "se,example)/"),
        ("https://www2.a.example.is/Path/", "is,example,a)/path"),
        ("http://example.no:8080/?B=1&a=2", "no,example:8080)/?a=2&b=1"),
        ("http://example.se//a/./b/../c//", "se,example)/a/c"),
        ("http://example.se/a%20b/%2541?", "se,example)/a%20b/a"),
        ("http://example.se/Å?q=%C3%A5", "se,example)/%c3%85?q=%c3%a5"),
        ("http://example.se/?b=&a&a=1", "se,example)/?a&a=1&b="),
        (f"http://example.se/?a=1&PHPSESSID={'0f' * 16}&b=2", "se,example)/?a=1&b=2"),
        (f"http://example.se/(S({'a0' * 12}))/x.aspx", "se,example)/x.aspx"),
        ("http://example.se/?cfid=12&cftoken=34&a=1", "se,example)/?a=1"),
        ("http://user:word@example.se:80/", "se,example)/"),
        ("https://example.se:80/", "se,example:80)/"),
        ("http://http://example.se/", "se,example)/"),
        ("http://3232235521/", "1,0,168,192)/"),
        ("http://192.168.0.1/", "1,0,168,192)/"),
        ("http://999.1.1.1/", "1,1,1,999)/"),
        ("http://åmål.se/", "se,xn--ml-xiab)/"),
        ("http://example.se/ ", "se,example)/"),
    ],
)
def test_sort_keys(url: str, surt: str) -> None:
    assert surt_of(url) == surt


@pytest.mark.parametrize("url", ["", "om", "http://", "http://a.se:99999/"])
def test_urls_without_a_place_have_no_sort_key(url: str) -> None:
    with pytest.raises(ValueError, match=r"no host|out of range"):
        surt_of(url)
