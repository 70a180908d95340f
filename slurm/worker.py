"""One task of an array: makes the items of its group, one after another.

    python -m skord.slurm.worker {log_dir}/CCNet/2024-10/slurm/shard-0123456789abcdef/attempt-001 7

Items that are done are passed over, so that it can be typed, or requeued, any number
of times. When Slurm warns that the time is nearly up (SIGUSR1), no further item is
begun, and the one under way is left off after the row group it is at, or ended when three
quarters of what is left have gone; SIGTERM ends it at once. Either way nothing half-written
stays behind.
"""

from __future__ import annotations

import os
import resource
import signal
import socket
import sys
import time
import traceback
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import FrameType

from skord.core.cancellation import CheckpointedError, request_checkpoint
from skord.core.config import open_storage
from skord.core.error_messages import sentence_of
from skord.core.failures import DamagedError, PipelineError, lacks_memory
from skord.core.registry import load_graph
from skord.core.work_item import (
    WorkItem,
    cpu_s,
    is_item_made,
    limit_memory,
    made_ahead,
    ready_s,
    run_item,
)
from skord.slurm.monitoring.heartbeat import Heartbeat, Outcome, Reason
from skord.slurm.submission.attempts import Attempt, Manifest
from skord.slurm.submission.sbatch import STOPPED

USAGE = "usage: python -m skord.slurm.worker ATTEMPT_FOLDER INDEX"

DATA_SHARE = 0.95
"""Of the job's memory, what the process may allocate: an error that can be reported comes
before a kill that cannot."""


HARD_STOP = 0.75
"""Of the time between the warning and the end, what a row group may still take."""


class Stopped(BaseException):
    """Raised by a signal, through everything, so that what is open gets closed."""


