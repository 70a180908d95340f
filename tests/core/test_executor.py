"""How an executor is found, without core knowing any by name."""

import subprocess
import sys

import pytest

from skord.cli.planning.text import NETWORK
from skord.core.config import open_storage
from skord.core.dumps import Source, keep_source
from skord.core.executor import (
    executor_class,
    executor_from_config,
    executor_kind,
    registered_executors,
)
from skord.core.failures import ConfigError
from skord.core.preflight import check_settings
from skord.core.registry import task_class, task_classes
from tests.conftest import ROOT


def test_the_checkout_names_both_executors():
    assert {"local", "slurm"} <= set(registered_executors())
    assert executor_class("local").__name__ == "LocalExecutor"
    assert executor_class("slurm").__name__ == "SlurmExecutor"


def test_an_unknown_kind_is_answered_with_those_there_are(settings):
    settings("kind = slrum\n")

    with pytest.raises(ConfigError, match="there is no kind 'slrum': set it to local or slurm"):
        executor_from_config()


def test_a_section_for_the_pool_is_told_where_it_belongs(settings):
    settings("[local]\nworkers = 2\n")

    with pytest.raises(ConfigError, match=r"\[local\] belong into the section \[executor\]"):
        check_settings()


def test_the_pool_runs_without_a_line_of_slurm():
    code = (
        "import sys; from skord.core.executor import executor_class; executor_class('local');"
        "from skord.core.preflight import check_settings; check_settings();"
        "sys.exit(any(name.split('.')[0] == 'slurm' for name in sys.modules))"
    )

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_tasks_that_need_the_internet_may_have_an_executor_of_their_own(settings):
    settings()
    assert executor_kind(needs_network=True) == executor_kind() == "local"
    settings("kind = slurm\nnetwork_kind = local\n")
    assert (executor_kind(needs_network=True), executor_kind()) == ("local", "slurm")
    settings("network_kind = slrum\n")
    with pytest.raises(ConfigError, match="there is no kind 'slrum'"):
        executor_from_config(executor_kind(needs_network=True))


def test_the_tasks_that_need_the_internet_are_those_that_a_plan_gives_the_rate_limit(settings):
    settings()
    there = {name for name, cls in task_classes().items() if cls(dump="2024-10").needs_network}
    assert there == {*NETWORK, "DetectReservations"}
    keep_source("mine", Source("pages", "pages"), open_storage())
    for name in ("DownloadWET", "FetchHTMLDocuments"):
        assert not task_class(name)(dump="mine").needs_network
