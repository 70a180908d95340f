"""Choose pages by the language of what is theirs alone: CCNet's selection, page by page.

As in CCNet (Wenzek et al. 2020, sections 3.2 and 3.3), the first line of a WET text is
the page's title, the lines after it are its paragraphs; paragraphs that other pages
repeat go first, and the language is judged on what is left. With `language_first` it is
judged on the whole text instead, an order that the paper weighs in section 5: repeated
paragraphs go all the same, and from the same pages.

In exact mode (`text_pages.Mode`) the language is what cc_net 1.0 finds: the lines are glued
without a space, the highest score is rounded to two decimals, and both the limit and the
column see the rounded score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import islice, pairwise

import numpy as np

from pipeline.transforms.languages import language_of, selected
from pipeline.transforms.paragraph_keys import Keys, Normalisation, ParagraphKeys
from pipeline.transforms.paragraphs import Counts, LinePass, count_documents
from pipeline.transforms.text_pages import Mode, TextPage

Scores = Mapping[str, float]
LanguageScores = Callable[[str], Scores]
BatchScores = Callable[[Sequence[str]], Iterable[Scores]]


class Refusal(StrEnum):
    """Why a page was not selected; the `reason` column of the refused pages."""

    too_short = "too_short"
    """Fewer characters than `min_chars`, title left out, before repeated lines go."""
    all_repeated = "all_repeated"
    """Every paragraph stands on other pages too."""
    language = "language"
    """None of the languages wanted scores enough."""


@dataclass(frozen=True)
class LanguageRule:
    """When a page's languages are those wanted.

    Args:
        languages: codes as the language model names them.
        minimum: the least score, from 0 to 1.
        rule: `any` of them reaches it (SWEb), or the `top` language is among them and
            does (CCNet).
    """

    languages: Sequence[str]
    minimum: float
    rule: str

    def accepts(self, scores: Scores) -> bool:
        """Whether a page with these scores is wanted."""
        return selected(scores, self.languages, self.minimum, self.rule)


@dataclass(frozen=True)
class Judged:
    """What became of one page.

    Args:
        page: as read.
        refusal: None for a page that was selected.
        line_ids: which lines stay.
        text: those lines.
        scores: of every language that scores at all; none when none was asked.
        language: the one with the highest score.
        language_score: that score; in exact mode rounded to two decimals.
    """

    page: TextPage
    refusal: Refusal | None
    line_ids: Sequence[int]
    text: str
    scores: Scores
    language: str | None = None
    language_score: float | None = None


def hash_pages(
    pages: Iterable[TextPage],
    min_chars: int,
    normalisation: str = Normalisation.PUBLISHED,
    batch: int = 256,
) -> tuple[Keys, Counts]:
    """Sorted distinct paragraph keys of a shard's pages and how many pages hold each.

    Args:
        pages: the shard's pages.
        min_chars: pages with fewer characters, title left out, take no part.
        normalisation: which spellings of a paragraph count as the same.
        batch: pages whose paragraphs are hashed together.
    """
    keys_of = ParagraphKeys(normalisation)
    parts: list[Keys] = []
    lengths: list[int] = []
    long_enough = (page for page in pages if page.length >= min_chars)
    while chunk := list(islice(long_enough, batch)):
        parts.append(keys_of([line for page in chunk for line in page.lines]))
        lengths += [page.nlines for page in chunk]
    keys = np.concatenate([np.empty(0, np.uint64), *parts])
    return count_documents(keys, np.repeat(np.arange(len(lengths)), lengths))


def judge_pages(
    pages: Iterable[TextPage],
    line_pass: LinePass,
    language_scores: LanguageScores,
    rule: LanguageRule,
    min_chars: int,
    batch: int = 256,
    *,
    mode: str = Mode.DEFAULT,
    normalisation: str = Normalisation.PUBLISHED,
    language_first: bool = False,
    batch_scores: BatchScores | None = None,
) -> Iterator[Judged]:
    """Judge every page of a shard, in crawl order; each comes out once.

    Args:
        pages: the shard's pages.
        line_pass: knows which paragraphs the dump repeats.
        language_scores: text to score by language code.
        rule: which languages are wanted.
        min_chars: of the paragraphs before any goes (300 in CCNet).
        batch: pages whose paragraphs are hashed together, and whose language is asked.
        mode: a `Mode` or its value.
        normalisation: the one that the repeated paragraphs were found with.
        language_first: judge the language on the whole text, not on what is left of it.
        batch_scores: does what `language_scores` does for many texts, and is used instead.
    """
    pages = iter(pages)
    keys_of = ParagraphKeys(normalisation)
    judge = _Judge(batch_scores or partial(map, language_scores), rule, Mode(mode), language_first)
    while chunk := list(islice(pages, batch)):
        long_enough = [page for page in chunk if page.length >= min_chars]
        judged = iter(judge(long_enough, _kept_line_ids(long_enough, line_pass, keys_of)))
        for page in chunk:
            if page.length < min_chars:
                yield Judged(page, Refusal.too_short, (), "", {})
            else:
                yield next(judged)


def _kept_line_ids(
    pages: Sequence[TextPage], line_pass: LinePass, keys_of: ParagraphKeys
) -> list[Sequence[int]]:
    keys = keys_of([line for page in pages for line in page.lines])
    lengths = [page.nlines for page in pages]
    kept = line_pass.kept_lines(keys, np.repeat(np.arange(len(pages)), lengths))
    ends = np.cumsum([0, *lengths])
    return [np.flatnonzero(kept[a:b]).tolist() for a, b in pairwise(ends)]


@dataclass(frozen=True)
class _Judge:
    """Judges pages when it is known which of their lines stay."""

    scores_of: BatchScores
    rule: LanguageRule
    mode: Mode
    language_first: bool

    def __call__(
        self, pages: Sequence[TextPage], line_ids: Sequence[Sequence[int]]
    ) -> Iterator[Judged]:
        texts = [
            "\n".join([page.lines[i] for i in ids])
            for page, ids in zip(pages, line_ids, strict=True)
        ]
        read = ["\n".join(page.lines) for page in pages] if self.language_first else texts
        asked = [self._as_read(text) for text in read if text]
        scores = iter(self.scores_of(asked))
        for page, ids, text, whole in zip(pages, line_ids, texts, read, strict=True):
            yield self._judged(page, ids, text, next(scores) if whole else {})

    def _as_read(self, text: str) -> str:
        return text.replace("\n", "") if self.mode is Mode.EXACT else text

    def _judged(self, page: TextPage, line_ids: Sequence[int], text: str, scores: Scores) -> Judged:
        language, score = top_score(scores, self.mode)
        decisive = scores
        if self.mode is Mode.EXACT and language is not None and score is not None:
            decisive = {language: score}
        wanted = self.rule.accepts(decisive)
        refusal = None if wanted else Refusal.language
        if not text and (wanted or not self.language_first):
            refusal = Refusal.all_repeated
        return Judged(page, refusal, line_ids, text, scores, language, score)


def top_score(scores: Scores, mode: Mode) -> tuple[str | None, float | None]:
    """The language with the highest score, and the score as the mode has it.

    >>> top_score({"da": 0.4952, "no": 0.3}, Mode.EXACT), top_score({}, Mode.EXACT)
    (('da', 0.5), (None, None))
    """
    language = language_of(scores)
    if language is None:
        return None, None
    score = scores[language]
    return language, float(np.round(score, 2)) if mode is Mode.EXACT else score
