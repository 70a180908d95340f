"""The selection exported and minified, and how the tests look at it."""

import gzip
import json
import zlib
from pathlib import Path

import pyarrow.parquet as pq

from tests.graph.bench import DUMP, Bench

PUBLISHED_FIELDS = (
    "url", "date_download", "digest", "length", "nlines", "source_domain", "title", "raw_content",
    "cc_segment", "original_nlines", "original_length", "line_ids", "language", "language_score",
    "perplexity", "bucket",
)  # fmt: skip
"""Of a document as CCNet published it, in order."""

TARGET_BYTES = 20_000
SETTINGS = f"[ExportCCNet]\ntarget_bytes = {TARGET_BYTES}\n[MinifyCCNet]\npublished_form = true\n"
EXPORT = ("skord.extras.ccnet_files.task", "ExportCCNet", "--dump", DUMP)
MINIFY = ("skord.extras.ccnet_files.task", "MinifyCCNet", "--dump", DUMP)


def run(bench, command):
    status, output = bench.luigi(*command)
    assert status == 0, output


def copy_of(bench, folder, tasks):
    """A bench with the crawl of another and what some tasks made there."""
    copy = Bench(folder, bench.url, extra=SETTINGS)
    copy.copy_tasks(bench, tasks)
    return copy


def selection(bench):
    folder = Path(bench.data, "CCNet", DUMP)
    return [row for path in sorted(folder.glob("*.parquet")) for row in rows(path)]


def replace_shard(bench, task, shard, table):
    """Put other rows where a finished task's shard was, as if the task had written them."""
    path = bench.store.path(task, shard)
    footer = bench.store.footer(path)
    with bench.store.writer(path, table.schema, footer.fingerprint) as writer:
        writer.write(table)
        writer.counts.update(footer.counts)
    manifest = bench.store.manifest(task)
    manifest["bytes"][shard] = Path(bench.data, path).stat().st_size
    bench.store.write_manifest(task, manifest)


def rows(path):
    return pq.read_table(path).to_pylist()


def files(bench, task="ExportCCNet"):
    return sorted(Path(bench.data, task, DUMP, "files").iterdir())


def documents(path):
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def members(packed):
    """The sizes of the gzip members, unpacked one by one; each must be whole."""
    sizes = []
    while packed:
        one = zlib.decompressobj(31)
        sizes.append(len(one.decompress(packed)))
        assert one.eof
        packed = one.unused_data
    return sizes
