"""Words and runs of words of evaluation sets, how rare they are, and where texts hold the items.

A run of words that a text shares with an item is a seed; from it on both are aligned word by word
(`native/dedup/item_matches.hpp`), so that an item is found where words were changed, left out or
put in, and where its parts stand elsewhere. What agrees is judged in two ways:

* **evidence**, in natural logarithms of odds: a word that few of the texts hold is much, one that
  every text holds is nothing, one that differs costs 1.2. It shows that the agreement is no chance,
  and grows with the length of what agrees; the more of an item is missing, the more is asked for.
* **score**: share of the item's words that the text has in the same places, rarer words counting
  somewhat more. It shows how much of the item is there.

A run that many items have (a set's own template) counts for little in either. An item that many
texts hold in part and few as a whole is a **formula** ("the interview with … can be seen above"):
what such texts share is how people write, and no leak.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.extras.contamination.evaluation_sets import ANSWER, MARKED, QUESTION, Probe
from skord.native import item_frequencies, item_matches, word_grams
from skord.text.words import string_buffers

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]
F32 = NDArray[np.float32]
Floats = NDArray[np.float64]

MATCHES_TYPE = pa.list_(
    pa.struct(
        [
            ("set", pa.string()), ("item", pa.int32()), ("part", pa.string()),
            ("score", pa.float32()), ("evidence", pa.float32()),
            ("start", pa.int32()), ("end", pa.int32()), ("passage", pa.string()),
            ("is_formula", pa.bool_()),
        ]
    )
)  # fmt: skip
"""What a text holds of evaluation sets: item, question or answer, score, evidence, characters of
the best stretch, its text, and whether it is part of a formula, which then does not count."""

MAX_MATCHES, MAX_PASSAGE = 10, 500
"""Of one text that are listed, best first; characters of a passage."""


class Least(NamedTuple):
    """What a match needs.

    Attributes:
        in_stretch: evidence of one stretch of a text.
        evidence, for_missing: of all of it, where the whole item is there, and so much more for the
            share that is missing. As strict as leaves .95 of the edited items found, on three
            treebanks (`benchmarks.rights.decontamination --choose`).
        score: share of the item.
    """

    in_stretch: float = 3.0
    evidence: float = 5.0
    for_missing: float = 21.0
    score: float = 0.4


LEAST = Least()

WHOLE = 0.9
"""The score from which a text holds an item as a whole."""

FORMULA_TEXTS, TO_ONE_WHOLE = 5, 3
"""A formula is held in part by so many texts, and by more than so many for one with the whole."""

MORE_TEXTS = 1000
"""That hold no word of any item: in a small corpus most words are not as rare as they seem."""

_DRIFT = np.log(9.0)
"""What nine places in which a word may be found take from its evidence."""

_LEAST_SEED = 2.0
"""Runs with less evidence, those in one text of seven, are no seeds."""

_MOST_WEIGHT = 6.0
NEAR = 30
"""Words beside a question within which its answer is looked for."""


class Frequencies(NamedTuple):
    """In how many texts each word and each run is, and how many texts there are."""

    words: I64
    grams: I64
    texts: int


class Copies(NamedTuple):
    """How many texts hold each item in part, from `MARKED` on, and how many as a whole."""

    part: I64
    whole: I64


def formulas_of(copies: Copies, least: int = FORMULA_TEXTS) -> NDArray[np.bool_]:
    """Which items are formulas: held in part by `least` texts; none for 0.

    >>> formulas_of(Copies(np.array([4, 5, 20, 20]), np.array([0, 1, 6, 7]))).tolist()
    [False, True, True, False]
    """
    many = (copies.part >= least) & (copies.part > TO_ONE_WHOLE * copies.whole)
    return np.asarray(many & (least > 0))


@dataclass(frozen=True)
class Table:
    """Different hashes, numbered, in an open-addressed table."""

    slots: U64
    numbers: U32
    size: int


@dataclass(frozen=True)
class Index:
    """Words and runs of all probes.

    Attributes:
        first, of_gram, places: run *g* is in probes `of_gram[first[g]:first[g + 1]]`, there from
            the word of that place on.
        first_word, of_probe: words of probe *p* by number, `of_probe[first_word[p]:…]`.
        rarity: of each run among the probes, in [0, 1]: 1 in one, 0 in all.
        gram_at: run that begins at each of `of_probe`; -1 where none does.
    """

    probes: Sequence[Probe]
    length: int
    words: Table
    grams: Table
    first: U32
    of_gram: U32
    places: U32
    first_word: U32
    of_probe: U32
    rarity: Floats
    gram_at: I64

    @property
    def nbytes(self) -> int:
        """Of all tables."""
        arrays = (self.words.slots, self.words.numbers, self.grams.slots, self.grams.numbers,
                  self.first, self.of_gram, self.places, self.first_word, self.of_probe,
                  self.rarity, self.gram_at)  # fmt: skip
        return sum(array.nbytes for array in arrays)

    def native(self) -> tuple[int, U64, U32, U64, U32]:
        """The tables as native code wants them."""
        words, grams = self.words, self.grams
        return self.length, words.slots, words.numbers, grams.slots, grams.numbers

    def frequencies(self, texts: pa.Array) -> Frequencies:
        """In how many of the texts each word and run is; a null counts as no text."""
        starts, data = string_buffers(texts.fill_null(""))
        buffers = item_frequencies(starts, data, self.native(), self.words.size, self.grams.size)
        words, grams = (np.frombuffer(part, np.uint32).astype(np.int64) for part in buffers)
        return Frequencies(words, grams, len(texts) - texts.null_count)


def build_index(probes: Sequence[Probe], length: int) -> Index:
    """The index of some probes; one with fewer words than `length` is in it without a run."""
    starts, data = string_buffers(pa.array([probe.text for probe in probes], pa.string()))
    word_hashes, word_sizes = _gram_hashes(word_grams(starts, data, 1))
    gram_hashes, gram_sizes = _gram_hashes(word_grams(starts, data, length))
    words, of_probe = np.unique(word_hashes, return_inverse=True)
    grams, numbers = np.unique(gram_hashes, return_inverse=True)
    first_word = np.concatenate(([0], np.cumsum(word_sizes)))
    of = np.repeat(np.arange(len(probes)), gram_sizes)
    places = np.arange(len(of)) - np.repeat(np.cumsum(gram_sizes) - gram_sizes, gram_sizes)
    gram_at = np.full(len(of_probe), -1, np.int64)
    gram_at[first_word[of] + places] = numbers
    order = np.lexsort((places, of, numbers))
    frequency = np.bincount(numbers, minlength=len(grams))
    pairs = np.unique(np.stack([numbers, of], axis=1), axis=0)[:, 0] if len(of) else numbers
    among = np.bincount(pairs, minlength=len(grams))
    return Index(
        probes=probes, length=length, words=_hash_table(words), grams=_hash_table(grams),
        first=np.concatenate(([0], np.cumsum(frequency))).astype(np.uint32),
        of_gram=of[order].astype(np.uint32), places=places[order].astype(np.uint32),
        first_word=first_word.astype(np.uint32), of_probe=of_probe.astype(np.uint32),
        rarity=rarity_among(among, len(probes)), gram_at=gram_at,
    )  # fmt: skip


def rarity_among(frequencies: I64, total: int) -> Floats:
    """Inverse document frequency (Spärck Jones 1972), scaled: 1 for what is in one, 0 in all.

    >>> rarity_among(np.array([1, 10, 100]), 100).round(2).tolist()
    [1.0, 0.5, 0.0]
    """
    total = max(total, 2)
    return np.asarray(np.log(total / np.clip(frequencies, 1, total)) / np.log(total), np.float64)


def _gram_hashes(buffers: tuple[bytes, bytes]) -> tuple[U64, I64]:
    hashes, sizes = buffers
    return np.frombuffer(hashes, np.uint64), np.frombuffer(sizes, np.uint32).astype(np.int64)


def _hash_table(hashes: U64) -> Table:
    """Slots of an open-addressed table, at most a third full."""
    size = 1 << max(4, int(3 * max(len(hashes), 1)).bit_length())
    slots, numbers = np.zeros(size, np.uint64), np.zeros(size, np.uint32)
    waiting = np.arange(len(hashes))
    places = ((hashes >> np.uint64(1)) & np.uint64(size - 1)).astype(np.int64)
    while len(waiting):
        free = slots[places[waiting]] == 0
        _, firsts = np.unique(places[waiting[free]], return_index=True)
        settled = waiting[free][firsts]
        slots[places[settled]] = hashes[settled]
        numbers[places[settled]] = settled
        waiting = np.setdiff1d(waiting, settled, assume_unique=True)
        taken = slots[places[waiting]] != 0
        places[waiting[taken]] = (places[waiting[taken]] + 1) % size
    return Table(slots, numbers, len(hashes))


class Match(NamedTuple):
    """What a text holds of a probe: both by number, bytes of the best stretch in the text."""

    text: int
    probe: int
    start: int
    end: int
    score: float
    evidence: float


class Scorer:
    """Scores texts by an index, and the frequencies of its words and runs in those texts."""

    def __init__(
        self,
        index: Index,
        frequencies: Frequencies,
        least: Least = LEAST,
        formulas: NDArray[np.bool_] | None = None,
    ) -> None:
        self.index, self.least = index, least
        none = np.zeros(len(index.probes), np.bool_)
        self.formulas = none if formulas is None else formulas
        words = _inverse_frequency(frequencies.words, frequencies.texts)[index.of_probe]
        own = _own_rarity(index)
        seeds = _inverse_frequency(frequencies.grams, frequencies.texts) * index.rarity
        evidence = np.maximum(words - _DRIFT, 0) * own
        weights = (1 + np.minimum(words, _MOST_WEIGHT)) * own
        self._items = (
            index.first, index.of_gram, index.places,
            np.where(seeds < _LEAST_SEED, 0, seeds).astype(np.float32), index.first_word,
            index.of_probe, evidence.astype(np.float32), weights.astype(np.float32),
        )  # fmt: skip
        self._answers = {
            (probe.set, probe.item): probe.text for probe in index.probes if probe.part == ANSWER
        }

    def each_match(self, texts: pa.Array) -> Iterator[Match]:
        """What the texts hold, ascending by text and probe; a null holds nothing."""
        starts, data = string_buffers(texts.fill_null(""))
        text, probe, start, end, score, evidence = item_matches(
            starts, data, self.index.native(), self._items, self.least
        )
        whole = (np.frombuffer(part, np.uint32).tolist() for part in (text, probe, start, end))
        real = (np.frombuffer(part, np.float32).tolist() for part in (score, evidence))
        return map(Match._make, zip(*whole, *real, strict=True))

    def copies(self, texts: pa.Array) -> Copies:
        """How many of the texts hold each item, in part and as a whole."""
        held = [(one.probe, one.score) for one in self.each_match(texts) if one.score >= MARKED]
        size = len(self.index.probes)
        return Copies(
            np.bincount([probe for probe, score in held if score < WHOLE], minlength=size),
            np.bincount([probe for probe, score in held if score >= WHOLE], minlength=size),
        )

    def matches(self, texts: pa.Array) -> Iterator[list[dict[str, Any]]]:
        """What each text holds, best first: rows of `MATCHES_TYPE`."""
        rows = {
            text: self._rows(texts[text].as_py(), list(own))
            for text, own in groupby(self.each_match(texts), key=lambda match: match.text)
        }
        return (rows.get(text, []) for text in range(len(texts)))

    def _rows(self, text: str, own: Sequence[Match]) -> list[dict[str, Any]]:
        data = text.encode()
        rows = [self._row(text, data, match) for match in own]
        seen = {(row["set"], row["item"]) for row in rows if row["part"] == ANSWER}
        asked = [row for row in rows if row["part"] == QUESTION and not row["is_formula"]]
        beside = [self._answer_beside(text, row) for row in asked
                  if (row["set"], row["item"]) not in seen]  # fmt: skip
        matches = sorted(
            [*rows, *filter(None, beside)],
            key=lambda row: (
                row["is_formula"],
                -row["score"],
                -row["evidence"],
                row["set"],
                row["item"],
                row["part"],
            ),
        )
        return matches[:MAX_MATCHES]

    def _row(self, text: str, data: bytes, match: Match) -> dict[str, Any]:
        probe = self.index.probes[match.probe]
        start, end = (len(data[:at].decode()) for at in (match.start, match.end))
        return {
            "set": probe.set, "item": probe.item, "part": probe.part, "score": match.score,
            "evidence": match.evidence, "start": start, "end": end,
            "passage": text[start:end][:MAX_PASSAGE],
            "is_formula": bool(self.formulas[match.probe]) and match.score < WHOLE,
        }  # fmt: skip

    def _answer_beside(self, text: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The answer of a question that was found, too short to be found by itself.

        It counts where it stands word for word within `NEAR` words of the question.
        """
        answer = self._answers.get((asked["set"], asked["item"]), "")
        if not answer:
            return {}
        sides = (_last_words(text[: asked["start"]]), _first_words(text[asked["end"] :]))
        for side, at in zip(sides, (asked["start"] - len(sides[0]), asked["end"]), strict=True):
            span = _stands_in(side, answer)
            if span is not None:
                start, end = at + span[0], at + span[1]
                return {**asked, "part": ANSWER, "score": 1.0, "start": start, "end": end,
                        "passage": text[start:end][:MAX_PASSAGE]}  # fmt: skip
        return {}


