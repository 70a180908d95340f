"""What the server that workers are forked from imports, once: the graph, in a process of its own.

A worker reads the settings that hold when it is started (`process_pool`), so the server does not
read the file that the environment names.
"""

import os
import sys

if os.environ.pop("SKORD_FORK_SERVER", ""):  # and nobody else who imports this
    os.environ.pop("LUIGI_CONFIG_PATH", None)
    sys.path[:] = [entry for entry in sys.path if entry]  # not what lies in the user's folder

import pyarrow as pa

from skord.core.registry import load_graph

load_graph()
pa.array([])  # has pyarrow import pandas where it is installed
