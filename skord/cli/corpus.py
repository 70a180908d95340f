"""From files of one's own to a corpus in one command: texts, a card, and what was left out, why."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from luigi.configuration import get_config

from pipeline.export import ExportCorpus
from skord.cli.console import noted_settings_in_force, own_command, print_line, run_tasks
from skord.cli.look.funnel import funnel_stages
from skord.cli.run import parse_task_words
from skord.core.config import open_storage
from skord.core.dumps import Source, SourceKind, keep_source, source, source_of
from skord.core.failures import ConfigError, DocumentError
from skord.core.preflight import check_settings
from skord.core.settings import Setting, settings_in_force
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage, whole_file
from skord.crawl.warc.records import read_response
from skord.html.charset.decode import in_utf8
from skord.html.page_author import page_author
from skord.publishing.card.dataset_card import CardFacts, Layout, dataset_card
from skord.publishing.card.figures import card_figures
from skord.publishing.files import CorpusFiles
from skord.publishing.manifest import FACTS, file_rows
from skord.quality.features import FEATURES
from skord.sources.files import ROWS_NAME, SourceFiles, files_of
from skord.sources.inputs import MADE_OF, WORK, Inputs, sort_inputs
from skord.sources.rows import RowReader

ASIDE = "work.before"
"""Where the data folder is while another one is made in its place."""

MEANING: Mapping[str, str] = {
    "too_short": "shorter than {min_chars} characters: --min-chars",
    "language": "in other languages than {languages}: --languages",
    "all_repeated": "nothing but paragraphs of other pages",
    "near_duplicate": "almost the same as another text, which is kept",
    "no_content": "without HTML or text",
    "no_address": "rows without an address",
    "not_utf8": "not in UTF-8",
    "not_json": "lines that cannot be read",
    "not_html": "records of other things than HTML",
    "not_a_response": "records that are no pages",
    "bad_gzip": "records that are damaged or cut off",
    "bad_length": "records that are damaged or cut off",
    "bad_warc": "records that are damaged or cut off",
    "bad_http": "records that hold no HTTP answer",
    "http_status": "answers that are no pages (redirects, errors)",
    "unreadable": "files that cannot be read",
    "upstream": "could not be converted",
}
"""What the reasons mean that are met most."""


def run(options: argparse.Namespace) -> int:
    """Make the corpus, or say that it is there."""
    words = parse_task_words("ExportCorpus", options.rest)
    if words.parameters:
        name = next(iter(words.parameters)).replace("_", "-")
        raise ConfigError(f"there is no option --{name}: skord corpus --help lists them")
    _check_options(options)
    out = options.out.absolute()
    columns = _columns(options)
    for path in (Path(one).absolute() for one in options.inputs):
        if path == out:
            raise ConfigError(f"--out {options.out} is what is read: name another folder")
        if out in path.parents:
            raise ConfigError(f"--out {options.out} holds what is read: name a folder of its own")
    inputs = sort_inputs(options.inputs, columns["html_column"], columns["text_column"], out)
    made_of = {"digest": inputs.digest, "columns": columns}
    before = _made_of(out)
    names = _dump_names(before.get("folder", out.name), list(inputs.paths))
    work = [("pipeline", "data_dir", str(out / WORK))]
    with settings_in_force(work), noted_settings_in_force():
        given = [*_settings(options, out, names), *words.settings]
        with settings_in_force(given):
            check_settings()
            is_other = before and {**made_of, "folder": before["folder"]} != before
            _check_folder(
                out, has_corpus=bool(before), is_other=bool(is_other), replace=options.replace
            )
            storage = open_storage()
            if is_other and not (out / ASIDE).exists():
                (out / WORK).rename(out / ASIDE)
            made_of["folder"] = before.get("folder", out.name)
            storage.write(MADE_OF, json.dumps(made_of).encode())
            is_made = False
            try:
                is_made = _make(options, out, inputs, names, columns)
            finally:
                if is_other and not is_made:
                    Storage(str(out)).delete_folder(WORK)
                    (out / ASIDE).rename(out / WORK)
            Storage(str(out)).delete_folder(ASIDE)
    return 0 if is_made else 1


def _made_of(out: Path) -> dict[str, Any]:
    """What is noted of the inputs of a corpus; nothing where there is none."""
    path = out / WORK / MADE_OF
    noted: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return noted


def _make(
    options: argparse.Namespace,
    out: Path,
    inputs: Inputs,
    names: Mapping[str, str],
    columns: Mapping[str, Any],
) -> bool:
    """Run the graph, write texts and card, and say what there is; returns whether all went well."""
    for kind, name in names.items():
        given = {**columns, "path": inputs.paths[kind], "kind": kind}
        keep_source(name, Source(**given), open_storage())
    tasks = [ExportCorpus(dump=one, replace=options.replace) for one in names.values()]
    if not run_tasks(tasks, steps=options.verbose):
        return False
    _write(tasks, options.format, out)
    if not _print_end(tasks, inputs, options.format, out):
        raise ConfigError("no text is left: the reasons stand above")
    return True


def _check_options(options: argparse.Namespace) -> None:
    """Raise ConfigError for an option that cannot be meant."""
    if ":/" in str(options.out):
        raise ConfigError(f"--out {options.out}: name a folder on this machine, and copy it after")
    if not all(options.inputs):
        raise ConfigError("an INPUT is empty: name a file or a folder")
    if options.base_url and not re.match("https?://", options.base_url):
        raise ConfigError(
            f"--base-url {options.base_url}: an address begins with http:// or https://"
        )
    if options.data_dir:
        raise ConfigError(f"--data-dir: the columns are kept in {options.out / WORK}: leave it out")
    if options.languages is not None and not options.languages.strip(" ,"):
        raise ConfigError(
            "--languages names none: give codes such as et,pl, or leave it out for all"
        )
    if options.min_chars is not None and options.min_chars < 0:
        raise ConfigError(f"--min-chars {options.min_chars}: give 0 or more")


def _columns(options: argparse.Namespace) -> dict[str, str]:
    """What a `Source` has besides path and kind: the options, else section [source]."""
    section = source()
    values = {field.name: getattr(section, field.name) for field in fields(Source)}
    given = {name: value for name, value in vars(options).items() if name in values and value}
    return {**values, **given}


def _dump_names(folder: str, kinds: Sequence[str]) -> dict[str, str]:
    """Kind to the name of its files, after the folder's.

    >>> _dump_names("my corpus", ["pages"]), _dump_names("2024", ["pages", "texts"])
    ({'pages': 'my-corpus'}, {'pages': 'corpus-2024-pages', 'texts': 'corpus-2024-texts'})
    """
    word = re.sub(r"[^A-Za-z0-9]+", "-", folder).strip("-")[:40]
    word = word if re.match("[A-Za-z]", word) else f"corpus-{word}".rstrip("-")
    return {kind: word if len(kinds) == 1 else f"{word}-{kind}" for kind in kinds}


READING = ("DownloadWET", "FetchHTMLDocuments", "ConvertToMarkdown", "ProcessMarkdown")
"""Tasks that no share of failures stops, which would be one record of ten: all are listed."""


def _settings(
    options: argparse.Namespace, out: Path, names: Mapping[str, str]
) -> Iterator[Setting]:
    config = get_config()
    if options.languages:
        yield "CCNet", "languages", options.languages
    elif not config.has_option("CCNet", "languages"):
        yield "CCNet", "languages", "all"
    if options.min_chars is not None:
        yield "HashParagraphs", "min_chars", str(options.min_chars)
    if len(names) > 1:
        yield "Deduplicate", "dumps", ",".join(names.values())
    for task in READING:
        if not config.has_option(task, "max_failure_share"):
            yield task, "max_failure_share", "1"
    if not config.has_option("ExportCorpus", "title"):
        yield "ExportCorpus", "title", out.name
    if not config.has_option("executor", "log_dir"):
        yield "executor", "log_dir", str(out / WORK / "logs")


def _check_folder(out: Path, *, has_corpus: bool, is_other: bool, replace: bool) -> None:
    """Refuse a folder of other things, and a corpus of other files unless it may go."""
    if out.exists() and not out.is_dir():
        raise ConfigError(f"--out {out} is a file: name a folder")
    if not has_corpus:
        others = sorted(path.name for path in out.iterdir()) if out.is_dir() else []
        if others and others != [WORK]:
            raise ConfigError(
                f"--out {out} holds {others[0]}, which no corpus is made of: name a new folder"
            )
        return
    if not is_other:
        return
    if not replace and any(out.glob(f"{WORK}/*/*/_manifest.json")):
        raise ConfigError(
            f"{out} is made of other files than these, or of these before they changed: name a new "
            "folder with --out, or give --replace, which makes it again from these"
        )
    if replace:
        print_line(
            f"--replace: the texts, the card and {WORK}/ in {out} go once they are made again from "
            "these files as they are now"
        )


# -- the end ------------------------------------------------------------------------------


def _write(tasks: Sequence[ExportCorpus], form: str, out: Path) -> None:
    stores, family = [task.store for task in tasks], str(ExportCorpus.__name__)
    there = [one for one in (PARQUET, JSON_LINES) if (out / f"texts.{one}").exists()]
    for one in dict.fromkeys([*there, form]):
        write_texts(stores, family, out, one)
    card = texts_card(stores, family, f"texts.{form}", str(tasks[0].title))
    (out / "README.md").write_text(card, "utf-8")


def _print_end(tasks: Sequence[ExportCorpus], inputs: Inputs, form: str, out: Path) -> int:
    """Say what there is and what is not; returns how many texts there are."""
    languages: Counter[str] = Counter()
    for task in tasks:
        figures = (task.store.manifest(task.task_family) or {})["figures"]
        languages.update({code: n for code, (n, _) in figures["languages"].items()})
    ranked = sorted(languages.items(), key=lambda pair: (-pair[1], pair[0]))
    counted = ", ".join(f"{code} {n:,}" for code, n in ranked) or "none"
    total = languages.total()
    place = out if not out.is_relative_to(Path.cwd()) else out.relative_to(Path.cwd())
    print(f"{place / f'texts.{form}'}: {total:,} text{'s' * (total != 1)} ({counted})")
    print(f"{place / 'README.md'}: the dataset card")
    for line in left_out_lines(tasks, inputs):
        print(line)
    print_line(f"next: {own_command()} why --text 'WORDS OF A PAGE' --data-dir {place / WORK}")
    return languages.total()


def left_out_lines(tasks: Sequence[ExportCorpus], inputs: Inputs) -> Iterator[str]:
    """What is not in the corpus, each reason with its number and what it means."""
    counts = Counter({why: len(names) for why, names in inputs.left_out.items()})
    for task in tasks:
        for stage in funnel_stages(task.store):
            counts.update(stage.lost)
        read = (task.store.manifest("DownloadWET") or {})["counts"]
        for name, number in read.items():
            kind, _, why = name.partition(".")
            counts.update({why: number} if kind in ("passed_over", "bad_record", "failure") else {})
    if not counts:
        return
    config = get_config()
    settings = {
        "min_chars": config.get("HashParagraphs", "min_chars", "300"),
        "languages": config.get("CCNet", "languages", ""),
    }
    yield "left out:"
    for why, number in counts.most_common():
        names = [*inputs.left_out.get(why, ())]
        named = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
        meaning = named or _meaning(why).format(**settings)
        yield f"  {number:>7,}  {why}{f' ({meaning})' if meaning else ''}"


def _meaning(why: str) -> str:
    """What a reason means; "" for one that is clear."""
    if set(why.split("+")) <= {feature.name for feature in FEATURES}:
        return "measures outside of their limits: skord study features; --FilterDocuments-limits"
    return MEANING.get(why, "")


# -- texts and card -----------------------------------------------------------------------

TEXTS_SCHEMA = pa.schema(
    [
        ("text", pa.string()),
        ("title", pa.string()),
        ("date", pa.string()),
        ("author", pa.string()),
        ("language", pa.string()),
        ("url", pa.string()),
        ("source_file", pa.string()),
        ("id", pa.string()),
    ]
)

COLUMNS: Mapping[str, str] = {
    "text": "main text, in Markdown; a text of one's own as it is",
    "title": "that the page gives itself, or the table it is from",
    "date": "day of publication that the page states, such as 2024-03-01",
    "author": "who wrote it, by the page or the table it is from",
    "language": "code of the text's language",
    "url": "address of the page; null for a file without one",
    "source_file": "the file that it is from",
    "id": "of the page in the data folder, where `skord why` finds it",
}
"""What each column holds; null where nothing is known."""

GIVEN = ("title", "author")
"""Columns of a table that are taken over where nothing else has them."""

PARQUET, JSON_LINES = "parquet", "jsonl"


def write_texts(stores: Sequence[ColumnStore], task: str, folder: Path, form: str) -> None:
    """Write the published rows of some dumps to a file in a folder, whole or not at all."""
    tables = (table for store in stores for table in _tables(store, task))
    with whole_file(folder / f"texts.{form}") as partial:
        if form == PARQUET:
            with pq.ParquetWriter(partial, TEXTS_SCHEMA, compression="zstd") as writer:
                for table in tables:
                    writer.write_table(table)
        else:
            with partial.open("w", encoding="utf-8") as file:
                for row in (row for table in tables for row in table.to_pylist()):
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _tables(store: ColumnStore, task: str) -> Iterator[pa.Table]:
    """The rows as published, those of a row group at a time."""
    source = source_of(store.dump, store.storage)
    files = CorpusFiles(store, task)
    authors = {} if source.is_text else _authors(store, task)
    files_read = files_of(source)
    for name in sorted(name for name in files.listed() if name.startswith("data/")):
        with store.open_parquet(files.path(name)) as data:
            for group in range(data.num_row_groups):
                table = data.read_row_group(group)
                ids, urls = table["id"].to_pylist(), table["url"].to_pylist()
                made_up = "" if source.kind == SourceKind.WARC else source.base_url
                places = [table[one].to_pylist() for one in ("warc_file", "offset")]
                given = list(_given_values(files_read, zip(*places, strict=True)))
                titles = zip(table["title"].to_pylist(), given, strict=True)
                columns = {
                    **{one: table[one] for one in ("text", "date", "language", "id")},
                    "title": [title or row.get("title") for title, row in titles],
                    "author": [
                        authors.get(one) or row.get("author")
                        for one, row in zip(ids, given, strict=True)
                    ],
                    "url": [None if made_up and u.startswith(made_up) else u for u in urls],
                    "source_file": table["warc_file"],
                }
                yield pa.table([columns[one] for one in TEXTS_SCHEMA.names], TEXTS_SCHEMA)


def _given_values(
    files: SourceFiles, places: Iterable[tuple[str, int]]
) -> Iterator[Mapping[str, str]]:
    """Title and author in the rows of tables; nothing for other files."""
    with ExitStack() as stack:
        held: tuple[str, RowReader] | None = None
        for name, offset in places:
            if not ROWS_NAME.search(name):
                yield {}
                continue
            if held is None or held[0] != name:
                stack.close()
                file = stack.enter_context(files.open(name))
                held = name, RowReader(file, name, list(GIVEN))
            row = held[1].at(offset)
            yield {one: str(row[one]) for one in GIVEN if row.get(one)}


def _authors(store: ColumnStore, task: str) -> dict[str, str]:
    """Id to author, for the documents in the corpus whose pages name one."""
    found: dict[str, str] = {}
    wanted = {task: ["in_corpus"], "FetchHTMLDocuments": ["record"]}
    for shard in sorted(store.numbers(task)):
        for _, batch in store.side_by_side(shard, wanted):
            chosen = batch.filter(batch[f"{task}.in_corpus"])
            records = chosen["FetchHTMLDocuments.record"].to_pylist()
            for page_id, record in zip(chosen["id"].to_pylist(), records, strict=True):
                if author := _author_of(record):
                    found[page_id] = author
    return found


def _author_of(record: bytes) -> str | None:
    try:
        response = read_response(record)
        return page_author(in_utf8(response.body, response.content_type).page)
    except DocumentError:
        return None


def texts_card(stores: Sequence[ColumnStore], task: str, name: str, title: str) -> str:
    """The dataset card of `write_texts`' file."""
    manifests = [store.manifest(task) or {} for store in stores]
    facts = [CardFacts(**manifest[FACTS]) for manifest in manifests]
    rows = [
        row
        for store, manifest in zip(stores, manifests, strict=True)
        for row in file_rows(store, task, manifest["num_files"])
    ]
    kinds = {fact.source for fact in facts}
    shown = next((fact for fact in facts if fact.source != SourceKind.TEXTS), facts[0])
    whole = replace(
        shown,
        title=title,
        dump=title,
        source=shown.source if len(kinds) == 1 else str(SourceKind.PAGES),
        stages=_summed([fact.stages for fact in facts]),
        left_out=_added([fact.left_out for fact in facts]),
    )
    return dataset_card(whole, card_figures(rows), Layout(name, COLUMNS, has_pointers=False))


def _summed(parts: Sequence[Any]) -> list[Any]:
    return [
        (same[0][0], sum(one[1] for one in same), _added([one[2] for one in same]))
        for same in zip(*parts, strict=True)
    ]


def _added(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    names = sorted({name for one in counts for name in one})
    return {name: sum(one.get(name, 0) for one in counts) for name in names}
