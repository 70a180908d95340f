"""What annotators do to pages: labels, marks, undo, and the record of it all."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from skord.annotation_tool.backend.database import Database
from skord.annotation_tool.backend.labels import Change, apply_changes

ADJUDICATED = "adjudicated"
"""The annotator under whose name the labels are kept that two annotators' differences led to."""

_FLAGS = 2


class UnknownPageError(KeyError):
    """There is no page with this digest."""


class StaleError(Exception):
    """The labels have changed since they were looked at, in another window perhaps."""


class Annotation(NamedTuple):
    """One annotator's view of one page.

    Attributes:
        labels: a byte a line.
        is_ignored: set aside: no page to learn from (empty, not in the language, garbled).
        is_done: every line has been looked at.
        revision: of the last change; 0 for a page never touched.
    """

    labels: bytes
    is_ignored: bool = False
    is_done: bool = False
    revision: int = 0


class HistoryEntry(NamedTuple):
    """One change to a page: number, time (ISO 8601, UTC), what, and whether it was undone."""

    id: int
    at: str
    what: str
    undone: bool


class Annotations:
    """The annotations in a database.

    Every change names the revision that it was made on and raises StaleError if that is no
    longer the last one, so that two windows cannot overwrite each other unseen.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, page: str, annotator: str) -> Annotation:
        """An annotator's labels; nothing kept where there are none yet."""
        with self._database.reading() as connection:
            return _read(connection, page, annotator)

    def by_page(self, page: str) -> dict[str, Annotation]:
        """All annotations of a page, by annotator."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT annotator, labels, is_ignored, is_done, revision FROM annotations "
                "WHERE page = ? ORDER BY annotator",
                (page,),
            ).fetchall()
        return {row[0]: _annotation(row[1:]) for row in rows}

    def by_annotator(self, annotator: str) -> dict[str, Annotation]:
        """All of an annotator's annotations, by page."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT page, labels, is_ignored, is_done, revision FROM annotations "
                "WHERE annotator = ? ORDER BY page",
                (annotator,),
            ).fetchall()
        return {row[0]: _annotation(row[1:]) for row in rows}

    def annotators(self) -> dict[str, int]:
        """Name to number of pages done, for everybody who has touched a page."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT annotator, sum(is_done) FROM annotations GROUP BY annotator ORDER BY 1"
            )
            return dict(rows.fetchall())

    def label(
        self, page: str, annotator: str, changes: Sequence[Change], revision: int
    ) -> Annotation:
        """Keep or remove ranges of lines.

        Raises:
            UnknownPageError, StaleError; LineRangeError: a line that the page does not have.
        """
        what = "; ".join(
            f"{'keep' if c.keep else 'remove'} {c.first + 1}-{c.last + 1}" for c in changes
        )
        return self._change(
            page,
            annotator,
            what,
            revision,
            lambda was: was._replace(labels=apply_changes(was.labels, changes)),
        )

    def mark(
        self,
        page: str,
        annotator: str,
        revision: int,
        *,
        is_ignored: bool | None = None,
        is_done: bool | None = None,
    ) -> Annotation:
        """Set a page aside or take it back, call it done or not; None leaves a mark alone."""
        given = {"ignored": is_ignored, "done": is_done}
        what = [n if value else f"not {n}" for n, value in given.items() if value is not None]

        def marked(was: Annotation) -> Annotation:
            ignored = was.is_ignored if is_ignored is None else is_ignored
            done = was.is_done if is_done is None else is_done
            return was._replace(is_ignored=ignored, is_done=done)

        return self._change(page, annotator, "; ".join(what), revision, marked)

    def replace(self, page: str, annotator: str, new: Annotation, what: str) -> Annotation:
        """Put in labels from elsewhere, whatever was there; it can be undone like any change."""
        revision = self.of(page, annotator).revision
        return self._change(
            page, annotator, what, revision, lambda was: new._replace(revision=was.revision)
        )

    def undo(self, page: str, annotator: str, revision: int) -> Annotation:
        """Take back the last change that still stands; nothing happens if there is none."""
        with self._database.writing() as connection:
            was = _read(connection, page, annotator)
            _check_revision(was, revision)
            last = connection.execute(
                "SELECT id, before FROM changes WHERE page = ? AND annotator = ? AND NOT undone "
                "AND what NOT LIKE 'undo %' ORDER BY id DESC LIMIT 1",
                (page, annotator),
            ).fetchone()
            if last is None:
                return was
            connection.execute("UPDATE changes SET undone = 1 WHERE id = ?", (last[0],))
            return _write(
                connection, page, annotator, was, _parse_state(last[1]), f"undo {last[0]}"
            )

    def history(self, page: str, annotator: str) -> list[HistoryEntry]:
        """All changes to a page, newest first, undone ones and undoings among them."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT id, at, what, undone FROM changes WHERE page = ? AND annotator = ? "
                "ORDER BY id DESC",
                (page, annotator),
            ).fetchall()
        return [HistoryEntry(number, at, what, bool(undone)) for number, at, what, undone in rows]

    def _change(
        self,
        page: str,
        annotator: str,
        what: str,
        revision: int,
        to: Callable[[Annotation], Annotation],
    ) -> Annotation:
        with self._database.writing() as connection:
            was = _read(connection, page, annotator)
            _check_revision(was, revision)
            return _write(connection, page, annotator, was, to(was), what)


def _check_revision(was: Annotation, revision: int) -> None:
    if was.revision != revision:
        raise StaleError(f"made on revision {revision}, but the last is {was.revision}")


def _read(connection: sqlite3.Connection, page: str, annotator: str) -> Annotation:
    row = connection.execute(
        "SELECT labels, is_ignored, is_done, revision FROM annotations "
        "WHERE page = ? AND annotator = ?",
        (page, annotator),
    ).fetchone()
    if row:
        return _annotation(row)
    lines = connection.execute("SELECT lines FROM pages WHERE digest = ?", (page,)).fetchone()
    if lines is None:
        raise UnknownPageError(page)
    return Annotation(bytes(lines[0]))


def _write(
    connection: sqlite3.Connection,
    page: str,
    annotator: str,
    was: Annotation,
    new: Annotation,
    what: str,
) -> Annotation:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    revision = connection.execute(
        "INSERT INTO changes (page, annotator, at, what, before) VALUES (?, ?, ?, ?, ?)",
        (page, annotator, now, what, _pack_state(was)),
    ).lastrowid
    written = new._replace(revision=int(revision or 0))
    connection.execute(
        "INSERT OR REPLACE INTO annotations VALUES (?, ?, ?, ?, ?, ?)",
        (
            page,
            annotator,
            zlib.compress(written.labels),
            written.is_ignored,
            written.is_done,
            written.revision,
        ),
    )
    return written


def _annotation(row: Sequence[Any]) -> Annotation:
    labels, is_ignored, is_done, revision = row
    return Annotation(zlib.decompress(labels), bool(is_ignored), bool(is_done), revision)


def _pack_state(state: Annotation) -> bytes:
    return zlib.compress(bytes([state.is_ignored, state.is_done]) + state.labels)


def _parse_state(stored: bytes) -> Annotation:
    state = zlib.decompress(stored)
    return Annotation(state[_FLAGS:], bool(state[0]), bool(state[1]))
