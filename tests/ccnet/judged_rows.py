"""Pages and verdicts one by one, for tests of what computes them in columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from skord.ccnet.judging import JudgedPages, Refusal, ScoresOf
from skord.ccnet.text_pages import TextPage, TextPages
from skord.models.language_id.batches import ScoreColumns


class Row(NamedTuple):
    """What became of one page."""

    page: TextPage
    refusal: Refusal | None
    line_ids: list[int]
    text: str
    scores: Mapping[str, float]
    language: str | None
    language_score: float | None


def rows_of(judged: Iterable[JudgedPages]) -> list[Row]:
    """One for each page."""
    rows = []
    for some in judged:
        scores = some.scores.of_texts(np.arange(len(some.pages)))
        for at, page in enumerate(some.pages):
            ids, _ = some.line_ids(np.array([at]))
            text = some.texts.text(at)
            assert some.lengths[at] == len(text)
            top = some.languages[at], some.language_scores[at]
            rows.append(Row(page, some.refusals[at], ids.tolist(), text, scores[at], *top))
    return rows


def together(pages: Sequence[TextPage], batch: int = 256) -> Iterator[TextPages]:
    """So many at a time."""
    return (TextPages.of(pages[at : at + batch]) for at in range(0, len(pages), batch))


def asking(scores_of: Callable[[list[bytes]], Sequence[Mapping[str, float]]]) -> ScoresOf:
    """Labels of texts as columns, by a function that has them of each text that is not empty."""

    def columns_of(texts, wanted, *, glued, settles):
        held = [texts.text(at).encode() for at in range(len(wanted))]
        held = [text.replace(b"\n", b"") if glued else text for text in held]
        asked = [at for at, text in enumerate(held) if text and wanted[at]]
        known = dict(zip(asked, scores_of([held[at] for at in asked]), strict=True))
        each = [known.get(at, {}) for at in range(len(held))]
        names = sorted({name for scores in each for name in scores})
        best = [sorted(scores.items(), key=lambda pair: (-pair[1], pair[0])) for scores in each]
        return ScoreColumns(
            names,
            np.array([len(scores) for scores in best], np.int64),
            np.array([names.index(name) for scores in best for name, _ in scores], np.int32),
            np.array([score for scores in best for _, score in scores], np.float64),
        )

    return columns_of
