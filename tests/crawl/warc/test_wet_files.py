"""WET files: every page, and every bad record in its place."""

from __future__ import annotations

import dataclasses
import gzip
import io

import pytest

from skord.ccnet.text_pages import source_domain
from skord.ccnet.wet_pages import text_page
from skord.crawl.warc.wet import BadRecord, WETPage, read_wet

TWO_PAGES = """\
WARC/1.0\r
WARC-Type: warcinfo\r
WARC-Date: 2019-02-28T10:00:00Z\r
Content-Length: 22\r
\r
Software-Info: handy\r
\r
\r
WARC/1.0\r
WARC-Type: conversion\r
WARC-Target-URI: http://fjord.example.no/om?x=1\r
WARC-Date: 2019-02-18T00:00:00Z\r
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r
WARC-Refers-To: <urn:uuid:00000000-0000-4000-8000-0000000000aa>\r
WARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r
Content-Type: text/plain\r
Content-Length: 63\r
\r
Om fjorden
Vannet er kaldt hele året.

Båten går klokka ni.
\r
\r
WARC/1.0\r
WARC-Type: conversion\r
WARC-Target-URI: http://水.example.jp:81/\r
WARC-Date: 2019-02-18T00:00:01Z\r
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000002>\r
WARC-Refers-To: <urn:uuid:00000000-0000-4000-8000-0000000000bb>\r
WARC-Block-Digest: sha1:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB\r
Content-Type: text/plain\r
Content-Length: 25\r
\r
水の話
水は冷たい\r
\r
""".encode()
"""A file as dumps before 2020-24 have it: no header for languages."""

TEXT = "Föreningens styrelse\nEn rad om svårläst väder\n".encode()
WARCINFO = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 4\r\n\r\na: b\r\n\r\n"


def read(content: bytes, **options: int) -> list[WETPage | BadRecord]:
    return list(read_wet(io.BytesIO(content), **options))


def outcomes(items: list[WETPage | BadRecord]) -> list[str]:
    return [item.url if isinstance(item, WETPage) else str(item.reason) for item in items]


def in_members(*records: bytes) -> bytes:
    return b"".join(gzip.compress(record, mtime=0) for record in records)


def test_a_page_has_the_identity_of_its_response(wet_record) -> None:
    [page] = read(in_members(WARCINFO, wet_record(TEXT)))
    assert page == WETPage(
        record_id="urn:uuid:11111111-2222-4333-8444-555555555555",
        refers_to="urn:uuid:aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
        url="https://example.se/om",
        date="2024-02-21T05:11:09Z",
        content_languages="swe,eng",
        digest="sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
        content_length=len(TEXT),
        block=TEXT,
    )


@pytest.mark.parametrize("mode", ["default", "exact"])
def test_a_file_of_an_early_dump_gives_the_fields_of_its_pages(mode: str) -> None:
    pages = [text_page(page, "w.warc.gz", mode) for page in read(TWO_PAGES)]
    assert [page.url for page in pages] == [
        "http://fjord.example.no/om?x=1",
        "http://水.example.jp:81/",
    ]
    assert [source_domain(page.url) for page in pages] == ["fjord.example.no", "水.example.jp:81"]
    assert [page.warc_date for page in pages] == ["2019-02-18T00:00:00Z", "2019-02-18T00:00:01Z"]
    assert [page.digest for page in pages] == [f"sha1:{'A' * 32}", f"sha1:{'B' * 32}"]
    assert [page.content_length for page in pages] == [63, 25]
    assert [page.title for page in pages] == ["Om fjorden", "水の話"]
    assert pages[0].body.lines == ["Vannet er kaldt hele året.", "", "Båten går klokka ni."]
    # the second text has no line break at its end
    assert pages[1].body.lines == ["水は冷たい"] + ([""] if mode == "exact" else [])


