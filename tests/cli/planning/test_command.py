"""What a dump will take, reckoned from a pilot of known figures."""

import argparse
import gzip
import json
import shutil

import pytest

from skord.cli.planning.command import make_plan, pilot_store, run
from skord.cli.planning.text import Whole
from skord.core.dumps import Source, keep_source
from skord.core.failures import ConfigError
from skord.core.storage.filesystem import Storage
from skord.sample_crawl.server import CrawlServer

DUMP = "2024-10"
WET = [f"crawl-data/CC-MAIN-{DUMP}/segments/1/wet/{n:02}.warc.wet.gz" for n in range(12)]
CDX = [f"cc-index/collections/CC-MAIN-{DUMP}/indexes/cdx-{n:05}.gz" for n in range(3)]
CRAWL = "[crawl]\nbase_url = {0}\ncollinfo_url = {0}/collinfo.json\nrequests_per_s = 500\n"
FOUR = "coalesce_gap_bytes = 10\n[DownloadWET]\nnum_shards_wanted = 4\n"


def serve(root, paths):
    for path, size in paths.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(b"x" * size)
    lists = root / f"crawl-data/CC-MAIN-{DUMP}"
    for kind, some in (("wet", WET), ("cc-index", [*CDX, CDX[0].replace("cdx-00000", "cluster")])):
        (lists / f"{kind}.paths.gz").write_bytes(gzip.compress("\n".join(some).encode()))


@pytest.fixture
def endpoint(tmp_path, settings):
    """Twelve WET files of which every probed one has 200 bytes, and three of the index."""
    root = tmp_path / "crawl"
    probed = {0, 1, 3, 4, 6, 7, 9, 10}
    sizes = {path: 200 if n in probed else 9999 for n, path in enumerate(WET)}
    serve(root, {**sizes, **dict(zip(CDX, (500, 1000, 600), strict=True))})
    with CrawlServer(root) as server:
        settings(CRAWL.format(server.url) + FOUR)
        yield server


@pytest.fixture
def pilot_folder(begun, tmp_path):
    """The pilot in a folder of its own."""
    folder = tmp_path / "pilot"
    folder.mkdir()
    shutil.move(tmp_path / "data", folder / "data")
    shutil.move(tmp_path / "CCNet", folder / "logs/CCNet")
    return folder


def test_the_whole_is_foretold_by_its_bytes(endpoint, pilot_folder):
    plan = make_plan(DUMP, pilot_folder, cores=3)

    grown = 2400 / 150  # of the one shard that CCNet has
    assert plan.whole == Whole(12, 2400.0, 3, 2100.0, 4)
    assert plan.pilot == f"4 WET files of {DUMP} in {pilot_folder}/data"
    assert plan.pages == pytest.approx(14 / 301 * 2400)
    assert (plan.selected, plan.selected_seen) == (pytest.approx(3 * grown), 3)
    assert plan.requests == pytest.approx(12 + 3 + 2 + 3 * grown)
    assert plan.budget_s == pytest.approx(plan.requests / 500)
    assert plan.fetched_bytes == pytest.approx(2400 + 2100 + 80 * grown)
    kept = {
        task: sum(path.stat().st_size for path in (pilot_folder / "data" / task).rglob("*.parquet"))
        for task in plan.kept_bytes
    }
    scales = {"DownloadWET": 2400 / 301, "HashParagraphs": 2400 / 301, "CCIndex": 2.1}
    assert plan.kept_bytes == pytest.approx(
        {task: size * scales.get(task, grown) for task, size in kept.items()}
    )
    assert plan.peak_bytes > 10**9 * grown
    assert {"Deduplicate", "ConvertToMarkdown"} <= set(plan.unknown)
    assert {"CCNet", "ExportCorpus", "WARCIndex"} & set(plan.unknown) == {"WARCIndex"}
    assert plan.not_told_apart == ["CCNet"]
    assert plan.cores == 3
    shards = {"DownloadWET": 4, "HashParagraphs": 4, "CCIndex": 3, "CCNet": 4, "WARCIndex": 4}
    assert (plan.kept_files, plan.crawl_files) == (sum(shards.values()), 12 + 3)
    assert plan.peak_files > plan.kept_files


