"""Commands that make something: texts of pages, columns of dumps."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from skord.cli.arguments.parser import Command, Group, OptionsOf


def _init(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", type=Path, default=Path("luigi.cfg"), help="luigi.cfg when left out"
    )


def _extract(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="an HTML file or a page's address; - for what is piped",
    )
    parser.add_argument(
        "--input-dir", type=Path, metavar="FOLDER", help="all HTML files in it and below it"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE|FOLDER",
        help="where the text goes, in place of standard output; a file for each page in a FOLDER",
    )
    parser.add_argument(
        "--parallel", type=int, default=1, metavar="N", help="processes that share the pages"
    )
    parser.add_argument(
        "--format",
        choices=["markdown", "plain", "html", "json", "jsonl"],
        default="markdown",
        help="how the main text is written; json, jsonl: a line for each page with title, date, language, "
        "text (Markdown) and the lines that were kept",
    )
    parser.add_argument(
        "--whole-page", action="store_true", help="print the whole page as Markdown, menus and all"
    )
    parser.add_argument("--json", dest="format", action="store_const", const="json")
    parser.add_argument("--url", help="where the page was found: its pictures get whole addresses")
    parser.add_argument(
        "--threshold", type=float, help="least probability of a line that is kept, from 0 to 1"
    )


def _run(parser: ArgumentParser) -> None:
    parser.add_argument("task", help="such as Deduplicate, DeduplicateIndividually, ExportCorpus")
    parser.add_argument(
        "--source",
        metavar="PATH",
        help="your own files under the name that --dumps gives: a file, a folder, 'a pattern', or "
        "s3://…; WARC files, HTML pages, texts, Parquet or JSON Lines",
    )
    parser.add_argument(
        "--kind",
        choices=["warc", "pages", "texts"],
        help="what they are, where their names do not tell",
    )
    parser.add_argument(
        "--strict", action="store_true", help="do not complete a task whose yields look odd"
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="with [executor] kind = slurm: print the sbatch lines and scripts, and submit nothing",
    )


def _retry(parser: ArgumentParser) -> None:
    parser.add_argument("task")
    parser.add_argument("--dump", required=True)
    parser.add_argument("--shards", required=True, help="numbers and ranges, such as 3,17-20")


MAKE = Group(
    "make",
    [
        Command(
            "extract",
            "main text of HTML files: as text, Markdown or JSON",
            "skord.cli.extract",
            _extract,
            description="The main text of HTML files, of pages by their address, or of what is "
            "piped. Exit status 1: no page has a text; 3: some have none.",
            reads_settings=False,
        ),
        Command(
            "init",
            "write a luigi.cfg with every setting, explained",
            "skord.cli.init",
            _init,
            description="Write a luigi.cfg in which every setting stands as a comment with its "
            "default: take the sign away before those that you change.",
            reads_settings=False,
        ),
        Command(
            "run",
            "run a task and all that it needs: run Deduplicate --dump 2024-10",
            "skord.cli.run",
            _run,
            description="Run a task and all that it needs. Its parameters follow as options, such "
            "as --dump 2024-10, and those of any other task as --CCNet-rule top; with "
            "--source, the pages are those of your own files. Given again, it goes on where it "
            "was. The same as python -m luigi --module MODULE TASK ….",
        ),
        Command(
            "models",
            "language models and identifiers of others, and their download",
            "skord.cli.models",
            OptionsOf("skord.cli.models", "declare"),
            description="List the published language models (CCNet's, of 48 languages) and language"
            " identifiers that can be used: address, size, SHA-256, licence, and where a file goes."
            " With --fetch the files of those named are downloaded; what broke off is gone on with.",
            reads_settings=False,
        ),
        Command("retry", "make some shards of a task again", "skord.cli.repair.retry", _retry),
    ],
)
