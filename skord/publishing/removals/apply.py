"""Removals put over a corpus that is published already, and the proof that nothing is left.

What a file loses is decided on the file alone, so nothing of the pipeline's own columns needs
to be there. A file without a match is not touched; one with a match comes out as an export
under the same lists would have written it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from skord.core.failures import ConfigError, DamagedError
from skord.core.storage.column_store import ColumnStore
from skord.core.task_lock import lock_task
from skord.publishing.card import croissant
from skord.publishing.card.dataset_card import (
    CardFacts,
    CardFigures,
    column_descriptions,
    dataset_card,
)
from skord.publishing.card.figures import FILE_SCHEMA, Row, card_figures
from skord.publishing.files import CorpusFiles, CorpusForm
from skord.publishing.manifest import (
    CARD,
    FACTS,
    FILES,
    FORM,
    REMOVALS,
    REMOVED,
    file_rows,
    overlaid_by_removals,
    removed_lines,
)
from skord.publishing.pointers import unpacked_id
from skord.publishing.removals.lists import list_names, load_removals, note_in_audit_log
from skord.publishing.removals.requests import Removals, text_digest
from skord.publishing.rows import corpus_schema

CARD_SCHEMA = pa.schema([("name", pa.string()), ("bytes", pa.int64()), ("sha256", pa.string())])
"""Every published file, as SHA256SUMS lists them, and that one itself."""


def form_of(noted: Mapping[str, Any]) -> CorpusForm:
    """The form that a manifest notes."""
    schema = corpus_schema(noted["scores"], has_marks=bool(noted.get("marks")))
    has_cuts = bool(noted.get("has_cuts"))
    return CorpusForm(schema, bool(noted["has_json"]), str(noted["about"]), has_cuts)


def write_row(store: ColumnStore, task: str, row: Row, fingerprint: str) -> None:
    """Note what one file holds."""
    with store.writer(store.path(task, row["number"], FILES), FILE_SCHEMA, fingerprint) as writer:
        writer.append(row)


def publish_card(
    store: ColumnStore, task: str, facts: CardFacts, rows: Sequence[Row], fingerprint: str
) -> None:
    """Write card and checksums, and remove published files that are none any more."""
    files = CorpusFiles(store, task)
    text = dataset_card(facts, card_figures(rows)).encode()
    store.storage.write(files.path("README.md"), text)
    written = [dict(one) for row in rows for one in row["written"]]
    written.append(_of_bytes("README.md", text))
    described = _croissant(facts, card_figures(rows), written).encode()
    store.storage.write(files.path(croissant.NAME), described)
    written.append(_of_bytes(croissant.NAME, described))
    if lines := removed_lines(rows):
        store.storage.write(files.path(REMOVED), lines)
        written.append(_of_bytes(REMOVED, lines))
    written.sort(key=lambda one: str(one["name"]))
    sums = "".join(f"{one['sha256']}  {one['name']}\n" for one in written).encode()
    store.storage.write(files.path("SHA256SUMS"), sums)
    written.append(_of_bytes("SHA256SUMS", sums))
    for name in set(files.listed()) - {str(one["name"]) for one in written}:
        store.storage.delete(files.path(name))
    with store.writer(store.path(task, 0, CARD), CARD_SCHEMA, fingerprint) as writer:
        writer.write(pa.Table.from_pylist(written, CARD_SCHEMA))


def _croissant(facts: CardFacts, figures: CardFigures, written: Sequence[Row]) -> str:
    about = {
        "name": facts.title,
        "description": f"Main texts of {figures.documents:,} {facts.origin}.",
        "licence": facts.licence_link or facts.licence,
        "version": facts.dump,
        "creator": facts.contact or facts.title,
        "languages": sorted(figures.languages),
        "dump": facts.dump,
        "is_of_common_crawl": not facts.source,
    }
    schema = corpus_schema(list(facts.scores), has_marks=bool(facts.marks))
    return croissant.croissant_file(about, written, schema, column_descriptions(facts))


def _of_bytes(name: str, data: bytes) -> Row:
    return {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def apply_removals(store: ColumnStore, task: str) -> list[Row]:
    """Take out of a published corpus what is listed now; card, checksums and log follow.

    Killed at any moment, it continues where it was when called again. The log of a file's pages is
    written before the file is, so a kill may leave an entry twice, never a page without one.

    Returns:
        The pages taken out: `file`, `id`, `kind`, `value`, `added`.

    Raises:
        ConfigError: nothing is published, or a list that was in force is gone: pages do not
            come back into a published file.
        DamagedError: a published file is not what was written. Nothing is changed then.
    """
    with lock_task(store, task):
        return _apply(store, task)


def _apply(store: ColumnStore, task: str) -> list[Row]:
    manifest = store.manifest(task)
    if manifest is None:
        raise ConfigError(f"{task} {store.dump} is not complete: export it first")
    names = list_names(store.storage)
    gone = [name for name in manifest[REMOVALS] if name not in names]
    if gone:
        raise ConfigError(
            f"the list {gone[0]} was in force when {store.dump} was exported and is gone: what it "
            "took out comes back only by exporting again, with --replace"
        )
    fingerprint = overlaid_by_removals(manifest["stamp"], names)
    _check_as_noted(store, task, manifest, fingerprint)
    removals, form = load_removals(store.storage, names), form_of(manifest[FORM])
    sums = CorpusFiles(store, task).path("SHA256SUMS")
    before = store.storage.sha256(sums)
    taken = [
        {"file": number, **one}
        for number in range(manifest["num_files"])
        for one in _rewritten(store, task, number, removals, form, fingerprint)
    ]
    rows = file_rows(store, task, manifest["num_files"])
    publish_card(store, task, CardFacts(**manifest[FACTS]), rows, fingerprint)
    store.write_manifest(task, {**manifest, **figures_of(rows), REMOVALS: list(names)})
    version = {"before": before, "after": store.storage.sha256(sums)}
    what = {"dump": store.dump, "lists": list(names), "taken": taken}
    about = {"stamp": manifest["stamp"], "version": version}
    note_in_audit_log(store.storage, "apply", {**what, **about})
    return taken


def _check_as_noted(
    store: ColumnStore, task: str, manifest: Mapping[str, Any], fingerprint: str
) -> None:
    """Raise DamagedError where a published file does not hold what was written.

    A file of a number whose note bears the lists of now was being replaced when an earlier call
    was killed: it holds either what the card before it lists, or what the note has.
    """
    storage, files = store.storage, CorpusFiles(store, task)
    before = store.read_table(store.path(task, 0, CARD)).to_pylist()
    listed = {str(row["name"]): str(row["sha256"]) for row in before}
    for number in range(manifest["num_files"]):
        path = store.path(task, number, FILES)
        (row,) = store.read_table(path).to_pylist()
        for one in row["written"]:
            digests = {one["sha256"]}
            if store.has(path, fingerprint):
                digests |= {listed.get(one["name"], "")}
            kept = files.path(one["name"])
            if not storage.exists(kept) or storage.sha256(kept) not in digests:
                raise DamagedError(
                    f"{storage.shown(kept)} is missing or damaged, so nothing is taken out of it: "
                    f"skord study verify --dump {store.dump} --repair makes it again"
                )


def figures_of(rows: Sequence[Row]) -> dict[str, Any]:
    """What the manifest has of the files."""
    figures = asdict(card_figures(rows))
    return {"num_files": len(rows), "figures": figures}


def _rewritten(
    store: ColumnStore,
    task: str,
    number: int,
    removals: Removals,
    form: CorpusForm,
    fingerprint: str,
) -> list[Row]:
    """Write one file again if it must be; returns the pages that it lost now.

    What is known of the file is noted before the file appears: were it the other way round, a
    kill between the two would lose the names of the pages that went.
    """
    files = CorpusFiles(store, task)
    (before,) = store.read_table(store.path(task, number, FILES)).to_pylist()
    pointers = files.path(files.names(number, form)["pointers"])
    if _is_as_noted(files, before) and not any(
        removals.match(*key) for key in _pointer_keys(store, pointers)
    ):
        write_row(store, task, before, fingerprint)
        return []
    with files.writing(number, files.rows(number, form), removals, form) as row:
        taken: list[Row] = row["removed"]
        known = {one["id"]: one for one in [*before["removed"], *taken]}
        row["removed"] = [known[page_id] for page_id in sorted(known)]
        if taken:
            pages = [{"file": number, **one} for one in taken]
            changes = [
                {
                    "name": one["name"],
                    "before": store.storage.sha256(files.path(one["name"])),
                    "after": one["sha256"],
                }
                for one in row["written"]
            ]
            what = {"dump": store.dump, "taken": pages, "files": changes}
            note_in_audit_log(store.storage, "take", what)
        write_row(store, task, {**row, "replaced": before["replaced"]}, fingerprint)
    return taken


def _is_as_noted(files: CorpusFiles, row: Row) -> bool:
    storage = files.store.storage
    return all(storage.sha256(files.path(one["name"])) == one["sha256"] for one in row["written"])


def removals_left(store: ColumnStore, task: str, removals: Removals) -> Iterator[tuple[str, str]]:
    """What should not be in the published files, by name of the file, and what it is.

    Every row of every file is looked at, texts by a digest taken anew, and every file is held
    against its checksum. A file that nobody listed is an offender, too.
    """
    manifest = store.manifest(task)
    if manifest is None:
        raise ConfigError(f"{task} {store.dump} is not complete: export it first")
    files, form = CorpusFiles(store, task), form_of(manifest[FORM])
    sums = store.storage.read(files.path("SHA256SUMS")).decode()
    wanted = {name: digest for digest, name in (line.split("  ") for line in sums.splitlines())}
    for name in files.listed():
        if name != "SHA256SUMS" and name not in wanted:
            yield name, "is not among the published files"
    for name, digest in wanted.items():
        if not store.storage.exists(files.path(name)):
            yield name, "is missing"
        elif store.storage.sha256(files.path(name)) != digest:
            yield name, "is not what SHA256SUMS lists"
    for number in range(manifest["num_files"]):
        for kind, name in files.names(number, form).items():
            for page_id, url, text in _READERS[kind](store, files.path(name)):
                match = removals.match(page_id, url, text)
                if match:
                    yield name, f"holds {page_id} ({match.kind} {match.value})"


Key = tuple[str, str, bytes]


def _data_keys(store: ColumnStore, path: str) -> Iterator[Key]:
    with store.open_parquet(path) as file:
        for group in range(file.num_row_groups):
            table = file.read_row_group(group, ["id", "url", "text"])
            for row in table.to_pylist():
                yield row["id"], row["url"], text_digest(row["text"])


def _pointer_keys(store: ColumnStore, path: str) -> Iterator[Key]:
    with store.open_parquet(path) as file:
        for group in range(file.num_row_groups):
            table = file.read_row_group(group, ["id", "url", "text_digest"])
            for row in table.to_pylist():
                yield unpacked_id(row["id"]), row["url"], row["text_digest"]


def _json_keys(store: ColumnStore, path: str) -> Iterator[Key]:
    with store.storage.stream(path) as stream, gzip.open(stream) as lines:
        for row in map(json.loads, lines):
            yield row["id"], row["url"], text_digest(row["text"])


_READERS = {"data": _data_keys, "pointers": _pointer_keys, "json": _json_keys}
