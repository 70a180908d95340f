"""A campaign of faults: `make chaos MINUTES=30 SEED=1`.

Rounds of the whole graph over the bundled crawl, each with a server that misbehaves, in which
drivers, workers, nodes and the controller are killed, the disk fills up, the clock jumps, the disk
is seen late as over NFS, files are lost, and two drivers run at once. A round is over when the
graph is through: the tree must be that of a calm run, byte for byte, and nothing be left behind.
Then several of its tasks are damaged at once, three times, and a run or `verify --repair`, killed
on its way or not, has to lead back to that tree.

* `views`     what a process sees of disk and clock: libraries loaded before all others
* `blows`     what is done to a running driver, one kind after another
* `rounds`    a run on this machine, or on a Slurm of its own, and what is looked at in the end
* `__main__`  the command; also where a round of a known seed is played again
"""
