"""Commands that look at what is there."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from skord.cli.arguments.parser import Command, Group

ORDERS = (
    "worth", "recognized_words", "words", "recognized", "avg_size", "chunks", "grammaticality",
)  # fmt: skip
"""What `grade` may sort by: columns, or recognised words gated by grammaticality. Where a tool gave
no grammaticality, recognised words alone count."""


def as_json(parser: ArgumentParser) -> None:
    """The option of commands that programs read."""
    parser.add_argument(
        "--json", action="store_true", help="one JSON value on standard output, for programs"
    )


def _status(parser: ArgumentParser) -> None:
    parser.add_argument("--dump", help="one dump; all with data when left out")
    as_json(parser)


def _funnel(parser: ArgumentParser) -> None:
    parser.add_argument("--dump", required=True)
    as_json(parser)


def _why(parser: ArgumentParser) -> None:
    parser.add_argument("page", nargs="?", help="URL or id")
    parser.add_argument("--text", help="words of the page, when its address is not known")
    parser.add_argument("--dump", help="one dump; all with data when left out")
    as_json(parser)


def _report(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--dumps", "--dump", required=True, help="such as 2024-10, or 2024-10,2024-18"
    )
    parser.add_argument("--out", type=Path, default=Path("report.html"), help="the HTML file")
    parser.add_argument(
        "--max-shards",
        type=int,
        default=100,
        help="shards that are read, evenly spaced, in a dump with more",
    )
    as_json(parser)


def _grade(parser: ArgumentParser) -> None:
    parser.add_argument("--dump", required=True)
    parser.add_argument("--top", type=int, default=50, help="pages shown; 0: all")
    parser.add_argument("--by", choices=ORDERS, default=ORDERS[0])
    parser.add_argument("--language", default="", help="of one grammar; all when left out")
    parser.add_argument("--shard", type=int, help="of one shard; all when left out")
    parser.add_argument(
        "--curve", action="store_true", help="how quality falls with the rank, in 20 stretches"
    )
    parser.add_argument(
        "--times", action="store_true", help="how long texts of how many words took, instead"
    )
    parser.add_argument("--out", type=Path, help="an SVG file for the picture of --times")
    as_json(parser)


def _contamination(parser: ArgumentParser) -> None:
    parser.add_argument("--dump", required=True)
    parser.add_argument("--set", help="one evaluation set; all when left out")
    parser.add_argument(
        "--limit", type=float, default=0.5, help="score from which a text counts (default 0.5)"
    )
    parser.add_argument("--examples", type=int, default=20, help="matches shown; 0: none")
    as_json(parser)


def _logs(parser: ArgumentParser) -> None:
    parser.add_argument("task")
    parser.add_argument("--dump", required=True)
    parser.add_argument("--shard", type=int, required=True)
    parser.add_argument("--phase", default="shard")
    as_json(parser)


def _verify(parser: ArgumentParser) -> None:
    parser.add_argument("--dump", required=True)
    parser.add_argument("--repair", action="store_true", help="make damaged shards again")
    as_json(parser)


def _ccnet_figures(parser: ArgumentParser) -> None:
    parser.add_argument("--dump", required=True)
    parser.add_argument("--max-shards", type=int, default=20, help="the first so many are read")
    parser.add_argument("--out", type=Path, help="a folder for pictures, an SVG for each figure")
    as_json(parser)


def _language(parser: ArgumentParser) -> None:
    parser.add_argument("code", help="as fastText's lid.176 names it, such as fi")
    parser.add_argument(
        "--text", type=Path, nargs="+", default=[], help="text in it, .txt or .txt.gz"
    )
    parser.add_argument(
        "--treebank", type=Path, nargs="+", default=[], help="trees in it, CoNLL-U, .gz or not"
    )
    parser.add_argument(
        "--pages", type=Path, nargs="+", default=[],
        help="text of pages, a blank line between two, that set the limits of head and tail",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=Path, help="folder to make LANG.toml, perplexity model and grammar in"
    )


LOOK = Group(
    "look",
    [
        Command("status", "where every task of a dump stands", "skord.cli.look.status", _status),
        Command(
            "funnel",
            "documents and characters through the tasks, and what was lost to what",
            "skord.cli.look.funnel",
            _funnel,
        ),
        Command(
            "why",
            "one page's row in every table, and where it ended",
            "skord.cli.look.why",
            _why,
        ),
        Command(
            "report",
            "an HTML file of what became of a dump, with pages to read",
            "skord.cli.report.command",
            _report,
            description="What a dump came to, in one HTML file to look at and one JSON file to "
            "reckon with. Several dumps stand side by side.",
        ),
        Command(
            "grade",
            "the best texts of a dump, with their grades",
            "skord.extras.grading.command",
            _grade,
            description="The best texts of a dump, as GradeDocuments graded them. Columns: Job (the"
            " shard), File (the page), Words, Recognized (%), Chunks, and two sizes: Avg. size as "
            "the paper printed it, recognised words² / (words · chunks), and words in a chunk on "
            "average.",
        ),
        Command(
            "verify",
            "read every shard against what was noted of it",
            "skord.cli.repair.verify",
            _verify,
            description="Read every shard of a dump and compare it with its fingerprint, ids, "
            "number, checksums and row counts, as bit rot asks for now and then. With --repair, "
            "shards that are missing or damaged are made again, and nothing else.",
        ),
        Command(
            "contamination",
            "which evaluation sets are in a dump's texts",
            "skord.extras.contamination.command",
            _contamination,
            description="Which evaluation sets are in the texts of a dump, as Decontaminate found "
            "them: of each set how many questions and answers some text holds, one text both, and "
            "how many texts; then the best matches to read, each item once.",
        ),
        Command(
            "ccnet-figures",
            "the figures of the CCNet paper for a dump",
            "skord.extras.figures.command",
            _ccnet_figures,
            description="The figures of the CCNet paper for a dump, from what is stored of it: "
            "documents, sentences and tokens by language and bucket, how many paragraphs are left "
            "when more shards are compared, perplexity with the limits of head and tail, work and "
            "memory of each step.",
        ),
        Command(
            "language",
            "what there is for a language, and how to add the rest",
            "skord.extras.evaluation.language",
            _language,
            description="What there is for a language: what happens without each part that is "
            "missing, and how it is added. With --text or --treebank, the words and letters that "
            "its lists are made of; with --out, too, these lists, a perplexity model and a chunk "
            "grammar are made in a folder that [languages] folder then names.",
        ),
        Command("logs", "what the runs of one shard left behind", "skord.cli.look.logs", _logs),
    ],
)
