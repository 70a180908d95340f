"""Files of sites out of archived records, of `skord.rights.site_files`."""

import pytest

from skord.crawl.robots import MAX_BYTES
from skord.crawl.warc.written_records import record_member
from skord.rights.site_files import files_in_warc, origin_of, site_files


def record(url, body=b"User-agent: *", status=200, kind="response", date="2024-02-21T05:11:09Z"):
    head = f"HTTP/1.1 {status} x\r\nContent-Type: text/plain\r\n\r\n".encode()
    headers = [
        ("WARC-Type", kind),
        ("WARC-Target-URI", url),
        ("WARC-Record-ID", "<urn:uuid:1>"),
        ("Content-Type", "application/http; msgtype=response"),
    ]
    return record_member([*headers, ("WARC-Date", date)] if date else headers, head + body)


@pytest.fixture
def files(tmp_path):
    def of(*records, wanted=("https://a.se",)):
        path = tmp_path / "a.warc.gz"
        path.write_bytes(b"".join(records))
        return list(files_in_warc(path, wanted))

    return of


def test_the_files_of_wanted_origins_are_taken(files):
    rows = files(
        record("https://a.se/robots.txt?x=1", b"a"),
        record("https://b.se/robots.txt", b"b"),
        record("https://a.se/.well-known/tdmrep.json", b"[]"),
        record("https://a.se/page", b"c"),
    )

    assert rows == [
        {"origin": "https://a.se", "name": "robots", "date": "2024-02-21T05:11:09Z", "text": "a"},
        {"origin": "https://a.se", "name": "tdmrep", "date": "2024-02-21T05:11:09Z", "text": "[]"},
    ]


@pytest.mark.parametrize(
    "other",
    [
        {"status": 404},
        {"status": 301},
        {"kind": "request"},
        {"url": "http://["},
        {"url": "https://a.se/robots.txt.bak"},
    ],
)
def test_what_is_no_answer_with_such_a_file_is_passed_over(files, other):
    assert files(record(**{"url": "https://a.se/robots.txt", **other})) == []


def test_a_file_is_read_as_far_as_crawlers_read_it(files):
    (row,) = files(record("https://a.se/robots.txt", b"#" * (MAX_BYTES + 5)))
    assert len(row["text"]) == MAX_BYTES


def test_of_several_captures_the_earliest_counts():
    def row(date, text, name="robots"):
        return {"origin": "https://a.se", "name": name, "date": date, "text": text}

    said = site_files([row("2024-02", "later"), row("2024-01", "first"), row("2024-03", "x", "ai")])

    assert list(said) == ["https://a.se"]
    assert (said["https://a.se"].robots, said["https://a.se"].ai) == ("first", "x")
    assert said["https://a.se"].tdmrep is None


def test_an_origin_has_its_port_and_what_has_none_is_nobodys():
    assert origin_of("HTTPS://A.se:8443/x") == "https://a.se:8443"
    assert origin_of("http://[") == ""
