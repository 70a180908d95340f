"""The SQLite file: pages as they came in, each annotator's labels, and every change.

Write-ahead logging (https://www.sqlite.org/wal.html) lets annotators read while another's
change is written; a change is one transaction. Labels are one byte a line, packed by zlib: those
of thousands of lines become hundreds of bytes. Connections
are opened for each request and closed after it.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from skord.annotation_tool.backend.labels import uncertainty, visible
from skord.annotation_tool.backend.published import SourcePage, markdown_digest
from skord.core.failures import ConfigError
from skord.html.charset.decode import decode
from skord.html.line_context import LineContext, line_context
from skord.markdown.extraction import as_bytes, probabilities, split_lines
from skord.models.line_classifier.interface import LineClassifier

VERSION = 1
"""`PRAGMA user_version` of the tables below."""

BUSY_S = 10.0
"""How long a change waits for another to be written."""

_TABLES = """
CREATE TABLE pages (
    digest TEXT PRIMARY KEY, url TEXT NOT NULL, site TEXT NOT NULL, lang TEXT NOT NULL,
    source TEXT NOT NULL, lines INTEGER NOT NULL, visible BLOB NOT NULL,
    markdown BLOB NOT NULL, archived BLOB, content_type TEXT, classifier TEXT,
    probabilities BLOB, uncertainty REAL
) WITHOUT ROWID;
CREATE TABLE annotations (
    page TEXT NOT NULL REFERENCES pages, annotator TEXT NOT NULL, labels BLOB NOT NULL,
    is_ignored INTEGER NOT NULL, is_done INTEGER NOT NULL, revision INTEGER NOT NULL,
    PRIMARY KEY (page, annotator)
) WITHOUT ROWID;
CREATE TABLE changes (
    id INTEGER PRIMARY KEY, page TEXT NOT NULL, annotator TEXT NOT NULL, at TEXT NOT NULL,
    what TEXT NOT NULL, before BLOB NOT NULL, undone INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX changes_of_page ON changes (page, annotator);
"""

_PAGE_COLUMNS = (
    "digest, url, site, lang, source, lines, classifier, uncertainty, archived IS NOT NULL"
)


class PageEntry(NamedTuple):
    """What is known of a page without opening it; columns of `pages`."""

    digest: str
    url: str
    site: str
    lang: str
    source: str
    lines: int
    classifier: str | None
    uncertainty: float | None
    has_archived: int


class Archived(NamedTuple):
    """A page's bytes and its HTTP Content-Type, if known."""

    body: bytes
    content_type: str | None


class Database:
    """The file at a path; made, with its tables, if it is not there.

    Raises:
        ConfigError: the file is something else, or of another version of this tool.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with self._connect() as connection:
                connection.execute("PRAGMA journal_mode = WAL")
            with self.writing() as connection:
                self._prepare(connection)
        except sqlite3.DatabaseError as error:
            raise ConfigError(
                f"--database {path} is no SQLite file that can be written ({error})"
            ) from error

    def _prepare(self, connection: sqlite3.Connection) -> None:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if version == VERSION:
            return
        if version or tables:
            raise ConfigError(f"--database {self.path} was not made by this version: name another")
        for statement in _TABLES.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees one state of the file throughout."""
        with self._connect() as connection:
            connection.execute("BEGIN")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection that alone may write; all of its changes are kept, or none."""
        with self._connect() as connection:
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                yield connection

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self.path, timeout=BUSY_S, isolation_level=None)
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            yield connection
        finally:
            connection.close()

    # -- pages ---------------------------------------------------------------------

    def add_pages(self, pages: Iterable[SourcePage]) -> int:
        """Put in the pages that are not there yet; returns how many."""
        with self.writing() as connection:
            return sum(
                connection.execute(
                    "INSERT OR IGNORE INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    _row_of(page),
                ).rowcount
                for page in pages
            )

    def predict(self, classifier: LineClassifier, batch_pages: int = 32) -> int:
        """Give every page the classifier's predictions; returns how many had others or none."""
        with self.reading() as connection:
            known = connection.execute(
                "SELECT digest FROM pages WHERE classifier IS NOT ? ORDER BY digest",
                (classifier.name,),
            ).fetchall()
        digests = [digest for (digest,) in known]
        for first in range(0, len(digests), batch_pages):
            self._predict(classifier, digests[first : first + batch_pages])
        return len(digests)

    def _predict(self, classifier: LineClassifier, digests: Sequence[str]) -> None:
        pages = [self.markdown(digest) or "" for digest in digests]
        contexts = [self._context(*page) for page in zip(digests, pages, strict=True)]
        shares = [as_bytes(probabilities(logits)) for logits in classifier.logits(pages, contexts)]
        rows = [
            (classifier.name, stored, uncertainty(stored, visible(split_lines(page))), digest)
            for digest, page, stored in zip(digests, pages, shares, strict=True)
        ]
        with self.writing() as connection:
            connection.executemany(
                "UPDATE pages SET classifier = ?, probabilities = ?, uncertainty = ? "
                "WHERE digest = ?",
                rows,
            )

    def _context(self, digest: str, markdown: str) -> LineContext | None:
        """The HTML elements around a page's lines; None where only its Markdown is known."""
        archived, entry = self.archived_page(digest), self.entry(digest)
        if archived is None or entry is None:
            return None
        html = decode(archived.body, archived.content_type).text
        return line_context(html, markdown, entry.url if "://" in entry.url else None)

    def entries(self) -> list[PageEntry]:
        """All pages, by digest."""
        with self.reading() as connection:
            rows = connection.execute(f"SELECT {_PAGE_COLUMNS} FROM pages ORDER BY digest")
            return [PageEntry(*row) for row in rows]

    def entry(self, digest: str) -> PageEntry | None:
        """One page; None if there is no such page."""
        with self.reading() as connection:
            row = connection.execute(
                f"SELECT {_PAGE_COLUMNS} FROM pages WHERE digest = ?", (digest,)
            ).fetchone()
        return PageEntry(*row) if row else None

    def markdown(self, digest: str) -> str | None:
        """A page's Markdown; None if there is no such page."""
        markdown = self._column("markdown", digest)
        return zlib.decompress(markdown).decode("utf-8", "surrogatepass") if markdown else None

    def by_markdown(self) -> dict[str, str]:
        """The pages by `markdown_digest` of their Markdown, whatever they are named by."""
        with self.reading() as connection:
            rows = connection.execute("SELECT digest, markdown FROM pages")
            return {
                markdown_digest(zlib.decompress(stored).decode("utf-8", "surrogatepass")): digest
                for digest, stored in rows
            }

    def probabilities(self, digest: str) -> bytes | None:
        """A byte a line; None without predictions."""
        return self._column("probabilities", digest)

    def figures(self) -> dict[str, tuple[bytes, bytes | None]]:
        """Of every page, by digest: which lines are visible, a byte each, and predictions."""
        with self.reading() as connection:
            rows = connection.execute("SELECT digest, visible, probabilities FROM pages")
            return {digest: (zlib.decompress(seen), stored) for digest, seen, stored in rows}

    def archived_page(self, digest: str) -> Archived | None:
        """The archived page; None where only its Markdown is known."""
        with self.reading() as connection:
            row = connection.execute(
                "SELECT archived, content_type FROM pages WHERE digest = ?", (digest,)
            ).fetchone()
        return Archived(zlib.decompress(row[0]), row[1]) if row and row[0] else None

    def _column(self, name: str, digest: str) -> bytes | None:
        with self.reading() as connection:
            row = connection.execute(
                f"SELECT {name} FROM pages WHERE digest = ?", (digest,)
            ).fetchone()
        return row[0] if row else None


def _row_of(page: SourcePage) -> tuple[object, ...]:
    lines = split_lines(page.markdown)
    stored = page.probabilities
    named = (page.digest, page.url, page.site, page.lang, page.source)
    return (
        *(text.encode("utf-8", "replace").decode() for text in named),  # SQLite knows UTF-8 alone
        len(lines),
        zlib.compress(visible(lines).tobytes()),
        zlib.compress(page.markdown.encode("utf-8", "surrogatepass")),
        zlib.compress(page.archived) if page.archived is not None else None,
        page.content_type,
        "imported" if stored else None,
        stored,
        uncertainty(stored, visible(lines)) if stored else None,
    )
