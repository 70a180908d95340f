"""Tests mirror the tree: `html/` is for `skord/html`, `models/` for `models`. Beside the tree:

* `graph/`       whole runs by the published commands; `looking/` reads one that all share
* `shards/`      one task at a time, on tables of a few rows
* `cluster/`     a Slurm cluster of this machine; `browser/` a Chromium
* `floors/`      figures that shipped weights must not fall below
* `reference/`   what compiled loops do, once more in plain Python, to compare with
* `first_hour/`  what strangers tripped over, and forty wrong commands
* `layering/`    which imports are allowed, style, types
* `docs/`        the code blocks and links of the documentation
* `chaos/`, `fuzz/`  faults and damaged input by chance, for as long as somebody likes
"""
