"""The selection of pages, step by step, and the rows that it writes.

`text_pages` reads a page, `judging` decides, and here a page that was selected becomes a row
of the document index, one that was refused a row beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from pipeline.ccnet.choices import Mode
from pipeline.ccnet.judging import Judged, LanguageRule, Refusal, judge_pages
from pipeline.ccnet.line_hashing import hash_pages
from pipeline.ccnet.text_pages import TextBody, TextPage, split_lines
from pipeline.text.languages import score_of

__all__ = [
    "LANGUAGE_SCORES",
    "PAGE_COLUMNS",
    "REFUSED_SCHEMA",
    "Judged",
    "LanguageRule",
    "Refusal",
    "TextBody",
    "TextPage",
    "hash_pages",
    "judge_pages",
    "refused_row",
    "selected_row",
    "split_lines",
]

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
"""Columns of `selected_row` that later stages may want: the WET record's digest, host and port
of the URL, how many lines stay, bytes of the WET record, and all scores."""

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


def selected_row(
    judged: Judged, languages: Sequence[str], mode: str = Mode.DEFAULT
) -> dict[str, object]:
    """The row of a selected page in the document index.

    `original_length` counts characters of the paragraphs; in exact mode it is what cc_net
    writes, the bytes of the whole text.
    """
    page, text, line_ids = judged.page, judged.text, judged.line_ids
    return {
        "id": page.id,
        "url": page.url,
        "warc_file": page.warc_file,
        "warc_date": page.warc_date,
        "digest": page.digest,
        "source_domain": page.source_domain,
        "title": page.title,
        "raw_content": text,
        "line_ids": line_ids,
        "nlines": len(line_ids),
        "original_nlines": page.nlines,
        "original_length": _original_length(page, mode),
        "content_length": page.content_length,
        "length": len(text),
        "language": judged.language,
        "language_score": judged.language_score,
        "language_scores": [
            {"label": label, "score": score} for label, score in judged.scores.items()
        ],
        **{f"score_{code}": score_of(judged.scores, code) for code in languages},
        "failure": None,
    }


def refused_row(judged: Judged, mode: str = Mode.DEFAULT) -> dict[str, object]:
    """The row of a refused page, with its reason."""
    return {
        "id": judged.page.id,
        "url": judged.page.url,
        "reason": str(judged.refusal),
        "language": judged.language,
        "language_score": judged.language_score,
        "original_length": _original_length(judged.page, mode),
        "length": len(judged.text),
    }


def _original_length(page: TextPage, mode: str) -> int:
    return page.content_length if mode == Mode.EXACT else page.length
