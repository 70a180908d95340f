"""Settings of the package, of the user and of a command line, of `skord.core.settings`."""

import luigi.interface  # noqa: F401 - declares options that the parser reads
import pytest
from luigi.cmdline_parser import CmdlineParser
from luigi.configuration import get_config

from pipeline.cc_net import CCNet
from skord.core.failures import ShardError
from skord.core.registry import load_graph
from skord.core.settings import given_settings, settings_in_force, use_package_defaults
from skord.core.work_item import WorkItem, is_item_made


def test_the_package_sets_of_luigi_what_no_file_of_the_user_does(settings):
    settings("[retcode]\ntask_failed = 7\n")

    use_package_defaults()

    config = get_config()
    assert config.get("retcode", "task_failed") == "7"
    assert config.get("retcode", "scheduling_error") == "35"
    assert config.getboolean("worker", "check_complete_on_run")
    assert config.getboolean("core", "local_scheduler")
    assert not config.has_section("CCNet"), "the defaults of tasks stand in the code"


def test_settings_of_a_command_line_count_before_the_files_and_leave_no_trace(settings):
    settings("[CCNet]\nmin_score = 0.3\n")

    with settings_in_force([("CCNet", "min_score", "0.4"), ("CCNet", "rule", "top")]):
        with settings_in_force([("CCNet", "min_score", "0.5"), ("crawl", "contact", "50 % %(x)s")]):
            task = CCNet(dump="2024-10")
            assert (task.min_score, task.rule) == (0.5, "top")
            assert get_config().get("crawl", "contact") == "50 % %(x)s"
        assert CCNet(dump="2024-10").min_score == 0.4
        assert given_settings() == (("CCNet", "min_score", "0.4"), ("CCNet", "rule", "top"))

    task = CCNet(dump="2024-10")
    assert (task.min_score, task.rule) == (0.3, "any")
    assert given_settings() == ()
    assert not get_config().has_option("crawl", "contact")


def test_luigis_command_line_gives_settings_for_workers(settings):
    load_graph()
    words = ["CCNet", "--dump", "2024-10", "--CCNet-rule", "top", "--pipeline-replace",
             "--HashParagraphs-min-chars", "50", "--workers", "2"]  # fmt: skip

    with CmdlineParser.global_instance(words):
        given = set(given_settings())

    assert given == {
        ("CCNet", "rule", "top"), ("pipeline", "replace", "true"),
        ("HashParagraphs", "min_chars", "50"),
    }  # fmt: skip


def test_a_worker_makes_its_item_under_the_drivers_settings(settings):
    params = '{"dump": "2024-10"}'
    options = (("HashParagraphs", "min_chars", "50"),)
    with settings_in_force(options):
        fingerprint = CCNet(dump="2024-10").fingerprint

    assert not is_item_made(WorkItem("CCNet", params, "shard", 0, fingerprint, options))
    with pytest.raises(ShardError, match="settings changed between submission and start"):
        is_item_made(WorkItem("CCNet", params, "shard", 0, fingerprint))
