"""The short way to a WET page: of the usual records it says what the long way says."""

from __future__ import annotations

import gzip
import io
import random

import numpy as np
import pytest

from skord.crawl.warc.framing import bare_url, read_records
from skord.crawl.warc.wet import WETPage, _pages_of, read_wet
from skord.native import split_page, wet_pages, wet_record
from skord.text.words import TextColumn

HEADERS = [
    b"WARC-Type: conversion",
    b"WARC-Target-URI: https://example.se/om?a=b",
    b"WARC-Date: 2024-02-21T05:11:09Z",
    b"WARC-Record-ID: <urn:uuid:11111111-2222-4333-8444-555555555555>",
    b"WARC-Refers-To: <urn:uuid:AAAAAAAA-bbbb-4CCC-8ddd-eeeeeeeeeeee>",
    b"WARC-Block-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
    b"WARC-Identified-Content-Language: swe,eng",
    b"Content-Type: text/plain",
]
TEXT = "Om oss\nVi är åtta 🙂 och 漢字.\n".encode()


def record(headers=HEADERS, text=TEXT, version=b"WARC/1.0", length=None):
    size = len(text) if length is None else length
    head = b"\r\n".join([version, *headers, b"Content-Length: %d" % size])
    return head + b"\r\n\r\n" + text + b"\r\n\r\n"


def wet_page(data, exact):
    """What `wet_pages` says of one member."""
    told, columns, numbers = wet_pages([data], exact)
    if told == b"\0":
        assert set(columns) == {(bytes(8), b"")}
        return None
    refers_to, url, date, title, lines, digest = (
        TextColumn.from_native(one).text(0) for one in columns
    )
    num_lines, chars, size = np.frombuffer(numbers, np.int64).tolist()
    return (refers_to, url, date, title, lines.encode(), num_lines, chars, digest, size)


def the_page(data, exact):
    """What it has to say."""
    actual = wet_record(data)
    if actual is None or actual[0] != "conversion" or not actual[1]:
        return None
    _, url, _, refers_to, date, _, digest, block = actual
    title, *lines = split_page(block, exact)
    return (refers_to, bare_url(url), date, title, *lines, digest, len(block))


def both_ways(data):
    packed = gzip.compress(data)
    return list(read_wet(io.BytesIO(packed))), list(_pages_of(read_records(io.BytesIO(packed))))


def test_a_usual_record_is_taken_and_reads_the_same_both_ways():
    assert wet_record(record()) is not None
    short, long = both_ways(record())

    assert short == long
    [page] = short
    assert isinstance(page, WETPage)
    assert page.refers_to == "urn:uuid:aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        record()[:-1],
        record(length=3),
        record(version=b"WARC/1.0 "),
        record(version=b"HTTP/1.0"),
        record([*HEADERS[:4], b"WARC-Refers-To: <urn:uuid:not-one>"]),
        record([*HEADERS, b" continued"]),
        record([*HEADERS, b"X-Y:\n"]),
        record([*HEADERS, b"X-Y: a\nZ: b"]),
        record([*HEADERS, "X-Å: b".encode()]),
        record([*HEADERS, b"no header"]),
        record(text=b"\xff"),
        record(text=b"\xed\xa0\x80"),
        record(text=b"\xf4\x90\x80\x80"),
        record(text=b"\xc0\x80"),
        record(text=b"abcdefg\xe2\x82"),
        record() + record(),
    ],
)
def test_an_unusual_record_is_left_to_python(data):
    assert wet_record(data) is None
    short, long = both_ways(data)
    assert short == long


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("header", "taken"),
    [
        (HEADERS[1], True),
        (b"WARC-Target-URI: <https://example.se/>", True),
        (b"WARC-Target-URI: <>", True),
        (b"WARC-Target-URI: <", True),
        (b"WARC-Target-URI:", False),
        (b"WARC-Type: warcinfo", False),
    ],
)
def test_a_page_is_record_and_lines_in_one(header, taken, exact):
    changed = record([header, *HEADERS], text=b"Titel\n a\rb \n\n\n")

    assert (wet_page(changed, exact) is not None) == taken
    assert wet_page(changed, exact) == the_page(changed, exact)


def test_members_are_told_one_after_another_and_those_that_hold_no_page_left_out():
    told, columns, numbers = wet_pages([record(text=b"A\nb"), b"", record(text=b"C\nd\ne")], True)

    titles, lines = (TextColumn.from_native(columns[at]) for at in (3, 4))
    assert told == b"\1\0\1"
    assert [titles.text(0), titles.text(1)] == ["A", "C"]
    assert [lines.text(0), lines.text(1)] == ["b\n", "d\ne\n"]
    assert np.frombuffer(numbers, np.int64).tolist() == [2, 2, 3, 3, 4, 5]


def test_records_changed_at_random_read_the_same_both_ways():
    chance = random.Random(2)
    whole = record()
    same = 0
    for _ in range(2000):
        changed = bytearray(whole)
        for _ in range(chance.choice([1, 2])):
            at = chance.randrange(len(changed))
            what = chance.choice(
                [b"", b"\r\n", b"\n", b" ", b":", b"\xff", b"<", b"A", b"\r", b"\t"]
            )
            changed[at : at + chance.randrange(2)] = what
        short, long = both_ways(bytes(changed))
        assert short == long, bytes(changed)
        for exact in (True, False):
            assert wet_page(bytes(changed), exact) == the_page(bytes(changed), exact)
        same += wet_record(bytes(changed)) is not None
    assert 100 < same < 1900


def texts_near_utf8():
    """Bytes that are UTF-8 or nearly: whole characters of every length, cut, doubled, changed."""
    chance = random.Random(7)
    pools = [range(0x80), range(0x80, 0x800), range(0x800, 0xD800), range(0xE000, 0x110000)]
    edges = [0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]
    odd = [b"\xc0\x80", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80"]
    odd += [bytes([byte]) for byte in range(0x80, 0x100)]
    for number in range(3000):
        points = [
            chance.choice([chance.choice(edges), *map(chance.choice, pools)]) for _ in "12345"
        ]
        text = bytearray("".join(map(chr, points)).encode())
        text[:0] = b"a" * chance.randrange(70)
        if number % 2:
            at = chance.randrange(len(text) + 1)
            text[at:at] = chance.choice(odd)
        if number % 3 == 0:
            text = text[: chance.randrange(len(text) + 1)]
        yield bytes(text) + b"b" * chance.choice([0, 1, 31, 40])


def is_python_utf8(text):
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_a_record_is_taken_only_where_python_reads_its_text_as_utf8():
    texts = list(texts_near_utf8())
    told = [wet_record(record(text=text)) is not None for text in texts]

    assert told == [is_python_utf8(text) for text in texts]
    assert {True, False} == set(told)
