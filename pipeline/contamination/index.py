"""Runs of words of evaluation sets, weighted by how rare they are, and where texts hold them.

A run counts the more, the fewer texts of the corpus and the fewer items of the sets hold it: the
weight is the product of both inverse document frequencies (Spärck Jones 1972), each scaled to
[0, 1]. So neither "är det sant att det" nor a set's own template marks a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.contamination.evaluation_sets import ANSWER, QUESTION, Probe
from pipeline.native import gram_hits, word_grams

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
Floats = NDArray[np.float64]

MATCHES_TYPE = pa.list_(
    pa.struct(
        [
            ("set", pa.string()), ("item", pa.int32()), ("part", pa.string()),
            ("score", pa.float32()), ("start", pa.int32()), ("end", pa.int32()),
            ("passage", pa.string()),
        ]
    )
)  # fmt: skip
"""What a text holds of evaluation sets: item, question or answer, score, characters, passage."""

MAX_MATCHES, MAX_PASSAGE = 10, 500
"""Of one text that are told, best first; characters of a passage."""

LEAST_TOLD = 0.1
"""Lower scores are no match at all."""


class Hits(NamedTuple):
    """Where texts hold runs of the index: run, text, its word, and bytes from and to."""

    grams: U32
    texts: U32
    words: U32
    starts: U32
    ends: U32


@dataclass(frozen=True)
class Index:
    """Runs of words of all probes.

    Attributes:
        probes: by number.
        length: words of a run.
        hashes, numbers: the open-addressed table for `gram_hits`.
        first, of_gram: probes of run *g* are `of_gram[first[g]:first[g + 1]]`.
        first_gram, of_probe: runs of probe *p*, each once, likewise.
        rarity: inverse document frequency of each run among the items of the sets, in [0, 1].
    """

    probes: Sequence[Probe]
    length: int
    hashes: U64
    numbers: U32
    first: I64
    of_gram: I64
    first_gram: I64
    of_probe: I64
    rarity: Floats

    @property
    def num_grams(self) -> int:
        """How many different runs there are."""
        return len(self.rarity)

    def hits(self, texts: pa.Array) -> Hits:
        """Where texts hold runs of the index; a null holds none."""
        starts, data = _buffers(texts)
        result = gram_hits(starts, data, self.length, self.hashes, self.numbers)
        return Hits(*(np.frombuffer(part, np.uint32) for part in result))

    def document_frequencies(self, hits: Hits) -> I64:
        """In how many of the texts each run is."""
        pairs = np.unique(hits.texts.astype(np.int64) * max(self.num_grams, 1) + hits.grams)
        return np.bincount(pairs % max(self.num_grams, 1), minlength=self.num_grams)


def build_index(probes: Sequence[Probe], length: int) -> Index:
    """The index of some probes; one with fewer words than `length` is in it without a run."""
    starts, data = _buffers(pa.array([probe.text for probe in probes], pa.string()))
    raw, sizes = word_grams(starts, data, length)
    hashes, counts = np.frombuffer(raw, np.uint64), np.frombuffer(sizes, np.uint32)
    grams, numbers = np.unique(hashes, return_inverse=True)
    probe = np.repeat(np.arange(len(probes)), counts)
    pairs = np.unique(np.stack([probe, numbers.reshape(-1)], axis=1).reshape(-1, 2), axis=0)
    by_gram = pairs[np.lexsort((pairs[:, 0], pairs[:, 1]))]
    frequency = np.bincount(pairs[:, 1], minlength=len(grams))
    slots, places = _table(grams)
    return Index(
        probes=probes, length=length, hashes=slots, numbers=places,
        first=np.concatenate(([0], np.cumsum(frequency))), of_gram=by_gram[:, 0],
        first_gram=np.concatenate(
            ([0], np.cumsum(np.bincount(pairs[:, 0], minlength=len(probes))))
        ),
        of_probe=pairs[:, 1], rarity=inverse_frequencies(frequency, max(len(probes), 2)),
    )  # fmt: skip


def inverse_frequencies(frequencies: I64, total: int) -> Floats:
    """Inverse document frequencies in [0, 1]: 1 for what is nowhere or once, 0 for what is in all.

    >>> inverse_frequencies(np.array([0, 1, 100]), 100).round(2).tolist()
    [1.0, 1.0, 0.0]
    """
    shares = np.log(total / np.clip(frequencies, 1, total)) / np.log(max(total, 2))
    return np.asarray(shares, np.float64)


def _table(grams: U64) -> tuple[U64, U32]:
    """Slots of an open-addressed table, at most a third full."""
    size = 1 << max(4, int(3 * max(len(grams), 1)).bit_length())
    slots, numbers = np.zeros(size, np.uint64), np.zeros(size, np.uint32)
    waiting = np.arange(len(grams))
    places = ((grams >> np.uint64(1)) & np.uint64(size - 1)).astype(np.int64)
    while len(waiting):
        free = slots[places[waiting]] == 0
        _, firsts = np.unique(places[waiting[free]], return_index=True)
        settled = waiting[free][firsts]
        slots[places[settled]] = grams[settled]
        numbers[places[settled]] = settled
        waiting = np.setdiff1d(waiting, settled, assume_unique=True)
        taken = slots[places[waiting]] != 0
        places[waiting[taken]] = (places[waiting[taken]] + 1) % size
    return slots, numbers


def _buffers(texts: pa.Array) -> tuple[I64, NDArray[np.uint8]]:
    large = texts.fill_null("").cast(pa.large_string())
    _, offsets, data = large.buffers()
    starts = np.frombuffer(offsets, np.int64)[large.offset : large.offset + len(large) + 1]
    return starts, np.frombuffer(data, np.uint8) if data and data.size else np.zeros(1, np.uint8)


@dataclass(frozen=True)
class Scorer:
    """Scores texts by an index.

    Attributes:
        index: of the sets.
        weights: of each run.
        max_gap: words between two runs of one cluster.
    """

    index: Index
    weights: Floats
    max_gap: int = 30

    def matches(self, texts: pa.Array) -> Iterator[list[dict[str, Any]]]:
        """What each text holds, best first: rows of `MATCHES_TYPE`."""
        hits = self.index.hits(texts)
        likely = self._likely(hits)
        for text in range(len(texts)):
            rows = likely.get(text)
            yield self._best(texts[text].as_py(), hits, rows) if rows else []

    def _likely(self, hits: Hits) -> dict[int, dict[int, list[int]]]:
        """Text to the probes whose hits, listed, may add up to enough."""
        first, grams = self.index.first, hits.grams.astype(np.int64)
        counts = (first[grams + 1] - first[grams]).astype(np.int64)
        hit = np.repeat(np.arange(len(grams)), counts)
        within = np.arange(len(hit)) - np.repeat(np.cumsum(counts) - counts, counts)
        probe = self.index.of_gram[first[grams[hit]] + within]
        pairs = hits.texts[hit].astype(np.int64) * max(len(self.index.probes), 1) + probe
        keys, inverse = np.unique(pairs, return_inverse=True)
        sums = np.bincount(inverse, self.weights[grams[hit]], minlength=len(keys))
        enough = sums >= LEAST_TOLD * self._totals[keys % max(len(self.index.probes), 1)]
        chosen = np.flatnonzero(enough[inverse])
        result: dict[int, dict[int, list[int]]] = {}
        for at in chosen.tolist():
            of_text = result.setdefault(int(hits.texts[hit[at]]), {})
            of_text.setdefault(int(probe[at]), []).append(int(hit[at]))
        return result

    @cached_property
    def _totals(self) -> Floats:
        """Weight of all runs of each probe; infinite for one without."""
        owner = np.repeat(np.arange(len(self.index.probes)), np.diff(self.index.first_gram))
        weights = self.weights[self.index.of_probe]
        totals = np.bincount(owner, weights, minlength=len(self.index.probes))
        return np.where(totals > 0, totals, np.inf)

    def _best(self, text: str, hits: Hits, places: Mapping[int, list[int]]) -> list[dict[str, Any]]:
        rows = (self._scored(probe, ats, hits, text) for probe, ats in places.items())
        result = sorted(
            filter(None, rows),
            key=lambda row: (-row["score"], row["set"], row["item"], row["part"]),
        )
        return result[:MAX_MATCHES]

    def _scored(self, number: int, ats: Sequence[int], hits: Hits, text: str) -> dict[str, Any]:
        """A probe's share of weight that clusters of its runs have; nothing below LEAST_TOLD."""
        total = float(self._totals[number])
        least = min(2, int(self.index.first_gram[number + 1] - self.index.first_gram[number]))
        clusters = [
            one
            for one in self._clusters(ats, hits)
            if len({int(hits.grams[a]) for a in one}) >= least
        ]
        grams = {int(hits.grams[at]) for one in clusters for at in one}
        score = float(self.weights[sorted(grams)].sum()) / total if grams else 0.0
        if score < LEAST_TOLD:
            return {}
        best = max(clusters, key=lambda one: float(self.weights[hits.grams[one]].sum()))
        data = text.encode()
        low, high = int(hits.starts[best[0]]), int(hits.ends[best[-1]])
        start, end = (len(data[:at].decode()) for at in (low, high))
        probe = self.index.probes[number]
        return {
            "set": probe.set, "item": probe.item, "part": probe.part, "score": score,
            "start": start, "end": end, "passage": text[start:end][:MAX_PASSAGE],
        }  # fmt: skip

    def _clusters(self, ats: Sequence[int], hits: Hits) -> list[list[int]]:
        result: list[list[int]] = []
        for at in ats:
            if result and int(hits.words[at]) - int(hits.words[result[-1][-1]]) <= self.max_gap:
                result[-1].append(at)
            else:
                result.append([at])
        return result


def scores_of(matches: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The best score of a question and of an answer; 0 where there is none."""
    return {
        part: max((row["score"] for row in matches if row["part"] == part), default=0.0)
        for part in (QUESTION, ANSWER)
    }


@lru_cache(maxsize=2)
def cached_index(probes: tuple[Probe, ...], length: int) -> Index:
    """The index, built once in a process."""
    return build_index(probes, length)
