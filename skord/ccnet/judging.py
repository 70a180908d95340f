"""Choose pages by the language of what is theirs alone: CCNet's selection.

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

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from skord.ccnet.choices import Mode, Normalisation
from skord.ccnet.line_hashing import KeptNumbers
from skord.ccnet.paragraph_keys import Keys, body_keys
from skord.ccnet.repeats import LinePass, Mask
from skord.ccnet.text_pages import TextPage, TextPages
from skord.models.language_id.batches import ScoreColumns
from skord.native import keep_lines
from skord.text.languages import (
    ALL,
    LABEL_OF_CODE,
    SelectionRule,
    covering,
    is_selected_language,
)
from skord.text.no_language import no_language
from skord.text.words import TextColumn


class ScoresOf(Protocol):
    """`LanguageBatches.columns_of`, say."""

    def __call__(
        self,
        texts: TextColumn,
        wanted: Mask,
        /,
        *,
        glued: bool,
        settles: Callable[[ScoreColumns], Mask] | None,
    ) -> ScoreColumns:
        """Labels of the texts that are wanted."""


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

    def accepted(self, scores: ScoreColumns, mode: Mode) -> Mask:
        """Whether each page is wanted; in exact mode its top language alone is looked at."""
        exact = mode is Mode.EXACT
        labels, reached = scores.labels, scores.scores
        pages = np.repeat(np.arange(len(scores.counts)), scores.counts)
        if exact or self.rule == SelectionRule.TOP:
            pages, first = np.unique(pages, return_index=True)
            labels, reached = labels[first], reached[first]
        reached = rounded(reached) if exact else reached
        meant = covering(tuple(self.languages))
        is_meant = np.array([ALL in meant or name in meant for name in scores.names], np.bool_)
        wanted = np.full(len(scores.counts), self.minimum <= 0)
        wanted[pages[is_meant[labels] & (reached >= self.minimum)]] = True
        if not LABEL_OF_CODE.keys().isdisjoint(scores.names):  # may have two labels of a language
            of_pages = scores.of_texts(np.arange(len(wanted)))
            for page in np.flatnonzero(wanted).tolist():
                best = [*of_pages[page].items()][: 1 if exact else None]
                decisive = {name: float(rounded(score)) if exact else score for name, score in best}
                wanted[page] = is_selected_language(
                    decisive, self.languages, self.minimum, self.rule
                )
        return wanted

    def may_accept(self, scores: ScoreColumns) -> Mask:
        """Which pages are not far from being wanted, whatever is rounded and how."""
        nearly = replace(self, minimum=self.minimum - 0.01, rule=SelectionRule.ANY)
        return nearly.accepted(scores, Mode.DEFAULT)


@dataclass(frozen=True, eq=False)
class JudgedPages:
    r"""What became of some pages, column by column.

    Args:
        refusals: None for a page that was selected.
        lines: how many lines of each were looked at, shape (pages,).
        kept: of all these whether they stay, shape (lines,).
        texts: the lines of each that stay, "\n" between each two.
        lengths: their characters, shape (pages,).
        scores: of every language that scores at all; none when none was asked.
        languages: those with the highest scores.
        language_scores: these scores; in exact mode rounded to two decimals.
    """

    pages: TextPages
    refusals: Sequence[Refusal | None]
    lines: NDArray[np.int64]
    kept: Mask
    texts: TextColumn
    lengths: NDArray[np.int64]
    scores: ScoreColumns
    languages: Sequence[str | None]
    language_scores: Sequence[float | None]

    def numbers(self, *, refused: bool) -> NDArray[np.int64]:
        """Which of the pages were selected, or refused."""
        return np.flatnonzero([(reason is not None) == refused for reason in self.refusals])

    def line_ids(self, pages: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The numbers of the lines of some pages that stay, counted from 0, and where each begins.

        The latter has one entry more than there are pages, as Arrow's lists have.
        """
        firsts = np.cumsum(self.lines) - self.lines
        wanted = np.zeros(len(self.lines), np.bool_)
        wanted[pages] = True
        page_of = np.repeat(np.arange(len(self.lines)), self.lines)
        line = np.flatnonzero(self.kept & wanted[page_of])
        counts = np.bincount(page_of[line], minlength=len(self.lines))[pages]
        ids = (line - firsts[page_of[line]]).astype(np.int32)
        return ids, np.cumsum([0, *counts.tolist()]).astype(np.int32)


