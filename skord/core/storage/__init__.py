"""Where columns lie: the column store, one shard as a file, the file systems under them."""
