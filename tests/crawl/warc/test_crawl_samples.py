"""Real crawl files, whole, damaged and not crawl files at all: nothing escapes the readers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skord.core.failures import DocumentError
from skord.crawl.cdx import BadCDXLine, parse_cdx_line
from skord.crawl.warc.gzip import Member, gzip_members
from skord.crawl.warc.records import (
    BadRecord,
    digest_matches,
    iter_warc,
    read_response,
    response_of,
)
from skord.crawl.warc.wet import read_wet

from .conftest import SAMPLES

pytestmark = [pytest.mark.shared, pytest.mark.filterwarnings("ignore")]

MANIFEST = SAMPLES.with_name("manifest.json")


def records_of(path: Path) -> tuple[int, int, int]:
    """Return how many records a file has, how many are bad, how many are HTML pages."""
    records = bad = pages = 0
    for record in iter_warc(path):
        if isinstance(record, BadRecord):
            bad += 1
            continue
        records += 1
        try:
            response = response_of(record)
        except DocumentError:
            continue
        pages += response.status == 200 and "html" in (response.content_type or "")
    return records, bad, pages


def test_no_file_makes_a_reader_raise_and_nearly_all_records_are_found(crawl_samples) -> None:
    actual = expected = pages = expected_pages = 0
    for entry in json.loads(MANIFEST.read_text()):
        path = crawl_samples / entry["repo"].replace("+", "__") / entry["path"]
        if "cdx" in path.name or not path.is_file() or not path.stat().st_size:
            continue
        records, bad, html = records_of(path)
        assert records or bad, path
        actual += records
        expected += sum(entry["recs"].values())
        pages += html
        expected_pages += entry["html"]
        with path.open("rb") as stream:
            assert list(read_wet(stream)) or records, path
    assert actual >= 0.98 * expected
    assert pages >= 0.99 * expected_pages


def test_payload_digests_of_real_records_are_confirmed(crawl_samples) -> None:
    agreed = checked = 0
    for path in sorted(crawl_samples.rglob("*.warc.gz")):
        content = path.read_bytes()
        with path.open("rb") as stream:
            ranges = [
                content[item.offset : item.offset + item.length]
                for item in gzip_members(stream)
                if isinstance(item, Member)
            ]
        for member in ranges:
            try:
                read_response(member)
                matches = digest_matches(member, None)
            except DocumentError:
                continue
            checked += matches is not None
            agreed += matches is True
    assert checked > 300
    assert agreed / checked > 0.99


def test_index_lines_of_other_archives_parse_or_are_refused(crawl_samples) -> None:
    parsed = refused = 0
    for path in sorted(crawl_samples.rglob("*.cdx*")):
        for line in path.read_bytes().splitlines():
            try:
                capture = parse_cdx_line(line)
            except BadCDXLine:
                refused += 1
                continue
            assert capture.url
            parsed += 1
    assert parsed
    assert refused


def test_a_real_common_crawl_triple_agrees(crawl_samples) -> None:
    folder = crawl_samples / "commoncrawl__whirlwind-python"
    actual = {name: folder / f"whirlwind.warc.{name}" for name in ("gz", "wet.gz")}
    if not all(path.is_file() for path in actual.values()):
        pytest.skip("the sample archive has no Common Crawl WARC with its WET file")
    with actual["wet.gz"].open("rb") as stream:
        pages = [page for page in read_wet(stream) if not isinstance(page, BadRecord)]
    records = [item for item in iter_warc(actual["gz"]) if not isinstance(item, BadRecord)]
    responses = [response_of(item) for item in records if item.header("WARC-Type") == "response"]
    assert [page.refers_to for page in pages] == [response.record_id for response in responses]
    assert [page.url for page in pages] == [response.url for response in responses]
