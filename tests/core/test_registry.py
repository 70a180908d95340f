"""Tasks are found by their names."""

import pytest

from pipeline.export import WithoutRemovedPages
from skord.core.failures import ConfigError
from skord.core.preflight import check_graph
from skord.core.registry import module_of
from skord.core.tasks.document_task import DocumentTask
from skord.core.tasks.sharded_task import ShardedTask


def test_a_task_that_only_names_others_has_a_module_too():
    assert module_of("DeduplicateIndividually") == "pipeline.dedup"
    assert module_of("CCNet") == "pipeline.cc_net"


@pytest.mark.parametrize("base", ["DocumentTask", "CrawlFiles", "Config"])
def test_what_tasks_extend_and_tasks_of_luigi_are_none(base):
    with pytest.raises(ConfigError, match=f"there is no task '{base}'"):
        module_of(base)


@pytest.mark.parametrize("base", [ShardedTask, DocumentTask, WithoutRemovedPages])
def test_what_tasks_extend_is_not_run(base):
    with pytest.raises(ConfigError, match="is what tasks extend, and no task"):
        check_graph(base(dump="2024-10"))