class Item:
    """The work of one array task, and its reports meanwhile.

    Args:
        environment: for Slurm's variables; by hand they are missing, which is fine.
        group: its items; those of the manifest when left out.
    """

    def __init__(
        self,
        attempt: Attempt,
        index: int,
        environment: Mapping[str, str],
        group: Sequence[int] | None = None,
    ) -> None:
        self.manifest: Manifest = attempt.manifest
        self.group = self.manifest.groups[index] if group is None else group
        self.index = index
        self.path = attempt.heartbeat_path(index)
        self.began = time.monotonic()
        self.warned = False
        self.stopped = False
        self.gpus = environment.get("CUDA_VISIBLE_DEVICES", "")
        self.heartbeat = Heartbeat(
            host=environment.get("SLURMD_NODENAME", socket.gethostname()),
            job_id=environment.get("SLURM_ARRAY_JOB_ID", ""),
            restarts=int(environment.get("SLURM_RESTART_COUNT", "0")),
            pid=os.getpid(),
        )

    def run(self) -> int:
        """Make what is not done; returns the exit status."""
        self._listen()
        try:
            self._say("begin")
            self._prepare()
            for number in self.numbers():
                if not self.warned and not self.stopped:
                    self._make(number)
        except Stopped:
            return STOPPED
        if self.stopped:
            return STOPPED
        if not self.warned:
            self.heartbeat.reason = Reason.done
        self._say("end", reason=self.heartbeat.reason)
        return self.status()

    def numbers(self) -> Iterable[int]:
        """The items, in the order of work."""
        return self.group

    def status(self) -> int:
        """The exit status, in the end."""
        if len(self.heartbeat.outcomes) < len(self.group):
            return STOPPED
        return int(any(o.reason != Reason.done for o in self.heartbeat.outcomes.values()))

    def _prepare(self) -> None:
        load_graph()
        open_storage().sweep()
        limit_memory(self.manifest.mem_gb * DATA_SHARE)

    def _make(self, number: int) -> None:
        self.heartbeat.item = number
        self._say("start", item=number)
        waited_s, start, cpu = ready_s(), time.monotonic(), cpu_s()
        spec = self.manifest.spec(number)
        try:
            reason, error = _make_item(spec)
        except CheckpointedError:
            self._log_line("checkpoint", item=number)
            return
        if self.stopped:  # a library that was at work has made another error of Stopped
            raise Stopped
        seconds, spent_s = round(time.monotonic() - start, 3), round(cpu_s() - cpu, 3)
        ahead = self._carried_on(spec) if reason == Reason.done else ()
        outcome = Outcome(reason, seconds, _peak_mb(), error, round(waited_s, 3), ahead, spent_s)
        self.heartbeat.outcomes[number] = outcome
        self.heartbeat.item = None
        self._say(
            "finish", item=number, result=reason, seconds=outcome.seconds, rss_mb=outcome.peak_mb
        )

    def _carried_on(self, spec: WorkItem) -> tuple[tuple[str, float, float], ...]:
        ahead = []
        for family, report in made_ahead(spec):
            ahead.append((family, round(report.seconds, 3), round(report.cpu_s, 3)))
            self._log_line("ahead", task_ahead=family, item=spec.number, seconds=ahead[-1][1])
        return tuple(ahead)

    # -- being asked to stop -------------------------------------------------------------

    def _listen(self) -> None:
        signal.signal(signal.SIGUSR1, self._warn)
        signal.signal(signal.SIGALRM, self._stop)
        signal.signal(signal.SIGTERM, self._stop)

    def _warn(self, number: int, frame: FrameType | None) -> None:
        del frame
        signal.signal(number, signal.SIG_IGN)
        self.warned = True
        self.heartbeat.reason = Reason.time
        signal.setitimer(signal.ITIMER_REAL, max(self.manifest.warn_s * HARD_STOP, 1))
        request_checkpoint()
        self._log_line("warning")

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del frame
        for name in (signal.SIGUSR1, signal.SIGALRM, signal.SIGTERM):
            signal.signal(name, signal.SIG_IGN)
        if not self.warned:
            self.heartbeat.reason = Reason.stopped
        self.stopped = True
        self._say("stop", signal=signal.Signals(number).name)
        raise Stopped

    # -- telling ----------------------------------------------------------------------------

    def _say(self, event: str, **more: object) -> None:
        """One line for people, and the heartbeat brought up to date."""
        self._log_line(event, **more)
        self.heartbeat.seconds = round(time.monotonic() - self.began, 3)
        self.heartbeat.peak_mb = _peak_mb()
        self.keep_heartbeat(event)

    def keep_heartbeat(self, event: str) -> None:
        """Write down what the heartbeat is after an event."""
        del event
        self.heartbeat.write(self.path)

    def _log_line(self, event: str, **more: object) -> None:
        """One line with fields; past Python's buffers, which a signal may have interrupted."""
        fields = {
            "event": event,
            "task": self.manifest.family,
            "dump": self.manifest.dump,
            "phase": self.manifest.phase,
            "job": f"{self.heartbeat.job_id}_{self.index}",
            "host": self.heartbeat.host,
            "restart": self.heartbeat.restarts,
            **({"gpus": self.gpus} if self.gpus else {}),
            **more,
        }
        words = [time.strftime("%Y-%m-%dT%H:%M:%S%z"), *(f"{k}={v}" for k, v in fields.items())]
        os.write(sys.stdout.fileno(), (" ".join(words) + "\n").encode())


def _make_item(spec: WorkItem) -> tuple[Reason, str]:
    """Make one item unless it is there; returns the reason and a sentence for people."""
    try:
        if not is_item_made(spec):
            run_item(spec)
    except CheckpointedError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an item's error is its outcome
        traceback.print_exc()
        return _reason_of(error), sentence_of(error)
    return Reason.done, ""


def _reason_of(error: BaseException) -> Reason:
    if isinstance(error, DamagedError):
        return Reason.damaged
    return Reason.memory if lacks_memory(error) else Reason.error


def _peak_mb() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def main(arguments: list[str]) -> int:
    """Run the command line; returns the exit status."""
    if len(arguments) != 2 or not arguments[1].isdigit():
        print(USAGE, file=sys.stderr)
        return 2
    try:
        return Item(Attempt(Path(arguments[0])), int(arguments[1]), os.environ).run()
    except PipelineError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
