from __future__ import annotations

import gzip
import json
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skord.core.failures import ConfigError
from skord.models.reference_classifier.addresses import page_key
from skord.models.reference_classifier.dataset import (
    Page,
    Part,
    from_tables,
    pages_of_two_files,
    part_of,
    read_pages,
    split_by_site,
)


def write_json(path, rows):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def row(site: int, number: int) -> dict:
    url = f"https://www.s{site}.se/sida/{number}"
    return {"url": url, "text": f"text {site} {number}", "language": "sv"}


@pytest.fixture
def tables(tmp_path):
    rows = [row(site, number) for site in range(30) for number in range(20)]
    one = write_json(tmp_path / "one.jsonl", rows[:250])
    two = tmp_path / "two.parquet"
    pq.write_table(pa.Table.from_pylist(rows[250:]).rename_columns({"text": "raw_content"}), two)
    return [one, two]


REFERENCES = {page_key(row(site, number)["url"]) for site in range(10) for number in range(8)}


def test_cited_pages_are_found_and_the_others_are_a_sample(tables):
    pages = from_tables(tables, REFERENCES | {"se,absent)/"}, seed=1)
    cited = [page for page in pages if page.cited]
    others = [page for page in pages if not page.cited]
    assert {page_key(page.url) for page in cited} == REFERENCES
    assert len(others) == len(cited) == 80
    assert not {page_key(page.url) for page in others} & REFERENCES
    assert len({page.site for page in others}) > 20
    assert all(page.text == f"text {page.site[1:-3]} {page.url[-1:]}" for page in cited)


def test_the_sample_depends_on_its_seed_and_not_on_the_order_of_tables(tables):
    pages = from_tables(tables, REFERENCES, seed=1)
    assert from_tables(tables[::-1], REFERENCES, seed=1) == pages
    other = from_tables(tables, REFERENCES, seed=2)
    assert {page.url for page in other} != {page.url for page in pages}


def test_of_pages_with_one_url_the_first_is_taken(tables, tmp_path):
    again = write_json(tmp_path / "again.jsonl", [{**row(3, 3), "text": "en annan dag"}])
    assert from_tables([*tables, again], REFERENCES, 1) == from_tables(tables, REFERENCES, 1)


def test_a_page_without_a_url_is_neither_cited_nor_not(tables, tmp_path):
    nameless = write_json(tmp_path / "nameless.jsonl", [{"text": "text", "url": None}])
    pages = from_tables([*tables, nameless], REFERENCES, 1)
    assert len(pages) == 160
    assert all(page.url for page in pages)


def test_a_large_site_gives_no_more_pages_than_allowed(tables):
    pages = from_tables(tables, REFERENCES, seed=1, site_pages=3)
    counts = Counter((page.site, page.cited) for page in pages)
    assert max(counts.values()) == 3
    assert counts["s1.se", True] == 3


def test_no_site_and_no_text_is_in_two_parts():
    pages = [Page(f"{site} {n}", "", f"s{site}.se", "", False) for site in range(200) for n in "ab"]
    pages += [Page("sidan finns inte", "", f"s{site}.se", "", False) for site in range(200)]
    dealt = split_by_site(pages, seed=5)
    sites = [{page.site for page in dealt[part]} for part in Part]
    assert not sites[0] & sites[1] | sites[0] & sites[2] | sites[1] & sites[2]
    texts = [page.text for part in Part for page in dealt[part]]
    assert sorted(texts) == sorted({page.text for page in pages})
    shares = [len(actual) / 200 for actual in sites]
    assert shares == pytest.approx([0.8, 0.1, 0.1], abs=0.06)


def test_the_split_depends_on_the_seed():
    sites = [f"s{number}.se" for number in range(100)]
    assert [part_of(s, 1) for s in sites] == [part_of(s, 1) for s in sites]
    assert [part_of(s, 1) for s in sites] != [part_of(s, 2) for s in sites]


def test_two_files_and_pages_without_a_url(tmp_path):
    positive = write_json(tmp_path / "p.jsonl.gz", [{"text": "a"}, {"text": "b", "url": None}])
    empty = [{"text": ""}, {"text": None, "url": "http://dn.se"}]
    negative = write_json(tmp_path / "n.jsonl", [*empty, {"text": "c", "url": "http://www.dn.se"}])
    pages = pages_of_two_files(positive, negative)
    assert [(page.text, page.cited) for page in pages] == [("a", True), ("b", True), ("c", False)]
    assert len({page.site for page in pages}) == 3
    assert pages[2].site == "dn.se"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'{"url": "http://dn.se"}\n', "no column text"),
        ("a.jsonl", b"{text\n", "cannot read"),
        ("a.jsonl.gz", b"no gzip", "cannot read"),
        ("a.jsonl.gz", gzip.compress(b"{}" * 999)[:-9], "cannot read"),
        ("a.jsonl.gz", gzip.compress(b"{}")[:10] + bytes([255]) * 30, "cannot read"),
        ("a.parquet", b"no parquet", "cannot read"),
        ("a.jsonl", b"[1]\n", "no column text"),
        ("a.jsonl", b"3\n", "no column text"),
    ],
)
def test_a_damaged_or_strange_file_is_a_config_error(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        list(read_pages([tmp_path / name]))


def test_a_parquet_file_without_texts_is_a_config_error(tmp_path):
    pq.write_table(pa.table({"url": ["http://dn.se"]}), tmp_path / "a.parquet")
    with pytest.raises(ConfigError, match="no column text"):
        list(read_pages([tmp_path / "a.parquet"]))
