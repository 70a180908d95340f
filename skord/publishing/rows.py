"""From the columns of all tasks to the rows of the corpus: which pages, in which file, and how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from skord.markdown.rendering import plain_text
from skord.publishing.pointers import (
    CUTS_FIELD,
    lines_of,
    packed_cuts,
    packed_digest,
    packed_id,
)
from skord.publishing.pseudonyms import marked_personal_data, pseudonymise
from skord.publishing.removals.requests import DIGEST_BYTES, text_digest
from skord.quality.features import publishable
from skord.quality.limits import Limits, decide_quality
from skord.text.cuts import ALL_COPIES, KEPT, cut_out

FILTERED = "filtered"
"""`left_out` of a page that no deduplication looked at, since it is outside of earlier limits."""

NEAR_DUPLICATE = "near_duplicate"
"""`left_out` of a page of which another is kept."""

RESERVED = "reserved"
"""`left_out` of a page whose owner reserves it, by a signal that decides."""

REPEATED = "repeated"
"""`left_out` of a page of which nothing is left once repeated passages are cut out."""

PAGE_FIELDS = (
    pa.field("id", pa.string()),
    pa.field("url", pa.string()),
    pa.field("warc_file", pa.string()),
    pa.field("offset", pa.int64()),
    pa.field("length", pa.int32()),
    pa.field("warc_date", pa.string()),
    pa.field("title", pa.string()),
    pa.field("date", pa.string()),
    pa.field("language", pa.string()),
    pa.field("text", pa.string()),
    pa.field("bucket", pa.string()),
)
"""What a row of the corpus has besides its scores."""

POINTER_FIELDS = (
    pa.field("payload_digest", pa.binary()),
    pa.field("lines", pa.binary()),
    pa.field("text_digest", pa.binary(DIGEST_BYTES)),
)
"""What a row carries along for its pointer; see `pointers`."""

PASSAGES = "repeated_passages"
"""Where each text repeats others, among the columns of a row where passages are cut out."""

MARKDOWN, PLAIN = "markdown", "plain"
FORMATS = (MARKDOWN, PLAIN)
"""How texts are written."""

MIME = "mime"
"""What texts of one's own are, among the columns of a row where they are the source."""

MADE_OF = (*(field.name for field in PAGE_FIELDS), "payload_digest", "line_verdicts")
"""Columns that a row is made of, besides scores."""


def check_scores(names: Sequence[str]) -> None:
    """Raise ValueError for a name that is no measure or label of a document.

    >>> check_scores(["perplexity", "language_score"])
    """
    known = [one.name for one in publishable()]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no measure {unknown[0]!r}; there are {', '.join(known)}")


MARKS_FIELD = pa.field(
    "personal_data",
    pa.list_(pa.struct([("kind", pa.string()), ("start", pa.int32()), ("end", pa.int32())])),
)
"""Where the text holds what was asked to be marked: half-open ranges of characters."""


def corpus_schema(scores: Sequence[str], *, has_marks: bool = False) -> pa.Schema:
    """Columns of the corpus, the scores last, and behind them the marks where there are any.

    >>> corpus_schema(["unigram_entropy"]).names[-3:]
    ['text', 'bucket', 'unigram_entropy']
    """
    fields = [one.field for one in publishable() if one.name in scores]
    marks = [MARKS_FIELD] if has_marks else []
    return pa.schema([*PAGE_FIELDS, *fields, *marks]).remove_metadata()


def looser_limits(limits: Limits, earlier: Limits) -> list[str]:
    """Names of features whose limits let more through than the earlier ones did.

    >>> looser_limits({"content_length": (50, 1e6)}, {"content_length": (100, 1e6)})
    ['content_length']
    """
    missing = [name for name in earlier if name not in limits]
    wider = [
        name
        for name in limits
        if name in earlier
        and (limits[name][0] < earlier[name][0] or limits[name][1] > earlier[name][1])
    ]
    return [*missing, *wider]


def left_out(keep: pa.ChunkedArray, measures: pa.Table, limits: Limits) -> pa.Array:
    """Why each page is not in the corpus; null where it is.

    `keep` is `dedup_keep`, null for a page that did not compete; limits are no looser than when
    pages competed.

    >>> left_out(pa.chunked_array([[True, True, False, None]]),
    ...     pa.table({"content_length": [99, 100, 100, 1]}), {"content_length": (100, 1e9)}
    ... ).to_pylist()
    ['content_length', None, 'near_duplicate', 'filtered']
    """
    _, failed = decide_quality(measures, limits)
    named = [
        FILTERED if kept is None else NEAR_DUPLICATE if not kept else "+".join(names) or None
        for kept, names in zip(keep.to_pylist(), failed.to_pylist(), strict=True)
    ]
    return pa.array(named, pa.string())


