"""How many documents and characters go into every task and come out, and why the others do not."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from skord.cli.json_output import print_asked
from skord.core.config import open_storage
from skord.core.dumps import check_dump
from skord.core.preflight import check_settings
from skord.core.readable import check_readable
from skord.core.storage.column_store import ColumnStore
from skord.publishing.manifest import removed_pages

ALL = "all"
"""Stands for every language together."""

READS: Mapping[str, Sequence[str]] = {
    "CCNet": ["language", "length", "original_length"],
    "WARCIndex": ["failure"],
    "FetchHTMLDocuments": ["failure"],
    "ConvertToMarkdown": ["failure", "content"],
    "ProcessMarkdown": ["failure", "text"],
    "FilterDocuments": ["failure", "passes_all_quality_filters", "failed_filters", "language"],
    "Deduplicate": ["failure", "dedup_keep"],
    "ExportCorpus": ["failure", "in_corpus", "left_out"],
}
"""Tasks of the funnel in order, and the columns that say what survives."""


END_COLUMNS = ("failure", "passes_all_quality_filters", "failed_filters", "dedup_keep", "left_out")
"""Columns, of whatever task has them, by which a page ends in it."""

NEAR_DUPLICATE = "near_duplicate"


def reasons_to_end(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Why a page ends in a task: a failure's code, the filters it fails, or a word.

    Nothing where the next task has the page, too.

    >>> reasons_to_end({"failure": None, "text": "Hej"})
    ()
    >>> reasons_to_end({"passes_all_quality_filters": False, "failed_filters": ["num_words"]})
    ('num_words',)
    >>> reasons_to_end({"failure": "pandoc_timeout"}), reasons_to_end({"dedup_keep": False})
    (('pandoc_timeout',), ('near_duplicate',))
    """
    if row.get("failure"):
        return (str(row["failure"]),)
    if row.get("passes_all_quality_filters") is False:
        return tuple(row["failed_filters"])
    if row.get("dedup_keep") is False:
        return (NEAR_DUPLICATE,)
    return (str(row["left_out"]),) if row.get("left_out") else ()


HINTS = {
    "too_short": "too_short: less text than [HashParagraphs] min_chars; a lower one takes them in"
}
"""By the name of a loss, the setting that decides it."""


@dataclass
class Stage:
    """One task of the funnel.

    Attributes:
        documents_in: by language, `all` among them.
        characters_out: of what is left, in the task's own form of the text.
        lost: reason to documents.
    """

    task: str
    documents_in: Counter[str] = field(default_factory=Counter)
    documents_out: Counter[str] = field(default_factory=Counter)
    characters_in: Counter[str] = field(default_factory=Counter)
    characters_out: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)

    @property
    def adds_up(self) -> bool:
        """Whether every document that came in came out or has a reason."""
        return self.documents_in[ALL] == self.documents_out[ALL] + sum(self.lost.values())


def run(options: argparse.Namespace) -> None:
    """Print the tables, or the counts as JSON."""
    check_settings()
    storage = open_storage()
    check_dump(options.dump, storage)
    check_readable(options.dump, READS)
    stages = funnel_stages(ColumnStore(storage, options.dump))
    values = [{**vars(stage), "adds_up": stage.adds_up} for stage in stages]
    print_asked(options, values, [funnel_tables(stages)])


def funnel_stages(store: ColumnStore, shards: Sequence[int] | None = None) -> list[Stage]:
    """The stages that are complete, in graph order; of some shards, or of all.

    A page counts in one language from the first stage to the last: that of its extracted text, and
    where none was extracted, that of its WET text.

    Raises:
        ConfigError: not even the first task with documents is complete.
    """
    manifest = store.complete_manifest("CCNet")
    stages = {task: Stage(task) for task in READS if store.manifest(task)}
    removed = removed_pages(store, "ExportCorpus")
    for shard in range(int(manifest["num_shards"])) if shards is None else shards:
        _count_refused(store, shard, stages["CCNet"])
        for _, batch in store.side_by_side(shard, {task: READS[task] for task in stages}):
            _count_batch(batch, stages, removed)
    return list(stages.values())


def _count_refused(store: ColumnStore, shard: int, stage: Stage) -> None:
    """The refused pages by language from their table, and by reason from the footer.

    The table may be switched off.
    """
    footer = store.footer(store.path("CCNet", shard))
    counts = footer.counts if footer else {}
    stage.documents_in[ALL] += counts.get("pages", 0)
    for name, number in counts.items():
        if name.startswith("refused."):
            stage.lost[name.removeprefix("refused.")] += number
    path = store.path("CCNet", shard, "refused")
    table = store.read_table(path, ["language", "original_length"])
    _count_selection(table["language"].to_pylist(), table["original_length"].to_pylist(), stage)


