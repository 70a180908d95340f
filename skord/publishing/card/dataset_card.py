"""What the manifests of all tasks say, in the form that a dataset card shows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skord.extras import declared
from skord.publishing.card.method import (
    Models,
    Settings,
    language_identifiers,
    method_paragraphs,
)

Manifest = Mapping[str, Any]

Stage = tuple[str, int, Mapping[str, int]]
"""A task, the documents that left it, and how many it lost, why."""


def funnel_of_manifests(manifests: Mapping[str, Manifest]) -> list[Stage]:
    """Documents through the tasks, in the order of the manifests.

    >>> funnel_of_manifests({"WARCIndex": {"counts": {"judged": 9, "failure.not_in_index": 1}}})
    [('WARCIndex', 8, {'not_in_index': 1})]
    """
    return [_stage(task, manifest) for task, manifest in manifests.items()]


def _stage(task: str, manifest: Manifest) -> Stage:
    counts: Mapping[str, int] = manifest["counts"]
    failures = _named(counts, "failure.")
    if task == "CCNet":
        return task, int(manifest["rows"]), _named(counts, "refused.")
    if task == "FilterDocuments":
        return task, counts.get("passes", 0), {**failures, **_named(counts, "filter.")}
    if task == "Deduplicate":
        removed = counts.get("removed", 0)
        lost = {**failures, "near_duplicate": removed} if removed else failures
        return task, counts.get("kept", 0), lost
    return task, counts.get("judged", 0) - sum(failures.values()), failures


def _named(counts: Mapping[str, int], prefix: str) -> dict[str, int]:
    return {k.removeprefix(prefix): n for k, n in counts.items() if k.startswith(prefix) and n}


def settings_shown(settings: Mapping[str, str]) -> dict[str, str]:
    """Settings fit to be published: what is empty is left out, and of a path the folders are.

    >>> settings_shown({"dump": "2024-10", "rule": "any", "limits": "{}",
    ...                 "lid_model_path": "models/lid.bin"})
    {'rule': 'any', 'lid_model_path': 'lid.bin'}
    """
    shown = {
        name: value.rsplit("/", 1)[-1] if name.endswith(("_path", "_models", "_files")) else value
        for name, value in settings.items()
        if name != "dump" and value not in ("", "{}", "[]", "()")
    }
    return {name: " ".join(value.split()) for name, value in shown.items()}


_SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000)
_SIZE_NAMES = ("1K", "10K", "100K", "1M", "10M", "100M", "1B")

_COLUMNS = {
    "id": "WARC-Record-ID of the page's response in the crawl",
    "url": "address of the page",
    "warc_file": "file of the crawl that holds the record",
    "offset": "place of the record in that file, in bytes",
    "length": "bytes of the record, one gzip member",
    "warc_date": "when the page was crawled",
    "title": "of the page",
    "date": "day of publication that the page states",
    "language": "of the text",
    "text": "main text, in Markdown",
    "bucket": "head, middle or tail by perplexity; all where no model judges the language",
}

_STAND_INS = {
    "emails": "e-mail addresses: email@example.com",
    "ip_addresses": "public IP addresses: 192.0.2.1, 2001:db8::1",
    "phone_numbers": "telephone numbers: +00 00 000 00 00",
    "personal_numbers": "personal identity numbers: 000000-0000",
    "ibans": "numbers of accounts (IBAN): XX00 0000 0000 0000 0000",
    "payment_cards": "numbers of payment cards: 0000 0000 0000 0000",
}


@dataclass(frozen=True)
class CardPart:
    """The sentences of a card on a task of an extra, where ExportCorpus reads that task.

    Attributes:
        fact: attribute of `CardFacts` that holds the values.
        values: the task and the ExportCorpus task to the values, which go into JSON; empty where
            there is nothing to say.
    """

    task: str
    fact: str
    values: Callable[[Any, Any], Mapping[str, Any]]
    sentences: Callable[[Mapping[str, Any]], Iterator[str]]


@dataclass(frozen=True)
class CardFacts:
    """The facts of a card that do not depend on removals.

    Attributes:
        dump: of the crawl, such as "2024-10".
        scores: name to what is measured.
        limits: name to lowest and highest accepted value; None where there is no such limit.
        kinds: what stand-ins were put in for.
        stages: task to rows that reached it and what was lost there.
        models: of every task: names of models with digests, versions of programs.
        source: kind of the files that the pages are from; empty for Common Crawl.
        reservations: `deciding` patterns, `pages` of the dump by source of a reservation, and
            how many were `left_out`; empty where none decide.
        passages: `treatment` of repeated ones (later, all) and `tokens` of the shortest; empty
            where they are kept.
        marks: kinds of personal data that the column `personal_data` marks.
        evaluation_sets: set to its items, where a limit on what texts hold of them decides.
        left_out: documents that the export itself left out, by reason.
    """

    dump: str
    title: str
    licence: str
    licence_link: str
    contact: str
    scores: Mapping[str, str]
    limits: Mapping[str, Sequence[float | None]]
    kinds: Sequence[str]
    stages: Sequence[tuple[str, int, Mapping[str, int]]]
    settings: Settings = field(default_factory=dict)
    stamps: Mapping[str, str] = field(default_factory=dict)
    models: Models = field(default_factory=dict)
    version: str = ""
    source: str = ""
    reservations: Mapping[str, Any] = field(default_factory=dict)
    passages: Mapping[str, Any] = field(default_factory=dict)
    marks: Sequence[str] = ()
    evaluation_sets: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """Where the pages are from, in words."""
        return describe_origin(self.source, self.dump)


def describe_origin(source: str, dump: str) -> str:
    """Where pages are from, in words.

    >>> describe_origin("", "2024-10"), describe_origin("warc", "mine")
    ("web pages out of Common Crawl's dump 2024-10", 'web pages out of the WARC files of mine')
    """
    kinds = {
        "warc": f"web pages out of the WARC files of {dump}",
        "pages": f"web pages out of the files of {dump}",
        "texts": f"texts of {dump}",
    }
    return kinds.get(source, f"web pages out of Common Crawl's dump {dump}")


@dataclass(frozen=True)
class CardFigures:
    """What is in the files.

    Attributes:
        languages: code to documents and characters.
        replaced: kind of stand-in to how many, pages counted that were removed since.
        removed: kind of entry to documents.
        has_json: whether the rows are there as JSON lines, too.
    """

    files: int
    text_bytes: int
    packed_bytes: int
    languages: Mapping[str, tuple[int, int]]
    replaced: Mapping[str, int]
    removed: Mapping[str, int]
    has_json: bool

    @property
    def documents(self) -> int:
        """Of all languages."""
        return sum(documents for documents, _ in self.languages.values())


def size_category(documents: int) -> str:
    """The hub's word for a size.

    >>> size_category(124), size_category(12_000_000)
    ('n<1K', '10M<n<100M')
    """
    above = [name for name, size in zip(_SIZE_NAMES, _SIZES, strict=True) if documents >= size]
    if not above:
        return "n<1K"
    at = len(above)
    return f"{above[-1]}<n<{_SIZE_NAMES[at]}" if at < len(_SIZE_NAMES) else "n>1B"


@dataclass(frozen=True)
class Layout:
    """Which files lie beside a card.

    Attributes:
        columns: of these, to what they say; None: as ExportCorpus writes them.
        has_pointers: whether pointers and checksums are there, too.
    """

    data_files: str = "data/*.parquet"
    columns: Mapping[str, str] | None = None
    has_pointers: bool = True


def dataset_card(facts: CardFacts, figures: CardFigures, layout: Layout | None = None) -> str:
    """The whole card, README.md of the exported folder."""
    layout = layout or Layout()
    columns = column_descriptions(facts) if layout.columns is None else layout.columns
    parts = [
        *_header(facts, figures, layout),
        f"# {facts.title}",
        f"{'Texts' if facts.source == 'texts' else 'Main texts'} of {figures.documents:,} "
        f"{facts.origin}, "
        f"{figures.text_bytes:,} bytes of text"
        + (f" in {figures.files:,} files" if layout.has_pointers else "")
        + ". Made by Skörd"
        + (f" {facts.version}." if facts.version else "."),
        _use(figures, layout),
        "## Figures",
        _table(("language", "documents", "characters"), _language_rows(figures)),
        _table(("task", "documents", "left out there"), _stage_rows(facts, figures)),
        "## Columns",
        _table(("column", "what it says"), list(columns.items())),
        "## Method",
        *method_paragraphs(facts.settings, facts.models, facts.source),
        _table(("measure", "lowest", "highest"), [(n, *v) for n, v in facts.limits.items()]),
        *_found_by_extras(facts),
        *_reservations(facts),
        *_people(facts, figures),
        *_risks(),
        *_licence(facts),
        "## Making it again",
        _again(facts, layout),
    ]
    return "\n\n".join(parts) + "\n"


def column_descriptions(facts: CardFacts) -> dict[str, str]:
    """Column to what it holds, the language with what named it."""
    task = "FilterDocuments"
    named = language_identifiers(facts.settings.get(task, {}), facts.models.get(task, ()))
    by_store = {**_COLUMNS, "language": f"of the text, by {named}"}
    kinds = ", ".join(facts.marks)
    marks = {"personal_data": f"where the text holds {kinds}: half-open ranges of characters"}
    return {**by_store, **dict(sorted(facts.scores.items())), **(marks if facts.marks else {})}


def _header(facts: CardFacts, figures: CardFigures, layout: Layout) -> Iterator[str]:
    languages = [f"- {json.dumps(code)}" for code in sorted(figures.languages)]
    yield "\n".join(
        [
            "---",
            f"pretty_name: {json.dumps(facts.title, ensure_ascii=False)}",
            *(["language:", *languages] if languages else []),
            f"license: {json.dumps(facts.licence)}",
            *([f"license_link: {link}"] if (link := _licence_link(facts)) else []),
            *(["license_name: as-stated-below"] if facts.licence == "other" else []),
            "task_categories:\n- text-generation",
            "task_ids:\n- language-modeling",
            "annotations_creators:\n- no-annotation",
            "language_creators:\n- found",
            f"multilinguality:\n- {'multilingual' if len(languages) > 1 else 'monolingual'}",
            "source_datasets:\n- original",
            "tags:\n- web" + ("" if facts.source else "\n- common-crawl"),
            f"size_categories:\n- {size_category(figures.documents)}",
            f"configs:\n- config_name: default\n  data_files: {layout.data_files}",
            "dataset_info:\n  splits:\n  - name: train\n"
            f"    num_bytes: {figures.text_bytes}\n    num_examples: {figures.documents}\n"
            + (f"  download_size: {figures.packed_bytes}\n" if layout.has_pointers else "")
            + f"  dataset_size: {figures.text_bytes}",
            "---",
        ]
    )


def _use(figures: CardFigures, layout: Layout) -> str:
    files = layout.data_files
    form = "parquet" if files.endswith(".parquet") else "json"
    lines = [
        "```python",
        f'datasets.load_dataset("{form}", data_files="{files}", streaming=True)',
        f"duckdb.sql(\"SELECT language, count(*) FROM '{files}' GROUP BY language\")",
        "```",
    ]
    if not layout.has_pointers:
        return "\n".join(lines)
    more = (
        ' The same rows as JSON lines: `load_dataset("json", data_files="json/*.jsonl.gz")`.'
        if figures.has_json
        else ""
    )
    return "\n".join(lines) + (
        f"\n\n`sha256sum -c SHA256SUMS` proves that all files are whole.{more}"
    )


def _language_rows(figures: CardFigures) -> Iterator[tuple[str, str, str]]:
    ranked = sorted(figures.languages.items(), key=lambda item: (-item[1][1], item[0]))
    for code, (documents, characters) in ranked:
        yield code, f"{documents:,}", f"{characters:,}"


def _stage_rows(facts: CardFacts, figures: CardFigures) -> Iterator[tuple[str, str, str]]:
    for task, documents, lost in facts.stages:
        yield task, f"{documents:,}", _listed(lost)
    if facts.left_out:
        here = facts.stages[-1][1] - sum(facts.left_out.values())
        yield "ExportCorpus", f"{here:,}", _listed(facts.left_out)
    yield "removals", f"{figures.documents:,}", _listed(figures.removed)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in sorted(counts.items())) or "-"


def _found_by_extras(facts: CardFacts) -> Iterator[str]:
    """What tasks of extras decided or changed; nothing where none did."""
    for part in declared(CardPart):
        if values := getattr(facts, part.fact):
            yield from part.sentences(values)


def _reservations(facts: CardFacts) -> Iterator[str]:
    """What owners reserve, and what came of it; nothing where no reservation decides."""
    if not facts.reservations:
        return
    found = facts.reservations
    yield "## Reservations of rights"
    deciding = ", ".join(f"`{one}`" for one in found["deciding"])
    yield (
        f"These reservations decide: {deciding}; {found['left_out']:,} pages that would be here "
        "were left out by them. "
        + (
            "Pages of the dump with a reservation of each kind, whether it decides or not (a page "
            "can have several):"
            if found["pages"]
            else "No page of the dump has a reservation of any kind."
        )
    )
    if found["pages"]:
        yield _table(("signal", "pages"), [(n, f"{k:,}") for n, k in found["pages"].items()])


def _people(facts: CardFacts, figures: CardFigures) -> Iterator[str]:
    yield "## Personal data"
    rows = [
        f"- {_STAND_INS[kind]} ({figures.replaced.get(kind, 0):,} times)" for kind in facts.kinds
    ]
    yield "In the place of these stand:\n\n" + "\n".join(rows) if rows else "Nothing was replaced."
    if facts.marks:
        yield "Marked in `personal_data` and left as they are: " + ", ".join(facts.marks) + "."
    yield (
        f"Taken out by request so far: {_listed(figures.removed)}. "
        "Names and other facts about people are in the texts as they were on the web. To have "
        f"pages removed, write to {facts.contact or 'whoever published this copy'}, with their "
        "addresses or ids."
    )


def _risks() -> Iterator[str]:
    yield "## Bias, risks and limitations"
    yield (
        "Web pages are written by some people more than by others, and crawled where links lead. "
        "The texts hold errors, advertising, opinions and prejudice as the web does; a classifier "
        "chose their lines, and errs. Nobody has read them all."
    )


def _licence_link(facts: CardFacts) -> str:
    """Where the licence is read; Common Crawl's terms are not those of one's own files."""
    is_of_another = facts.source and "commoncrawl.org" in facts.licence_link
    return "" if is_of_another else facts.licence_link


def _licence(facts: CardFacts) -> Iterator[str]:
    yield "## Licence"
    where = f" ({link})" if (link := _licence_link(facts)) else ""
    named = "as stated here" if facts.licence == "other" else facts.licence
    yield (
        f"Of the collection: {named}{where}. The texts belong to their authors."
        + (
            ""
            if facts.source
            else " They came by way of Common Crawl, whose terms of use "
            "(https://commoncrawl.org/terms-of-use) hold."
        )
    )


def _again(facts: CardFacts, layout: Layout) -> str:
    tasks = dict.fromkeys([*(task for task, _, _ in facts.stages), *facts.stamps])
    settings = {task: sorted(facts.settings.get(task, {}).items()) for task in tasks}
    rows = [
        (
            task,
            facts.stamps.get(task, ""),
            ", ".join(facts.models.get(task, ())),
            ", ".join(f"{name} = {value}" for name, value in pairs),
        )
        for task, pairs in settings.items()
    ]
    table = _table(("task", "fingerprint", "models and programs", "settings"), rows)
    if not layout.has_pointers:
        return table
    return (
        (
            "`pointers/` says for every text at which place of which file it is, and which lines."
            if facts.source
            else "`pointers/` says for every text in which record of the crawl it is, and which "
            "lines; `skord publish rebuild pointers --out texts` makes them again from there."
        )
        + "\n\n"
        + table
    )


def _table(header: Sequence[str], rows: Any) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(value) for value in line) + " |" for line in lines)


def _cell(value: object) -> str:
    shown = f"{value:g}" if isinstance(value, float) else "-" if value is None else str(value)
    return shown.replace("|", "\\|").replace("\n", " ")
