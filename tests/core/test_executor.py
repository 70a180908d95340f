"""How an executor is found."""

import subprocess
import sys
from fractions import Fraction

import pytest

from pipeline.core.executor import (
    GROUP,
    executor_class,
    executor_from_config,
    registered_executors,
)
from pipeline.core.failures import ConfigError
from pipeline.core.start.preflight import check_settings
from tests.conftest import ROOT


def test_both_executors_are_there():
    assert {"local", "slurm"} <= set(registered_executors())
    assert executor_class("local").__name__ == "LocalExecutor"
    assert executor_class("slurm").__name__ == "SlurmExecutor"


def test_another_package_may_bring_one(tmp_path, monkeypatch):
    metadata = tmp_path / "other-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: other\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\nnew = fractions:Fraction\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    registered_executors.cache_clear()

    assert executor_class("new") is Fraction
    registered_executors.cache_clear()


def test_an_unknown_kind_is_answered_with_those_there_are(settings):
    settings("kind = slrum\n")

    with pytest.raises(ConfigError, match=r"kind = 'slrum' is unknown: set it to local or slurm"):
        executor_from_config()


def test_a_section_for_the_pool_is_told_where_it_belongs(settings):
    settings("[local]\nworkers = 2\n")

    with pytest.raises(ConfigError, match=r"\[local\] belong into the section \[executor\]"):
        check_settings()


def test_the_pool_runs_without_a_line_of_slurm():
    code = (
        "import sys; from pipeline.core.executor import executor_class; executor_class('local');"
        "from pipeline.core.start.preflight import check_settings; check_settings();"
        "sys.exit(any(name.split('.')[0] == 'slurm' for name in sys.modules))"
    )

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
