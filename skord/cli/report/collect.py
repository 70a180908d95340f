"""Read the tables of a dump once, row group by row group, and make its figures."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.cc_net import CCNet
from skord.cli.declarations import ReportPart
from skord.cli.look.features import limits_in_force
from skord.cli.look.funnel import (
    END_COLUMNS,
    NEAR_DUPLICATE,
    Stage,
    funnel_stages,
    reasons_to_end,
)
from skord.cli.look.why import BESIDE
from skord.cli.report.figures import (
    FeatureFigure,
    Figures,
    Headline,
    finite_limit,
    histogram,
    span_hull,
    value_span,
)
from skord.cli.report.samples import Candidate, Heap, Place, page_texts, read_samples
from skord.core.odd_yields import odd_yields
from skord.core.registry import task_classes
from skord.core.run_log import noted_runs, runs_path
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.shared_columns import ID
from skord.extras import declared
from skord.quality.features import FEATURES, Label, features_of_extras

REASONS = 40
"""Reasons that pages are shown for, the most frequent first."""

SAMPLES = 20
"""Pages to read, kept and for each reason."""

COUNTED = 100
"""Kept documents of a language whose tokens are counted."""

TOP = 20
"""Domains and repeated lines that are listed."""

PARAGRAPH_CHARACTERS = 30
"""Shorter lines repeat without meaning anything."""

READ: Mapping[str, Sequence[str]] = {
    "CCNet": ["language", "perplexity", "source_domain", "warc_date"],
    "WARCIndex": ["failure"],
    "FetchHTMLDocuments": ["failure"],
    "ConvertToMarkdown": ["server_date", "failure"],
    "ProcessMarkdown": ["text", "kept_lines", "line_probabilities", "failure"],
    "FilterDocuments": [
        "language",
        *(feature.name for feature in FEATURES),
        "passes_all_quality_filters",
        "failed_filters",
        "failure",
    ],
    "Deduplicate": ["dedup_keep", "duplicate_of", "cluster_size", "failure"],
}


LABELS = (*(one.name for one in declared(Label) if one.is_counted), "reservations")
"""Columns of labels that are counted wherever a finished task has them."""

NO_LABEL, NOT_LABELLED = "none", "not labelled"


@dataclass
class Gathered:
    """What is added up while the tables are read."""

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


def collect_figures(store: ColumnStore, max_shards: int, log_dir: Path) -> Figures:
    """The figures of one dump.

    No more than `max_shards` are read, evenly spaced.

    Where not all tasks up to Deduplicate are complete, those of the tasks that are, and of extras.

    Raises:
        ConfigError: a task up to Deduplicate is not complete, and there is nothing of an extra.
    """
    parts = {part.name: part.gather(store, ()) for part in declared(ReportPart)}
    if any(parts.values()) and not all(map(store.manifest, READ)):
        return _figures_of_extras(store)
    for task in reversed(list(READ)):  # the error names the last, whose upstream is made with it
        store.complete_manifest(task)
    total = int((store.manifest("CCNet") or {})["num_shards"])
    number = min(total, max_shards)
    shards = [n * total // number for n in range(number)]
    gathered, on_request = Gathered(), _columns_on_request(store)
    for shard in shards:
        for group, batch in store.side_by_side(shard, {**READ, **on_request}):
            _gather(batch, Place(shard, group), gathered)
    figures = Figures(store.dump, number, total)
    figures.stages = [_plain(stage) for stage in funnel_stages(store, shards)]
    _fill(figures, gathered, limits_in_force(store.dump))
    _fill_limits(figures, store.dump)
    manifests = {task: store.manifest(task) or {} for task in READ}
    figures.settings = {task: dict(made["settings"]) for task, made in manifests.items()}
    tokens = _tokens(store, gathered)
    made = _ended(log_dir, store.dump)
    figures.headline = _headline(figures.stages, gathered, manifests["Deduplicate"], tokens, made)
    figures.alarms = [*_odd_yields(store), *_removal_alarms(store)]
    figures.beside = _beside(store)
    figures.parts = {part.name: part.gather(store, shards) for part in declared(ReportPart)}
    candidates = {reason: gathered.heaps[reason].chosen() for reason, _ in _shown(gathered.reasons)}
    figures.samples = read_samples(store, candidates)
    return figures


def _figures_of_extras(store: ColumnStore) -> Figures:
    """What there is of a dump without a corpus of its own: the tasks that are complete, and extras."""
    total = int(store.complete_manifest("CCNet")["num_shards"])
    figures = Figures(store.dump, total, total)
    figures.stages = [_plain(stage) for stage in funnel_stages(store)]
    manifests = {task: store.manifest(task) for task in task_classes()}
    figures.settings = {task: dict(made["settings"]) for task, made in manifests.items() if made}
    figures.alarms = _odd_yields(store)
    figures.beside = _beside(store)
    figures.parts = {part.name: part.gather(store, range(total)) for part in declared(ReportPart)}
    return figures


def _columns_on_request(store: ColumnStore) -> dict[str, list[str]]:
    """Tasks that share the index of documents, to their columns of labels and measures."""
    shown = {*LABELS, *(feature.name for feature in features_of_extras())}
    index = store.footer(store.path("CCNet", 0))
    columns = {}
    for task in sorted(store.storage.names("")):
        if task.startswith("_") or task in READ or not store.manifest(task):
            continue
        footer = store.footer(store.path(task, 0))
        if footer and index and footer.ids == index.ids:
            with store.open_parquet(store.path(task, 0)) as file:
                names = [name for name in file.schema_arrow.names if name in shown]
            if names:
                columns[task] = names
    return columns


def _tokens(store: ColumnStore, got: Gathered) -> dict[str, int]:
    """Tokens of the kept documents of each language, estimated from some of them."""
    models = CCNet(dump=store.dump).perplexity_models()
    by_language = {}
    for language, heap in sorted(got.for_tokens.items()):
        texts = [page.text for page in page_texts(store, heap.chosen()).values()]
        tokens = models.count_tokens(language, texts) if models else None
        counted = sum(map(len, texts))
        if tokens is not None and counted:
            by_language[language] = round(tokens * got.characters[language] / counted)
    return by_language


def _ended(log_dir: Path, dump: str) -> str:
    """The day on which Deduplicate's last run ended, if its log is there."""
    runs = list(noted_runs(runs_path(log_dir, "Deduplicate", dump)))
    return runs[-1].ended[:10] if runs else ""


