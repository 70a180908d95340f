"""The one process that owns a testbed's daemons and everything that their jobs leave behind.

    python supervisor.py FOLDER PARENT DAEMONS

A child subreaper (prctl(2)): what escapes from a job by setsid or a double fork becomes its child,
not init's. When its stdin ends, its parent dies or it is told TERM, it stops the daemons and kills
its own descendants, and only those, until none is left.

DAEMONS is JSON, a list of groups `{name: command}`: each group is stopped before the next.

Commands come as lines on stdin, each answered by a line: `ok`, or what is wrong.

    start NAME       start the daemon; a node's slurmd has the node's name
    check NAME       whether it runs
    kill NAME        stop it by SIGKILL; jobs live on
    lose NODE        SIGKILL to the node's slurmd, its job steps and all their processes

Run by its path and on the standard library alone, so that it starts fast from any folder.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

LOCK = "lock"
"""File in the folder that a running testbed keeps locked."""
STOP_TIMEOUT_S = 60.0
"""What a daemon has to end in good order before it is killed."""
HANG_S = 300.0
"""After this, what was told to end or was killed will never end."""
_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_TICK_S = 0.5


class Supervisor:
    """The daemons of one testbed, by name; all of this process's children are theirs.

    Args:
        folder: of the testbed; its configuration lies there already.
        groups: the commands by the daemons' names, each in the foreground, in groups.
    """

    def __init__(self, folder: Path, groups: list[dict[str, list[str]]]) -> None:
        self.folder = folder
        self.groups = groups
        self.daemons = {name: group[name] for group in groups for name in group}
        self.running: dict[str, int] = {}
        self.commands: dict[str, Callable[[str], str]] = {
            "start": self.start,
            "check": lambda _name: "ok",
            "kill": self.kill,
            "lose": self.lose,
        }

    def obey(self, line: str) -> str:
        """Do what a line says; returns the answer."""
        verb, _, name = line.partition(" ")
        if verb not in self.commands or name not in self.daemons:
            return f"unknown command: {line}"
        self.reap()
        if (name in self.running) == (verb == "start"):
            return f"{name} is {'already' if verb == 'start' else 'not'} running"
        return self.commands[verb](name)

    def start(self, name: str) -> str:
        """Start a daemon as a child that dies with this process."""
        self.running[name] = spawn_daemon(self.daemons[name], self.folder / f"log/{name}.out")
        return "ok"

    def kill(self, name: str) -> str:
        """Kill a daemon and wait for its end."""
        os.kill(self.running[name], signal.SIGKILL)
        if self.wait({name}, HANG_S):
            return "ok"
        return f"{name} still runs {HANG_S:g} s after SIGKILL"

    def lose(self, node: str) -> str:
        """Kill all there is of a node, as a power cut would."""
        os.kill(self.running[node], signal.SIGKILL)
        for _ in _tries_until(HANG_S):
            self.reap()
            victims = processes_of_node(node)
            if not victims and node not in self.running:
                return "ok"
            kill_processes(victims)
        return f"{node} still runs {HANG_S:g} s after SIGKILL"

    def reap(self) -> None:
        """Note which children ended: daemons, and strays that became children."""
        with suppress(ChildProcessError):
            while pid := os.waitpid(-1, os.WNOHANG)[0]:
                self.running = {name: p for name, p in self.running.items() if p != pid}

    def wait(self, names: set[str], timeout_s: float) -> bool:
        """Wait until none of the daemons runs; False when it takes too long."""
        for _ in _tries_until(timeout_s):
            self.reap()
            if not names & self.running.keys():
                return True
        return False

    def stop(self) -> None:
        """End the daemons in good order, then kill every descendant that is left."""
        for group in self.groups:
            for name in group.keys() & self.running.keys():
                os.kill(self.running[name], signal.SIGTERM)
            self.wait(set(group), STOP_TIMEOUT_S)
        for _ in _tries_until(HANG_S):
            self.reap()
            left = descendant_pids(os.getpid())
            if not left:
                return
            kill_processes(left)


def _tries_until(timeout_s: float) -> Iterator[int]:
    end = time.monotonic() + timeout_s
    number = 0
    while time.monotonic() < end:
        yield number
        number += 1
        time.sleep(0.02)


def spawn_daemon(command: list[str], output: Path) -> int:
    """Start a program that the kernel kills when this process dies; returns its pid.

    A signal that comes before the program has begun must find the program's own answer to it, not
    this process's handler, which would end the testbed or be forgotten by execve(2).
    """
    libc = ctypes.CDLL(None)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    pid = os.fork()
    if pid:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return pid
    with suppress(OSError):
        libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        for number in (*_ENDING, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644), 1)
        os.dup2(1, 2)
        os.execvp(command[0], command)
    os.write(2, f"cannot run {command[0]}\n".encode())
    os._exit(127)


def kill_processes(pids: Iterable[int]) -> None:
    """SIGKILL to each that still lives."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def descendant_pids(pid: int) -> list[int]:
    """Children, grandchildren and so on; zombies too, until somebody reaps them."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                stat = (entry / "stat").read_text(errors="replace")
                parent = int(stat.rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    descendants: list[int] = []
    todo = [pid]
    while todo:
        below = children.get(todo.pop(), [])
        descendants += below
        todo += below
    return descendants


def processes_of_node(node: str) -> list[int]:
    """The node's job steps, what runs below them, and strays that bear the node's name.

    Steps come first: one that outlived its job would report it as failed.
    """
    ours = descendant_pids(os.getpid())
    steps = [pid for pid in ours if _is_step(pid, node)]
    below = [pid for step in steps for pid in descendant_pids(step)]
    strays = [pid for pid in ours if _names_node(pid, node)]
    return list(dict.fromkeys([*steps, *below, *strays]))


def _is_step(pid: int, node: str) -> bool:
    """Whether it is a slurmstepd that writes to the node's log."""
    with suppress(OSError):
        if Path(f"/proc/{pid}/comm").read_text().startswith("slurmstepd"):
            opened = [file.readlink() for file in Path(f"/proc/{pid}/fd").iterdir()]
            return any(path.name == f"slurmd.{node}.log" for path in opened)
    return False


def _names_node(pid: int, node: str) -> bool:
    with suppress(OSError):
        environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        return f"SLURMD_NODENAME={node}".encode() in environment
    return False


def lines_while_alive(parent: int) -> Iterator[str]:
    """Lines from stdin, a blank one at each tick, until it ends or the parent has died.

    Children that the parent forked may hold the pipe open after its death.
    """
    pending = b""
    while os.getppid() == parent:
        yield ""
        if not select.select([0], [], [], _TICK_S)[0]:
            continue
        received = os.read(0, 4096)
        if not received:
            return
        *whole, pending = (pending + received).split(b"\n")
        yield from (line.decode() for line in whole)


def _end_on_signal(signal_number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + signal_number)


def main(folder: Path, parent: int, groups: list[dict[str, list[str]]]) -> None:
    """Own the testbed until its end, or the end of the process that started this one."""
    with (folder / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"another testbed runs in {folder}")
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        supervisor = Supervisor(folder, groups)
        for number in _ENDING:
            signal.signal(number, _end_on_signal)
        try:
            for line in lines_while_alive(parent):
                supervisor.reap()
                if line:
                    print(supervisor.obey(line), flush=True)
        finally:
            for number in _ENDING:
                signal.signal(number, signal.SIG_IGN)
            supervisor.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3]))