def test_a_header_more_does_not_move_the_others(wet_record) -> None:
    """Dumps from 2020-24 on have one more before Content-Length, which cc_net loses them by."""
    with_it = read(in_members(wet_record(TEXT)))
    without = read(in_members(wet_record(TEXT, WARC_Identified_Content_Language=None)))
    assert with_it == [dataclasses.replace(without[0], content_languages="swe,eng")]


def test_headers_are_found_by_name_in_any_order_and_case(wet_record) -> None:
    lines = wet_record(TEXT).partition(b"\r\n\r\n")[0].split(b"\r\n")[1:]
    shouted = [
        b"%s:%s" % (name.upper(), value)
        for name, _, value in (line.partition(b":") for line in reversed(lines))
    ]
    record = b"\r\n".join([b"WARC/1.0", b"X-New: 1", *shouted, b"", TEXT + b"\r\n\r\n"])
    assert read(in_members(record)) == read(in_members(wet_record(TEXT)))


def test_dumps_without_a_language_header_are_read(wet_record) -> None:
    [page] = read(in_members(wet_record(TEXT, WARC_Identified_Content_Language=None)))
    assert isinstance(page, WETPage)
    assert page.content_languages is None


def test_a_latin1_byte_in_a_header_does_not_lose_the_record(wet_record) -> None:
    [page] = read(in_members(wet_record(TEXT).replace(b"/om", b"/\xe5")))
    assert page.url == "https://example.se/å"


def test_values_may_hold_colons_and_go_on_in_the_next_line(wet_record) -> None:
    url = "https://example.se/a: b?x: y"
    [page] = read(
        in_members(
            wet_record(TEXT, WARC_Target_URI=url, WARC_Identified_Content_Language="swe,\r\n\t eng")
        )
    )
    assert isinstance(page, WETPage)
    assert page.url == url
    assert page.content_languages == "swe, eng"


def test_odd_line_ends_stay_in_headers_and_text(wet_record) -> None:
    text = "a\u2028b\u0085c\rd\x0be\nWARC/1.0\nf".encode()
    [page] = read(in_members(wet_record(text, X_Odd="a\u2028b\u0085c")))
    assert isinstance(page, WETPage)
    assert page.text.encode() == text


def test_plain_files_read_as_packed_ones_do(wet_record) -> None:
    records = [WARCINFO, *(wet_record(TEXT, WARC_Target_URI=f"http://a.se/{n}") for n in "123")]
    assert read(b"".join(records)) == read(in_members(*records))
    assert outcomes(read(b"".join(records))) == ["http://a.se/1", "http://a.se/2", "http://a.se/3"]


def test_several_records_may_share_a_member(wet_record) -> None:
    records = [wet_record(TEXT, WARC_Target_URI=f"http://a.se/{n}") for n in "123"]
    items = read(in_members(b"".join(records[:2]), records[2]))
    assert outcomes(items) == ["http://a.se/1", "http://a.se/2", "http://a.se/3"]


@pytest.mark.parametrize(
    ("tail", "outcome"),
    [
        (b"", ["https://example.se/om"]),
        (b"\n", ["https://example.se/om"]),
        (b"rest", ["bad_length"]),
        (b"\r\n\r\nrest", ["bad_length"]),
        (b"\r\n\r\nWARC/9", ["https://example.se/om", "bad_warc"]),
    ],
)
def test_what_follows_a_record_in_its_member_is_looked_at(wet_record, tail, outcome) -> None:
    record = wet_record(TEXT).removesuffix(b"\r\n\r\n")
    assert outcomes(read(in_members(record + tail))) == outcome


def test_bare_newlines_are_accepted(wet_record) -> None:
    record = wet_record(TEXT).replace(b"\r\n", b"\n")
    assert read(record + record) == read(in_members(wet_record(TEXT))) * 2