def _headline(
    stages: Sequence[Mapping[str, Any]],
    got: Gathered,
    manifest: Mapping[str, Any],
    tokens: dict[str, int],
    made: str,
) -> Headline:
    last = next(stage for stage in stages if stage["task"] == "Deduplicate")["documents_out"]
    return Headline(
        pages=stages[0]["documents_in"].get("all", 0),
        documents=last.get("all", 0),
        words=got.words,
        text_bytes=got.text_bytes,
        hosts=len(got.hosts),
        languages=dict(got.languages.most_common()),
        tokens=tokens,
        token_documents=sum(len(got.for_tokens[language].entries) for language in tokens),
        crawled=(min(got.days, default=""), max(got.days, default="")),
        made=made,
        version=version("skord"),
        fingerprint=str(manifest["stamp"]),
    )


def _fill_limits(figures: Figures, dump: str) -> None:
    """The limits between CCNet's buckets, as its models say them."""
    models = CCNet(dump=dump).perplexity_models()
    for language, perplexities in figures.perplexities.items():
        perplexities["limits"] = list((models and models.limits_of(language)) or ())


def _beside(store: ColumnStore) -> dict[str, dict[str, int]]:
    """What tasks on request that describe pages counted, those that have run."""
    manifests = {task: store.manifest(task) for task in BESIDE}
    return {
        task: {name: int(number) for name, number in sorted(manifest["counts"].items())}
        for task, manifest in manifests.items()
        if manifest
    }


def _plain(stage: Stage) -> dict[str, Any]:
    """A stage of the funnel as values for JSON, its counts with the largest first."""
    counts = {
        name: dict(value.most_common())
        for name, value in vars(stage).items()
        if isinstance(value, Counter)
    }
    return {"task": stage.task, **counts, "adds_up": stage.adds_up}


def _shown(reasons: Counter[str]) -> list[tuple[str, int]]:
    kept = [("kept", reasons["kept"])]
    return kept + [pair for pair in reasons.most_common() if pair[0] != "kept"][:REASONS]


def _gather(batch: pa.Table, place: Place, into: Gathered) -> None:
    _gather_perplexities(batch, into)
    _gather_features(batch, into)
    _gather_texts(batch, into)
    _gather_kept(batch, place, into)
    texts = [name for name in batch.column_names if name.startswith("ProcessMarkdown.l")]
    for row in batch.drop_columns(["ProcessMarkdown.text", *texts]).to_pylist():
        _gather_end(row, place, into)


