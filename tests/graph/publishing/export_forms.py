"""The corpus of the whole graph, published, and how the tests look at it."""

import contextlib
import io
import shutil
import warnings
from pathlib import Path

import pyarrow.parquet as pq
from luigi.parameter import UnconsumedParameterWarning

from skord.cli.main import main
from skord.core.storage.column_store import ColumnStore
from tests.conftest import settings_of_file
from tests.graph.bench import DUMP, Bench

SETTINGS = "[ExportCorpus]\ntarget_bytes = 60000\njson_lines = true\n"
EXPORT = ("pipeline.export", "ExportCorpus", "--dump", DUMP)
TASK = "ExportCorpus"


def copy_of(bench, folder, settings=SETTINGS) -> Bench:
    """A bench with the crawl and the results of another; only what is written again is its own."""
    copy = Bench(folder, bench.url, extra=settings)
    shutil.copytree(bench.folder / "data", copy.folder / "data")
    return copy


def folder(bench) -> Path:
    """What would be uploaded."""
    return Path(bench.data, TASK, DUMP, "files")


def corpus(bench):
    """Every row of the published files, in order."""
    return [row for path in data_files(bench) for row in pq.read_table(path).to_pylist()]


def data_files(bench):
    return sorted((folder(bench) / "data").iterdir())


def tree(bench):
    """Everything that the task wrote, by path."""
    root = Path(bench.data, TASK)
    return {str(path.relative_to(root)): path.read_bytes() for path in files_below(root)}


def files_below(root):
    return sorted(path for path in root.rglob("*") if path.is_file())


def column(bench, name):
    """One column of the whole dump, by id."""
    task, _, inner = name.partition(".")
    store: ColumnStore = bench.store
    shards = range(store.manifest("CCNet")["num_shards"])
    tables = [store.read_table(store.path(task, shard), ["id", inner]) for shard in shards]
    return {row["id"]: row[inner] for table in tables for row in table.to_pylist()}


@contextlib.contextmanager
def other_settings(bench):
    """This process under the settings of a bench."""
    with settings_of_file(Path(bench.environment()["LUIGI_CONFIG_PATH"])):
        yield


def command(bench, *words) -> tuple[int, str]:
    """`python -m pipeline …` in this process, which is quicker; status and output."""
    said = io.StringIO()
    with (
        other_settings(bench),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
        warnings.catch_warnings(),
    ):
        for category in (
            DeprecationWarning,
            UnconsumedParameterWarning,
        ):  # Luigi's, of its settings
            warnings.simplefilter("ignore", category)
        status = main(words)
    return status, said.getvalue()
