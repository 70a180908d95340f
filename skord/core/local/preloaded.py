"""What the server that workers are forked from imports, once: the graph, in a process of its own.

A worker finds the settings that hold where and when it is started (`process_pool`), so the server
reads none: it leaves the folder and the environment that name some before Luigi is imported.
"""

import os
import sys

os.environ.pop("LUIGI_CONFIG_PATH", None)
os.chdir("/")
sys.path[:] = [entry for entry in sys.path if entry]  # not what lies in the user's folder

import pyarrow as pa  # noqa: E402

from skord.core.registry import load_graph  # noqa: E402

load_graph()
pa.array([])  # has pyarrow import pandas where it is installed
