"""What language models say of the pages that were selected."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.ccnet.judging import JudgedPages
from skord.models.language_model.interface import LanguageModels, Perplexity
from skord.models.language_model.perplexity import Bucket

PERPLEXITY_COLUMNS = pa.schema(
    [
        ("perplexity", pa.float64()),
        ("bucket", pa.string()),
        ("paragraph_perplexities", pa.list_(pa.float32())),
    ]
)
"""Perplexity of the page to one decimal, its bucket, and the perplexity of each kept line."""


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
        judged: holds them.
        numbers: which they are.
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
