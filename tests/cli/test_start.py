"""What commands and workers import: seconds of every start, and none of what they do not use."""

import json
import subprocess
import sys

import pytest

HEAVY = [
    "torch",
    "transformers",
    "matplotlib",
    "requests.models",
    "jsonschema.validators",
    "tornado",
    "tenacity",
    "luigi.interface",
    "luigi.scheduler",
    "ssl",
    "warcio",
    "fsspec",
    "asyncio",
    "chardet",
    "jinja2",
    "polars",
    "duckdb",
    "numba",
    "skord.models.line_classifier.embedded",
    "skord.html.converter",
    "skord.crawl.http.client",
    "skord.publishing.removals.apply",
]
"""What no command needs that looks at where things stand."""

COLUMNS = ["pyarrow", "numpy"]
"""What columns are made of: a third of a command's start."""

COMMAND = """
import json, sys
from skord.cli.main import main
try:
    status = main(json.loads(sys.argv[1]))
except SystemExit as end:
    status = end.code
print(json.dumps([status, sorted(sys.modules)]), file=sys.stderr)
"""


def modules_after(code, *words, cwd):
    """What a fresh process has imported when it is done; it must have ended well."""
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    status, modules = json.loads(done.stderr.splitlines()[-1])
    assert not status, done.stderr
    return set(modules)


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["status", "--help"], ["run", "-h"]])
def test_help_needs_neither_graph_nor_columns(words, tmp_path):
    modules = modules_after(COMMAND, json.dumps(words), cwd=tmp_path)
    assert modules.isdisjoint(["luigi", *COLUMNS, *HEAVY])
    assert len(modules) < 200


@pytest.mark.parametrize("words", [["status"], ["features"], ["dumps"]])
def test_commands_that_look_load_nothing_that_computes(words, tmp_path):
    modules = modules_after(COMMAND, json.dumps([*words, "--data-dir", "data"]), cwd=tmp_path)
    assert "luigi" in modules
    assert modules.isdisjoint([*COLUMNS, *HEAVY])
    assert len(modules) < 450


def test_removals_are_listed_without_columns(tmp_path):
    words = ["removals", "list", "--data-dir", "data"]
    assert modules_after(COMMAND, json.dumps(words), cwd=tmp_path).isdisjoint([*COLUMNS, *HEAVY])


def test_what_there_is_of_a_language_is_told_without_columns(tmp_path):
    modules = modules_after(COMMAND, json.dumps(["language", "sv"]), cwd=tmp_path)
    assert modules.isdisjoint([*COLUMNS, "torch", "matplotlib"])


@pytest.mark.parametrize("module", ["funnel", "why", "what_if"])
def test_commands_that_read_columns_load_nothing_that_publishes(module, tmp_path):
    code = f"""
import json, sys
import skord.cli.look.{module}
print(json.dumps([0, sorted(sys.modules)]), file=sys.stderr)
"""
    assert modules_after(code, cwd=tmp_path).isdisjoint(HEAVY)


def test_records_are_read_without_what_opens_files(tmp_path):
    code = """
import json, sys
import skord.core.run_shard, skord.crawl.warc.records
print(json.dumps([0, sorted(sys.modules)]), file=sys.stderr)
"""
    assert modules_after(code, cwd=tmp_path).isdisjoint(["fsspec", "asyncio"])


def test_whether_a_dump_is_complete_is_told_without_columns(tmp_path):
    code = """
import json, sys
from skord.core.registry import task_classes
for task in task_classes().values():
    if not task.on_request:
        task(dump="2024-10").output().exists()
        task(dump="2024-10").fingerprint
print(json.dumps([0, sorted(sys.modules)]), file=sys.stderr)
"""
    assert modules_after(code, cwd=tmp_path).isdisjoint([*COLUMNS, "fasttext", *HEAVY])


def test_one_page_needs_no_graph(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<html><body><p>Det var en gång en liten flicka.</p></body></html>")
    modules = modules_after(COMMAND, json.dumps(["extract", str(page)]), cwd=tmp_path)
    assert modules.isdisjoint({"luigi", "torch", "transformers", "matplotlib", "requests", "numba"})


def test_a_worker_loads_what_its_own_task_needs(tmp_path):
    code = """
import json, sys
from skord.core.registry import task_class
import skord.slurm.worker, skord.core.local.process_pool, skord.core.run_shard
task_class("ComputeSignatures")
print(json.dumps([0, sorted(sys.modules)]), file=sys.stderr)
"""
    assert modules_after(code, cwd=tmp_path).isdisjoint([*COLUMNS, *HEAVY])


def test_what_is_deferred_works_when_it_is_used(tmp_path):
    code = """
import json, sys
import skord.core.config, luigi.rpc
import requests
before = "requests.models" in sys.modules
assert requests.Session().headers
import requests.adapters, tornado.gen
assert requests.adapters.HTTPAdapter
print(json.dumps([before, sorted(sys.modules)]), file=sys.stderr)
"""
    assert "requests.models" in modules_after(code, cwd=tmp_path)
