"""The rows that the selection of pages writes.

`text_pages` reads pages, `judging` decides, and here a page that was selected becomes a row
of the document index, one that was refused a row beside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.ccnet.choices import Mode
from skord.ccnet.judging import JudgedPages
from skord.ccnet.text_pages import TextPages, source_domain
from skord.models.language_id.batches import ScoreColumns
from skord.models.language_model.interface import LanguageModels, Perplexity
from skord.models.language_model.perplexity import Bucket

LANGUAGE_SCORES = pa.field(
    "language_scores", pa.list_(pa.struct([("label", pa.string()), ("score", pa.float32())]))
)
"""Every language that scores 0.01 or more, best first: neither rounded nor chosen."""

PAGE_COLUMNS = pa.schema(
    [
        ("digest", pa.string()),
        ("source_domain", pa.string()),
        ("nlines", pa.int32()),
        ("content_length", pa.int32()),
        LANGUAGE_SCORES,
    ]
)
"""Columns of `selected_rows` that later stages may want: the WET record's digest, host and port
of the URL, how many lines stay, bytes of the WET record, and all scores."""

PERPLEXITY_COLUMNS = pa.schema(
    [
        ("perplexity", pa.float64()),
        ("bucket", pa.string()),
        ("paragraph_perplexities", pa.list_(pa.float32())),
    ]
)
"""Perplexity of the page to one decimal, its bucket, and the perplexity of each kept line."""

REFUSED_SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        ("url", pa.string()),
        ("reason", pa.string()),
        ("language", pa.string()),
        ("language_score", pa.float32()),
        ("original_length", pa.int32()),
        ("length", pa.int32()),
    ]
)
"""Columns of `refused_rows`."""


def selected_rows(
    judged: JudgedPages, numbers: NDArray[np.int64], languages: Sequence[str], mode: str
) -> dict[str, Any]:
    """Columns of the document index for pages that were selected, by name.

    `original_length` counts characters of the paragraphs; in exact mode it is what cc_net
    writes, the bytes of the whole text.
    """
    pages, rows = judged.pages, numbers.tolist()
    scores = judged.scores.part(numbers)
    ids, starts = judged.line_ids(numbers)
    urls = pages.urls.taken(numbers)
    return {
        "id": pages.ids.taken(numbers),
        "url": urls,
        "warc_file": [pages.warc_files[row] for row in rows],
        "warc_date": [pages.warc_dates.text(row) or None for row in rows],
        "digest": pages.digests.taken(numbers),
        "source_domain": [source_domain(url) for url in urls.to_pylist()],
        "title": pages.titles.taken(numbers),
        "raw_content": judged.texts.taken(numbers),
        "line_ids": pa.ListArray.from_arrays(pa.array(starts), pa.array(ids)),
        "nlines": np.diff(starts),
        "original_nlines": pages.nlines[numbers],
        "original_length": _original_lengths(pages, mode)[numbers],
        "content_length": pages.numbers[numbers, 2],
        "length": judged.lengths[numbers],
        "language": [judged.languages[row] for row in rows],
        "language_score": [judged.language_scores[row] for row in rows],
        "language_scores": _language_scores(scores),
        **{f"score_{code}": scores.of_language(code) for code in languages},
        "failure": [None] * len(rows),
    }


def perplexity_columns(
    judged: JudgedPages,
    numbers: NDArray[np.int64],
    models: LanguageModels | None,
    *,
    exact: bool,
    paragraphs: bool,
) -> dict[str, list[Any]]:
    """The `PERPLEXITY_COLUMNS` of pages that were selected, by name.

    Args:
        models: None leaves every page in the bucket `all`.
        exact: as published, line feeds are deleted before scoring.
        paragraphs: score each kept line, too.
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, page in enumerate(numbers.tolist()):
        language = judged.languages[page]
        if language is not None:
            places[language].append(place)
    scored: list[Perplexity | None] = [None] * len(numbers)
    for language, chosen in places.items():
        if models is None or language not in models.languages:
            continue
        texts = [judged.texts.text(page) for page in numbers[chosen].tolist()]
        scores = models.score(language, texts, exact=exact, paragraphs=paragraphs)
        for place, score in zip(chosen, scores, strict=True):
            scored[place] = score
    return {
        "perplexity": [score and score.page for score in scored],
        "bucket": [str(score.bucket if score else Bucket.ALL) for score in scored],
        "paragraph_perplexities": [
            score.paragraphs if score and paragraphs else None for score in scored
        ],
    }


def refused_rows(judged: JudgedPages, numbers: NDArray[np.int64], mode: str) -> dict[str, Any]:
    """Columns for pages that were refused, with their reason."""
    rows = numbers.tolist()
    return {
        "id": judged.pages.ids.taken(numbers),
        "url": judged.pages.urls.taken(numbers),
        "reason": [str(judged.refusals[row]) for row in rows],
        "language": [judged.languages[row] for row in rows],
        "language_score": [judged.language_scores[row] for row in rows],
        "original_length": _original_lengths(judged.pages, mode)[numbers],
        "length": judged.lengths[numbers],
    }


def table_of(columns: Mapping[str, Any], schema: pa.Schema) -> pa.Table:
    """Columns, by name, as a table."""
    made = (
        column if isinstance(column, pa.Array) else pa.array(column, schema.field(name).type)
        for name, column in ((name, columns[name]) for name in schema.names)
    )
    return pa.table(list(made), schema=schema)


def _language_scores(scores: ScoreColumns) -> pa.ListArray:
    labels = pa.array([scores.names[label] for label in scores.labels.tolist()], pa.string())
    values = pa.array(scores.scores.astype(np.float32))
    ends = pa.array(np.cumsum([0, *scores.counts.tolist()]).astype(np.int32))
    pairs = pa.StructArray.from_arrays([labels, values], ["label", "score"])
    return pa.ListArray.from_arrays(ends, pairs)


def _original_lengths(pages: TextPages, mode: str) -> NDArray[np.int64]:
    return pages.numbers[:, 2] if mode == Mode.EXACT else pages.lengths
