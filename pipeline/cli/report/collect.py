"""Read the tables of a dump once, row group by row group, and make its figures."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.cc_net import CCNet
from pipeline.cli.funnel import Stage, funnel
from pipeline.cli.grade import graded_pages, rank_curve
from pipeline.cli.report.figures import (
    FeatureFigure,
    Figures,
    Headline,
    finite,
    histogram,
    language_alarms,
)
from pipeline.cli.report.gathered import Gathered
from pipeline.cli.report.samples import Candidate, Place, read_samples
from pipeline.cli.verdicts import NEAR_DUPLICATE, VERDICT_COLUMNS, reasons_to_end
from pipeline.cli.why import BESIDE
from pipeline.core.column_store import ID, ColumnStore
from pipeline.core.failures import ShardError
from pipeline.grading import GradeDocuments
from pipeline.quality.limits import FEATURES
from pipeline.quality_filtering import FilterDocuments

REASONS = 40
"""Reasons that pages are shown for, the most frequent first."""

TOP = 20
"""Domains and repeated lines that are listed."""

PARAGRAPH_CHARACTERS = 30
"""Shorter lines repeat without meaning anything."""

READ: Mapping[str, Sequence[str]] = {
    "CCNet": ["language", "perplexity", "source_domain"],
    "WARCIndex": ["failure"],
    "FetchHTMLDocuments": ["failure"],
    "ConvertToMarkdown": ["date", "charset", "failure"],
    "ProcessMarkdown": ["text", "kept_lines", "line_probabilities", "failure"],
    "FilterDocuments": [
        *(feature.name for feature in FEATURES),
        "passes_all_quality_filters",
        "failed_filters",
        "failure",
    ],
    "Deduplicate": ["dedup_keep", "duplicate_of", "cluster_size", "failure"],
}


def collect(store: ColumnStore, max_shards: int) -> Figures:
    """The figures of one dump.

    Args:
        store: of the dump.
        max_shards: read no more than these, evenly spaced.

    Raises:
        ShardError: a task up to Deduplicate is not complete.
    """
    for task in READ:
        if store.manifest(task) is None:
            raise ShardError(f"{task} {store.dump} is not complete: run the graph first")
    total = int((store.manifest("CCNet") or {})["num_shards"])
    number = min(total, max_shards)
    shards = [n * total // number for n in range(number)]
    gathered = Gathered()
    for shard in shards:
        for group, batch in store.side_by_side(shard, READ):
            _gather(batch, Place(shard, group), gathered)
    figures = Figures(store.dump, number, total)
    figures.stages = [_plain(stage) for stage in funnel(store, shards)]
    _fill(figures, gathered, FilterDocuments(dump=store.dump).feature_limits())
    _fill_limits(figures, store.dump)
    manifests = {task: store.manifest(task) or {} for task in READ}
    figures.settings = {task: dict(made["settings"]) for task, made in manifests.items()}
    figures.headline = _headline(figures.stages, gathered, manifests["Deduplicate"])
    figures.alarms = [*language_alarms(figures.stages), *_removal_alarms(store)]
    figures.ranks = _ranks(store, shards)
    figures.beside = _beside(store)
    candidates = {reason: gathered.heaps[reason].chosen() for reason, _ in _shown(gathered.reasons)}
    figures.samples = read_samples(store, candidates)
    return figures


def _headline(
    stages: Sequence[Mapping[str, Any]], got: Gathered, manifest: Mapping[str, Any]
) -> Headline:
    last = next(stage for stage in stages if stage["task"] == "Deduplicate")["documents_out"]
    return Headline(
        pages=stages[0]["documents_in"].get("all", 0),
        documents=last.get("all", 0),
        words=got.words,
        text_bytes=got.text_bytes,
        hosts=len(got.hosts),
        languages={name: number for name, number in last.items() if name != "all" and number},
        version=version("skord"),
        fingerprint=str(manifest.get("stamp") or manifest.get("fingerprint") or ""),
    )


def _fill_limits(figures: Figures, dump: str) -> None:
    """The limits between CCNet's buckets, as its models say them."""
    models = CCNet(dump=dump).perplexity_models()
    for language, found in figures.perplexities.items():
        found["limits"] = list((models and models.limits_of(language)) or ())


def _ranks(store: ColumnStore, shards: Sequence[int]) -> list[dict[str, float | None]]:
    """The curve of GradeDocuments; nothing where it has not run."""
    if store.manifest(GradeDocuments.get_task_family()) is None:
        return []
    pages = [page for shard in shards for page in graded_pages(store, shard=shard)]
    return [vars(point) for point in rank_curve(pages)]