def _gather_end(row: Mapping[str, Any], place: Place, into: Gathered) -> None:
    reason, why = _end(row)
    into.reasons[reason] += 1
    if reason in ("kept", NEAR_DUPLICATE):
        into.competing[row["CCNet.source_domain"]] += 1
    if reason == NEAR_DUPLICATE:
        into.removed[row["CCNet.source_domain"]] += 1
    if reason == "kept" and row["Deduplicate.cluster_size"] > 1:
        into.cluster_sizes[row["Deduplicate.cluster_size"]] += 1
    language = row["FilterDocuments.language"] or row["CCNet.language"] or "unknown"
    into.heaps[reason].offer(Candidate(row[ID.name], place, language, why))


def _gather_kept(batch: pa.Table, place: Place, into: Gathered) -> None:
    kept = batch.filter(pc.fill_null(batch["Deduplicate.dedup_keep"], False))
    words = pc.cast(kept["FilterDocuments.num_words"], pa.float64())
    into.words += int(pc.sum(words).as_py() or 0)
    into.lengths.append(words.to_numpy())
    into.text_bytes += pc.sum(pc.binary_length(kept["ProcessMarkdown.text"])).as_py() or 0
    into.hosts.update(kept["CCNet.source_domain"].to_pylist())
    dates = kept["ConvertToMarkdown.server_date"].to_pylist()
    into.years.update(date[:4] if date else "unknown" for date in dates)
    into.days.update(date[:10] for date in kept["CCNet.warc_date"].to_pylist() if date)
    characters = pc.utf8_length(kept["ProcessMarkdown.text"]).to_pylist()
    languages = pc.fill_null(kept["FilterDocuments.language"], "unknown").to_pylist()
    into.languages.update(languages)
    for page, language, length in zip(
        kept[ID.name].to_pylist(), languages, characters, strict=True
    ):
        into.characters[language] += length
        into.for_tokens[language].offer(Candidate(page, place, language, ""))
    _gather_labels(kept, into)
    for feature in features_of_extras():
        for name in kept.column_names:
            if name.rpartition(".")[2] == feature.name:
                into.values[feature.name].append(pc.cast(kept[name], pa.float64()).to_numpy())


def _gather_labels(kept: pa.Table, into: Gathered) -> None:
    for name in kept.column_names:
        if name.rpartition(".")[2] in LABELS:
            for value in kept[name].to_pylist():
                none = NOT_LABELLED if value is None else NO_LABEL
                into.labels[name].update(labels_of(value) or [none])


def labels_of(value: Any) -> list[str]:
    """The labels in a value: a word, words, or the name of where they are from; each once.

    >>> labels_of("news"), labels_of(None), labels_of(["a", "b", "a"])
    (['news'], [], ['a', 'b'])
    >>> labels_of([{"source": "robots.txt", "agent": "CCBot"}])
    ['robots.txt']
    """
    if not value:
        return []
    if isinstance(value, Mapping):
        return labels_of(next(iter(value.values())))
    if isinstance(value, (list, tuple)):
        return list(dict.fromkeys(label for one in value for label in labels_of(one)))
    return [str(value)]


def _gather_perplexities(batch: pa.Table, into: Gathered) -> None:
    names = ("language", "perplexity")
    for language, value in zip(
        *(batch[f"CCNet.{name}"].to_pylist() for name in names), strict=True
    ):
        if value is not None:
            into.perplexities[language].append(value)


def _gather_features(batch: pa.Table, into: Gathered) -> None:
    for feature in FEATURES:
        column = pc.cast(batch[f"FilterDocuments.{feature.name}"], pa.float64())
        judged = column.filter(batch["FilterDocuments.failure"].is_null())
        into.values[feature.name].append(judged.to_numpy())
    for names in batch["FilterDocuments.failed_filters"].to_pylist():
        into.stops.update(names or ())
        if names and len(names) == 1:
            into.stops_alone[names[0]] += 1


def _gather_texts(batch: pa.Table, into: Gathered) -> None:
    columns = (batch[f"ProcessMarkdown.{name}"].to_pylist() for name in READ["ProcessMarkdown"][:3])
    for text, kept, probabilities in zip(*columns, strict=True):
        if probabilities:
            into.kept_share.append((kept or 0) / len(probabilities))
        lines = {line for line in (text or "").split("\n") if len(line) >= PARAGRAPH_CHARACTERS}
        into.lines.update(lines)
    if len(into.lines) > 2_000_000:
        into.lines = Counter({line: n for line, n in into.lines.items() if n > 1})


