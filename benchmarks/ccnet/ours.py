"""Run this project's selection, in exact mode, on the same WET files as cc_net.

    LUIGI_CONFIG_PATH=FOLDER/luigi.cfg python -m benchmarks.ccnet.ours SETTINGS.json

The tasks HashParagraphs and CCNet themselves, item after item in one process, without
Luigi's scheduler. Prints one line of JSON: CPU seconds from after the imports to the end.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import skord.ccnet.selection
import skord.ccnet.wet_pages  # noqa: F401 - as the three above: tasks import them at work
from pipeline.cc_net import CCNet, DownloadWET, HashParagraphs
from skord.core.driver import write_task_manifest
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.core.tasks.sharded_task import ShardedTask
from skord.crawl.cdx import twin_warc
from skord.crawl.files import local_name

SETTINGS = """
[pipeline]
data_dir = {folder}
[HashParagraphs]
mode = exact
[CCNet]
languages = {languages}
rule = top
min_score = 0.5
paragraphs = drop_all
group_shards = {group_shards}
lid_model_path = {lid}
language_models = {models}
score_paragraphs = false
record_refused = false
num_partitions = 1
"""
"""The published choices. A range of keys is made for millions of paragraphs, so here is one."""


def main(settings_path: str) -> None:
    dump = json.loads(Path(settings_path).read_text(encoding="utf-8"))["dump"]
    start = time.process_time()
    for task in (HashParagraphs(dump=dump), CCNet(dump=dump)):
        run_items(task)
    print(json.dumps({"cpu_s": time.process_time() - start}))


def run_items(task: ShardedTask) -> None:
    """Make every work item of every phase, one after another, and complete.

    As in a worker, settings are read once for a task and not for each item.
    """
    task.settled = (task.fingerprint, replace(task.store, sets_aside=True))
    for phase in task.phases():
        for number in range(phase.size()):
            phase.run(number)
    write_task_manifest(task)


def lay_out(folder: Path, dump: str, shards: Sequence[Sequence[str]], **chosen: object) -> Path:
    """Have DownloadWET's tables in a folder where its files lie already; returns its luigi.cfg.

    Args:
        folder: holds the files.
        dump: of which they are.
        shards: paths on the crawl.
        chosen: the blanks in `SETTINGS`.
    """
    store = ColumnStore(Storage(str(folder)), dump)
    family = DownloadWET.get_task_family()
    for shard, paths in enumerate(shards):
        with store.writer(store.path(family, shard), DownloadWET.schema, "benchmark") as writer:
            for path in paths:
                size = store.storage.size(store.file_path(family, local_name(path)))
                writer.append(_row(path, size))
    store.write_manifest(family, {"num_shards": len(shards)})
    config = folder / "luigi.cfg"
    config.write_text(SETTINGS.format(folder=folder, **chosen), encoding="utf-8")
    return config


def _row(path: str, size: int | None) -> Mapping[str, Any]:
    return {"file": path, "warc_file": twin_warc(path), "bytes": size, "failure": None}


if __name__ == "__main__":
    main(sys.argv[1])
