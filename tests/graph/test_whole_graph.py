"""The whole graph, cold, by the published commands."""

import json
import re
import shutil
import socket
import subprocess
import sys
import urllib.parse
import urllib.request
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from skord.cli.look.funnel import ALL, funnel_stages
from skord.cli.look.why import page_story
from skord.core.registry import task_classes
from skord.models.line_classifier.features.words import overlap
from skord.sample_crawl.page_source import COMPONENT_LAYOUTS
from tests.graph.bench import DUMP, LAST, Bench, wait_until

PUBLISHED = {
    "ConvertToMarkdown": {"id": "string", "url": "string", "warc_file": "string",
     "warc_date": "string", "warc_block_digest": "string", "content": "string"},
    "ProcessMarkdown": {"id": "string", "text": "string"},
    "FilterDocuments": {"id": "string", "passes_all_quality_filters": "bool",
     "content_length": "int64", "is_domain_blacklisted": "bool",
     "ratio_alphanumeric_chars": "double", "ratio_headings_per_non_heading_word": "double",
     "unigram_entropy": "double", "language": "string"},
    "Deduplicate": {"id": "string", "dedup_keep": "bool"},
}  # fmt: skip


def columns(bench, task):
    manifest = bench.store.manifest(task)
    paths = [bench.store.path(task, shard) for shard in range(manifest["num_shards"])]
    return [bench.store.read_table(path) for path in paths]


def test_every_task_is_complete(whole):
    wanted = [name for name, task in task_classes().items() if not task.on_request]
    assert [name for name in wanted if whole.store.manifest(name) is None] == []


def test_the_funnel_adds_up_and_pages_are_kept_in_every_language(whole):
    stages = funnel_stages(whole.store)

    assert [stage.task for stage in stages if not stage.adds_up] == []
    for before, after in pairwise(stages):
        assert after.documents_in == before.documents_out
        assert after.characters_in[ALL] > 0
    kept = stages[-1].documents_out
    assert kept[ALL] >= 80
    assert all(kept[language] >= 5 for language in ("sv", "da", "no", "nn", "is"))


def test_every_shard_of_every_task_holds_the_same_documents(whole):
    born = [table["id"].to_pylist() for table in columns(whole, "CCNet")]

    for task in ("WARCIndex", "FetchHTMLDocuments", *PUBLISHED):
        assert [table["id"].to_pylist() for table in columns(whole, task)] == born


def test_published_columns_keep_their_names_and_types(whole):
    for task, published in PUBLISHED.items():
        schema = pq.read_schema(whole.folder / "data" / whole.store.path(task, 0))
        actual = {name: str(schema.field(name).type) for name in published}
        assert actual == published


def test_each_damage_done_to_the_crawl_is_a_failure_code(whole):
    codes = Counter()
    for task in ("WARCIndex", "FetchHTMLDocuments"):
        for table in columns(whole, task):
            codes.update(code for code in table["failure"].to_pylist() if code)

    assert codes["not_in_index"] == 1
    assert codes["digest_mismatch"] == 1
    assert codes["corrupt_gzip"] == 1
    assert set(codes) == {"not_in_index", "digest_mismatch", "corrupt_gzip", "upstream"}


def test_the_ledger_has_a_row_for_every_document_that_was_asked_for(whole):
    ids, tries = [], []
    for shard, index in enumerate(columns(whole, "WARCIndex")):
        ledger = whole.store.read_table(
            whole.store.path("FetchHTMLDocuments", shard, "ledger")
        ).to_pydict()
        asked = [
            i for i, f in zip(index["id"].to_pylist(), index["failure"].to_pylist(), strict=True)
            if f is None
        ]  # fmt: skip
        assert ledger["id"] == asked
        ids += ledger["id"]
        tries += ledger["tries"]

    assert len(ids) == len(set(ids)) > 100
    assert min(tries) >= 1


def test_records_are_stored_as_they_came(whole, crawl_folder):
    fetched, index = columns(whole, "FetchHTMLDocuments")[0], columns(whole, "WARCIndex")[0]
    checked = 0
    for row, place in zip(fetched.to_pylist(), index.to_pylist(), strict=True):
        if row["failure"] is None:
            with (crawl_folder / place["warc_file"]).open("rb") as file:
                file.seek(place["warc_record_offset"])
                assert file.read(place["warc_record_length"]) == row["record"]
            checked += 1

    assert checked > 20


def test_running_again_does_nothing(whole):
    before = whole.written()

    assert whole.luigi(*LAST)[0] == 0
    status, output = whole.run("-m", "skord", "run", *LAST[1:])

    assert status == 0
    assert output.count("\n") == 1
    assert f"nothing to do: DeduplicateIndividually {DUMP} is complete since 20" in output
    assert f", 3 shards in {whole.data}/Deduplicate/{DUMP}; next: " in output
    assert f"export --dumps {DUMP}" in output
    assert whole.written() == before


def test_refused_and_kept_pages_tell_why(whole, crawl_folder):
    gold = [json.loads(line) for line in (crawl_folder / "gold.jsonl").read_text().split("\n")[:-1]]
    english = next(page for page in gold if page["lang"] == "en")
    told = "\n".join(page_story(whole.store, english["url"]))
    assert re.search(r"ended in CCNet: language \(best is en at 0\.\d+; wanted any of", told)

    keep = columns(whole, "Deduplicate")[0]
    kept_id = keep.filter(keep["dedup_keep"])["id"][0].as_py()
    told = "\n".join(page_story(whole.store, kept_id))
    assert told.endswith("=> kept")
    assert "Deduplicate" in told

    removed = keep.filter(keep["duplicate_of"].is_valid())
    if len(removed):
        told = "\n".join(page_story(whole.store, removed["id"][0].as_py()))
        assert f"near-duplicate of {removed['duplicate_of'][0].as_py()}" in told

    assert "not among the pages" in "\n".join(page_story(whole.store, "http://nowhere.example/"))


