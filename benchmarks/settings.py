"""Settings of the local executor, as a folder of their own for what a benchmark runs."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHARED_TEXT = ROOT.parent / "shared" / "data" / "text"
"""Folders `{language}/*.txt.gz` of real texts, beside a development checkout."""

LOCAL = """\
[core]
autoload_range = false
no_lock = true
local_scheduler = true
log_level = WARNING
[pipeline]
data_dir = {folder}/data
min_free_gb = 0
[crawl]
base_url = {url}
collinfo_url = {url}/collinfo.json
rate_limit_dir = {folder}/rate-limit
requests_per_s = 100000
connections = 8
[executor]
workers = {workers}
progress = false
log_dir = {folder}/logs
"""


def local_run(
    folder: Path, more: str = "", url: str = "http://127.0.0.1:9", workers: int = 0
) -> dict[str, str]:
    """Write `luigi.cfg` into the folder, and return the environment that commands there need.

    Args:
        folder: gets data and logs, too.
        more: further sections.
        url: the crawl's endpoint; nothing listens at the default.
        workers: processes of each task; 0 is the driver itself.
    """
    settings = folder / "luigi.cfg"
    settings.write_text(LOCAL.format(folder=folder, url=url, workers=workers) + more)
    paths = os.pathsep.join(filter(None, [str(ROOT), os.getenv("PYTHONPATH")]))
    return {
        **os.environ,
        "LUIGI_CONFIG_PATH": str(settings),
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": paths,
    }
