"""The shipped line labels and the pages they are of."""

import base64
import gzip
import hashlib
import json
import re
import tarfile

import pytest

from skord.annotation_tool.backend.sources import PageReader
from skord.annotation_tool.backend.views import agreement
from skord.markdown.extraction import split_lines
from skord.models.line_classifier.gold import (
    LABELS,
    GoldPage,
    gold_of,
    labels_of,
    read_gold,
    write_gold,
)
from skord.models.line_classifier.training.alignment import gold_shares
from skord.models.line_classifier.training.dataset import in_test
from skord.sample_crawl.layouts import render_page
from skord.sample_crawl.page_source import bundled_pages

LINES_FOUND = 0.97
"""Least share of a page's labelled lines that must be found in it again."""


@pytest.fixture(scope="module")
def gold():
    return read_gold()


def test_the_file_holds_hashes_and_no_text(gold):
    assert all(re.fullmatch("[0-9a-f]{64}", page.page) for page in gold)
    assert all(re.fullmatch("[0-9a-f]{8}", line) for page in gold for line in page.lines)
    assert all(re.fullmatch("[01]*", page.labels) for page in gold)
    assert all(len(page.labels) == len(page.lines) for page in gold)
    assert all(re.fullmatch(r"[\w./@ -]+", page.source) for page in gold)


def test_forty_pages_were_read_twice_and_the_readings_agree(gold):
    first = {page.page: page for page in gold}
    again = read_gold(LABELS.with_name("second_readings.jsonl"))
    assert len({page.page for page in again}) == len(again) == 40
    assert all(first[page.page].lines == page.lines for page in again)
    pairs = [
        ([int(n) for n in first[page.page].labels], [int(n) for n in page.labels]) for page in again
    ]
    actual = agreement(pairs)
    assert (actual.lines, actual.differing) == (1802, 3)  # as the README says
    assert round(actual.kappa or 0, 3) == 0.996
    assert not {page.annotator for page in gold} & {page.annotator for page in again}


def test_pages_of_test_sites_are_marked_and_no_site_is_on_both_sides(gold):
    assert [page.source for page in gold if in_test(page.site) and not page.is_test] == []
    marked = {page.site for page in gold if page.is_test}
    assert marked
    assert {page.site for page in gold if not page.is_test} & marked == set()


def test_a_mark_stays_when_the_split_changes(tmp_path):
    site = next(name for name in map("{}.se".format, range(100)) if not in_test(name))
    given = GoldPage("0" * 64, "a", site, "sv", "x", True, False, *gold_of(["Text"], [1]))
    write_gold(tmp_path / "labels.jsonl", [given])
    assert read_gold(tmp_path / "labels.jsonl") == [given]


def found_again(gold, markdown):
    """Share of the gold's lines that the page has."""
    labels = labels_of(gold, split_lines(markdown))
    return sum(label is not None for label in labels) / max(1, len(gold.lines))


def test_labels_of_our_own_pages_fit_the_pages_and_their_known_text(gold, tmp_path):
    ours = {g.source: g for g in gold if g.source.startswith("rehearsal/")}
    assert len(ours) >= 15
    pages = {f"rehearsal/{page.lang}/{page.slug}": page for page in bundled_pages()}
    pairs = []
    reader = PageReader()
    for source, labels in ours.items():
        path = tmp_path / "page.html"
        path.write_bytes(render_page(pages[source])[0])
        (page,) = reader.read(path)
        assert found_again(labels, page.markdown) >= LINES_FOUND, source
        known = f"{pages[source].title}\n{pages[source].text}"
        pairs.append(_beside(labels, split_lines(page.markdown), known))
    actual = agreement(pairs)
    assert actual.kappa is not None
    assert actual.kappa >= 0.89  # measured: 0.907


def _beside(labels, lines, known):
    """Labels by reading, and those that aligning the known text gives."""
    by_hand = labels_of(labels, lines)
    shares = gold_shares(lines, known)
    sure = [
        (mine, int(share >= 0.5))
        for mine, share in zip(by_hand, shares, strict=True)
        if mine is not None and share is not None and not 0.2 < share < 0.5
    ]
    return [mine for mine, _ in sure], [theirs for _, theirs in sure]


@pytest.mark.shared
def test_labels_of_other_pages_fit_the_pages(gold, shared, tmp_path):
    wanted = {g.page: g for g in gold if not g.source.startswith("rehearsal/")}
    bodies = _extraction_pages(shared / "data/extraction", wanted) | _crawl_pages(
        shared / "data/crawl/crawl_samples.tar.gz", wanted, tmp_path
    )
    assert bodies.keys() == wanted.keys()
    reader = PageReader()
    for digest, body in bodies.items():
        path = tmp_path / "page.html"
        path.write_bytes(body)
        (page,) = reader.read(path)
        assert page.digest == digest
        assert found_again(wanted[digest], page.markdown) >= LINES_FOUND, wanted[digest].source


def _extraction_pages(folder, wanted):
    actual, sites = {}, {gold.site for gold in wanted.values()}
    for name in ("ferenda_sfs", "fundus", "recipe_scrapers", "sites", "trafilatura"):
        with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as rows:
            for row in rows:
                record = json.loads(row)
                if record["split_key"] not in sites:
                    continue
                packed = record.get("html_b64")
                body = base64.b64decode(packed) if packed else record["html"].encode()
                digest = hashlib.sha256(body).hexdigest()
                if digest in wanted:
                    actual[digest] = body
    return actual


def _crawl_pages(archive, wanted, tmp_path):
    names = {g.source.partition("@")[0] for g in wanted.values() if "@" in g.source}
    actual = {}
    reader = PageReader()
    with tarfile.open(archive) as tar:
        for member in tar:
            name = member.name.rpartition("/")[2]
            if name not in names or not (packed := tar.extractfile(member)):
                continue
            path = tmp_path / name
            path.write_bytes(packed.read())
            actual |= {page.digest: page.archived for page in reader.read(path, {"da"})}
    return {digest: body for digest, body in actual.items() if digest in wanted}
