"""The executor of one machine: a pool of processes with a bound on memory."""
