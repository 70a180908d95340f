"""Whether a task is complete, of `skord.core.tasks.sharded_task`; that never raises."""

import pytest

from pipeline.dedup import PublishedSignatures
from skord.core.tasks.sharded_task import ManifestTarget
from skord.extras.education.task import ScoreEducation
from skord.extras.passages.removal import RemoveRepeats

DUMP = "2024-10"


def test_what_cannot_be_judged_is_not_complete(settings, tmp_path):
    settings()
    task = ScoreEducation(dump=DUMP, model_path=str(tmp_path / "none.npz"))
    assert ManifestTarget(task).exists() is False
    assert not task.complete()


@pytest.mark.parametrize("manifest", ["", "[]", "{}", '{"stamp": 1}', "\x00"])
def test_a_manifest_that_is_none_completes_nothing(settings, manifest):
    settings()
    task = ScoreEducation(dump=DUMP)
    path = task.store.manifest_path(task.task_family)
    task.store.storage.write(path, manifest.encode())
    assert task.output().exists() is False


def test_tasks_beside_the_way_to_the_corpus_run_on_request():
    assert PublishedSignatures.on_request
    assert RemoveRepeats.on_request