def _end(row: Mapping[str, Any]) -> tuple[str, str]:
    """The reason where a page ended, or `kept`, and that in words."""
    for task, columns in READ.items():
        names = [name for name in columns if name in END_COLUMNS]
        if reasons := reasons_to_end({name: row[f"{task}.{name}"] for name in names}):
            return reasons[0], _in_words(row, task, reasons)
    return "kept", "passes every filter"


def _in_words(row: Mapping[str, Any], task: str, reasons: Sequence[str]) -> str:
    if row[f"{task}.failure"]:
        return f"{task}: {reasons[0]}"
    if task == "Deduplicate":
        return f"like {row['Deduplicate.duplicate_of']}"
    return ", ".join(f"{name} = {row[f'{task}.{name}']:g}" for name in reasons)


def _fill(figures: Figures, got: Gathered, limits: Mapping[str, tuple[float, float]]) -> None:
    perplexities = {name: np.array(values) for name, values in sorted(got.perplexities.items())}
    together = span_hull(map(value_span, perplexities.values()))
    figures.perplexities = {
        language: {"histogram": histogram(values, together, logarithmic=True)}
        for language, values in perplexities.items()
    }
    figures.labels = {name: dict(number.most_common()) for name, number in got.labels.items()}
    figures.features = list(_features(got, limits))
    figures.cluster_sizes = dict(sorted(got.cluster_sizes.items()))
    figures.domains = [(name, got.competing[name], n) for name, n in got.removed.most_common(TOP)]
    lines = heapq.nsmallest(TOP, got.lines.items(), key=lambda entry: (-entry[1], entry[0]))
    figures.paragraphs = [(line, n) for line, n in lines if n > 1]
    figures.years = dict(sorted(got.years.items()))
    figures.hosts = got.hosts.most_common(TOP)
    lengths = np.concatenate([np.empty(0), *got.lengths])
    figures.lengths = histogram(lengths, span_hull([value_span(lengths, 0.0)]))
    figures.kept_lines = histogram(np.array(got.kept_share, np.float64), (0.0, 1.0))


def _features(got: Gathered, limits: Mapping[str, tuple[float, float]]) -> Iterator[FeatureFigure]:
    later = [feature for feature in features_of_extras() if got.values[feature.name]]
    values = {
        f.name: np.concatenate([np.empty(0), *got.values[f.name]]) for f in (*FEATURES, *later)
    }
    _count_stops({f.name: values[f.name] for f in later}, limits, got)
    axes = defaultdict(list)
    for feature in (*FEATURES, *later):
        deciding = list(map(finite_limit, limits.get(feature.name, ())))
        deciding += [0.0, 1.0] if feature.unit == "truth value" else []
        axes[feature.set, feature.unit].append(value_span(values[feature.name], *deciding))
    for feature in (*FEATURES, *later):
        low, high = (finite_limit(x) for x in limits.get(feature.name, (feature.low, feature.high)))
        yield FeatureFigure(
            name=feature.name,
            unit=feature.unit,
            source=feature.source,
            set=feature.set,
            description=feature.description,
            decides=feature.name in limits,
            low=low,
            high=high,
            stops=got.stops[feature.name],
            stops_alone=got.stops_alone[feature.name],
            histogram=histogram(values[feature.name], span_hull(axes[feature.set, feature.unit])),
        )


def _count_stops(
    values: Mapping[str, NDArray[np.float64]],
    limits: Mapping[str, tuple[float, float]],
    into: Gathered,
) -> None:
    """How many kept texts the export leaves out by what tasks on request measured."""
    outside = {
        name: (values[name] < low) | (values[name] > high)
        for name, (low, high) in limits.items()
        if name in values
    }
    reasons = sum(is_outside.astype(int) for is_outside in outside.values())
    for name, is_outside in outside.items():
        into.stops[name] = int(is_outside.sum())
        into.stops_alone[name] = int((is_outside & (reasons == 1)).sum())


def _odd_yields(store: ColumnStore) -> list[str]:
    """What looks odd in what the tasks made, those on request among them."""
    lines = []
    for name, cls in task_classes().items():
        if manifest := store.manifest(name):
            lines += [f"{name}: {line}" for line in odd_yields(cls(dump=store.dump), manifest)]
    return lines


def _removal_alarms(store: ColumnStore) -> list[str]:
    """What Deduplicate found that should make a person look, by its own limits."""
    alarm_lines = (store.manifest("Deduplicate") or {}).get("alarms", {})
    return [f"Deduplicate: {line}" for lines in alarm_lines.values() for line in lines]
