"""Everything that says sbatch: the executor for clusters, and a throw-away cluster to try it on."""
