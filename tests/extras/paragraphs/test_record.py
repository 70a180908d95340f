"""One record to the columns of ExtractParagraphs, of `skord.extras.paragraphs.extraction`."""

import pytest

from skord.core.failures import DocumentError
from skord.crawl.warc.written_records import record_member
from skord.extras.paragraphs.extraction import extract_record, refuse_guesses
from skord.html.charset.decode import CharsetSource, Decoded
from skord.paragraphs.format import read_paragraphs

HTML = (
    "<html><body><p>Bron öppnades <a href=/b>igår</a>.</p><p>Kung kom.</p></body></html>".encode()
)


def record(status=200, content_type="text/html; charset=utf-8", body=HTML, **headers):
    head = f"HTTP/1.1 {status} OK\r\nContent-Type: {content_type}\r\n\r\n".encode()
    named = {
        "WARC-Type": "response", "WARC-Record-ID": "<urn:uuid:1>", "WARC-Target-URI": "http://a.se/",
        "WARC-Date": "2024-02-21T05:11:09Z", "Content-Type": "application/http; msgtype=response",
        **headers,
    }  # fmt: skip
    return record_member(named.items(), head + body)


def extract(packed, **settings):
    return extract_record(
        packed, "http://a.se/", lambda _: {"sv": 0.9, "da": 0.1}, keep_truncated=False, **settings
    )


def test_a_page_is_its_paragraphs_with_charset_language_and_date():
    row = extract(record())

    plain = [paragraph.plain for paragraph in read_paragraphs(row.pop("text"))]
    assert plain == ["Bron öppnades igår.", "Kung kom."]
    assert row == {
        "url": "http://a.se/", "charset": "utf-8", "lang": "sv", "date": "2024-02-21T05:11:09Z",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("packed", "code"),
    [
        (record(status=404), "http_status"),
        (record(status=201), "http_status"),
        (record(content_type="application/pdf", body=b"%PDF-1.4"), "not_html"),
        (record(**{"WARC-Truncated": "length"}), "truncated"),
    ],
)
def test_what_is_no_whole_page_fails_with_its_code(packed, code):
    with pytest.raises(DocumentError) as error:
        extract(packed)
    assert error.value.code == code


def test_cut_pages_are_taken_where_that_is_wanted():
    packed = record(**{"WARC-Truncated": "length"})
    row = extract_record(packed, "u", lambda _: {}, keep_truncated=True)
    assert row["text"]


@pytest.mark.parametrize(
    ("text", "source", "is_refused"),
    [
        ("å" * 50 + "\ufffd" * 50, CharsetSource.detector, True),
        ("å" * 50 + "\ufffd" * 50, CharsetSource.http_header, False),
        ("å" * 100, CharsetSource.detector, False),
        ("plain", CharsetSource.detector, False),
    ],
)
def test_a_guess_that_leaves_much_unread_is_refused(text, source, is_refused):
    decoded = Decoded(text, "windows-1252", source)
    if is_refused:
        with pytest.raises(DocumentError, match="windows-1252"):
            refuse_guesses(decoded)
    else:
        refuse_guesses(decoded)


def test_ascii_is_not_counted_among_what_a_guess_has_read():
    text = "\x7f" * 100 + "å" * 94 + "\ufffd" * 6

    with pytest.raises(DocumentError):
        refuse_guesses(Decoded(text, "windows-1252", CharsetSource.detector))
