"""THE MACHINE: column store, sharded tasks, executors, failures; knows nothing of any one task."""

import sys

from skord.core.start.deferred_imports import finder

sys.meta_path.insert(0, finder)
