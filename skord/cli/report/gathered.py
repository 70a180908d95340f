"""What is added up, and which pages are chosen to be read, while tables go by."""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from skord.cli.report.samples import Candidate

SAMPLES = 20
"""Pages to read, kept and for each reason."""

COUNTED = 100
"""Kept documents of a language whose tokens are counted."""


@dataclass
class Heap:
    """The candidates with the least digests of their ids: a choice without chance or bias."""

    room: int
    entries: list[tuple[int, Candidate]] = field(default_factory=list)

    def offer(self, candidate: Candidate) -> None:
        """Take it in if it is among the least so far."""
        digest = hashlib.blake2b(candidate.id.encode(), digest_size=8).digest()
        entry = (-int.from_bytes(digest), candidate)
        if len(self.entries) < self.room:
            heapq.heappush(self.entries, entry)
        elif entry[0] > self.entries[0][0]:
            heapq.heapreplace(self.entries, entry)

    def chosen(self) -> list[Candidate]:
        """What was taken in, in the order of the digests."""
        return [candidate for _, candidate in sorted(self.entries, key=lambda entry: -entry[0])]


@dataclass
class Gathered:
    """What is added up while the tables are read."""

    charsets: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    perplexities: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    values: dict[str, list[NDArray[np.float64]]] = field(default_factory=lambda: defaultdict(list))
    stops: Counter[str] = field(default_factory=Counter)
    stops_alone: Counter[str] = field(default_factory=Counter)
    cluster_sizes: Counter[int] = field(default_factory=Counter)
    competing: Counter[str] = field(default_factory=Counter)
    removed: Counter[str] = field(default_factory=Counter)
    lines: Counter[str] = field(default_factory=Counter)
    kept_share: list[float] = field(default_factory=list)
    words: int = 0
    text_bytes: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    characters: Counter[str] = field(default_factory=Counter)
    days: set[str] = field(default_factory=set)
    labels: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    for_tokens: dict[str, Heap] = field(default_factory=lambda: defaultdict(lambda: Heap(COUNTED)))
    lengths: list[NDArray[np.float64]] = field(default_factory=list)
    years: Counter[str] = field(default_factory=Counter)
    hosts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    heaps: dict[str, Heap] = field(default_factory=lambda: defaultdict(lambda: Heap(SAMPLES)))
