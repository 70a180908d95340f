"""Publish the kept texts of dumps: files, card, checksums, and where each text came from."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from pipeline.export import ExportCorpus
from skord.cli.console import run_tasks
from skord.core.config import open_storage, pipeline
from skord.core.dumps import parse_dumps
from skord.core.failures import ConfigError
from skord.core.preflight import check_settings
from skord.core.storage.column_store import ColumnStore
from skord.corpus import Corpus
from skord.publishing.files import CorpusFiles
from skord.publishing.manifest import REMOVALS
from skord.publishing.removals.apply import apply_removals
from skord.publishing.removals.lists import list_names
from skord.publishing.removals.receipts import write_receipts


def run(options: argparse.Namespace) -> int:
    """Publish dump after dump; say where."""
    check_settings()
    dumps = parse_dumps(options.dumps, open_storage())
    form: dict[str, Any] = {"json_lines": True} if options.json else {}
    tasks = [ExportCorpus(dump=dump, replace=options.replace, **form) for dump in dumps]
    for task in tasks:
        _lose_removed(task)
    if not (all(t.complete() for t in tasks) or run_tasks(tasks)):
        return 1
    for task in tasks:
        print("\n".join(published_files(task.store)))
    return 0


def _lose_removed(task: ExportCorpus) -> None:
    """Take out of a dump that is published with these settings what was listed since."""
    manifest = task.store.manifest(task.task_family) or {}
    names = list(list_names(task.store.storage))
    is_behind = manifest.get("stamp") == task.fingerprint and manifest[REMOVALS] != names
    if is_behind and set(manifest[REMOVALS]) <= set(names):
        apply_removals(task.store, task.task_family)
        write_receipts(task.store.storage)


def published_files(store: ColumnStore) -> Iterator[str]:
    """Where a dump's files are, and what is in them."""
    family = ExportCorpus.__name__
    manifest = store.manifest(family) or {}
    figures = manifest["figures"]
    languages = ", ".join(f"{code} {n:,}" for code, (n, _) in sorted(figures["languages"].items()))
    documents = sum(number for number, _ in figures["languages"].values())
    place = store.storage.shown(CorpusFiles(store, family).path("")).rstrip("/")
    yield f"corpus: {place}"
    yield (
        f"  {documents:,} documents ({languages}), {figures['text_bytes']:,} bytes of text, "
        f"{figures['packed_bytes']:,} packed in {figures['files']:,} "
        f"file{'s' * (figures['files'] != 1)}"
    )
    removed = ", ".join(f"{kind} {number:,}" for kind, number in figures["removed"].items())
    if removed:
        yield f"  taken out by request: {removed}"


def compact_columns(options: argparse.Namespace) -> None:
    """Write columns of several tasks to a few large files."""
    check_settings()
    if options.columns is not None and not options.columns.strip(" ,"):
        raise ConfigError("--columns names none: leave it out for all")
    corpus = Corpus(pipeline().data_dir, options.dumps.split(","))
    columns = options.columns.split(",") if options.columns else corpus.columns()
    names = corpus.compact(columns, options.folder, kept=options.kept)
    print(
        f"{options.folder}: {len(names)} files, {names[0]} to {names[-1]}" if names else "no rows"
    )
