"""Tasks are found by their names."""

import pytest

from pipeline.core.failures import ConfigError
from pipeline.core.registry import module_of


def test_a_task_that_only_names_others_has_a_module_too():
    assert module_of("DeduplicateIndividually") == "pipeline.dedup"
    assert module_of("CCNet") == "pipeline.cc_net"


@pytest.mark.parametrize("base", ["DocumentTask", "CrawlFiles", "Config"])
def test_what_tasks_extend_and_tasks_of_luigi_are_none(base):
    with pytest.raises(ConfigError, match=f"there is no task '{base}'"):
        module_of(base)
