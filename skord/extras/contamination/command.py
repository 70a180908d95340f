"""Which evaluation sets are in a dump's texts, as Decontaminate found them: table and examples."""

from __future__ import annotations

import argparse
import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from skord.cli.json_output import print_asked
from skord.core.config import open_storage
from skord.core.failures import ConfigError
from skord.core.preflight import check_settings
from skord.core.storage.column_store import ColumnStore
from skord.extras.contamination.evaluation_sets import (
    ANSWER,
    MARKED,
    QUESTION,
    Probe,
    evaluation_items,
)
from skord.extras.contamination.task import Decontaminate

TASK = Decontaminate.__name__
WIDTH = 160
"""Characters of a passage or item in an example."""


class PageMatch(NamedTuple):
    """A match and the page that it is in."""

    score: float
    evidence: float
    url: str
    match: Mapping[str, Any]


@dataclass
class SetRow:
    """What was found of one set.

    Attributes:
        items: it has; None where the sets are not there any more.
        texts: that hold an item of it.
        questions, answers: numbers of items whose question or answer some text holds.
        both: of items of which one text holds both.
        formulas: of items that many texts hold in part, where that does not count.
    """

    name: str
    items: int | None = None
    texts: int = 0
    questions: set[int] = field(default_factory=set)
    answers: set[int] = field(default_factory=set)
    both: set[int] = field(default_factory=set)
    formulas: set[int] = field(default_factory=set)

    def add(self, matches: Sequence[Mapping[str, Any]]) -> None:
        """What one text holds of the set."""
        questions = {row["item"] for row in matches if row["part"] == QUESTION}
        answers = {row["item"] for row in matches if row["part"] == ANSWER}
        self.texts += 1
        self.questions |= questions
        self.answers |= answers
        self.both |= questions & answers

    def as_row(self) -> dict[str, Any]:
        """Its numbers."""
        counted = ("questions", "answers", "both", "formulas")
        numbers = {name: len(getattr(self, name)) for name in counted}
        return {"set": self.name, "items": self.items, **numbers, "texts": self.texts}


def run(options: argparse.Namespace) -> None:
    """Print the table and the examples."""
    check_settings()
    task = Decontaminate(dump=options.dump)
    store = ColumnStore(open_storage(), options.dump)
    known = _known(task)
    rows, examples = tally_contamination(
        matches_of(store, options.set), known, options.limit, options.examples
    )
    values = {
        "limit": options.limit,
        "sets": [row.as_row() for row in rows],
        "examples": [{"url": one.url, **one.match} for one in examples],
    }
    lines = [*table_lines(rows, options.limit), *example_lines(examples, known)]
    print_asked(options, values, lines)


def _known(task: Decontaminate) -> dict[tuple[str, int, str], Probe]:
    """The items by set, number and part; none where the folder is gone."""
    try:
        asked = evaluation_items(str(task.sets), task.fields) if task.sets else iter(())
        return {(one.set, one.item, one.part): one for one in asked}
    except ConfigError:
        return {}


def matches_of(
    store: ColumnStore, only: str | None = None
) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Address and matches of each text that has some."""
    manifest = store.complete_manifest(TASK)
    wanted = {"CCNet": ["url"], TASK: ["contamination"]}
    for shard in range(int(manifest["num_shards"])):
        for _, batch in store.side_by_side(shard, wanted):
            urls, lists = batch["CCNet.url"].to_pylist(), batch[f"{TASK}.contamination"].to_pylist()
            for url, matches in zip(urls, lists, strict=True):
                chosen = [row for row in matches or () if only in (None, row["set"])]
                if chosen:
                    yield url, chosen


def tally_contamination(
    texts: Iterable[tuple[str, Sequence[Mapping[str, Any]]]],
    known: Mapping[tuple[str, int, str], Probe],
    limit: float = MARKED,
    examples: int = 20,
) -> tuple[list[SetRow], list[PageMatch]]:
    """Rows of all sets by name, and the best matches from a score on, each item once."""
    rows: dict[str, SetRow] = defaultdict(lambda: SetRow(""))
    items: dict[str, set[int]] = defaultdict(set)
    for name, item, _ in known:
        items[name].add(item)
    best: dict[tuple[str, int, str], PageMatch] = {}
    for url, matches in texts:
        over = [row for row in matches if row["score"] >= limit]
        marked = [row for row in over if not row["is_formula"]]
        for row in over:
            rows[row["set"]].formulas |= {row["item"]} if row["is_formula"] else set()
        for name in {row["set"] for row in marked}:
            rows[name].add([row for row in marked if row["set"] == name])
        for row in marked:
            key = (row["set"], row["item"], row["part"])
            match = PageMatch(row["score"], row["evidence"], url, row)
            best[key] = max(best.get(key, match), match, key=lambda one: one[:2])
    for name in {*rows, *items}:
        rows[name].name = name
        rows[name].items = len(items[name]) if name in items else None
    chosen = heapq.nsmallest(
        examples, best.values(), key=lambda one: (-one.score, -one.evidence, one.url)
    )
    return [rows[name] for name in sorted(rows)], chosen


def table_lines(rows: Sequence[SetRow], limit: float) -> Iterator[str]:
    """A line for each set."""
    yield f"items of which a text holds a score of {limit:g} or more"
    names = f"{'items':>9}{'questions':>11}{'answers':>9}{'both':>7}{'texts':>9}{'formulas':>10}"
    yield f"{'set':<24}{names}"
    for row in rows:
        numbers = row.as_row()
        items = "-" if row.items is None else f"{row.items:,}"
        yield (
            f"{row.name:<24}{items:>9}{numbers['questions']:>11,}{numbers['answers']:>9,}"
            f"{numbers['both']:>7,}{numbers['texts']:>9,}{numbers['formulas']:>10,}"
        )
    if not rows:
        yield "none"


def example_lines(
    examples: Sequence[PageMatch], known: Mapping[tuple[str, int, str], Probe]
) -> Iterator[str]:
    """The page, its text, and the item."""
    for score, _, url, row in examples:
        yield f"\n{score:.2f}  {row['set']} {row['item']} {row['part']}  {url}"
        yield f"      text: {_short(row['passage'])}"
        probe = known.get((row["set"], row["item"], row["part"]))
        if probe is not None:
            yield f"      item: {_short(probe.text)}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WIDTH else f"{line[:WIDTH]} …"
