"""Everything that knows Slurm: the executor for clusters."""
