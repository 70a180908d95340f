"""What a report shows of one dump, as plain values that go into JSON as they are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

BINS = 30


@dataclass(frozen=True)
class Histogram:
    """How often values fall between edges.

    Attributes:
        edges: one more than counts, ascending.
        counts: values in each; the first and last also hold what lies beyond the edges.
        nulls: documents without a value.
        least: smallest and `most` greatest value; None without values.
    """

    edges: Sequence[float]
    counts: Sequence[int]
    nulls: int
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True)
class FeatureFigure:
    """One measure of FilterDocuments over a dump.

    Attributes:
        decides: whether its limits count by the settings in force.
        stops: documents outside of the limits.
        stops_alone: those that nothing else stops: what the limit costs.
    """

    name: str
    unit: str
    source: str
    set: str
    description: str
    decides: bool
    low: float | None
    high: float | None
    stops: int
    stops_alone: int
    histogram: Histogram


@dataclass(frozen=True)
class Sample:
    """A page to read.

    Attributes:
        archived: where the crawl holds it: WARC file, first byte and bytes; empty if unknown.
        why: what decided, with its value.
        text: the beginning of its main text, or of its Markdown when it has none.
    """

    id: str
    url: str
    language: str
    why: str
    text: str
    archived: str = ""


@dataclass(frozen=True)
class Headline:
    """What a dump came to, in a handful of figures; of the shards that were read.

    Attributes:
        pages: in the WET files.
        documents: kept, and `words`, `text_bytes` and `hosts` of those.
        languages: code to kept documents, the most first.
        tokens: estimated of the kept documents of each language with a model: the pieces that its
            SentencePiece cuts `token_documents` of them into, by their share of all characters.
        crawled: first and last day on which the crawl fetched kept documents.
        made: day on which the last task ended, as the logs have it; empty without them.
        fingerprint: of the last task's settings and inputs.
    """

    pages: int
    documents: int
    words: int
    text_bytes: int
    hosts: int
    languages: dict[str, int]
    version: str
    fingerprint: str
    tokens: dict[str, int] = field(default_factory=dict)
    token_documents: int = 0
    crawled: tuple[str, str] = ("", "")
    made: str = ""


@dataclass
class Figures:
    """Everything that a report shows of one dump.

    Attributes:
        shards_read: of how many shards the figures are.
        years: of the kept documents' dates, to how many there are.
        hosts: with most kept documents: name and number.
        labels: `Task.column` of each column of labels (registers, reservations) that there is, to
            how many kept documents have which label, how many have `none`, and how many are `not
            labelled`.
        stages: of the funnel: task, documents and characters in and out by language, and
            documents lost by reason.
        alarms: sentences about what looks odd in a task's output, and about domains that vanish.
        perplexities: language to the histogram of the perplexity, and the limits of the buckets
            (those of cutoff.csv that were in force).
        cluster_sizes: size of a group of near-duplicates to the number of such groups.
        domains: those that lost most documents to Deduplicate: name, competing, removed.
        paragraphs: lines that most documents hold, with how many do.
        kept_lines: share of a page's lines that the classifier kept.
        beside: tasks on request that have run, to what they counted.
        samples: kept and, by reason, dropped pages.
    """

    dump: str
    shards_read: int
    shards: int
    headline: Headline | None = None
    years: dict[str, int] = field(default_factory=dict)
    hosts: list[tuple[str, int]] = field(default_factory=list)
    lengths: Histogram | None = None
    labels: dict[str, dict[str, int]] = field(default_factory=dict)
    settings: dict[str, dict[str, str]] = field(default_factory=dict)
    stages: list[dict[str, Any]] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    perplexities: dict[str, dict[str, Any]] = field(default_factory=dict)
    features: list[FeatureFigure] = field(default_factory=list)
    cluster_sizes: dict[int, int] = field(default_factory=dict)
    domains: list[tuple[str, int, int]] = field(default_factory=list)
    paragraphs: list[tuple[str, int]] = field(default_factory=list)
    kept_lines: Histogram | None = None
    beside: dict[str, dict[str, int]] = field(default_factory=dict)
    parts: dict[str, Any] = field(default_factory=dict)
    samples: dict[str, list[Sample]] = field(default_factory=dict)


Span = tuple[float, float]


def value_span(values: NDArray[np.float64], *limits: float | None) -> Span | None:
    """Where most values lie, from the first to the 99th percentile, stretched to hold the limits.

    >>> value_span(np.array([1.0, 1.0]), 0.5, None)
    (0.5, 1.0)
    """
    finite = values[np.isfinite(values)]
    if not len(finite):
        return None
    ends = [*np.percentile(finite, [1, 99]), *(x for x in limits if x is not None)]
    return float(min(ends)), float(max(ends))


def span_hull(spans: Iterable[Span | None]) -> Span:
    """The span that holds all of them.

    >>> span_hull([(0.0, 1.0), None, (0.5, 2.0)])
    (0.0, 2.0)
    """
    there = [one for one in spans if one]
    return min((low for low, _ in there), default=0.0), max((high for _, high in there), default=1)


def histogram(
    values: NDArray[np.float64], between: Span, *, logarithmic: bool = False
) -> Histogram:
    """Counts in 30 parts of a span, equal or of equal ratio; NaN is a missing value.

    >>> histogram(np.array([1.0, 2.0, 2.0, np.nan]), (1.0, 2.0)).nulls
    1
    >>> sum(histogram(np.array([0.0, 1.0, 500.0]), (0.0, 2.0)).counts)
    3
    """
    there = values[~np.isnan(values)]
    nulls = len(values) - len(there)
    first, last = between
    if first == last:
        counts, edges = np.array([len(there)]), np.array([first, last])
    else:
        spaced = np.geomspace if logarithmic and first > 0 else np.linspace
        edges = spaced(first, last, BINS + 1)
        edges[0], edges[-1] = first, last
        counts, _ = np.histogram(np.clip(there, first, last), edges)
    ends = (float(there.min()), float(there.max())) if len(there) else (None, None)
    return Histogram([float(x) for x in edges], [int(n) for n in counts], nulls, *ends)


def finite_limit(limit: float) -> float | None:
    """The limit, or None when there is none; JSON knows no infinity."""
    return float(limit) if math.isfinite(limit) else None
