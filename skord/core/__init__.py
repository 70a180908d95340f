"""THE MACHINE: column store, sharded tasks, executors, failures; knows nothing of any one task."""
