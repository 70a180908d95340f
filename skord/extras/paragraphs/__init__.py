"""A corpus of paragraphs after Uzushio: extracted, counted, filtered, exported."""

from __future__ import annotations

from skord.cli.declarations import ReportPart
from skord.extras import Function, TaskModule

DECLARES = (
    TaskModule("skord.extras.paragraphs.extraction"),
    TaskModule("skord.extras.paragraphs.filtering"),
    ReportPart(
        "paragraph_corpus",
        "Corpus of paragraphs",
        "What ExportParagraphs wrote, and what FilterParagraphs took out before.",
        Function("skord.extras.paragraphs.report", "paragraph_corpus"),
        Function("skord.extras.paragraphs.report", "corpus_html"),
        "ExportParagraphs has not run.",
    ),
)
