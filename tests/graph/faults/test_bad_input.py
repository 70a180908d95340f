"""One clear sentence, before work starts where it can be known."""

import gzip
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skord.sample_crawl.server import CrawlServer
from tests.graph.bench import DUMP, LAST, Bench

DOWNLOAD = ("pipeline.cc_net", "DownloadWET", "--dump", DUMP)


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        ('[FilterDocuments]\nlimits = {"entropy": [3, 9]}\n', "no feature 'entropy' to limit"),
        ("[ProcessMarkdown]\nmodel_path = no/such/folder\n", "no/such/folder"),
        ("[ConvertToMarkdown]\nconverter = pandoc\npandoc_path = /no/pandoc\n", "/no/pandoc"),
        ("[pipeline]\nmin_free_gb = 1000000000\n", "free some space or set data_dir"),
    ],
    ids=["feature", "model", "pandoc", "space"],
)  # fmt: skip
def test_settings_that_cannot_work_stop_everything_before_it_starts(bench, extra, sentence):
    merged = extra.replace("[pipeline]\n", "") if extra.startswith("[pipeline]") else extra
    if merged != extra:
        bench.data_dir = f"{bench.folder}/data\n{merged}"
    else:
        bench.extra = extra

    assert bench.luigi(*LAST)[0] == 35
    status, output = bench.run("-m", "skord", "run", *LAST[1:])

    assert status == 1
    assert sentence in output
    assert "Traceback" not in output
    assert not list((bench.folder / "data").glob("DownloadWET/**/*"))


@pytest.mark.parametrize(
    ("content", "code"), [("<html>welcome</html>", 35), ("a.gz", 30), (None, 30)]
)
def test_a_base_url_that_is_no_crawl_is_said(tmp_path, content, code):
    root = tmp_path / "site"
    folder = root / f"crawl-data/CC-MAIN-{DUMP}"
    folder.mkdir(parents=True)
    if content:
        (folder / "wet.paths.gz").write_text(content)
    with CrawlServer(root) as server:
        bench = Bench(tmp_path / "bench", server.url)
        status, output = bench.luigi(*DOWNLOAD)

    assert status == code
    assert "base_url" in output
    assert bench.store.manifest("DownloadWET") is None


def test_an_endpoint_that_is_not_there_is_said_once_and_nothing_starts(tmp_path):
    with CrawlServer(tmp_path) as server:
        url = server.url
    bench = Bench(tmp_path / "bench", url)

    assert bench.luigi(*LAST)[0] == 35
    status, output = bench.run("-m", "skord", "run", *LAST[1:])

    assert status == 1
    assert output.count("it cannot be connected to: check the network") == 1
    assert "try 1" not in output
    assert bench.files() == {}


def copy_of(whole, tmp_path) -> Bench:
    copy = Bench(tmp_path / "copy", whole.url)
    shutil.copytree(whole.folder / "data", copy.folder / "data")
    return copy


def test_a_foreign_shard_is_neither_taken_nor_overwritten(whole, tmp_path):
    copy = copy_of(whole, tmp_path)
    path = copy.folder / "data" / copy.store.path("FilterDocuments", 1)
    (copy.folder / "data" / copy.store.manifest_path("FilterDocuments")).unlink()
    (copy.folder / "data" / copy.store.manifest_path("Deduplicate")).unlink()
    pq.write_table(pa.table({"id": ["theirs"]}), path)

    status, output = copy.luigi(*LAST)

    assert status == 30
    assert f"{path} was not written by this pipeline: move it away" in output
    assert pq.read_table(path)["id"].to_pylist() == ["theirs"]


def test_changed_settings_need_leave_to_replace_and_remake_only_what_depends_on_them(
    whole, tmp_path
):
    copy = copy_of(whole, tmp_path)
    before = copy.written()
    copy.extra = '[FilterDocuments]\nlimits = {"content_length": [600, 1e9]}\n'

    status, output = copy.luigi(*LAST)

    assert status == 35
    assert "FilterDocuments 2024-10 is complete with other settings (limits" in output
    assert "pass --replace" in output
    assert copy.written() == before

    status, output = copy.luigi(*LAST, "--replace")

    assert status == 0, output
    changed = {name for name, time in copy.written().items() if before.get(name) != time}
    assert {name.split("/")[0] for name in changed} == {
        "FilterDocuments", "ComputeSignatures", "Deduplicate"
    }  # fmt: skip
    passes = [
        row["content_length"] >= 600
        for shard in range(3)
        for row in copy.store.read_table(copy.store.path("FilterDocuments", shard)).to_pylist()
        if row["passes_all_quality_filters"]
    ]
    assert passes
    assert all(passes)


def test_an_option_for_a_task_upstream_counts_in_the_workers_too(bench):
    bench.workers = 2
    status, output = bench.luigi(
        "pipeline.cc_net", "CCNet", "--dump", DUMP, "--HashParagraphs-min-chars", "1000"
    )

    assert status == 0, output
    lengths = [
        length
        for shard in range(3)
        for length in bench.store.read_table(bench.store.path("CCNet", shard))[
            "original_length"
        ].to_pylist()
    ]
    assert min(lengths) >= 1000


def test_a_wet_file_without_pages_fails_its_shard(tmp_path, crawl_folder):
    root = tmp_path / "crawl"
    shutil.copytree(crawl_folder, root)
    for path in sorted(root.rglob("*.warc.wet.gz"))[:4]:
        path.write_bytes(gzip.compress(b""))
    with CrawlServer(root) as server:
        bench = Bench(tmp_path / "bench", server.url)
        status, output = bench.luigi("pipeline.cc_net", "CCNet", "--dump", DUMP)

    assert status == 30
    assert "hold no page" in output
    assert bench.store.manifest("CCNet") is None


def test_one_corrupt_wet_record_costs_one_page(tmp_path, crawl_folder, whole):
    root = tmp_path / "crawl"
    shutil.copytree(crawl_folder, root)
    path = min(root.rglob("*.warc.wet.gz"))
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    path.write_bytes(damaged)
    with CrawlServer(root) as server:
        bench = Bench(tmp_path / "bench", server.url)
        status, output = bench.luigi("pipeline.cc_net", "CCNet", "--dump", DUMP)

    assert status == 0, output
    counts = bench.store.manifest("CCNet")["counts"]
    bad = {name: n for name, n in counts.items() if name.startswith("bad_record.")}
    assert sum(bad.values()) == 1
    assert counts["pages"] == whole.store.manifest("CCNet")["counts"]["pages"] - 1
