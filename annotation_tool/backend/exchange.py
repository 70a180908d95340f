"""Labels in and out: the published tool's JSONL, and label-only files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from annotation_tool.backend.annotations import Annotation, Annotations
from annotation_tool.backend.database import Database
from annotation_tool.backend.published import PublishedExample, write_published
from annotation_tool.backend.sources import SourcePage
from models.line_classifier.gold import GoldPage, gold_of, write_gold
from models.line_classifier.training.dataset import in_test
from pipeline.markdown.extraction import split_lines


def import_labels(database: Database, pages: Iterable[SourcePage], annotator: str) -> int:
    """Put in pages with the labels that they bring; returns how many brought some.

    Such pages count as done. What the annotator had before can be had back by undo.
    """
    annotations = Annotations(database)
    labelled = 0
    for page in pages:
        database.add_pages([page])
        if page.labels is not None:
            given = Annotation(page.labels, page.is_ignored, is_done=True)
            annotations.replace(page.digest, annotator, given, f"import {page.source}")
            labelled += 1
    return labelled


def export_published(database: Database, annotator: str, path: Path) -> int:
    """Write every page in the published form, labels where the annotator is done.

    Returns:
        How many pages have labels.
    """
    done = _done(database, annotator)
    with path.open("w", encoding="utf-8") as file:
        for entry in database.entries():
            mine = done.get(entry.digest)
            example = PublishedExample(
                url=entry.url,
                markdown=database.markdown(entry.digest) or "",
                labels=mine.labels if mine else None,
                is_ignored=bool(mine and mine.is_ignored),
                probabilities=database.probabilities(entry.digest),
            )
            text = json.dumps(write_published(example), ensure_ascii=False)
            file.write(text.encode("utf-8", "replace").decode() + "\n")
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


def _done(database: Database, annotator: str) -> dict[str, Annotation]:
    found = Annotations(database).by_annotator(annotator)
    return {digest: annotation for digest, annotation in found.items() if annotation.is_done}
