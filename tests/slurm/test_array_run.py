"""A phase from its missing items to a report on each; programs stand in for Slurm's own."""

import pytest

from skord.core.failures import ConfigError
from skord.slurm.array_run import ArrayRun
from skord.slurm.monitoring.heartbeat import Heartbeat, Outcome, Reason
from skord.slurm.submission.attempts import attempts_in


class Cluster:
    """What becomes of each array, told when `squeue` is asked next: by items, and then gone."""

    def __init__(self, submitter, programs, there) -> None:
        self.submitter, self.programs, self.there = submitter, programs, there

    def attempts(self):
        return list(attempts_in(self.submitter.folder))

    def run(self, made, outcomes=None, host="n1"):
        """The newest array has made these items and has ended."""
        attempt = self.attempts()[-1]
        for index, group in enumerate(attempt.manifest.groups):
            reported = {n: (outcomes or {}).get(n, Outcome(Reason.done, 1.5, 300.0)) for n in group}
            heartbeat = Heartbeat(host, attempt.job_id, 0, 1, reason=Reason.done, outcomes=reported)
            heartbeat.write(attempt.heartbeat_path(index))
        self.there.update(made)


@pytest.fixture
def cluster(submitter, programs, there):
    def made(**settings):
        return Cluster(submitter(**settings), programs, there)

    return made


def reports(cluster, *rounds):
    """All reports; each round says what the newest array does once it is submitted."""
    run, left = ArrayRun(cluster.submitter), list(rounds)
    send = cluster.submitter.send

    def sent(attempt):
        taken = send(attempt)
        if taken and left:
            left.pop(0)()
        return taken

    cluster.submitter.send = sent
    return sorted(run.run_items(cluster.submitter.work.numbers), key=lambda report: report.number)


def test_items_that_are_made_are_reported_with_what_they_took(cluster):
    slurm = cluster()

    made = reports(slurm, lambda: slurm.run(range(4)))

    assert [(r.number, r.error, r.seconds, r.rss_mb) for r in made] == [
        (n, None, 1.5, 300.0) for n in range(4)
    ]
    assert len(slurm.attempts()) == 1


def test_what_ran_out_of_memory_gets_more_by_itself(cluster):
    slurm = cluster()
    out = {2: Outcome(Reason.memory, 1.0, 2000.0)}

    made = reports(slurm, lambda: slurm.run([0, 1, 3], out), lambda: slurm.run([2]))

    first, second = slurm.attempts()
    assert [r.error for r in made] == [None] * 4
    assert second.manifest.groups == ((2,),)
    assert second.manifest.mem_gb == 2 * first.manifest.mem_gb
    assert second.manifest.failure_history == {2: ["memory"]}


def test_what_raises_fails_with_its_sentence_and_the_others_are_made(cluster):
    slurm = cluster(retries=0)
    out = {1: Outcome(Reason.error, error="ValueError: no")}

    made = reports(slurm, lambda: slurm.run([0, 2, 3], out))

    assert [bool(r.error) for r in made] == [False, True, False, False]
    assert "ValueError: no" in made[1].error
    assert made[1].log == str(slurm.attempts()[0].folder)


def test_a_first_array_that_is_refused_stops_everything(cluster, programs):
    programs.refuse("sbatch", "sbatch: error: invalid account")

    with pytest.raises(ConfigError, match=r"invalid account.*sbatch\.json"):
        reports(cluster())


def test_a_later_one_fails_its_items_alone(cluster, programs):
    slurm = cluster()
    out = {0: Outcome(Reason.memory)}

    def refuse_next():
        slurm.run([1, 2, 3], out)
        programs.refuse("sbatch", "sbatch: error: too much memory")

    made = reports(slurm, refuse_next)

    assert [bool(r.error) for r in made] == [True, False, False, False]
    assert "too much memory (after: memory)" in made[0].error


def test_at_most_so_many_array_tasks_run_at_once(cluster):
    slurm = cluster(max_concurrent=2)
    reports(slurm, lambda: slurm.run(range(4)))
    assert slurm.attempts()[0].manifest.limit == 2


def test_the_arrays_of_an_earlier_driver_go_on(cluster, programs):
    slurm = cluster()
    attempt = slurm.submitter.write((0, 1), _needs(slurm), 0, (), {0: ["error"]})
    attempt.note_job("7")
    rows = [f"{attempt.manifest.name}|7|{n}|RUNNING|n1|None" for n in range(2)]
    programs.say("squeue", *rows)
    slurm.run([0, 1])

    made = reports(slurm, lambda: slurm.run([2, 3]))

    assert [r.error for r in made] == [None] * 4
    assert [a.manifest.groups for a in slurm.attempts()] == [((0,), (1,)), ((2,), (3,))]
    assert len(programs.asked("sbatch")) == 1


def _needs(slurm):
    from skord.slurm.submission.sbatch import Needs  # noqa: PLC0415

    return Needs(2.0, slurm.submitter.settings.time_min)
