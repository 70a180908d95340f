"""`python -m MODULE WORD…` in a process forked from one that has imported the graph.

A start of the interpreter that imports Luigi, Arrow and the graph takes a second of CPU, a fork some
hundredths. The process is like one that is started: it has a folder, an environment, streams and a
status of its own. Where a variable differs that counts at the start, it is started; what a process
imports has to be looked at in one that is started, too.
"""

from __future__ import annotations

import atexit
import configparser
import contextlib
import functools
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
TIMEOUT_S = 840


def run_forked(
    words: Sequence[str], *, env: Mapping[str, str], cwd: Path, one_stream: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run a module with words; returns the finished process with its output.

    Args:
        words: the module's name, and what comes behind it.
        env: the whole environment.
        cwd: the folder that it runs in.
        one_stream: what it writes to standard error goes to standard output.
    """
    if any(
        env.get(name) != os.environ.get(name) for name in {*env, *os.environ} if _is_early(name)
    ):
        err = subprocess.STDOUT if one_stream else subprocess.PIPE
        command = [sys.executable, "-m", *words]
        done = subprocess.run(
            command, env=env, cwd=cwd, stdout=subprocess.PIPE, stderr=err, text=True, check=False
        )
        done.stderr = done.stderr or ""
        return done
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        request = json.dumps([list(words), dict(env), str(cwd)]).encode()
        streams = [out.fileno(), out.fileno() if one_stream else err.fileno()]
        with contextlib.ExitStack() as unanswered:  # after pytest's timeout, say, a new server
            unanswered.callback(_server.cache_clear)
            control = _server()
            socket.send_fds(control, [request], streams)
            status = json.loads(control.recv(64))
            unanswered.pop_all()
        said = []
        for stream in (out, err):
            stream.seek(0)
            said.append(stream.read().decode())
    return subprocess.CompletedProcess(words, status, *said)


def _is_early(name: str) -> bool:
    """Whether a variable counts when a process starts, or while it imports."""
    return name.startswith(("PYTHON", "LD_", "OMP_", "SKORD_"))


@functools.cache
def _server() -> socket.socket:
    """The socket to the process that others are forked from; it ends when the socket is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(TIMEOUT_S)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.forked", str(theirs.fileno())],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    atexit.register(_end, ours, process)
    return ours


def _end(control: socket.socket, process: subprocess.Popen[bytes]) -> None:
    """End the server, and what hangs below it."""
    control.close()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _serve(control: socket.socket) -> list[str]:
    """Fork a process for each request and answer with its status.

    Returns what was asked for in the process that is to do it; the server itself ends here.
    """
    while True:
        request, streams, _, _ = socket.recv_fds(control, 1 << 20, 2)
        if not request:
            sys.exit()
        words, environment, folder = json.loads(request)
        if words[1:2] == ["train"] and find_spec("torch"):  # takes longer than all else
            importlib.import_module("torch")
        pid = os.fork()
        if not pid:
            control.close()
            _become(words, streams, environment, folder)
            return words
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(pid, 0)
        control.send(json.dumps(os.waitstatus_to_exitcode(status)).encode())


def _become(
    words: Sequence[str], streams: Sequence[int], environment: Mapping[str, str], folder: str
) -> None:
    """Take the streams, the environment, the folder and the settings of a process of its own."""
    for number, stream in enumerate(streams, 1):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path[0] = folder
    try:
        LuigiConfigParser.reload()
        if path := environment.get("LUIGI_CONFIG_PATH"):
            add_config_path(path)
    except (ValueError, configparser.Error):  # which Luigi raises while it is imported
        os.execv(sys.executable, [sys.executable, "-m", *words])
    use_package_defaults()


def _leave(status: Sequence[int]) -> None:
    """End the process without taking apart what it shares with the server, which takes longest."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status[0])


if __name__ == "__main__":
    from luigi.configuration import LuigiConfigParser, add_config_path

    import skord.cli.entry
    import skord.cli.session
    import skord.core.local.preloaded  # noqa: F401
    from skord.cli.commands import command_line
    from skord.core.preflight import known_settings
    from skord.core.settings import use_package_defaults
    from skord.text.unicode_tables import text_tables

    for made_once in (command_line, known_settings, text_tables):
        made_once()
    gc.freeze()
    status = [1]
    atexit.register(_leave, status)  # the first that is registered is called last
    words = _serve(socket.socket(fileno=int(sys.argv[1])))
    sys.argv = words
    try:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
        status[0] = 0
    except SystemExit as end:
        print(end.code, file=sys.stderr) if isinstance(end.code, str) else None
        status[0] = end.code if isinstance(end.code, int) else int(end.code is not None)
