"""The sample crawl: true layout, true ranges, true digests, and damage where it is wanted.

Through `skord.sample_crawl.builder`, `skord.sample_crawl.captures.extras` and
`skord.sample_crawl.index_files`.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from skord.core.failures import ConfigError, DocumentError
from skord.crawl.cdx import timestamp_of, twin_wet
from skord.crawl.warc.gzip import Member, gzip_members
from skord.crawl.warc.records import BadRecord, digest_matches, iter_warc, read_response
from skord.crawl.warc.wet import WETPage, read_wet
from skord.sample_crawl.builder import Damage, build_crawl
from skord.sample_crawl.captures.pages import near_copy, page_captures
from skord.sample_crawl.captures.schedule import place_captures
from tests.graph.bench import digests

from .conftest import DAMAGE, Crawl


def wet_pages(crawl: Crawl) -> list[WETPage]:
    pages = []
    for name in crawl.paths("wet"):
        with (crawl.root / name).open("rb") as stream:
            pages += list(read_wet(stream))
    assert all(isinstance(page, WETPage) for page in pages)
    return pages


def test_the_same_pages_give_the_same_bytes(few_pages, tmp_path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        build_crawl(few_pages, tmp_path / name, seed=seed)
    assert digests(tmp_path / "a") == digests(tmp_path / "b")
    assert digests(tmp_path / "a") != digests(tmp_path / "c")
    packed = sorted((tmp_path / "a").rglob("*.gz"))
    assert {path.read_bytes()[4:8] for path in packed} == {bytes(4)}, "a time of packing"


RECORDED = "c4870ad68ea5f63b"
"""Of the bundled crawl, unpacked; another where its pages, layouts, times or damage change."""


def test_the_bundled_crawl_is_the_one_on_record(crawl_folder) -> None:
    """What runs are compared by, everywhere and in later versions; packing may differ."""
    made = hashlib.sha256((crawl_folder / "gold.jsonl").read_bytes())
    for path in sorted(crawl_folder.rglob("crawl-data/*/segments/*/*/*.gz")):
        made.update(path.name.encode())
        with path.open("rb") as file:
            for one in gzip_members(file):
                made.update(one.data if isinstance(one, Member) else one.reason.encode())

    assert made.hexdigest()[:16] == RECORDED


def test_a_crawl_of_one_page_has_no_file_without_bytes(few_pages, tmp_path) -> None:
    page = replace(few_pages[0], variants=())
    build_crawl([page], tmp_path / "one", with_extras=False)
    empty = [path for path in (tmp_path / "one").rglob("*.gz") if not path.stat().st_size]
    assert empty == []


def test_a_page_that_comes_many_times_comes_at_different_times(few_pages) -> None:
    captures = [one for one in page_captures(few_pages[0]) if one.gold.edit is None] * 6
    placed = place_captures(captures, "2024-10", "0")
    assert len({one.date for one in placed}) == 6
    assert len({one.record_id for one in placed}) == 6


def test_a_near_copy_is_edited_in_its_prose_only(few_pages) -> None:
    listed = "- Ett. Två. Tre. Fyra ord här. Fem.\n- Sex. Sju. Åtta nio tio elva tolv. Tretton."
    page = replace(few_pages[-1], text=f"## Rubrik. Två. Tre.\n\n{listed}\n\nKort text.")
    copy = near_copy(page)
    assert listed in copy.text
    assert copy.text.startswith("## Rubrik. Två. Tre.\n")
    assert copy.published > page.published
    assert near_copy(replace(page, text=listed)).text == listed
    assert near_copy(replace(page, text="")).text == ""


def test_identities_do_not_depend_on_how_many_files_there_are(few_pages, tmp_path) -> None:
    ids = []
    for files in (1, 2, 7):
        root = tmp_path / str(files)
        crawl = Crawl(root, build_crawl(few_pages, root, files=files))
        assert len(crawl.paths("warc")) == len(crawl.paths("wet")) == files
        ids.append(sorted((page.refers_to, page.text) for page in wet_pages(crawl)))
    assert ids[0] == ids[1] == ids[2]


def test_every_listed_file_is_there_and_every_file_is_listed(crawl) -> None:
    listed = [
        path
        for name in ("warc", "wet", "robotstxt", "non200responses", "cc-index")
        for path in crawl.paths(name)
    ]
    actual = {name for name in digests(crawl.root) if not name.endswith(".paths.gz")}
    assert sorted(listed) == sorted(actual - {"gold.jsonl", "collinfo.json"})
    assert [twin_wet(name) for name in crawl.paths("warc")] == crawl.paths("wet")
    assert crawl.paths("warc") == sorted(crawl.paths("warc"))
    assert len({name.split("/")[3] for name in crawl.paths("warc")}) == 2


def test_every_index_line_names_one_whole_member_with_its_page(crawl) -> None:
    captures = crawl.captures()
    assert len(captures) == crawl.built.index_lines == crawl.built.captures
    for capture in captures:
        member = crawl.member(capture)
        [whole] = gzip_members(io.BytesIO(member))
        assert isinstance(whole, Member)
        assert whole.length == capture.length
        response = read_response(member)
        assert response.url == capture.url
        assert response.status == capture.status
        assert timestamp_of(response.date) == capture.timestamp
        assert digest_matches(member, capture.digest) is True
        assert digest_matches(member, None) is True


def test_the_index_is_sorted_and_its_cluster_file_leads_to_every_block(crawl) -> None:
    keys = [f"{capture.surt} {capture.timestamp}" for capture in crawl.captures()]
    assert keys == sorted(keys)
    folder = crawl.root / f"cc-index/collections/CC-MAIN-{crawl.built.dump}/indexes"
    blocks = (folder / "cluster.idx").read_text().splitlines()
    lines = 0
    for number, entry in enumerate(blocks, 1):
        key, name, offset, length, sequence = entry.split("\t")
        packed = (folder / name).read_bytes()[int(offset) : int(offset) + int(length)]
        block = gzip.decompress(packed).decode().splitlines()
        assert block[0].startswith(key)
        assert len(block) <= 20
        assert int(sequence) == number
        lines += len(block)
    assert lines == len(keys)
    assert len(blocks) > 4
    assert len({entry.split("\t")[1] for entry in blocks}) == 2


def test_another_reader_accepts_every_file(crawl) -> None:
    names = [*crawl.paths("warc"), *crawl.paths("wet"), *crawl.paths("robotstxt")]
    for name in [*names, *crawl.paths("non200responses")]:
        with (crawl.root / name).open("rb") as stream:
            archive = ArchiveIterator(stream, check_digests="raise")
            kinds = []
            for record in archive:
                record.content_stream().read()
                kinds.append(record.rec_type)
            assert archive.err_count == 0
        count = Counter(kinds)
        assert kinds[0] == "warcinfo"
        assert count["request"] == count["response"] == count["metadata"]


def test_wet_and_warc_files_are_twins(crawl) -> None:
    pages = 0
    for name in crawl.paths("warc"):
        with (crawl.root / twin_wet(name)).open("rb") as stream:
            wet = {page.refers_to: page for page in read_wet(stream)}
        responses = {}
        for record in iter_warc(crawl.root / name):
            assert not isinstance(record, BadRecord)
            if record.header("WARC-Type") == "response":
                url = record.url()
                responses[record.header("WARC-Record-ID").strip("<>")] = record
                assert url.startswith("http")
        assert set(wet) <= set(responses)
        for record_id, page in wet.items():
            record = responses[record_id]
            assert (page.url, page.date) == (record.url(), record.header("WARC-Date"))
        others = [responses[key].url() for key in set(responses) - set(wet)]
        assert all(url.endswith((".pdf", ".jpg")) for url in others)
        pages += len(wet)
    assert pages == crawl.built.pages


def test_wet_text_has_title_menu_and_text_and_mostly_a_language(crawl) -> None:
    pages = wet_pages(crawl)
    gold = {row["record_id"]: row for row in crawl.gold()}
    assert set(gold) == {page.refers_to for page in pages}
    with_language = [page for page in pages if page.content_languages]
    assert 0.8 < len(with_language) / len(pages) < 1
    for page in pages:
        first = gold[page.refers_to]["gold"]
        title, _, rest = page.text.partition("\n")
        assert gold[page.refers_to]["title"] in title
        if first and not first.startswith(("#", "-", "|", "1.")):
            sentence = first.split("\n")[0].split(". ")[0].replace("*", "").replace("`", "")
            assert sentence in rest, page.url


def test_extras_lie_in_their_subsets(crawl) -> None:
    captures = crawl.captures()
    by_subset: dict[str, Counter[tuple[int, str]]] = {}
    for capture in captures:
        kinds = by_subset.setdefault(Path(capture.filename).parent.name, Counter())
        kinds[capture.status, capture.mime or ""] += 1
    assert set(by_subset["robotstxt"]) == {(200, "text/plain")}
    assert by_subset["robotstxt"].total() > 10
    assert by_subset["crawldiagnostics"] == {
        (404, "text/html"): 2,
        (500, "text/html"): 1,
        (301, "text/html"): 1,
    }
    assert by_subset["warc"][200, "application/pdf"] == 1
    assert by_subset["warc"][200, "image/jpeg"] == 1
    [redirect] = [capture for capture in captures if capture.status == 301]
    headers = dict(read_response(crawl.member(redirect)).http_headers)
    assert headers["Location"] == redirect.redirect


def test_one_page_is_cut_short_one_repeated_and_one_stored_compressed(crawl) -> None:
    captures = [
        capture for capture in crawl.captures() if Path(capture.filename).parent.name == "warc"
    ]
    [cut] = [capture for capture in captures if capture.truncated]
    assert read_response(crawl.member(cut)).truncated == "length"
    times = Counter(capture.url for capture in captures)
    [(twice, count)] = [(url, count) for url, count in times.items() if count > 1]
    first, second = (capture for capture in captures if capture.url == twice)
    assert count == 2
    assert first.timestamp != second.timestamp
    packed = []
    for capture in captures:
        response = read_response(crawl.member(capture))
        if ("Content-Encoding", "gzip") in response.http_headers:
            packed.append(response)
    [response] = packed
    assert b"<html" in response.body


def test_copies_are_named_in_the_truth(few_pages, tmp_path) -> None:
    crawl = Crawl(tmp_path, build_crawl(few_pages, tmp_path))
    rows = {row["url"]: row for row in crawl.gold()}
    original = rows["https://www.skargardsbladet.example/nyheter/angbaten"]
    exact = rows["https://www.skargardsbladet.example/utskrift/angbaten"]
    near = rows["https://kustnytt.example/angbaten"]
    assert original["outcome"] == "kept"
    assert rows["https://www.skargardsbladet.example/tomt"]["outcome"] == "thin"
    for copy, edit in ((exact, "exact"), (near, "near")):
        assert copy["variant_of"] == original["record_id"]
        assert (copy["edit"], copy["outcome"]) == (edit, "duplicate")
    assert exact["gold"] == original["gold"]
    assert near["gold"] != original["gold"]
    sentences = original["gold"].count(".")
    assert near["gold"].count(".") == sentences - 1
    assert near["gold"].count("- ") == original["gold"].count("- ")
    digests = {capture.url: capture.digest for capture in crawl.captures()}
    assert digests[exact["url"]] == digests[original["url"]] != digests[near["url"]]
    japanese = rows["https://mirror.yamanoiri.example/suitou"]["gold"]
    assert (
        japanese.count("。") == rows["https://www.yamanoiri.example/suitou"]["gold"].count("。") - 1
    )


def test_damage_does_what_it_says_and_nothing_else(crawl, damaged_crawl) -> None:
    rows = {row["record_id"]: row for row in damaged_crawl.gold()}
    outcomes = Counter(row["outcome"] for row in rows.values())
    assert outcomes["bad_gzip"] == DAMAGE.corrupt_members
    assert outcomes["digest_mismatch"] == DAMAGE.wrong_digests
    assert outcomes["not_in_index"] == DAMAGE.missing_from_index
    whole = {row["record_id"]: row for row in crawl.gold()}
    spoiled = {key for key, row in rows.items() if row["outcome"] != whole[key]["outcome"]}
    assert len(spoiled) == 9
    assert all(whole[key]["outcome"] == "kept" for key in spoiled)
    counts = Counter()
    ids = {(row["url"], row["outcome"]) for row in rows.values()}
    for capture in damaged_crawl.captures():
        member = damaged_crawl.member(capture)
        try:
            response = read_response(member)
        except DocumentError as error:
            counts[error.code] += 1
            assert (capture.url, "bad_gzip") in ids
            continue
        assert response.url == capture.url
        if not digest_matches(member, capture.digest):
            counts["digest_mismatch"] += 1
            assert (capture.url, "digest_mismatch") in ids
    assert counts == {"bad_gzip": 3, "digest_mismatch": 2}
    listed = {(capture.url, capture.timestamp) for capture in crawl.captures()}
    missing = listed - {(one.url, one.timestamp) for one in damaged_crawl.captures()}
    assert {(url, "not_in_index") for url, _ in missing} <= ids
    assert len(missing) == 4


def test_damage_beyond_the_ordinary_pages_is_refused(few_pages, tmp_path) -> None:
    with pytest.raises(ConfigError, match="ordinary"):
        build_crawl(few_pages, tmp_path, damage=Damage(corrupt_members=99))
    assert not any(tmp_path.iterdir())


def test_dumps_share_a_folder_and_a_dump_built_again_is_replaced(few_pages, tmp_path) -> None:
    build_crawl(few_pages, tmp_path, dump="2024-10", files=4)
    build_crawl(few_pages, tmp_path, dump="2023-50", files=2)
    listed = json.loads((tmp_path / "collinfo.json").read_text())
    assert [entry["id"] for entry in listed] == ["CC-MAIN-2024-10", "CC-MAIN-2023-50"]
    assert listed[0]["cdx-api"].endswith("/CC-MAIN-2024-10-index")
    before = digests(tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "gold.jsonl").read_text().splitlines()]
    assert {row["dump"] for row in rows} == {"2024-10", "2023-50"}
    assert len({row["record_id"] for row in rows}) == len(rows)
    build_crawl(few_pages, tmp_path, dump="2024-10", files=8)
    assert digests(tmp_path) != before
    build_crawl(few_pages, tmp_path, dump="2024-10", files=4)
    assert digests(tmp_path) == before


def test_a_dump_that_is_not_a_rehearsals_is_left_alone(few_pages, tmp_path) -> None:
    real = tmp_path / "crawl-data" / "CC-MAIN-2024-10" / "warc.paths.gz"
    real.parent.mkdir(parents=True)
    real.write_bytes(b"precious")
    with pytest.raises(ConfigError, match="not a sample crawl's"):
        build_crawl(few_pages, tmp_path)
    assert real.read_bytes() == b"precious"


@pytest.mark.parametrize("dump", ["2024", "2024-60", "latest", "2024-10-01"])
def test_an_impossible_dump_is_refused(few_pages, tmp_path, dump: str) -> None:
    with pytest.raises(ConfigError, match="ISO week"):
        build_crawl(few_pages, tmp_path, dump=dump)


def test_nothing_to_build_from_is_refused(tmp_path) -> None:
    with pytest.raises(ConfigError, match="nothing to build"):
        build_crawl([], tmp_path / "out")