def _beside(store: ColumnStore) -> dict[str, dict[str, int]]:
    """What tasks on request that tell of pages counted, those that have run."""
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
    _gather_charsets(batch, into)
    _gather_perplexities(batch, into)
    _gather_features(batch, into)
    _gather_texts(batch, into)
    _gather_kept(batch, into)
    texts = [name for name in batch.column_names if name.startswith("ProcessMarkdown.l")]
    for row in batch.drop_columns(["ProcessMarkdown.text", *texts]).to_pylist():
        _gather_verdict(row, place, into)


def _gather_verdict(row: Mapping[str, Any], place: Place, into: Gathered) -> None:
    reason, why = _verdict(row)
    into.reasons[reason] += 1
    if reason in ("kept", NEAR_DUPLICATE):
        into.competing[row["CCNet.source_domain"]] += 1
    if reason == NEAR_DUPLICATE:
        into.removed[row["CCNet.source_domain"]] += 1
    if reason == "kept" and row["Deduplicate.cluster_size"] > 1:
        into.cluster_sizes[row["Deduplicate.cluster_size"]] += 1
    language = row["CCNet.language"] or "unknown"
    into.heaps[reason].offer(Candidate(row[ID.name], place, language, why))


def _gather_kept(batch: pa.Table, into: Gathered) -> None:
    kept = batch.filter(pc.fill_null(batch["Deduplicate.dedup_keep"], False))
    words = pc.cast(kept["FilterDocuments.num_words"], pa.float64())
    into.words += int(pc.sum(words).as_py() or 0)
    into.lengths.append(words.to_numpy())
    into.text_bytes += pc.sum(pc.binary_length(kept["ProcessMarkdown.text"])).as_py() or 0
    into.hosts.update(kept["CCNet.source_domain"].to_pylist())
    dates = kept["ConvertToMarkdown.date"].to_pylist()
    into.years.update((date or "unknown")[:4] if date else "unknown" for date in dates)


def _gather_charsets(batch: pa.Table, into: Gathered) -> None:
    charsets = batch["ConvertToMarkdown.charset"].to_pylist()
    for date, charset in zip(batch["ConvertToMarkdown.date"].to_pylist(), charsets, strict=True):
        if charset:
            into.charsets[(date or "unknown")[:4]][charset] += 1


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


def _verdict(row: Mapping[str, Any]) -> tuple[str, str]:
    """The reason where a page ended, or `kept`, and that in words."""
    for task, columns in READ.items():
        names = [name for name in columns if name in VERDICT_COLUMNS]
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
    figures.charsets = {year: dict(found) for year, found in sorted(got.charsets.items())}
    figures.perplexities = {
        language: {
            "histogram": histogram(np.array(values), None, None),
        }
        for language, values in sorted(got.perplexities.items())
    }
    figures.features = list(_features(got, limits))
    figures.cluster_sizes = dict(sorted(got.cluster_sizes.items()))
    figures.domains = [(name, got.competing[name], n) for name, n in got.removed.most_common(TOP)]
    lines = heapq.nsmallest(TOP, got.lines.items(), key=lambda entry: (-entry[1], entry[0]))
    figures.paragraphs = [(line, n) for line, n in lines if n > 1]
    figures.years = dict(sorted(got.years.items()))
    figures.hosts = got.hosts.most_common(TOP)
    figures.lengths = histogram(np.concatenate([np.empty(0), *got.lengths]), 0.0, None)
    figures.kept_lines = histogram(np.array(got.kept_share, np.float64), 0.0, 1.0)


def _features(got: Gathered, limits: Mapping[str, tuple[float, float]]) -> Iterator[FeatureFigure]:
    for feature in FEATURES:
        low, high = (finite(x) for x in limits.get(feature.name, (feature.low, feature.high)))
        decides = feature.name in limits
        values = np.concatenate([np.empty(0), *got.values[feature.name]])
        yield FeatureFigure(
            name=feature.name,
            unit=feature.unit,
            source=feature.source,
            set=feature.set,
            description=feature.description,
            decides=decides,
            low=low,
            high=high,
            stops=got.stops[feature.name],
            stops_alone=got.stops_alone[feature.name],
            histogram=histogram(values, low, high) if decides else histogram(values, None, None),
        )


def _removal_alarms(store: ColumnStore) -> list[str]:
    """What Deduplicate found that should make a person look, by its own limits."""
    found = (store.manifest("Deduplicate") or {}).get("alarms", {})
    return [f"Deduplicate: {line}" for lines in found.values() for line in lines]
