"""A crawl in miniature on this machine, with the faults of the real one."""