BAD = {
    "no version line": (lambda r: r.replace(b"WARC/1.0\r\n", b""), "bad_warc"),
    "a header without a colon": (lambda r: r.replace(b"WARC-Date: ", b"WARC-Date "), "bad_warc"),
    "a length of too many digits": (lambda r: r.replace(b"Length: ", b"Length: " + b"9" * 5000),
     "too_large"),
    "headers that never end": (lambda r: r.partition(b"\r\n\r\n")[0], "bad_warc"),
    "no length": (lambda r: r.replace(b"Content-Length", b"X-Length"), "bad_length"),
    "a length that is no number": (lambda r: r.replace(b"Length: ", b"Length: -"), "bad_length"),
    "a length beyond the end": (lambda r: r.replace(b"Length: ", b"Length: 9"), "bad_length"),
    "text longer than it says": (lambda r: r.replace(b"Length: %d" % len(TEXT), b"Length: 12"),
     "bad_length"),
    "no URL": (lambda r: r.replace(b"WARC-Target-URI", b"X-URI"), "no_url"),
    "an empty URL": (lambda r: r.replace(b"https://example.se/om", b""), "no_url"),
    "no response named": (lambda r: r.replace(b"WARC-Refers-To", b"X-Refers"), "no_refers_to"),
    "text in Latin-1": (lambda r: r.replace("ö".encode(), b"\xf6 "), "not_utf8"),
    "another type": (lambda r: r.replace(b": conversion", b": metadata"), "unexpected_type"),
    "no type": (lambda r: r.replace(b"WARC-Type", b"X-Type"), "unexpected_type"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("packed", [True, False])
def test_a_bad_record_is_named_and_reading_goes_on(wet_record, case: str, *, packed: bool) -> None:
    damage, reason = BAD[case]
    before, after = (wet_record(TEXT, WARC_Target_URI=f"http://a.se/{n}") for n in "12")
    bad = damage(wet_record(TEXT))
    assert bad != wet_record(TEXT)
    records = (before, bad, after)
    items = read(in_members(*records) if packed else b"".join(records))
    if case == "headers that never end" and not packed:
        # nothing in a plain file tells where such a record ends: it takes in the next
        assert outcomes(items)[:1] == ["http://a.se/1"]
        assert outcomes(items) != ["http://a.se/1", "http://a.se/2"]
        return
    if case == "no version line" and not packed:
        # without it the record is the tail of the one before, whose length is then wrong
        assert outcomes(items) == ["bad_length", "http://a.se/2"]
        return
    assert outcomes(items) == ["http://a.se/1", reason, "http://a.se/2"]
    place = len(in_members(before)) if packed else len(before)
    assert items[1].offset == place  # type: ignore[union-attr]


def test_a_damaged_member_is_a_bad_record(wet_record) -> None:
    packed = [in_members(wet_record(TEXT, WARC_Target_URI=f"http://a.se/{n}")) for n in "123"]
    packed[1] = packed[1][:30] + b"\xff\xff\xff" + packed[1][33:]
    items = read(b"".join(packed))
    assert outcomes(items) == ["http://a.se/1", "bad_gzip", "http://a.se/3"]
    packed[0] = b"\0\0" + packed[0][2:]
    assert outcomes(read(b"".join(packed)))[-1] == "http://a.se/3"


def test_records_over_the_limit_are_named(wet_record) -> None:
    long = wet_record(b"a" * 5000, WARC_Target_URI="http://a.se/long")
    short = wet_record(TEXT, WARC_Target_URI="http://a.se/short")
    expected = ["too_large", "http://a.se/short"]
    assert outcomes(read(in_members(long, short), max_bytes=2000)) == expected
    assert outcomes(read(long + short, max_bytes=2000)) == expected


def test_a_forged_length_does_not_swallow_a_plain_file(wet_record) -> None:
    forged = wet_record(TEXT, Content_Length="999999999999")
    assert outcomes(read(forged + wet_record(TEXT))) == ["too_large", "https://example.se/om"]


def test_an_empty_file_has_no_pages_and_another_file_is_one_bad_record() -> None:
    assert read(b"") == []
    assert outcomes(read(b"<html>503 Slow Down</html>")) == ["bad_gzip"]
