"""Which requests the sample crawl's server answers badly, and how: by seed, so that runs repeat."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum


class Fault(StrEnum):
    """One way to answer a request badly. The values are the names of the rates in `Faults`."""

    FORBIDDEN_STORM = "forbidden_storm"
    """403 now, and 403 to every request of the next `forbidden_storm_s` seconds."""
    UNAVAILABLE = "unavailable"
    """503, in half of the cases with `Retry-After: 0` or `1`."""
    FORBIDDEN = "forbidden"
    """403 to this request alone."""
    TRUNCATED = "truncated"
    """The connection closes in mid-body."""
    IGNORE_RANGE = "ignore_range"
    """200 and the whole file to a range request; nothing when no range was asked for."""
    CORRUPT = "corrupt"
    """The body has its length, and 16 of its bytes are turned over."""
    SLOW = "slow"
    """The body trickles: eight parts, with a pause of `slow_s` before each."""


@dataclass(frozen=True)
class Faults:
    """How often each fault occurs, as a share of requests between 0 and 1.

    What happens to a request depends on the seed, its path and range and how often the
    same was asked before, never on the clock or on other requests; only a storm reaches
    beyond its own request.
    """

    seed: int = 0
    unavailable: float = 0.0
    forbidden: float = 0.0
    forbidden_storm: float = 0.0
    slow: float = 0.0
    truncated: float = 0.0
    ignore_range: float = 0.0
    corrupt: float = 0.0
    forbidden_storm_s: float = 2.0
    """Length of a storm."""
    slow_s: float = 0.2
    """Pause before each part of a slow body."""
    burst: int = 2
    """Faults in a row for the same path and range, so that a patient client gets through."""

    def __post_init__(self) -> None:
        for fault in Fault:
            if not 0 <= getattr(self, fault) <= 1:
                raise ValueError(f"{fault} is a share of requests: between 0 and 1")
        if min(self.forbidden_storm_s, self.slow_s, self.burst) < 0:
            raise ValueError("forbidden_storm_s, slow_s and burst must not be negative")

    def chance(self, *what: object) -> float:
        """A number from 0 up to 1 that looks random and is always the same for the same words.

        >>> Faults(seed=1).chance("a", 2) == Faults(seed=1).chance("a", 2)
        True
        """
        words = "\0".join(map(str, (self.seed, *what))).encode()
        return int.from_bytes(hashlib.blake2b(words, digest_size=6).digest()) / 2**48

    def pick(self, path: str, span: str, turn: int, in_a_row: int) -> Fault | None:
        """The fault of a request, if any.

        The same was asked `turn` times before, and the latest `in_a_row` of those had a fault.

        >>> Faults(unavailable=1.0).pick("/a", "", 0, in_a_row=0)
        <Fault.UNAVAILABLE: 'unavailable'>
        >>> Faults(unavailable=1.0).pick("/a", "", 2, in_a_row=2)
        """
        if in_a_row >= self.burst:
            return None
        for fault in Fault:
            if self.chance(fault, path, span, turn) < getattr(self, fault):
                return fault
        return None


NO_FAULTS = Faults()


def parse_faults(settings: Sequence[str]) -> Faults:
    """Faults from words such as `unavailable=0.1`, as the command line gives them.

    >>> parse_faults(["unavailable=0.1", "seed=7"])
    Faults(seed=7, unavailable=0.1, forbidden=0.0, forbidden_storm=0.0, slow=0.0, truncated=0.0, \
ignore_range=0.0, corrupt=0.0, forbidden_storm_s=2.0, slow_s=0.2, burst=2)
    """
    known = {field.name: field.type for field in fields(Faults)}
    values: dict[str, float] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in known:
            raise ValueError(f"{name!r} is no fault: known are {', '.join(known)}")
        try:
            values[name] = int(value) if known[name] == "int" else float(value)
        except ValueError:
            raise ValueError(f"{setting} has no number: write it as in {name}=1") from None
    return Faults(**values)  # type: ignore[arg-type]
