from __future__ import annotations

import base64
import gzip
import json
from collections import Counter

import pytest

from skord.models.line_classifier.training.dataset import (
    REVIEWED,
    Unusable,
    in_test,
    read_pages,
    read_reviewed,
)

TEXT = "Kommunen bygger en ny bro över ån, och den skall stå klar redan i vår. " * 3


def record(name: str, **changes) -> dict:
    html = f"<nav>Meny</nav><p>{TEXT}</p><p>{name}</p>"
    given = {
        "id": name, "source": "made", "split_key": "a.se", "lang": "sv", "licence": "MIT (repo)",
        "html": html, "gold_kind": "full", "gold_text": TEXT, "gold_in_html": 1.0, "title": None,
    }  # fmt: skip
    return given | changes


@pytest.fixture
def data(tmp_path):
    def write(*records: dict):
        with gzip.open(tmp_path / "made.jsonl.gz", "wt", encoding="utf-8") as lines:
            lines.writelines(json.dumps(row) + "\n" for row in records)
        return tmp_path

    return write


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"licence": "CC BY-NC-SA 4.0"}, Unusable.licence),
        ({"licence": "none stated; shared task, research use"}, Unusable.licence),
        ({"licence": "for Non-Commercial purposes"}, Unusable.licence),
        ({"lang": "zxx"}, Unusable.made_up),
        ({"gold_in_html": 0.5}, Unusable.gold_not_in_page),
        ({"main_gold_share": 0.7}, Unusable.gold_incomplete),
        ({"gold_kind": "snippets", "gold_text": None}, Unusable.gold_kind),
        ({"gold_kind": "full-machine"}, Unusable.gold_kind),
        ({"gold_text": "T\0" * 100}, Unusable.gold_garbled),
        ({"gold_text": "kort"}, Unusable.gold_short),
    ],
)
def test_an_unusable_record_is_left_out_and_counted(data, changes, reason):
    folder = data(record("good"), record("bad", **changes))
    pages, skipped = read_pages(folder, folder / "cache")
    assert [page.id for page in pages] == ["good"]
    assert +skipped == Counter({reason: 1})


def test_pages_are_converted_as_the_pipeline_does_and_kept(data):
    body = f"<p>{TEXT} åäö</p>".encode("latin1")
    given = record("bytes", html=None, html_b64=base64.b64encode(body).decode())
    folder = data(record("text"), given)
    pages, _ = read_pages(folder, folder / "cache")
    assert [page.id for page in pages] == ["bytes", "text"]
    assert "stå klar redan i vår. åäö" in " ".join(pages[0].markdown.split())
    assert all(page.markdown.endswith("\n") for page in pages)
    assert len(list((folder / "cache").glob("*.md"))) == 2
    assert read_pages(folder, folder / "cache")[0] == pages
    assert "åäö" in pages[0].html


def test_sites_can_be_chosen_and_capped(data):
    rows = [record(f"{site}{n}", split_key=site) for site in "ab" for n in range(4)]
    folder = data(*rows)
    pages, _ = read_pages(folder, folder / "cache", lambda site: site == "b", 3)
    assert len(pages) == 3
    assert {page.site for page in pages} == {"b"}


def test_reviewed_pages_are_read_apart_with_their_types_and_not_of_test_sites(data):
    reviewed = {"source": REVIEWED, "gold_kind": "full-machine", "page_type": "forum"}
    tested, unused, *_ = (f"{n}.se" for n in range(99) if in_test(f"{n}.se"))
    site = next(f"{n}.se" for n in range(99) if not in_test(f"{n}.se"))
    folder = data(
        record("other"),
        record("tested", split_key=tested),
        record("same site", split_key=tested, **reviewed),
        record("reviewed", split_key=site, **reviewed),
        record("reviewed too", split_key=unused, **reviewed),
        record("short", split_key=site, **reviewed | {"gold_text": "kort"}),
    )
    pages = read_reviewed(folder, folder / "cache")
    kinds = [(page.id, page.page_type) for page in pages]
    assert kinds == [("reviewed", "forum"), ("reviewed too", "forum")]
    assert [actual.id for actual in read_pages(folder, folder / "cache")[0]] == ["other", "tested"]


@pytest.mark.parametrize(
    ("changes", "url"),
    [
        ({"url": "http://a.se/x"}, "http://a.se/x"), ({"url": None}, ""), ({}, ""),
        ({"url": "http://a.se/", "url_is_host_only": True}, ""),
        ({"url": "http://a.se/", "url_is_host_only": False}, "http://a.se/"),
    ],
)  # fmt: skip
def test_an_address_is_that_of_the_page_or_none(data, changes, url):
    folder = data(record("good", **changes))
    ((page,), _) = read_pages(folder, folder / "cache")
    assert page.url == url
