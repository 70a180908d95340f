"""Why an item is missing, and what is done about it: judgements as data."""

import pytest

from skord.slurm.array_run import next_needs
from skord.slurm.monitoring.diagnosis import Kind, diagnose_item, diagnose_waiting
from skord.slurm.monitoring.heartbeat import Heartbeat, Outcome, Reason
from skord.slurm.monitoring.queue import Seen
from skord.slurm.settings import SlurmSettings
from skord.slurm.submission.sbatch import Needs

GROUP = (7, 8, 9)


def seen(state, reason="None"):
    return Seen("name", "12", 0, state, "n1", reason)


def beat(reason=Reason.running, item=7, **outcomes):
    actual = {
        int(name[1:]): Outcome(Reason(value), error="why") for name, value in outcomes.items()
    }
    return Heartbeat("n1", "12", 0, 99, reason=reason, item=item, outcomes=actual)


@pytest.mark.parametrize(
    ("heartbeat", "state", "tail", "kind"),
    [
        (beat(e7="error"), seen("FAILED", "NonZeroExitCode"), "", Kind.error),
        (beat(e7="damaged"), seen("FAILED", "NonZeroExitCode"), "", Kind.damaged),
        (beat(e7="memory"), seen("FAILED", "NonZeroExitCode"), "", Kind.memory),
        (beat(), seen("OUT_OF_MEMORY", "OutOfMemory"), "", Kind.memory),
        (beat(), seen("FAILED", "JobLaunchFailure"), "", Kind.memory),
        (beat(), seen("FAILED", "RaisedSignal:9(Killed)"), "", Kind.memory),
        (beat(), seen("COMPLETED"), "slurmstepd: error: Detected 1 oom-kill event", Kind.memory),
        (beat(), None, "Step 5.batch exceeded memory limit (300 > 50)", Kind.memory),
        (beat(), seen("TIMEOUT", "TimeLimit"), "", Kind.time),
        (beat(Reason.time), seen("FAILED", "NonZeroExitCode"), "", Kind.time),
        (beat(Reason.stopped), None, "*** JOB 5 CANCELLED AT … DUE TO TIME LIMIT ***", Kind.time),
        (beat(), seen("NODE_FAIL"), "", Kind.node),
        (beat(Reason.stopped), seen("PREEMPTED"), "", Kind.node),
        (beat(Reason.stopped), None, "*** JOB 5 CANCELLED AT … DUE TO PREEMPTION ***", Kind.node),
        (beat(Reason.stopped), seen("CANCELLED"), "", Kind.cancelled),
        (None, seen("CANCELLED"), "", Kind.cancelled),
        (beat(Reason.stopped), None, "*** JOB 5 ON n1 CANCELLED AT 10:00 ***", Kind.cancelled),
        (None, seen("FAILED", "NonZeroExitCode"), "python: not found", Kind.launch),
        (None, None, "", Kind.unknown),
        (beat(Reason.stopped), None, "", Kind.unknown),
        (beat(Reason.done, None, e7="done"), seen("COMPLETED"), "", Kind.unknown),
    ],
)
def test_the_cause_is_told_from_what_is_left(heartbeat, state, tail, kind):
    assert diagnose_item(7, GROUP, heartbeat, state, tail).kind == kind


@pytest.mark.parametrize(
    ("heartbeat", "state", "kinds"),
    [
        (beat(Reason.time, 8, e7="done"), seen("TIMEOUT"), ["time", "not_reached"]),
        (beat(Reason.time, None, e7="done"), seen("COMPLETED"), ["time", "not_reached"]),
        (beat(Reason.running, 9, e7="done"), seen("OUT_OF_MEMORY"), ["not_reached", "memory"]),
        (beat(Reason.running, 8, e7="done"), seen("NODE_FAIL"), ["node", "node"]),
        (beat(Reason.done, None, e7="done", e8="error", e9="memory"), None, ["error", "memory"]),
    ],
)
def test_only_the_one_at_work_is_blamed_for_time_and_memory(heartbeat, state, kinds):
    assert [diagnose_item(number, GROUP, heartbeat, state, "").kind for number in (8, 9)] == kinds


@pytest.mark.parametrize(
    ("state", "reason", "for_ever"),
    [
        ("PENDING", "JobHeldUser", True),
        ("PENDING", "JobHeldAdmin", True),
        ("PENDING", "DependencyNeverSatisfied", True),
        ("PENDING", "BadConstraints", True),
        ("REQUEUE_HOLD", "None", True),
        ("PENDING", "Priority", False),
        ("PENDING", "JobArrayTaskLimit", False),
        ("PENDING", "BeginTime", False),
        ("RUNNING", "None", False),
    ],
)
def test_waiting_that_never_ends_is_told_from_waiting(state, reason, for_ever):
    found = diagnose_waiting(seen(state, reason))

    assert (found is not None) == for_ever
    if found:
        assert "scontrol release 12_0" in found.sentence


def test_what_slurm_could_not_start_is_tried_again():
    assert diagnose_waiting(seen("PENDING", "launch failed requeued held")).kind == Kind.launch


SETTINGS = SlurmSettings(retries=3, max_mem_gb=12, max_time_min=200)
HAD = Needs(4.0, 60)


@pytest.mark.parametrize(
    ("failure_history", "gets"),
    [
        (["memory"], Needs(8.0, 60, alone=True)),
        (["time"], Needs(4.0, 120, alone=True)),
        (["node"], HAD),
        (["unknown", "node", "launch"], HAD),
        (["node"] * 4, None),
        (["error"], Needs(4.0, 60, alone=True)),
        (["error", "error"], None),
        (["node", "error"], Needs(4.0, 60, alone=True)),
        (["cancelled"], None),
        (["damaged"], None),
        (["held"], None),
    ],
)
def test_each_kind_has_its_remedy(failure_history, gets):
    assert next_needs(HAD, [Kind(kind) for kind in failure_history], SETTINGS) == gets


def test_memory_and_time_grow_to_their_limits_and_no_further():
    assert next_needs(Needs(8.0, 60, alone=True), [Kind.memory], SETTINGS).mem_gb == 12
    assert next_needs(Needs(12.0, 60, alone=True), [Kind.memory], SETTINGS) is None
    assert next_needs(Needs(4.0, 150, alone=True), [Kind.time], SETTINGS).time_min == 200
    assert next_needs(Needs(4.0, 200, alone=True), [Kind.time], SETTINGS) is None
