"""Archived robots.txt files, of `skord.publishing.removals.robots_lists`."""

import gzip

import pytest

from skord.core.failures import ConfigError
from skord.publishing.removals.robots_lists import MAX_BYTES, entries_of_text, entries_of_warc

AGENTS = ["CCBot"]
RULES = "User-agent: CCBot\nDisallow: /x/\n"


def values(entries):
    return [entry.value for entry in entries]


def record(url, body, status=200, kind="response"):
    answer = f"HTTP/1.1 {status} OK\r\nContent-Type: text/plain\r\n\r\n{body}".encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{hash(url)}>\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Date: 2024-02-21T05:11:09Z\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(answer)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + answer + b"\r\n\r\n")


def test_only_answers_that_are_robots_files_and_were_found_count(tmp_path):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join([
        record("https://a.se/robots.txt", RULES), record("https://b.se/robots.txt?v=1", RULES),
        record("https://c.se/robots.txt", RULES, 404), record("https://d.se/page", RULES),
        record("https://e.se/robots.txt", RULES, kind="request"),
        record("https://f.se/robots.txt", "User-agent: other\nDisallow: /\n"),
    ]))  # fmt: skip

    found = values(entries_of_warc(path, AGENTS))

    assert len(found) == 2
    assert ["a.se" in found[0], "b.se" in found[1]] == [True, True]


def test_what_stands_behind_500_kib_is_not_read(tmp_path):
    assert MAX_BYTES == 512_000
    path = tmp_path / "robots.txt"
    rules = "\nUser-agent: CCBot\nDisallow: /x"
    path.write_text("#" * (MAX_BYTES - len(rules)) + rules + "y\n")
    (cut,) = values(entries_of_text("a.se", path, AGENTS))
    path.write_text(rules)
    assert values(entries_of_text("a.se", path, AGENTS)) == [cut]


def test_a_site_may_bear_its_scheme(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text(RULES)
    plain, full = (values(entries_of_text(s, path, AGENTS)) for s in ("a.se", "https://a.se"))
    assert plain == full != []


def test_what_cannot_be_read_is_told(tmp_path):
    with pytest.raises(ConfigError, match=r"no\.txt for a\.se"):
        entries_of_text("a.se", tmp_path / "no.txt", AGENTS)
    with pytest.raises(ConfigError, match="cannot be read"):
        list(entries_of_warc(tmp_path / "no.warc.gz", AGENTS))