def _count_selection(languages: Sequence[str | None], lengths: Sequence[int], stage: Stage) -> None:
    for language, length in zip(languages, lengths, strict=True):
        stage.documents_in[language or "unknown"] += 1
        stage.characters_in[language or "unknown"] += length
        stage.characters_in[ALL] += length


def _count_batch(batch: pa.Table, stages: Mapping[str, Stage], removed: Mapping[str, str]) -> None:
    languages = _languages(batch)
    characters = batch["CCNet.length"].to_pylist()
    _count_selection(languages, batch["CCNet.original_length"].to_pylist(), stages["CCNet"])
    alive = [True] * len(languages)
    for task, stage in stages.items():
        before = characters
        characters = _characters(batch, task) or characters
        reasons = list(_reasons(batch, task, removed))
        for row, language in enumerate(languages):
            if not alive[row]:
                continue
            if task != "CCNet":
                _add(stage.documents_in, stage.characters_in, language, before[row])
            if reasons[row] is None:
                _add(stage.documents_out, stage.characters_out, language, characters[row] or 0)
            else:
                stage.lost[reasons[row] or ""] += 1
                alive[row] = False


def _languages(batch: pa.Table) -> list[str]:
    """Of each page's extracted text; else of its WET text."""
    selected = batch["CCNet.language"]
    if "FilterDocuments.language" in batch.column_names:
        selected = pc.coalesce(batch["FilterDocuments.language"], selected)
    languages: list[str] = pc.fill_null(selected, "unknown").to_pylist()
    return languages


def _add(documents: Counter[str], characters: Counter[str], language: str, length: int) -> None:
    for name in (language, ALL):
        documents[name] += 1
        characters[name] += length


def _characters(batch: pa.Table, task: str) -> list[int] | None:
    names = {"ConvertToMarkdown": "content", "ProcessMarkdown": "text"}
    if task not in names:
        return None
    lengths: list[int] = pc.utf8_length(batch[f"{task}.{names[task]}"]).to_pylist()
    return lengths


def _reasons(batch: pa.Table, task: str, removed: Mapping[str, str]) -> Iterator[str | None]:
    """Why each document ends in this task; None when it does not."""
    names = [name for name in READS[task] if name in END_COLUMNS]
    columns = (batch[f"{task}.{name}"].to_pylist() for name in names)
    published = task == "ExportCorpus"
    for page_id, *values in zip(batch["id"].to_pylist(), *columns, strict=True):
        reasons = reasons_to_end(dict(zip(names, values, strict=True)))
        if not reasons and published and page_id in removed:
            reasons = (f"removed by {removed[page_id]}",)
        yield "+".join(reasons) or None


def funnel_tables(stages: Sequence[Stage]) -> str:
    """Two tables for a terminal: the funnel, and the languages through it."""
    lines = [
        f"{'task':<20}{'documents in':>13}{'out':>8}{'characters in':>15}{'out':>12}  lost to",
        "-" * 100,
    ]
    for stage in stages:
        lost = ", ".join(f"{name} {n}" for name, n in stage.lost.most_common())
        lines.append(
            f"{stage.task:<20}{stage.documents_in[ALL]:>13,}{stage.documents_out[ALL]:>8,}"
            f"{stage.characters_in[ALL]:>15,}{stage.characters_out[ALL]:>12,}  {lost or '-'}"
            + ("" if stage.adds_up else "   DOES NOT ADD UP")
        )
    hints = [hint for name, hint in HINTS.items() if any(stage.lost[name] for stage in stages)]
    return "\n".join([*lines, *hints, "", *_language_lines(stages)])


def _language_lines(stages: Sequence[Stage]) -> Iterator[str]:
    out = stages[0].documents_out
    selected = [name for name, _ in out.most_common() if name != ALL]
    rest = [
        name for name, _ in stages[0].documents_in.most_common() if name not in (ALL, *selected)
    ]
    yield "documents (characters) by language of the extracted text; without one, of the WET text"
    yield f"{'':<20}" + "".join(f"{name:>16}" for name in selected) + f"{'others':>16}"
    first = stages[0]
    yield (
        f"{'WET':<20}"
        + "".join(_cell(first.documents_in[name], first.characters_in[name]) for name in selected)
        + _cell(
            sum(first.documents_in[name] for name in rest),
            sum(first.characters_in[name] for name in rest),
        )
    )
    for stage in stages:
        cells = (_cell(stage.documents_out[name], stage.characters_out[name]) for name in selected)
        yield f"{stage.task:<20}" + "".join(cells)


def _cell(documents: int, characters: int) -> str:
    return f"{documents:,} ({characters:,})".rjust(16)
