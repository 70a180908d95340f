"""`python -m pipeline …` as a person types it."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request

from tests.conftest import ROOT
from tests.forked import run_forked
from tests.graph.bench import DUMP, Bench

TOO_LITTLE_MEMORY = (
    "pipeline.quality_filtering", "FilterDocuments", "--dump", DUMP, "--mem-gb", "0.1"
)  # fmt: skip
"""A command whose work items fail: nothing is wrong with what they read."""


def test_status_shows_every_task_of_a_finished_dump(whole):
    status, output = whole.run("-m", "pipeline", "status")

    assert status == 0
    assert f"dump {DUMP}" in output
    assert len(re.findall(r" shard +\d+ +0 +0 .* complete$", output, re.MULTILINE)) == 11
    assert re.search(r"rows with a failure: corrupt_gzip 1, digest_mismatch 1", output)


def test_status_and_logs_show_what_failed_and_what_waits(whole, tmp_path):
    copy = Bench(tmp_path / "copy", whole.url, workers=2)
    shutil.copytree(whole.folder / "data", copy.folder / "data")
    for task in ("ComputeSignatures", "Deduplicate"):
        shutil.rmtree(copy.folder / "data" / task)
    for path in (copy.folder / "data/FilterDocuments").rglob("*"):
        if path.name in ("00001.parquet", "_manifest.json"):
            path.unlink()
    copy.luigi(*TOO_LITTLE_MEMORY)

    status, output = copy.run("-m", "pipeline", "status", "--dump", DUMP)

    assert status == 0
    assert re.search(r"^FilterDocuments +shard +2 +1 +0 .*open$", output, re.MULTILINE)
    assert re.search(r"shard 1: .*it needed more memory than the task", output)
    waits = r"^ComputeSignatures +shard +waits for what comes before$"
    assert re.search(waits, output, re.MULTILINE)

    logs = ("-m", "pipeline", "logs", "FilterDocuments", "--dump", DUMP, "--shard")
    status, output = copy.run(*logs, "1")
    assert status == 0
    assert re.search(r"^failed in a run that ended 20.*it needed more memory than", output)
    assert "Traceback (most recent call last)" in output
    assert "nothing was noted" in copy.run(*logs, "0")[1]


def test_funnel_and_why_are_printed(whole):
    status, output = whole.run("-m", "pipeline", "funnel", "--dump", DUMP)
    assert status == 0
    pages = whole.store.manifest("HashParagraphs")["counts"]["pages"]
    selected = whole.store.manifest("CCNet")["rows"]
    assert 0 < selected < pages
    assert re.search(rf"^CCNet +{pages} +{selected} ", output, re.MULTILINE)
    assert "DOES NOT ADD UP" not in output

    status, output = whole.run("-m", "pipeline", "why", "http://nowhere.example/")
    assert status == 0
    assert "not among the pages of dump" in output


def test_new_dumps_become_known(bench):
    status, output = bench.run("-m", "pipeline", "dumps", "--refresh")

    assert status == 0
    assert "0 new" in output
    assert json.loads(bench.store.storage.read("collinfo.json"))[0]["id"] == f"CC-MAIN-{DUMP}"

    (bench.folder / "data/collinfo.json").write_text('[{"id": "CC-MAIN-2031-05"}]')
    assert "2031-05" in bench.run("-m", "pipeline", "dumps")[1]


def test_a_built_crawl_is_served(tmp_path):
    folder = tmp_path / "crawl"
    command = [sys.executable, "-m", "pipeline", "sample"]
    subprocess.run([*command, "build", str(folder)], cwd=ROOT, check=True, capture_output=True)
    with subprocess.Popen(
        [*command, "serve", str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as server:
        url = server.stdout.readline().strip()
        with urllib.request.urlopen(f"{url}/collinfo.json") as answer:
            assert json.load(answer)[0]["id"] == f"CC-MAIN-{DUMP}"
        server.kill()


def test_retry_makes_the_shards_named_and_no_others(whole, tmp_path):
    copy = Bench(tmp_path / "copy", whole.url)
    shutil.copytree(whole.folder / "data", copy.folder / "data")
    before = copy.written()

    status, output = copy.run(
        "-m", "pipeline", "retry", "ProcessMarkdown", "--dump", DUMP, "--shards", "0,2"
    )

    assert status == 0, output
    changed = {name for name, time in copy.written().items() if before[name] != time}
    assert changed == {
        f"ProcessMarkdown/{DUMP}/{name}"
        for name in ("00000.parquet", "00002.parquet", "_manifest.json")
    }
    assert copy.files() == whole.files()


def test_a_retry_that_cannot_be_is_said_and_removes_nothing(whole):
    before = whole.written()

    words = ("retry", "ProcessMarkdown", "--dump", DUMP, "--shards", "1-3")
    status, output = whole.run("-m", "pipeline", *words)

    assert status == 1
    assert "has shards 0 to 2, not 3" in output
    assert whole.written() == before


def test_status_says_which_setting_differs_from_that_of_the_shards(whole, tmp_path):
    changed = "[HashParagraphs]\nmin_chars = 250\n"
    other = Bench(tmp_path / "other", whole.url, data_dir=whole.data, extra=changed)

    status, output = other.run("-m", "skord", "status", "--dump", DUMP)

    assert status == 0, output
    assert re.search(r"^DownloadWET +shard +3 .* complete$", output, re.MULTILINE)
    told = r"^HashParagraphs +shard +3 .* complete with other settings: min_chars 300, now 250$"
    assert re.search(told, output, re.MULTILINE), output
    assert re.search(r"^CCNet +shard .* complete with other settings upstream$", output, re.M)


def test_the_settings_beside_a_data_folder_are_used(whole):
    whole.environment()  # writes luigi.cfg beside the data
    environment = {k: v for k, v in os.environ.items() if k != "LUIGI_CONFIG_PATH"}
    words = ("pipeline", "status", "--dump", DUMP, "--data-dir", str(whole.folder / "data"))

    done = run_forked(words, env=environment, cwd=ROOT)

    assert done.returncode == 0, done.stderr
    assert re.search(r"^Deduplicate +shard +3 +0 +0 .*complete$", done.stdout, re.MULTILINE)
    assert "other settings" not in done.stdout
