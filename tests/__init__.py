"""Tests mirror the tree: `html/` is for `skord/html`, `models/` for `models`. Beside the tree:

* `graph/`       whole runs by the published commands; `looking/` reads one that all share
* `shards/`      one task at a time, on tables of a few rows
* `cluster/`     a Slurm cluster of this machine, which `testbed/` starts; `browser/` a Chromium
* `floors/`      figures that shipped weights must not fall below
* `golden/`      digests of what compiled loops make of odd, random and bundled pages
* `suites/`      public test suites
* `layering/`    which imports are allowed, how many lines there are
* `docs/`        the code blocks and links of the documentation
* `chaos/`, `fuzz/`  faults and damaged input by chance, for as long as somebody likes
"""
