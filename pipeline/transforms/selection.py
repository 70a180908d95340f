"""Choose pages by the language of what is theirs alone: CCNet's selection, page by page.

As in CCNet (Wenzek et al. 2020, sections 3.2 and 3.3), the first line of a WET text is
the page's title, the lines after it are its paragraphs; paragraphs that other pages
repeat go first, and the language is judged on what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice, pairwise

import numpy as np
import pyarrow as pa

from pipeline.transforms.languages import language_of, score_of, selected
from pipeline.transforms.paragraphs import Counts, Keys, LinePass, count_documents, paragraph_keys

Scores = Mapping[str, float]

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
"""Columns of `refused_row`."""


class Refusal(StrEnum):
    """Why a page was not selected; the `reason` column of the refused pages."""

    too_short = "too_short"
    """Fewer characters than `min_chars`, title left out, before repeated lines go."""
    all_repeated = "all_repeated"
    """Every paragraph stands on other pages too."""
    language = "language"
    """None of the languages wanted scores enough."""


@dataclass(frozen=True)
class TextPage:
    """One page of a WET file.

    Args:
        id: WARC-Record-ID of the response record.
        url: as crawled.
        warc_date: of the capture, ISO 8601 in UTC.
        warc_file: path of the WARC file that holds the response.
        title: the first line.
        lines: the others, stripped.
    """

    id: str
    url: str
    warc_date: str
    warc_file: str
    title: str
    lines: Sequence[str]

    @property
    def length(self) -> int:
        """Characters of the paragraphs, line breaks counted."""
        return sum(map(len, self.lines)) + max(len(self.lines) - 1, 0)


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


@dataclass(frozen=True)
class Judged:
    """What became of one page."""

    page: TextPage
    refusal: Refusal | None
    line_ids: Sequence[int]
    text: str
    scores: Scores

    @property
    def language(self) -> str | None:
        """The language with the highest score, None when none was asked."""
        return language_of(self.scores)


def split_lines(text: str) -> tuple[str, list[str]]:
    r"""Title and paragraphs of a WET text; "\n" alone ends a line, lines are stripped.

    >>> split_lines("Titel\n Ett stycke. \n\nEtt till.\n")
    ('Titel', ['Ett stycke.', '', 'Ett till.'])
    """
    title, _, rest = text.rstrip("\n").partition("\n")
    return title.strip(), [line.strip() for line in rest.split("\n")] if rest else []


def hash_pages(pages: Iterable[TextPage], min_chars: int) -> tuple[Keys, Counts]:
    """Sorted distinct paragraph keys of a shard's pages and how many pages hold each."""
    parts: list[Keys] = []
    lengths: list[int] = []
    for page in pages:
        if page.length >= min_chars:
            parts.append(paragraph_keys(page.lines))
            lengths.append(len(page.lines))
    keys = np.concatenate([np.empty(0, np.uint64), *parts])
    return count_documents(keys, np.repeat(np.arange(len(lengths)), lengths))


def judge_pages(
    pages: Iterable[TextPage],
    line_pass: LinePass,
    language_scores: Callable[[str], Scores],
    rule: LanguageRule,
    min_chars: int,
    batch: int = 256,
) -> Iterator[Judged]:
    """Judge every page of a shard, in crawl order; each comes out once.

    Args:
        pages: the shard's pages.
        line_pass: knows which paragraphs the dump repeats.
        language_scores: text to score by language code.
        rule: which languages are wanted.
        min_chars: of the paragraphs before any goes (300 in CCNet).
        batch: pages whose paragraphs are hashed together.
    """
    pages = iter(pages)
    while chunk := list(islice(pages, batch)):
        kept = iter(_kept_line_ids([p for p in chunk if p.length >= min_chars], line_pass))
        for page in chunk:
            if page.length < min_chars:
                yield Judged(page, Refusal.too_short, (), "", {})
            else:
                yield _judge(page, next(kept), language_scores, rule)


def _kept_line_ids(pages: Sequence[TextPage], line_pass: LinePass) -> list[Sequence[int]]:
    lines = [line for page in pages for line in page.lines]
    lengths = [len(page.lines) for page in pages]
    kept = line_pass.kept_lines(paragraph_keys(lines), np.repeat(np.arange(len(pages)), lengths))
    ends = np.cumsum([0, *lengths])
    return [np.flatnonzero(kept[a:b]).tolist() for a, b in pairwise(ends)]


def _judge(
    page: TextPage,
    line_ids: Sequence[int],
    language_scores: Callable[[str], Scores],
    rule: LanguageRule,
) -> Judged:
    text = "\n".join(page.lines[i] for i in line_ids)
    if not text.strip():
        return Judged(page, Refusal.all_repeated, line_ids, text, {})
    scores = language_scores(text)
    wanted = selected(scores, rule.languages, rule.minimum, rule.rule)
    return Judged(page, None if wanted else Refusal.language, line_ids, text, scores)


def selected_row(judged: Judged, languages: Sequence[str]) -> dict[str, object]:
    """The row of a selected page in the document index."""
    page = judged.page
    return {
        "id": page.id,
        "url": page.url,
        "warc_file": page.warc_file,
        "warc_date": page.warc_date,
        "title": page.title,
        "raw_content": judged.text,
        "line_ids": judged.line_ids,
        "original_nlines": len(page.lines),
        "original_length": page.length,
        "length": len(judged.text),
        "language": judged.language,
        "language_score": _top_score(judged),
        **{f"score_{code}": score_of(judged.scores, code) for code in languages},
        "failure": None,
    }


def refused_row(judged: Judged) -> dict[str, object]:
    """The row of a refused page, with its reason."""
    return {
        "id": judged.page.id,
        "url": judged.page.url,
        "reason": str(judged.refusal),
        "language": judged.language,
        "language_score": _top_score(judged),
        "original_length": judged.page.length,
        "length": len(judged.text),
    }


def _top_score(judged: Judged) -> float | None:
    return judged.scores[judged.language] if judged.language else None