def judge_pages(
    pages: Iterable[TextPages],
    line_pass: LinePass,
    scores_of: ScoresOf,
    rule: LanguageRule,
    min_chars: int,
    *,
    mode: str = Mode.DEFAULT,
    normalisation: str = Normalisation.PUBLISHED,
    language_first: bool = False,
    line_numbers: KeptNumbers | None = None,
    takes_site: Callable[[TextPage], bool] | None = None,
    refuse_no_language: bool = False,
    scores_refused: bool = True,
) -> Iterator[JudgedPages]:
    """Judge every page of a shard, in crawl order; each comes out once.

    Args:
        pages: the shard's pages, as many together as are judged together.
        line_pass: knows which paragraphs the dump repeats.
        scores_of: texts to the scores of each by language code.
        min_chars: of the paragraphs before any is removed (300 in CCNet).
        mode: a `Mode` or its value.
        normalisation: the one that the repeated paragraphs were found with.
        language_first: judge the language on the whole text, not on what is left of it.
        line_numbers: of each page that is long enough, in crawl order, for a `line_pass` that
            is `of_numbers`; without them the paragraphs are hashed once more.
        refuse_no_language: refuse what is in none.
        takes_site: whether a page's site is one of those wanted; all are when left out.
        scores_refused: languages and scores of pages that are refused matter, too, to the last
            decimal.
    """
    choices = (Mode(mode), language_first, refuse_no_language, scores_refused)
    judge = _Judge(scores_of, rule, *choices)
    for some in pages:
        long_enough = some.lengths >= min_chars
        lines = np.where(long_enough, some.nlines, 0)
        keys = (
            line_numbers.of_next(int(np.count_nonzero(long_enough)))
            if line_numbers
            else _keys_of(some, np.flatnonzero(lines), normalisation)
        )
        kept = line_pass.kept_lines(keys, np.repeat(np.arange(len(some)), lines))
        foreign = np.zeros(len(some), np.bool_)
        if takes_site is not None:
            foreign[:] = [not takes_site(page) for page in some]
            kept &= ~np.repeat(foreign, lines)
        yield judge(some, lines, kept, long_enough, foreign)


def _keys_of(pages: TextPages, numbers: NDArray[np.int64], normalisation: str) -> Keys:
    bodies = [pages.bodies.text(at).encode() for at in numbers.tolist()]
    return body_keys(bodies, normalisation)


_DECISIONS = (Refusal.site, Refusal.too_short, Refusal.all_repeated, None, Refusal.language)
"""In the order in which they go before one another."""


@dataclass(frozen=True)
class _Judge:
    """Judges pages when it is known which of their lines stay."""

    scores_of: ScoresOf
    rule: LanguageRule
    mode: Mode
    language_first: bool
    refuse_no_language: bool
    scores_refused: bool

    def __call__(
        self,
        pages: TextPages,
        lines: NDArray[np.int64],
        kept: Mask,
        long_enough: Mask,
        foreign: Mask,
    ) -> JudgedPages:
        column, counts = keep_lines(*pages.bodies, lines, kept)
        texts, lengths = TextColumn.from_native(column), np.frombuffer(counts, np.int64)
        exact = self.mode is Mode.EXACT
        read = pages.bodies if self.language_first else texts
        settles = None if self.scores_refused else self.rule.may_accept
        scores = self.scores_of(read, long_enough & ~foreign, glued=exact, settles=settles)
        wanted = self.rule.accepted(scores, self.mode)
        nothing_left = lengths == 0
        if self.language_first:
            nothing_left &= wanted
        decisions = np.select(
            [foreign, ~long_enough, nothing_left, wanted], range(len(_DECISIONS) - 1), -1
        )
        reasons = [_DECISIONS[number] for number in decisions.tolist()]
        if self.refuse_no_language:
            for page, reason in enumerate(reasons):
                if reason is None and no_language(texts.text(page)):
                    reasons[page] = Refusal.no_language
        languages, tops = top_scores(scores, self.mode)
        return JudgedPages(pages, reasons, lines, kept, texts, lengths, scores, languages, tops)


def top_scores(
    scores: ScoreColumns, mode: Mode
) -> tuple[Sequence[str | None], Sequence[float | None]]:
    """The language with the highest score of each text, and the score as the mode has it."""
    firsts = np.cumsum(scores.counts) - scores.counts
    has_scores = scores.counts > 0
    best = scores.scores[firsts[has_scores]]
    labels = iter(scores.labels[firsts[has_scores]].tolist())
    values = iter((rounded(best) if mode is Mode.EXACT else best).tolist())
    has_any = has_scores.tolist()
    return (
        [scores.names[next(labels)] if any_label else None for any_label in has_any],
        [next(values) if any_label else None for any_label in has_any],
    )


def rounded(scores: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """To two decimals as numpy rounds: multiplied by 100, ties to even; `round(…, 2)` differs.

    >>> float(rounded(0.4952)), float(rounded(0.125))
    (0.5, 0.12)
    """
    return np.rint(np.multiply(scores, 100)) / 100