def cuts_of(passages: Sequence[Mapping[str, Any]] | None, treatment: str) -> list[tuple[int, int]]:
    """The ranges of a text that go.

    >>> first = {"start": 0, "end": 4, "is_first": True}
    >>> later = {"start": 9, "end": 12, "is_first": False}
    >>> [cuts_of([first, later], treatment) for treatment in ("later", "all", "kept")]
    [[(9, 12)], [(0, 4), (9, 12)], []]
    """
    if treatment == KEPT:
        return []
    gone = (one for one in passages or () if treatment == ALL_COPIES or not one["is_first"])
    return [(one["start"], one["end"]) for one in gone]


def utf8_bytes(texts: pa.ChunkedArray) -> NDArray[np.int64]:
    """Bytes of each text in UTF-8."""
    lengths: NDArray[np.int64] = pc.binary_length(texts).to_numpy().astype(np.int64)
    return lengths


def num_files(total_bytes: int, target_bytes: int) -> int:
    """How many files of about the target size hold so much; one at least.

    >>> num_files(0, 100), num_files(100, 100), num_files(101, 100)
    (1, 1, 2)
    """
    return max(1, -(-total_bytes // target_bytes))


def file_numbers(
    sizes: NDArray[np.int64], first_byte: int, total_bytes: int, files: int
) -> NDArray[np.int32]:
    """The file of each document: where its first byte falls when all texts are cut evenly.

    >>> file_numbers(np.array([60, 60, 60]), 0, 180, 2).tolist()
    [0, 0, 1]
    """
    starts = first_byte + np.cumsum(sizes) - sizes
    return np.asarray(starts * files // max(total_bytes, 1), np.int32)


@dataclass(frozen=True)
class Form:
    """What a row is made with.

    Attributes:
        scores: measures that are columns, as for `corpus_schema`.
        kinds: what stand-ins are put in for; see `pseudonyms`.
        marks: what is marked where it stands.
        passages: what becomes of `repeated_passages`, which the batch has unless they are kept.
        text_format: one of `FORMATS`; a text whose `mime` is text/plain is plain already.
    """

    scores: Sequence[str]
    kinds: Sequence[str]
    marks: Sequence[str] = ()
    passages: str = KEPT
    text_format: str = MARKDOWN


def corpus_rows(batch: pa.Table, form: Form) -> tuple[pa.Table, Counter[str]]:
    """Rows of the corpus, with what their pointers need, and how many stand-ins were put in."""
    cuts_out = form.passages != KEPT
    found = batch[PASSAGES].to_pylist() if cuts_out else [None] * len(batch)
    cuts = [cuts_of(one, form.passages) for one in found]
    texts_left = list(map(cut_out, batch["text"].to_pylist(), cuts))
    if form.text_format == PLAIN:
        has_mime = MIME in batch.column_names
        mimes = batch[MIME].to_pylist() if has_mime else [None] * len(batch)
        texts_left = [
            text if mime == "text/plain" else plain_text(text)
            for text, mime in zip(texts_left, mimes, strict=True)
        ]
    languages = batch["language"].to_pylist()
    pseudonymised = [
        pseudonymise(text, form.kinds, language)
        for text, language in zip(texts_left, languages, strict=True)
    ]
    schema = corpus_schema(form.scores, has_marks=bool(form.marks))
    texts = pa.array([one.text for one in pseudonymised], pa.string())
    place = batch.schema.get_field_index("text")
    batch_now = batch.set_column(place, "text", texts)
    if form.marks:
        places = [
            [one._asdict() for one in marked_personal_data(each.text, form.marks, language)]
            for each, language in zip(pseudonymised, languages, strict=True)
        ]
        batch_now = batch_now.append_column(MARKS_FIELD, pa.array(places, MARKS_FIELD.type))
    table = _with_pointers(batch_now.select(schema.names).cast(schema), batch)
    counts = sum((one.counts for one in pseudonymised), Counter[str]())
    if cuts_out:
        table = table.append_column(CUTS_FIELD, pa.array(map(packed_cuts, cuts), CUTS_FIELD.type))
    return table, counts


def _with_pointers(table: pa.Table, batch: pa.Table) -> pa.Table:
    digests = map(packed_digest, batch["payload_digest"].to_pylist())
    lines = map(lines_of, batch["line_verdicts"].to_pylist())
    texts = map(text_digest, table["text"].to_pylist())
    values_of: list[Iterable[object]] = [digests, lines, texts]
    for field, values in zip(POINTER_FIELDS, values_of, strict=True):
        table = table.append_column(field, pa.array(list(values), field.type))
    return table


def pointer_rows(rows: pa.Table) -> pa.Table:
    """The pointers of rows that `corpus_rows` made."""
    ids = pa.array(list(map(packed_id, rows["id"].to_pylist())), pa.binary())
    names = ["url", "warc_file", "offset", "length", *(field.name for field in POINTER_FIELDS)]
    names += [CUTS_FIELD.name] if CUTS_FIELD.name in rows.column_names else []
    return rows.select(names).add_column(0, "id", ids)
