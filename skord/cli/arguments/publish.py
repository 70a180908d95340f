"""Commands that publish a corpus, and that make a published one again."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from skord.cli.arguments.look import as_json, of_dumps
from skord.cli.arguments.parser import Command, Group

INCOMPLETE = 3
"""Exit status when something is left: a text that cannot be made again, a page to be removed."""

WRITTEN = ("domain", "url", "id", "text")
"""Kinds of removals that a person writes down; robots.txt rules are read from files."""


def _export(parser: ArgumentParser) -> None:
    of_dumps(parser)
    parser.add_argument("--json", action="store_true", help="JSON lines, too")
    parser.add_argument(
        "--pointers",
        type=Path,
        metavar="FOLDER",
        help="copy the small tables that `rebuild` reads into a folder",
    )
    parser.add_argument("--replace", action="store_true", help="also if published otherwise")


def _compact(parser: ArgumentParser) -> None:
    parser.add_argument(
        "folder", metavar="FOLDER", help="a folder or s3://bucket/prefix without Parquet files"
    )
    of_dumps(parser)
    parser.add_argument(
        "--columns", help="such as CCNet.url,ProcessMarkdown.text; all when left out"
    )
    parser.add_argument("--kept", action="store_true", help="only what Deduplicate kept")
    parser.add_argument("--mb", type=int, default=512, help="of a file, about")


def _removals_add(add: ArgumentParser) -> None:
    for kind in WRITTEN:
        add.add_argument(f"--{kind}", action="append", default=[], metavar=kind.upper())
        add.add_argument(f"--{kind}-file", type=Path, action="append", default=[], metavar="FILE")
    add.add_argument("--reserved", action="append", default=[], metavar="PATTERN",
                     help="addresses that DetectReservations found reserved in any dump, "
                     "such as tdmrep_* or robots_txt:GPTBot")  # fmt: skip
    add.add_argument("--robots", type=Path, action="append", default=[], metavar="WARC",
                     help="a WARC file with archived robots.txt files")  # fmt: skip
    add.add_argument("--robots-dump", default="", metavar="DUMP",
                     help="all robots.txt files that the crawl archived for a dump")  # fmt: skip
    add.add_argument("--robots-txt", nargs=2, action="append", default=[],
                     metavar=("SITE", "FILE"), help="one robots.txt")  # fmt: skip
    add.add_argument("--agent", action="append", default=[],
                     help="whose rules count; CCBot if not said")  # fmt: skip
    add.add_argument("--reason", required=True, help="such as take-down, opt-out, robots.txt")
    add.add_argument("--reference", default="", help="by which whoever asked knows the matter")
    add.add_argument("--date", default="", help="of asking, as 2024-03-01; today if not said")
    as_json(add)


def _removals_list(parser: ArgumentParser) -> None:
    parser.add_argument("--log", action="store_true", help="the audit log")
    as_json(parser)


def _removals_dumps(parser: ArgumentParser) -> None:
    of_dumps(parser, required=False, text="all that are published when left out")
    as_json(parser)


def _summary(parser: ArgumentParser) -> None:
    of_dumps(parser)
    parser.add_argument("--out", type=Path, default=Path("training-content.md"))
    as_json(parser)


def _rebuild(parser: ArgumentParser) -> None:
    parser.add_argument(
        "pointers", type=Path, nargs="+", metavar="FILE", help="tables of pointers, or folders"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the .parquet files")
    parser.add_argument("--crawl", default="", metavar="URL", help="[crawl] base_url when left out")
    parser.add_argument("--pandoc", default="", help="a pandoc binary; the bundled one if not")
    parser.add_argument("--threads", type=int, default=4, help="requests under way at once")
    as_json(parser)


_REMOVALS = "skord.cli.publish.removals"
_REMOVALS_HELP = "take pages out of the corpus by request, and prove it"

PUBLISH = Group(
    "publish",
    [
        Command(
            "export",
            "publish the kept texts: files, card, checksums, pointers",
            "skord.cli.publish.export",
            _export,
            description="Publish the kept texts of dumps: files, card, checksums, and where each "
            "text came from. Settings are those of section [ExportCorpus]. A dump that is published"
            " already loses what was listed for removal since, and is not made anew.",
        ),
        Command(
            "compact",
            "columns of a dump in a few large Parquet files",
            "skord.cli.publish.export",
            _compact,
            "compact_columns",
            "Write columns of several tasks side by side to a few large Parquet files, "
            "in the order of the index, for readers that would open thousands of shards.",
        ),
        Command(
            "removals add",
            _REMOVALS_HELP,
            _REMOVALS,
            _removals_add,
            "add_removals",
            "List domains, addresses, ids, texts or robots.txt rules to be taken out.",
        ),
        Command(
            "removals list",
            _REMOVALS_HELP,
            _REMOVALS,
            _removals_list,
            "print_removals",
            "What is listed, and what was done about it.",
        ),
        Command(
            "removals apply",
            _REMOVALS_HELP,
            _REMOVALS,
            _removals_dumps,
            "apply",
            "Take what is listed out of what is published.",
        ),
        Command(
            "removals check",
            _REMOVALS_HELP,
            _REMOVALS,
            _removals_dumps,
            "check_removals",
            f"Prove that nothing listed is left in what is published; exit status {INCOMPLETE} if "
            "something is.",
        ),
        Command(
            "summary",
            "the EU's public summary of training content, filled in",
            "skord.cli.publish.summary",
            _summary,
            description="Fill in the template of the public summary of training content, C(2025) 8311, from "
            "published dumps: size, languages, crawls, domains, measures. What only the provider "
            "of a model can answer stays an empty field with the question.",
        ),
        Command(
            "rebuild",
            "make the texts again from pointers and the crawl",
            "skord.cli.publish.rebuild",
            _rebuild,
            description="Make the texts of a corpus again from its pointers and the crawl, byte for"
            " byte. Only what has the right digest counts. Exit status "
            f"{INCOMPLETE}: some texts could not be made again; each has its row, and in it the "
            "reason.",
        ),
    ],
    below="publish",
)
