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
from itertools import islice
from typing import NamedTuple

import numpy as np

from pipeline.ccnet.choices import Mode, Normalisation
from pipeline.ccnet.paragraph_keys import Keys, body_keys
from pipeline.ccnet.repeats import LinePass
from pipeline.ccnet.text_pages import TextPage
from pipeline.native import keep_lines
from pipeline.text.languages import is_selected_language, language_of
from pipeline.text.no_language import no_language

Scores = Mapping[str, float]
BatchScores = Callable[[Sequence[bytes]], Iterable[Scores]]
"""Of texts in UTF-8."""


class Refusal(StrEnum):
    """Why a page was not selected; the `reason` column of the refused pages."""

    site = "site"
    """Its site is not among those wanted, or among those that are not."""
    too_short = "too_short"
    """Fewer characters than `min_chars`, title left out, before repeated lines go."""
    no_language = "no_language"
    """It is code, or a list of numbers or tags; only where [CCNet] refuse_no_language is set."""
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
        return is_selected_language(scores, self.languages, self.minimum, self.rule)


class Judged(NamedTuple):
    r"""What became of one page.

    Args:
        page: as read.
        refusal: None for a page that was selected.
        kept: one byte for each of its lines, 0 for what goes; empty where none was looked at.
        joined: the lines that stay as UTF-8, "\n" between each two.
        scores: of every language that scores at all; none when none was asked.
        language: the one with the highest score.
        language_score: that score; in exact mode rounded to two decimals.
    """

    page: TextPage
    refusal: Refusal | None
    kept: bytes
    joined: bytes
    scores: Scores
    language: str | None = None
    language_score: float | None = None

    @property
    def line_ids(self) -> list[int]:
        """The numbers of the lines that stay, counted from 0."""
        return [number for number, is_kept in enumerate(self.kept) if is_kept]

    @property
    def text(self) -> str:
        """The lines that stay."""
        return self.joined.decode()


def judge_pages(
    pages: Iterable[TextPage],
    line_pass: LinePass,
    scores_of: BatchScores,
    rule: LanguageRule,
    min_chars: int,
    batch: int = 256,
    *,
    mode: str = Mode.DEFAULT,
    normalisation: str = Normalisation.PUBLISHED,
    language_first: bool = False,
    line_keys: Iterator[Keys] | None = None,
    takes_site: Callable[[TextPage], bool] | None = None,
    refuse_no_language: bool = False,
) -> Iterator[Judged]:
    """Judge every page of a shard, in crawl order; each comes out once.

    Args:
        pages: the shard's pages.
        line_pass: knows which paragraphs the dump repeats.
        scores_of: texts to the scores of each by language code.
        rule: which languages are wanted.
        min_chars: of the paragraphs before any goes (300 in CCNet).
        batch: pages whose paragraphs are hashed together, and whose language is asked.
        mode: a `Mode` or its value.
        normalisation: the one that the repeated paragraphs were found with.
        language_first: judge the language on the whole text, not on what is left of it.
        line_keys: the keys of each page that is long enough, in crawl order, from
            `HashedLines.keys_of_pages`; without them the paragraphs are hashed once more.
        refuse_no_language: refuse what is in none.
        takes_site: whether a page's site is one of those wanted; all are when left out.
    """
    pages = iter(pages)
    judge = _Judge(scores_of, rule, Mode(mode), language_first, refuse_no_language)
    while chunk := list(islice(pages, batch)):
        long_enough = [page for page in chunk if page.length >= min_chars]
        if line_keys is None:
            bodies = [page.body.joined for page in long_enough if page.nlines]
            keys = body_keys(bodies, normalisation)
        else:
            keys = np.concatenate([np.empty(0, np.uint64), *islice(line_keys, len(long_enough))])
        kept = iter(_kept(long_enough, line_pass, keys))
        waiting: list[_Kept] = []
        reasons: list[Refusal | None] = []
        for page in chunk:
            lines = next(kept) if page.length >= min_chars else None
            reason = Refusal.too_short if lines is None else None
            if takes_site is not None and not takes_site(page):
                reason = Refusal.site
            reasons.append(reason)
            if lines is not None and reason is None:
                waiting.append(lines)
        judged = iter(judge(waiting))
        for page, reason in zip(chunk, reasons, strict=True):
            yield next(judged) if reason is None else Judged(page, reason, b"", b"", {})


class _Kept(NamedTuple):
    page: TextPage
    kept: bytes
    joined: bytes


def _kept(pages: Sequence[TextPage], line_pass: LinePass, keys: Keys) -> Iterator[_Kept]:
    """Of each page which lines stay, and those lines."""
    lengths = np.array([page.body.nlines for page in pages], np.int64)
    mask = line_pass.kept_lines(keys, np.repeat(np.arange(len(pages)), lengths))
    texts = keep_lines([page.body.joined for page in pages], lengths, mask)
    kept, end = mask.tobytes(), 0
    for page, text in zip(pages, texts, strict=True):
        start, end = end, end + page.body.nlines
        yield _Kept(page, kept[start:end], text)


@dataclass(frozen=True)
class _Judge:
    """Judges pages when it is known which of their lines stay."""

    scores_of: BatchScores
    rule: LanguageRule
    mode: Mode
    language_first: bool
    refuse_no_language: bool = False

    def __call__(self, pages: Sequence[_Kept]) -> Iterator[Judged]:
        read = [page.page.body.joined if self.language_first else page.joined for page in pages]
        exact = self.mode is Mode.EXACT
        asked = [text.replace(b"\n", b"") if exact else text for text in read if text]
        scores = iter(self.scores_of(asked))
        for page, text in zip(pages, read, strict=True):
            yield self._judged(page, next(scores) if text else {})

    def _judged(self, page: _Kept, scores: Scores) -> Judged:
        language, score = top_score(scores, self.mode)
        decisive = scores
        if self.mode is Mode.EXACT and language is not None and score is not None:
            decisive = {language: score}
        wanted = self.rule.accepts(decisive)
        refusal = None if wanted else Refusal.language
        if wanted and self.refuse_no_language and no_language(page.joined.decode()):
            refusal = Refusal.no_language
        if not page.joined and (wanted or not self.language_first):
            refusal = Refusal.all_repeated
        return Judged(page.page, refusal, page.kept, page.joined, scores, language, score)


def top_score(scores: Scores, mode: Mode) -> tuple[str | None, float | None]:
    """The language with the highest score, and the score as the mode has it.

    >>> top_score({"da": 0.4952, "no": 0.3}, Mode.EXACT), top_score({}, Mode.EXACT)
    (('da', 0.5), (None, None))
    """
    language = language_of(scores)
    if language is None:
        return None, None
    score = scores[language]
    return language, _rounded(score) if mode is Mode.EXACT else score


def _rounded(score: float) -> float:
    """To two decimals as numpy rounds: multiplied by 100, ties to even; `round(…, 2)` differs."""
    return round(score * 100) / 100
