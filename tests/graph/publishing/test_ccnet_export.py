"""The selection in CCNet's published form."""

import gzip
import re
from collections import defaultdict
from pathlib import Path

import pytest

from skord.crawl.warc.wet import read_wet
from tests.graph.bench import DUMP
from tests.graph.publishing.ccnet_forms import (
    EXPORT,
    PUBLISHED_FIELDS,
    TARGET_BYTES,
    copy_of,
    documents,
    files,
    members,
    run,
    selection,
)


def test_every_selected_page_is_exported_once_in_crawl_order(ccnet):
    pages = {(row["url"], row["digest"]): row for row in selection(ccnet)}
    actual = [doc for path in files(ccnet) for doc in documents(path)]

    assert len(actual) == len(pages) > 100
    assert {(doc["url"], doc["digest"]) for doc in actual} == set(pages)
    assert all(tuple(doc) == PUBLISHED_FIELDS for doc in actual)
    for doc in actual:
        page = pages[doc["url"], doc["digest"]]
        for name in ("title", "raw_content", "line_ids", "original_nlines", "language", "bucket",
                     "perplexity"):  # fmt: skip
            assert doc[name] == page[name]
        assert doc["length"] == len(page["raw_content"])
        assert doc["nlines"] == len(page["line_ids"])
        assert doc["language_score"] == pytest.approx(page["language_score"], abs=0.005001)
        assert doc["language_score"] == round(doc["language_score"], 2)
    order = list(pages)
    places = defaultdict(list)
    for doc in actual:
        places[doc["language"], doc["bucket"]].append(order.index((doc["url"], doc["digest"])))
    assert all(of_split == sorted(of_split) for of_split in places.values())


def test_an_exported_page_names_its_wet_record(ccnet, crawl_folder):
    doc = documents(files(ccnet)[-1])[0]

    with (crawl_folder / doc["cc_segment"]).open("rb") as file:
        [page] = [page for page in read_wet(file) if page.digest == doc["digest"]]

    assert page.url == doc["url"]
    assert page.date == doc["date_download"]
    assert doc["source_domain"] == page.url.split("/")[2]
    assert doc["original_length"] == len(page.text.encode())


def test_files_are_named_and_cut_as_published(ccnet):
    for path in files(ccnet):
        language, bucket, number = re.fullmatch(
            r"([a-z]+)_([a-z]+)_(\d{4})\.json\.gz", path.name
        ).groups()
        assert {(doc["language"], doc["bucket"]) for doc in documents(path)} == {(language, bucket)}
        assert path.stat().st_size <= TARGET_BYTES or len(members(path.read_bytes())) == 1
        if number != "0000":
            before = path.with_name(f"{language}_{bucket}_{int(number) - 1:04d}.json.gz")
            assert before.exists()
    assert len(files(ccnet)) > len({path.name.split("_")[0] for path in files(ccnet)})


def test_files_are_members_of_many_documents_and_can_be_laid_end_to_end(ccnet):
    packed = b"".join(path.read_bytes() for path in files(ccnet))
    lines = gzip.decompress(packed).splitlines()

    assert len(lines) == len(selection(ccnet))
    num_shards = ccnet.store.manifest("CCNet")["num_shards"]
    for path in files(ccnet):
        assert len(members(path.read_bytes())) <= num_shards
        assert path.read_bytes()[4:8] == bytes(4)


def test_the_manifest_lists_the_files(ccnet):
    manifest = ccnet.store.manifest("ExportCCNet")

    assert manifest["files"] == [
        {"file": path.name, "documents": len(documents(path)), "bytes": path.stat().st_size}
        for path in files(ccnet)
    ]
    assert manifest["counts"]["documents"] == len(selection(ccnet))
    assert not (Path(ccnet.data) / "ExportCCNet" / DUMP / "_parts").exists()


@pytest.mark.slow
def test_a_file_that_is_taken_away_is_made_again_and_no_other(ccnet, tmp_path):
    copy = copy_of(ccnet, tmp_path / "c", ("DownloadWET", "HashParagraphs", "CCNet", "ExportCCNet"))
    expected, written = ccnet.files(), copy.written()
    lost = [
        copy.store.path("ExportCCNet", 2),
        copy.store.file_path("ExportCCNet", files(copy)[2].name),
        copy.store.manifest_path("ExportCCNet"),
        copy.store.path("ExportCCNet", 0, "plan"),
    ]
    for name in lost:
        Path(copy.data, name).unlink()

    run(copy, EXPORT)

    made = {n for n, at in copy.written().items() if "ExportCCNet" in n and written.get(n) != at}
    assert made == set(lost)
    assert all(expected[name] == digest for name, digest in copy.files().items())


@pytest.mark.slow
def test_languages_can_be_chosen_and_files_of_another_export_go(ccnet, tmp_path):
    copy = copy_of(ccnet, tmp_path / "c", ("DownloadWET", "HashParagraphs", "CCNet", "ExportCCNet"))

    def export(*options):
        run(copy, (*EXPORT, "--target-bytes", "4000000000", "--replace", *options))
        return [doc["digest"] for path in files(copy) for doc in documents(path)]

    pages = selection(copy)
    buckets = sorted({row["bucket"] for row in pages if row["language"] == "sv"})
    actual = export("--only-languages", '["sv"]')
    assert [path.name for path in files(copy)] == [f"sv_{b}_0000.json.gz" for b in buckets]
    assert sorted(actual) == sorted(row["digest"] for row in pages if row["language"] == "sv")

    actual = export("--only-languages", '["nb"]')
    assert sorted(actual) == sorted(row["digest"] for row in pages if row["language"] == "no")

    actual = export("--only-buckets", f'["{buckets[0]}"]')
    assert sorted(actual) == sorted(row["digest"] for row in pages if row["bucket"] == buckets[0])

    assert export("--only-languages", '["ja"]') == []
    assert files(copy) == []
    assert copy.store.manifest("ExportCCNet")["files"] == []


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--only-buckets", '["hed"]', "only_buckets: there is no 'hed', only head, middle, tail"),
        ("--only-languages", '["svenska"]', "only_languages: .*svenska"),
        ("--target-bytes", "0", "target_bytes = 0: give 1 or a larger"),
    ],
)
def test_what_cannot_be_exported_is_said_before_anything_starts(bench, option, value, sentence):
    status, output = bench.luigi(*EXPORT, option, value)

    assert status != 0
    assert re.search(sentence, output)
    assert not Path(bench.data, "DownloadWET").exists()
