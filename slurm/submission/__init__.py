"""How items get into the queue: attempts, the words of sbatch, partitions."""