_WORD = re.compile(r"[^\W_]+")


def _last_words(text: str) -> str:
    """So much of the end of a text as holds `NEAR` words."""
    near = text[-12 * NEAR :]
    words = list(_WORD.finditer(near))
    return near[words[-NEAR].start() :] if len(words) >= NEAR else near


def _first_words(text: str) -> str:
    near = text[: 12 * NEAR]
    words = list(_WORD.finditer(near))
    return near[: words[NEAR - 1].end()] if len(words) >= NEAR else near


def _stands_in(text: str, wanted: str) -> tuple[int, int] | None:
    """Where some words stand in a row, whatever case and marks.

    >>> _stands_in("Svar: Vänern, förstås", "vänern")
    (6, 12)
    """
    words, own = list(_WORD.finditer(text)), [w.lower() for w in _WORD.findall(wanted)]
    lower = [word[0].lower() for word in words]
    for at in range(len(lower) - len(own) + 1):
        if own and lower[at : at + len(own)] == own:
            return words[at].start(), words[at + len(own) - 1].end()
    return None


def _inverse_frequency(frequencies: I64, texts: int) -> Floats:
    """Logarithm of how many texts there are for one with it."""
    return np.asarray(np.log((texts + MORE_TEXTS) / (frequencies + 1.0)), np.float64)


def _own_rarity(index: Index) -> Floats:
    """Of each word of each probe: mean rarity of the runs that cover it; 1 where none does."""
    sums, counts = np.zeros(len(index.of_probe)), np.zeros(len(index.of_probe))
    places = np.flatnonzero(index.gram_at >= 0)
    rarity = index.rarity[index.gram_at[places]]
    for off in range(index.length):
        np.add.at(sums, places + off, rarity)
        np.add.at(counts, places + off, 1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), 1.0)


def scores_of(matches: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The best score of a question and of an answer; 0 where there is none, or formulas alone."""
    counted = [row for row in matches if not row["is_formula"]]
    return {
        part: max((row["score"] for row in counted if row["part"] == part), default=0.0)
        for part in (QUESTION, ANSWER)
    }


@lru_cache(maxsize=2)
def cached_index(probes: tuple[Probe, ...], length: int) -> Index:
    """The index, built once in a process."""
    return build_index(probes, length)