def test_a_page_that_fails_a_filter_tells_value_and_limit(whole):
    for table in columns(whole, "FilterDocuments"):
        for row in table.to_pylist():
            if row["failed_filters"]:
                told = "\n".join(page_story(whole.store, row["id"]))
                name = row["failed_filters"][0]
                assert f"ended in FilterDocuments: {name} = {row[name]:g}, limits" in told
                return
    pytest.fail("no page failed a filter")


def test_a_task_starts_cold_with_several_luigi_workers(bench, whole):
    task, bench.workers = "FetchHTMLDocuments", 2
    status, output = bench.luigi("pipeline.warc_processing", task, "--dump", DUMP, "--workers", "2")

    assert status == 0, output
    assert bench.store.manifest(task) == whole.store.manifest(task)
    files, expected = bench.files(), whole.files()
    assert all(expected[name] == digest for name, digest in files.items())
    assert any(name.startswith(task) for name in files)


def test_one_process_a_luigid_and_more_partitions_give_the_same_bytes(tmp_path, crawl_url, whole):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "state").mkdir()
    luigid = subprocess.Popen(
        [
            Path(sys.executable).with_name("luigid"),
            "--address", "127.0.0.1", "--port", str(port),
            "--state-path", str(tmp_path / "state/luigid.pickle"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_until(lambda: _listens(port))
        bench = Bench(
            tmp_path / "b", crawl_url, workers=0, num_partitions=5,
            local_scheduler="false", scheduler_port=port,
        )  # fmt: skip
        status, output = bench.luigi(*LAST)
        assert status == 0, output
        shown = asked(port, "task_list", {"status": "DONE", "upstream_status": ""})
        told = {
            task["name"]: (
                asked(port, "get_task_status_message", {"task_id": id_})["statusMessage"],
                asked(port, "get_task_progress_percentage", {"task_id": id_})["progressPercentage"],
            )
            for id_, task in shown.items()
        }
    finally:
        luigid.terminate()
        luigid.wait()

    assert bench.files() == whole.files()
    assert told["ConvertToMarkdown"] == ("shard: 3 of 3 work items done, 0 failed", 100)
    assert told["CCNet"][0] == "shard: 3 of 3 work items done, 0 failed"


def asked(port, method, what):
    """What the scheduler answers to those who look at its pages."""
    query = urllib.parse.urlencode({"data": json.dumps(what)})
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/{method}?{query}") as answer:
        return json.load(answer)["response"]


def _listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_shard_made_by_hand_is_the_same(whole, tmp_path):
    copy = Bench(tmp_path / "copy", whole.url)
    shutil.copytree(whole.folder / "data", copy.folder / "data")
    path = copy.folder / "data" / copy.store.path("ConvertToMarkdown", 1)
    before = path.read_bytes()
    path.unlink()

    status, output = copy.run(
        "-m", "skord.core.run_shard", "ConvertToMarkdown", f'{{"dump": "{DUMP}"}}', "shard", "1"
    )

    assert status == 0, output
    assert path.read_bytes() == before


def test_what_the_index_held_is_counted(whole):
    counts = whole.store.manifest("WARCIndex")["counts"]

    assert counts["index.lines"] > 200
    assert (
        counts["index.lines"] - counts["index.not_wanted"]
        == whole.store.manifest("CCNet")["rows"] - counts["failure.not_in_index"]
    )


def test_fewer_shards_hold_the_same_documents(tmp_path, crawl_url, whole):
    bench = Bench(tmp_path / "one", crawl_url, num_shards=1)
    status, output = bench.luigi(*LAST)
    assert status == 0, output

    def kept(b):
        return sorted(
            row["id"] for t in columns(b, "Deduplicate") for row in t.to_pylist()
            if row["dedup_keep"]
        )  # fmt: skip

    assert kept(bench) == kept(whole)


def test_kept_texts_are_near_the_main_texts_that_were_put_in(whole, crawl_folder):
    """Thin pages and spam, which the filters should have dropped, are counted for themselves."""
    lines = (crawl_folder / "gold.jsonl").read_text().split("\n")[:-1]
    gold = {page["record_id"]: page for page in map(json.loads, lines)}
    texts, kept = columns(whole, "ProcessMarkdown"), columns(whole, "Deduplicate")
    pairs = [
        (gold[row["id"]], row["text"])
        for text, keep in zip(texts, kept, strict=True)
        for row, verdict in zip(text.to_pylist(), keep.to_pylist(), strict=True)
        if verdict["dedup_keep"] and gold[row["id"]]["gold"] is not None
    ]
    shares = [
        (page["layout"] in COMPONENT_LAYOUTS, overlap(text, page["gold"]).f1)
        for page, text in pairs
        if page["kind"] == "page"
    ]
    plain, components = ([share for soup, share in shares if soup is one] for one in (False, True))

    assert len(plain) > 100
    assert sum(plain) / len(plain) >= 0.92  # measured: 0.943, of 109
    assert len(components) > 100
    assert sum(components) / len(components) >= 0.6  # measured: 0.616, of 142
    assert len(pairs) - len(shares) <= 10  # measured: 8, of 20 in the crawl
