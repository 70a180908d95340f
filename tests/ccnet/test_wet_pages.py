"""Pages of a WET file as they come, of `skord.ccnet.wet_pages`; bad records are counted."""

import gzip
import io
from collections import Counter

import pytest

from skord.ccnet.paragraph_keys import paragraph_key
from skord.ccnet.wet_pages import MEMBERS_AT_ONCE, text_page, text_pages, wet_keys
from skord.crawl.warc.wet import read_wet


def record(number, text, kind="conversion"):
    body = text.encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://a.se/{number}\r\n"
        "WARC-Date: 2024-02-21T05:11:09Z\r\n"
        f"WARC-Record-ID: <urn:uuid:{number:08d}-0000-4000-8000-000000000000>\r\n"
        f"WARC-Refers-To: <urn:uuid:{number:08d}-1111-4111-8111-111111111111>\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + body + b"\r\n\r\n")


def pages_of(packed, counts=None, mode="default"):
    counts = Counter() if counts is None else counts
    return [
        page for some in text_pages(io.BytesIO(packed), "a.warc.gz", counts, mode) for page in some
    ]


def test_pages_and_bad_records_come_in_their_order():
    cut = record(3, "Titel\nborta")
    packed = b"".join([
        record(0, "software: x", "warcinfo"), record(1, "Titel\nrad ett\nrad två"),
        cut[: len(cut) // 2], record(4, "Fyra\nsist"),
    ])  # fmt: skip

    counts = Counter()
    pages = pages_of(packed, counts)

    assert counts == {"pages": 2, "bad_record.bad_gzip": 1}
    assert [one.url for one in pages] == ["http://a.se/1", "http://a.se/4"]
    assert (pages[0].title, pages[0].warc_file) == ("Titel", "a.warc.gz")


def test_the_quick_way_and_the_plain_one_agree():
    packed = record(1, "Titel\nrad ett\n\nrad två å\n")
    (quick,) = pages_of(packed)
    (plain,) = read_wet(io.BytesIO(packed))
    assert quick == text_page(plain, "a.warc.gz")


@pytest.mark.parametrize("mode", ["default", "exact"])
def test_keys_are_those_of_the_pages_lines_whoever_hashes_them(mode):
    cut = record(3, "Titel\nborta")
    texts = ["Titel\nrad ett\n\nRad TVÅ 22\n", "Titel", "T\nkort", "Titel\nΟΔΟΣ och annat\nslut"]
    packed = b"".join([
        record(0, "software: x", "warcinfo"), record(1, texts[0]), cut[: len(cut) // 2],
        *(record(10 + number, text) for number, text in enumerate(texts)),
        *(record(100 + number, texts[0]) for number in range(MEMBERS_AT_ONCE)),
        gzip.compress(gzip.decompress(record(5, texts[3])) + gzip.decompress(record(6, texts[0]))),
    ])  # fmt: skip
    pages = pages_of(packed, mode=mode)
    long_enough = [one for one in pages if one.body.length >= 5]
    counts = Counter()

    parts = list(wet_keys(io.BytesIO(packed), counts, 5, mode))

    lines = [line for page in long_enough for line in page.body.lines]
    assert [key for keys, _ in parts for key in keys] == [paragraph_key(line) for line in lines]
    lengths = [length for _, lengths in parts for length in lengths]
    assert lengths == [page.body.nlines for page in long_enough]
    assert MEMBERS_AT_ONCE < len(long_enough) < len(pages)
    assert counts == {"pages": len(pages), "bad_record.bad_gzip": 1}
