"""Make documents again from WET records and the small form of a selection.

See `skord.extras.ccnet_files.minified` for that form. What is rebuilt has CCNet's own columns,
so that it can be published or worked on as what was selected here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import pyarrow as pa

from skord.ccnet.choices import Mode
from skord.ccnet.text_pages import split_lines
from skord.core.failures import DocumentError, FailureCode
from skord.crawl.cdx import twin_warc
from skord.extras.ccnet_files.documents import Row

RECONSTRUCTED_SCHEMA = pa.schema(
    [
        ("record_id", pa.string()),
        ("url", pa.string()),
        ("digest", pa.string()),
        ("cc_segment", pa.string()),
        ("warc_file", pa.string()),
        ("warc_date", pa.string()),
        ("title", pa.string()),
        ("raw_content", pa.string()),
        ("line_ids", pa.list_(pa.uint32())),
        ("original_nlines", pa.int32()),
        ("original_length", pa.int32()),
        ("content_length", pa.int32()),
        ("length", pa.int32()),
        ("language", pa.string()),
        ("language_score", pa.float64()),
        ("perplexity", pa.float64()),
        ("bucket", pa.string()),
        ("mode", pa.string()),
        ("failure", pa.string()),
    ]
)
"""Columns of what is rebuilt, named as in CCNet, where `record_id` is the `id`; those that the
small form has not are null where it failed."""


class RebuildFailure(FailureCode):
    """Why a document cannot be rebuilt."""

    no_digest = "no_digest"
    """The document cannot be told among the records of its WET file."""
    bad_segment = "bad_segment"
    """`cc_segment` is not the path of a WET file."""
    wet_missing = "wet_missing"
    """There is no such WET file where they were sought."""
    not_in_wet = "not_in_wet"
    """No record of the WET file has the digest, and none has the URL."""
    digest_mismatch = "digest_mismatch"
    """The WET file has a record of the URL, with another digest: its text is another one."""
    no_such_line = "no_such_line"
    """The record has fewer lines than were kept of it: they were split by another rule."""


class WETText(Protocol):
    """One record of a WET file; see `skord.crawl.warc.wet.WETPage`."""

    @property
    def refers_to(self) -> str: ...  # noqa: D102 - as there
    @property
    def url(self) -> str: ...  # noqa: D102
    @property
    def date(self) -> str: ...  # noqa: D102
    @property
    def digest(self) -> str: ...  # noqa: D102
    @property
    def content_length(self) -> int: ...  # noqa: D102
    @property
    def text(self) -> str: ...  # noqa: D102


def check_segment(segment: str | None) -> str:
    """The path of a WET file, when it is one that may be opened.

    Raises:
        DocumentError: it is not, or leads out of the crawl.
    """
    try:
        twin_warc(segment or "")
    except ValueError as error:
        raise DocumentError(RebuildFailure.bad_segment, str(error)) from error
    if ".." in str(segment).split("/"):
        raise DocumentError(RebuildFailure.bad_segment, str(segment))
    return str(segment)


def rebuild_page(row: Row, page: WETText) -> dict[str, Any]:
    """The selected page, made again from the record that it was made from.

    Raises:
        DocumentError: the record lacks a line.
    """
    title, lines = split_lines(page.text, row["mode"])
    ids = row["line_ids"]
    if ids and max(ids) >= len(lines):
        detail = f"line {max(ids)} of {len(lines)}"
        raise DocumentError(RebuildFailure.no_such_line, detail)
    text = "\n".join(lines[i] for i in ids)
    characters = sum(map(len, lines)) + max(len(lines) - 1, 0)
    exact = Mode(row["mode"]) is Mode.EXACT
    return {
        **row,
        "record_id": page.refers_to,
        "warc_file": twin_warc(row["cc_segment"]),
        "warc_date": page.date,
        "title": title,
        "raw_content": text,
        "original_nlines": len(lines),
        "original_length": page.content_length if exact else characters,
        "content_length": page.content_length,
        "length": len(text),
        "failure": None,
    }


def failed_document(row: Row, code: FailureCode) -> dict[str, Any]:
    """The row of a document that could not be rebuilt."""
    return {**row, "failure": str(code)}


def rebuild_segment(rows: Sequence[Row], pages: Iterable[WETText]) -> list[dict[str, Any]]:
    """Rebuild the wanted documents of one WET file.

    A record is told by its whole digest. Where several have the same, so the same text, the
    one with the document's URL gives date and id.

    Args:
        rows: of the small form, all of the same `cc_segment`.
        pages: every record of that file.

    Returns:
        One row for each of `rows`, in their order: the page, or a failure.
    """
    search = _Search(rows)
    for page in pages:
        search.see(page)
    return search.rows_of_all()


class _Search:
    """Wanted rows, and what the records seen so far made of them."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.by_digest: dict[str, list[int]] = {}
        for number, row in enumerate(rows):
            self.by_digest.setdefault(row["digest"] or "", []).append(number)
        self.nameless = frozenset(self.by_digest.pop("", []))
        self.urls = frozenset(row["url"] for row in rows)
        self.urls_seen: set[str] = set()
        self.rebuilt: dict[int, dict[str, Any]] = {}
        self.settled: set[int] = set()

    def see(self, page: WETText) -> None:
        """Rebuild what is wanted of one record."""
        if page.url in self.urls:
            self.urls_seen.add(page.url)
        for number in self.by_digest.get(page.digest, ()):
            same_url = page.url == self.rows[number]["url"]
            if number not in self.rebuilt or (same_url and number not in self.settled):
                self.rebuilt[number] = self._rebuilt(self.rows[number], page)
            if same_url:
                self.settled.add(number)

    def _rebuilt(self, row: Row, page: WETText) -> dict[str, Any]:
        try:
            return rebuild_page(row, page)
        except DocumentError as error:
            return failed_document(row, error.code)

    def rows_of_all(self) -> list[dict[str, Any]]:
        """One row for each that was wanted."""
        return [
            self.rebuilt[number] if number in self.rebuilt else self._missing(number, row)
            for number, row in enumerate(self.rows)
        ]

    def _missing(self, number: int, row: Row) -> dict[str, Any]:
        if number in self.nameless:
            return failed_document(row, RebuildFailure.no_digest)
        if row["url"] in self.urls_seen:
            return failed_document(row, RebuildFailure.digest_mismatch)
        return failed_document(row, RebuildFailure.not_in_wet)
