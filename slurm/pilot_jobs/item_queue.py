"""The items of one attempt as a directory that pilot jobs take them from.

    queue/0003/771      item 771 waits, in bucket 3
    leases/5/771        pilot 5 has it
    withdrawn/0003/     a bucket that the driver took back

An item is taken by renaming its file, which one of many can do, on NFS too: there a rename whose
answer was lost is sent again and finds nothing, so that what counts is whether the file stands
under one's own name. A lease lasts as long as its job: whether that lives is for the driver to
ask of Slurm, and a pilot that Slurm starts again finds its own lease. Buckets are small, so no
listing grows with the number of items. A client of NFS that has not heard yet that a bucket was
taken back may take an item of it all the same: it is made twice then, with the same bytes.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

MOST = 256
"""Items in a bucket."""

PER_PILOT = 4
"""Buckets for each pilot, at least, where there are items enough: they begin apart."""

QUEUE, LEASES, WITHDRAWN = "queue", "leases", "withdrawn"


def bucket_size(items: int, pilots: int) -> int:
    """Items in a bucket.

    >>> bucket_size(100_000, 8), bucket_size(100, 8), bucket_size(3, 8)
    (256, 3, 1)
    """
    return min(max(items // (pilots * PER_PILOT), 1), MOST)


class ItemQueue:
    """The directory.

    Args:
        buckets: how many there were at first.
    """

    def __init__(self, folder: Path, buckets: int) -> None:
        self.folder = folder
        self.buckets = buckets

    def fill(self, groups: Sequence[Sequence[int]], pilots: int) -> None:
        """Put the items in, a group in each bucket, and make room for the pilots' leases."""
        (self.folder / WITHDRAWN).mkdir()
        self.make_room(pilots)
        for bucket, group in enumerate(groups):
            path = self._bucket(bucket)
            path.mkdir(parents=True)
            for number in group:
                os.close(os.open(path / str(number), os.O_CREAT | os.O_WRONLY, 0o644))

    def make_room(self, pilots: int) -> None:
        """Make folders for the leases of so many pilots."""
        for index in range(pilots):
            (self.folder / LEASES / str(index)).mkdir(parents=True, exist_ok=True)

    def is_removed(self) -> bool:
        """Whether nothing of it is of use any more."""
        return not (self.folder / LEASES).exists()

    def taken(self, pilot: int, pilots: int) -> Iterator[int]:
        """Take item after item; what the pilot held in an earlier life comes first.

        Args:
            pilots: how many there are; each begins at another bucket.
        """
        yield from self.held(pilot)
        first = pilot * self.buckets // pilots
        for step in range(self.buckets):
            bucket = self._bucket((first + step) % self.buckets)
            for number in _item_numbers(bucket):
                if self._take(bucket, number, pilot):
                    yield number
            with contextlib.suppress(OSError):
                bucket.rmdir()

    def _take(self, bucket: Path, number: int, pilot: int) -> bool:
        lease = self._lease(pilot, number)
        try:
            (bucket / str(number)).rename(lease)
        except FileNotFoundError:
            return lease.exists()
        return True

    def held(self, pilot: int) -> list[int]:
        """The items that a pilot has a lease of."""
        return _item_numbers(self.folder / LEASES / str(pilot))

    def release(self, pilot: int, number: int) -> None:
        """Give up the lease of an item that is concluded."""
        self._lease(pilot, number).unlink(missing_ok=True)

    def waiting(self) -> set[int]:
        """The items that nobody has taken."""
        return {number for bucket in self._left() for number in _item_numbers(bucket)}

    def withdraw(self, share: float) -> list[int]:
        """Take back a share of the buckets that are left, from the end; returns their items."""
        left = self._left()
        numbers: list[int] = []
        for bucket in left[len(left) - math.ceil(len(left) * share) :]:
            mine = self.folder / WITHDRAWN / bucket.name
            with contextlib.suppress(FileNotFoundError):
                bucket.rename(mine)
            numbers += _item_numbers(mine)
        return sorted(numbers)

    def remove(self) -> None:
        """Forget what is left; pilots that still look find nothing."""
        for name in (QUEUE, WITHDRAWN, LEASES):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def _left(self) -> list[Path]:
        try:
            return sorted((self.folder / QUEUE).iterdir())
        except FileNotFoundError:
            return []

    def _bucket(self, number: int) -> Path:
        return self.folder / QUEUE / f"{number:06d}"

    def _lease(self, pilot: int, number: int) -> Path:
        return self.folder / LEASES / str(pilot) / str(number)


def _item_numbers(folder: Path) -> list[int]:
    """The items in a folder; none where it is gone, or its bucket was renamed in between."""
    try:
        return sorted(int(path.name) for path in folder.iterdir() if path.name.isdigit())
    except (FileNotFoundError, NotADirectoryError):
        return []
