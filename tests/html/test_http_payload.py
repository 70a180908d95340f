from __future__ import annotations

import pytest

from skord.crawl.warc.payload import earliest_date, is_html

HTML = b"<!DOCTYPE html><html><title>x</title>"


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/html", HTML),
        ("TEXT/HTML; charset=utf-8", b"Bara text"),
        ("text/html;charset=utf-8", b""),
        (" application/xhtml+xml ", b'<?xml version="1.0"?><html>'),
        (None, HTML),
        ("", b"\xef\xbb\xbf \n<html>"),
        ("application/octet-stream", b"<!-- x --> <HTML lang=sv>"),
        ("unknown/unknown", b'<?xml version="1.0"?>\n<!doctype html >'),
        (None, "\ufeff<html>".encode("utf-16-le")),
        ("text/html", b"[Sport] Elfsborg vann"),
    ],
)
def test_html_is_recognised(content_type, body):
    assert is_html(content_type, body)


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/pdf", b"%PDF-1.4"),
        ("application/pdf", HTML),
        ("text/html", b"%PDF-1.4"),
        ("text/html", b"\x89PNG\r\n"),
        ("text/html", b"\xff\xd8\xff\xe0"),
        ("text/html", b"GIF89a"),
        ("text/html; charset=utf-8", b' {"id": 1}'),
        ("text/html", b'[{"id": 1}]'),
        ("application/json", b"{}"),
        ("text/plain", HTML),
        (None, b"Bara text"),
        (None, b"<htmlx>"),
        (None, b'<?xml version="1.0"?><rss>'),
        ("application/octet-stream", b"\x00\x01\x02"),
        (None, b""),
    ],
)
def test_other_things_are_not_html(content_type, body):
    assert not is_html(content_type, body)


MODIFIED = ("Last-Modified", "Tue, 02 Jan 2007 10:00:00 GMT")


@pytest.mark.parametrize(
    ("warc_date", "headers", "expected"),
    [
        ("2024-03-01T12:00:00Z", [], "2024-03-01T12:00:00Z"),
        ("2024-03-01T12:00:00.123456Z", [], "2024-03-01T12:00:00Z"),
        ("2024-03-01T12:00:00Z", [MODIFIED], "2007-01-02T10:00:00Z"),
        ("2024-03-01T12:00:00Z", [("DATE", MODIFIED[1])], "2007-01-02T10:00:00Z"),
        ("2024-03-01T12:00:00Z", [("Expires", MODIFIED[1])], "2024-03-01T12:00:00Z"),
        (None, [MODIFIED, ("Date", "Mon, 01 Jan 2007 23:30:00 -0100")], "2007-01-02T00:30:00Z"),
        (None, [("Date", "Tuesday, 02-Jan-07 10:00:00 GMT")], "2007-01-02T10:00:00Z"),
        (None, [("Date", "Tue Jan  2 10:00:00 2007")], "2007-01-02T10:00:00Z"),
        (None, [("Date", "Thu, 31 Dec 1998 23:59:59 GMT")], None),
        (None, [("Date", "Fri, 01 Jan 1999 00:00:00 GMT")], "1999-01-01T00:00:00Z"),
        ("2024", [("Date", "i går"), ("Last-Modified", "")], None),
        ("2024-13-01T12:00:00Z", [("Date", "Mon, 99 Jan 2007 99:00:00 GMT")], None),
        ("0001-01-01T00:00:00+12:00", [], None),
        (None, [], None),
    ],
)
def test_the_earliest_date_that_can_be_believed_wins(warc_date, headers, expected):
    assert earliest_date(warc_date, headers) == expected
