"""Commands that make something: texts of pages, columns of dumps."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from skord.cli.arguments.look import of_dump
from skord.cli.arguments.parser import Command, Group


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


def _corpus(parser: ArgumentParser) -> None:
    parser.add_argument(
        "inputs",
        nargs="+",
        metavar="INPUT",
        help="files and folders: HTML pages, WARC files, texts (.txt, .md), Parquet, JSON Lines, CSV; "
        "packed with gzip or Zstandard or not",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="a new folder")
    parser.add_argument("--languages", help="such as et,pl,nb; all when left out")
    parser.add_argument(
        "--format", choices=["parquet", "jsonl"], default="parquet", help="of the texts"
    )
    parser.add_argument(
        "--min-chars", type=int, metavar="N", help="shorter pages are left out; 300"
    )
    parser.add_argument(
        "--replace", action="store_true", help="make a corpus of other files, or settings, anew"
    )
    parser.add_argument("--base-url", metavar="URL", help="what stands before the names of files")
    for name in ("url", "html", "text", "date"):
        parser.add_argument(
            f"--{name}-column", metavar="NAME", help=f"of tables: {name} when left out"
        )


def _run(parser: ArgumentParser) -> None:
    parser.add_argument("task", help="such as Deduplicate, DeduplicateIndividually, ExportCorpus")
    parser.add_argument(
        "--source",
        metavar="PATH",
        help="your own files, under the name that --input gives: a file, a folder, 'a pattern', or "
        "s3://…; WARC files, HTML pages, texts, Parquet or JSON Lines",
    )
    parser.add_argument(
        "--kind",
        choices=["warc", "pages", "texts"],
        help="what they are, where their names do not tell",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="start nothing: look at settings, disk, permissions, executor, models and endpoint, a line "
        "each; exit status 1 where something is wrong",
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
    of_dump(parser)
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
            "corpus",
            "a corpus of your own pages and texts: corpus pages --languages et,pl --out mine",
            "skord.cli.corpus",
            _corpus,
            description="Make a corpus of files of your own: FOLDER/texts.parquet (or .jsonl) with "
            "text, title, date, author, language, url and source file, and README.md, the dataset "
            "card. What is left out is counted, with the reason. Settings of tasks follow as "
            "--CCNet-rule top.",
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
            "as --dump 2024-10 or --input mine, and those of any other task as --CCNet-rule top; with "
            "--source, the pages are those of your own files. Given again, it goes on where it "
            "was. The same as python -m luigi --module MODULE TASK ….",
        ),
    ],
)

REPAIR = Group(
    "repair",
    [Command("retry", "make some shards of a task again", "skord.cli.repair.retry", _retry)],
    below="study",
)
