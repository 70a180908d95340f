"""What the Slurm executor costs, on a private cluster."""
