"""Pilot jobs: each holds its node and takes items from a directory until its time is up.

For clusters that forbid large arrays, or start jobs slowly. What the driver submits is an array
of a few places, each a pilot job; which of them makes which item is settled by themselves.

* `item_queue`  the items of an attempt as files that are taken by renaming
* `journal`     each pilot's reports on its items, one line after another
* `pilot`       what a pilot job runs
* `handover`    from one attempt to the next, without a new submission
* `watch`       the driver's view: what is done, and whose pilot is gone
"""