def test_each_phase_grows_as_its_task_does(endpoint, pilot_folder):
    shard, merge = make_plan(DUMP, pilot_folder, cores=3).phases

    assert (shard.task, shard.phase, shard.items, shard.peak_mb) == ("CCNet", "shard", 4, 90.0)
    assert (merge.phase, merge.items, merge.on_gpu) == ("merge", 4, False)
    assert shard.core_s == pytest.approx(4 * 1.0 + 2 * 2.0 * 2400 / 150 + 3 * 0.5)
    assert shard.wall_s == shard.core_s / 3
    assert merge.core_s == 4.0


def test_a_dump_that_is_begun_is_the_pilot_of_itself(endpoint, begun):
    plan = make_plan(DUMP, None, cores=1)

    assert plan.whole == Whole(12, 301 / 4 * 12, 3, 3000.0, 4)
    assert plan.pages == pytest.approx(14 * 3)


def test_files_of_ones_own_are_asked_of_nobody(begun, pilot_folder, tmp_path, settings):
    settings("[DownloadWET]\nnum_shards_wanted = 2\n")
    (tmp_path / "mine").mkdir()
    for number, size in enumerate((100, 2000)):
        (tmp_path / f"mine/{number}.html").write_bytes(b"<p>" + b"x" * (size - 3))
    keep_source("mine", Source("pages", str(tmp_path / "mine")), Storage(str(tmp_path / "data")))

    plan = make_plan("mine", pilot_folder, cores=1)

    assert plan.whole == Whole(2, 2100, 0, 0, 1)
    assert plan.pilot == f"4 files of {DUMP} in {pilot_folder}/data"
    assert (plan.requests, plan.fetched_bytes, plan.budget_s) == (0, 0, 0)
    assert "CCIndex" not in plan.unknown
    assert plan.crawl_files == 0
    assert "WARCIndex" in plan.unknown


def test_files_of_the_crawl_are_counted_beside_those_of_shards(endpoint, begun, store, tmp_path):
    before = make_plan(DUMP, None, cores=1)
    for number in range(4):
        store.storage.write(f"DownloadWET/{DUMP}/files/{number}.wet.gz", b"x")
    store.storage.write(f"DownloadWET/{DUMP}/_paths/00000.parquet", b"x")
    after = make_plan(DUMP, None, cores=1)

    assert after.kept_files - before.kept_files == 12 + 1


def test_what_is_estimated_is_printed_and_kept(endpoint, pilot_folder, tmp_path, capsys):
    for as_json in (True, False):
        run(argparse.Namespace(dump=DUMP, pilot=pilot_folder, cores=2, json=as_json))
    printed = capsys.readouterr().out

    kept = (tmp_path / "data/_plans/2024-10.json").read_text()
    plan = json.loads(kept)
    assert printed.startswith(kept + "\ndump 2024-10, estimated from 4 WET files")
    assert kept.startswith('{\n "dump"')
    assert plan["core_s"] == pytest.approx(sum(phase["core_s"] for phase in plan["phases"]))
    assert plan["wall_s"] >= plan["core_s"] / 2


@pytest.mark.parametrize(
    ("dumps", "sentence"),
    [((), "data/ holds no dump"), (("2023-06", "2023-14"), "data/ holds 2023-06, 2023-14")],
)
def test_a_pilot_is_of_one_dump(tmp_path, settings, dumps, sentence):
    for dump in dumps:
        (tmp_path / "pilot/data/CCNet" / dump).mkdir(parents=True)

    with pytest.raises(ConfigError, match=f"--pilot {tmp_path}/pilot: {sentence}"):
        pilot_store(DUMP, tmp_path / "pilot")


@pytest.mark.parametrize("dumps", [("2023-06",), (DUMP, "2023-06")])
def test_a_pilot_of_the_same_dump_goes_before_any_other(tmp_path, settings, dumps):
    for dump in dumps:
        (tmp_path / "pilot/data/CCNet" / dump).mkdir(parents=True)

    store, logs = pilot_store(DUMP, tmp_path / "pilot")

    assert (store.dump, logs) == (dumps[0], tmp_path / "pilot/logs")
