"""Labels in and out: the published tool's JSONL, and label-only files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from skord.annotation_tool.backend.annotations import Annotation, Annotations
from skord.annotation_tool.backend.database import Database
from skord.annotation_tool.backend.labels import visible
from skord.annotation_tool.backend.published import SourcePage, markdown_digest, write_published
from skord.markdown.extraction import split_lines
from skord.models.line_classifier.gold import GoldPage, gold_of, labels_of, read_gold, write_gold
from skord.models.line_classifier.training.dataset import in_test

IMPORTED = "imported"
"""Whose labels are that come without a name."""


class Imported(NamedTuple):
    """What came of an import.

    Attributes:
        pages: how many came by; `added`: how many of them were not there.
        labelled: with labels that were taken over.
        same: with labels as the annotator has them already.
        differing: addresses of pages whose labels differ from the annotator's, which stand.
    """

    pages: int
    added: int
    labelled: int
    same: int
    differing: tuple[str, ...]


def import_labels(
    database: Database,
    pages: Iterable[SourcePage],
    annotator: str | None = None,
    *,
    replace: bool,
) -> Imported:
    """Put in pages with the labels that they bring.

    A page is the one of its digest; where a file has none, the one of the same Markdown. Pages
    with labels count as done. An import of what was exported from here changes nothing.

    Args:
        annotator: whose the labels are; the file's where it is None, else `IMPORTED`.
        replace: labels that differ from those of the annotator take their place; what was
            there before can be had back by undo. They are left alone otherwise.
    """
    annotations, known = Annotations(database), database.by_markdown()
    outcomes, added = [], 0
    for page in pages:
        markdown = markdown_digest(page.markdown)
        digest = known.get(markdown, page.digest) if page.digest == markdown else page.digest
        added += database.add_pages([page._replace(digest=digest)])
        known.setdefault(markdown, digest)
        outcome = ""
        if page.labels is not None:
            given = _given(page, database.markdown(digest) or "")
            name = annotator or page.annotator or IMPORTED
            outcome = _put(annotations, digest, name, given, f"import {page.source}", replace)
        outcomes.append((outcome, page.url))
    return _imported(outcomes, added)


def import_gold(
    database: Database, path: Path, annotator: str | None = None, *, replace: bool = False
) -> Imported:
    """Put in labels without text, as `export_gold` writes them, on the pages of their digests.

    Lines that the labels have not seen are removed, and their page is left open.
    """
    annotations = Annotations(database)
    outcomes = []
    for gold in read_gold(path):
        outcome = ""
        if markdown := database.markdown(gold.page):
            given = _laid_on(gold, split_lines(markdown))
            name = annotator or gold.annotator
            outcome = _put(annotations, gold.page, name, given, f"import {path.name}", replace)
        outcomes.append((outcome, gold.source))
    return _imported(outcomes, added=0)


LABELLED, SAME, DIFFERING = "labelled", "same", "differing"
"""What became of labels from outside."""


def _imported(outcomes: Sequence[tuple[str, str]], added: int) -> Imported:
    """Count outcomes, "" for a page without labels, each with the address of its page."""
    names = [outcome for outcome, _ in outcomes]
    differing = tuple(address for outcome, address in outcomes if outcome == DIFFERING)
    return Imported(len(names), added, names.count(LABELLED), names.count(SAME), differing)


def _put(
    annotations: Annotations, digest: str, name: str, given: Annotation, what: str, replace: bool
) -> str:
    """Keep labels from outside beside those that an annotator has; returns the outcome."""
    mine = annotations.of(digest, name)
    if mine.revision and mine._replace(revision=0) == given:
        return SAME
    differs = (mine.labels, mine.is_ignored) != (given.labels, given.is_ignored)
    if mine.revision and differs and not replace:
        return DIFFERING
    annotations.replace(digest, name, given, what)
    return LABELLED


def _given(page: SourcePage, markdown: str) -> Annotation:
    """A page's labels; laid on the lines of the page that is here where these are others."""
    labels = page.labels or b""
    if markdown == page.markdown:
        return Annotation(labels, page.is_ignored, is_done=True)
    hashes, digits = gold_of(split_lines(page.markdown), list(labels))
    gold = GoldPage("", "", "", "", "", False, page.is_ignored, hashes, digits)
    return _laid_on(gold, split_lines(markdown))


def _laid_on(gold: GoldPage, lines: Sequence[str]) -> Annotation:
    judged = labels_of(gold, lines)
    unseen = sum(label is None for label in judged) - int((~visible(lines)).sum())
    labels = bytes(label or 0 for label in judged)
    return Annotation(labels, gold.is_ignored, is_done=not unseen)


def export_published(
    database: Database,
    annotator: str,
    path: Path,
    *,
    labelled_only: bool = False,
    with_unfinished: bool = False,
) -> int:
    """Write pages in the published form, labels where the annotator is done.

    `labelled_only` leaves out the pages without labels, and writes the others' HTML, too: what
    training needs. All pages, without HTML, otherwise: what is labelled further elsewhere.
    `with_unfinished` takes the labels of pages that were begun and are not done.

    Returns:
        How many pages have labels.
    """
    done = _done(database, annotator, with_unfinished=with_unfinished)
    with path.open("w", encoding="utf-8") as file:
        for entry in database.entries():
            mine = done.get(entry.digest)
            if labelled_only and mine is None:
                continue
            archived = database.archived_page(entry.digest) if labelled_only else None
            page = SourcePage(
                digest=entry.digest,
                url=entry.url,
                site=entry.site if labelled_only else "",
                lang=entry.lang if labelled_only else "",
                source="",
                markdown=database.markdown(entry.digest) or "",
                archived=archived.body if archived else None,
                content_type=archived.content_type if archived else None,
                probabilities=database.probabilities(entry.digest),
                labels=mine.labels if mine else None,
                is_ignored=bool(mine and mine.is_ignored),
                annotator=annotator,
            )
            file.write(f"{write_published(page)}\n")
    return len(done)


def export_gold(database: Database, annotators: Iterable[str], path: Path) -> int:
    """Write the labels of done pages without any text; returns how many."""
    return write_gold(
        path, (page for annotator in annotators for page in _gold_pages(database, annotator))
    )


def _gold_pages(database: Database, annotator: str) -> Iterator[GoldPage]:
    for digest, mine in _done(database, annotator).items():
        entry = database.entry(digest)
        if entry is None:
            continue
        text = split_lines(database.markdown(digest) or "")
        lines, labels = gold_of(text, list(mine.labels))
        yield GoldPage(
            page=digest,
            source=entry.source,
            site=entry.site,
            lang=entry.lang,
            annotator=annotator,
            is_test=in_test(entry.site),
            is_ignored=mine.is_ignored,
            lines=lines,
            labels=labels,
        )


def unfinished_pages(database: Database, annotator: str) -> int:
    """How many pages an annotator has begun and is not done with; ignored ones are."""
    annotated = Annotations(database).by_annotator(annotator).values()
    return sum(not (annotation.is_done or annotation.is_ignored) for annotation in annotated)


def _done(
    database: Database, annotator: str, *, with_unfinished: bool = False
) -> dict[str, Annotation]:
    annotated = Annotations(database).by_annotator(annotator)
    return {
        digest: annotation
        for digest, annotation in annotated.items()
        if annotation.is_done or with_unfinished
    }
