"""What language models say of the pages that were selected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from models.language_model.interface import LanguageModels
from models.language_model.perplexity import Bucket
from pipeline.ccnet.selection import Judged

PERPLEXITY_COLUMNS = pa.schema(
    [
        ("perplexity", pa.float64()),
        ("bucket", pa.string()),
        ("paragraph_perplexities", pa.list_(pa.float32())),
    ]
)
"""Perplexity of the page to one decimal, its bucket, and the perplexity of each kept line."""

Columns = Mapping[str, Any]

UNSCORED: Columns = {
    "perplexity": None,
    "bucket": str(Bucket.ALL),
    "paragraph_perplexities": None,
}


def scored_pages(
    pages: Iterable[Judged],
    models: LanguageModels | None,
    *,
    exact: bool,
    paragraphs: bool,
    batch: int = 256,
) -> Iterator[tuple[Judged, Columns]]:
    """Each page, in order, with its `PERPLEXITY_COLUMNS`; pages refused are not scored.

    Args:
        pages: judged, in crawl order.
        models: None leaves every page in the bucket `all`.
        exact: as published, line feeds are deleted before scoring.
        paragraphs: score each kept line, too.
        batch: pages whose texts are scored together, language by language.
    """
    pages = iter(pages)
    while chunk := list(islice(pages, batch)):
        columns = _columns(chunk, models, exact, paragraphs) if models else {}
        for place, page in enumerate(chunk):
            yield page, columns.get(place, UNSCORED)


def _columns(
    pages: Sequence[Judged], models: LanguageModels, exact: bool, paragraphs: bool
) -> dict[int, Columns]:
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, page in enumerate(pages):
        if page.refusal is None and page.language in models.languages:
            places[page.language].append(place)
    columns: dict[int, Columns] = {}
    for language, chosen in places.items():
        texts = [pages[place].text for place in chosen]
        scores = models.score(language, texts, exact=exact, paragraphs=paragraphs)
        for place, score in zip(chosen, scores, strict=True):
            columns[place] = {
                "perplexity": score.page,
                "bucket": str(score.bucket),
                "paragraph_perplexities": score.paragraphs if paragraphs else None,
            }
    return columns
