"""Worker processes as the kernel shows them."""

from __future__ import annotations

from pathlib import Path


def workers_of(driver: int) -> set[int]:
    """Process ids of the pool's workers: children of the server that the driver forks them from."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rsplit(")", 1)[1].split()[1])
            command = (stat.parent / "cmdline").read_text()
        except (OSError, IndexError):
            continue
        if "multiprocessing.forkserver" in command:
            parents[int(stat.parent.name)] = parent
    servers = {pid for pid, parent in parents.items() if parent == driver}
    return {pid for pid, parent in parents.items() if parent in servers}


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False
