"""`skord annotate`: label in a browser which lines of pages are main text, and write the labels."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from skord.annotation_tool.backend import commands
from skord.annotation_tool.backend.annotations import Annotations
from skord.annotation_tool.backend.exchange import export_published, unfinished_pages
from skord.core.failures import ConfigError

UNFINISHED = ("leave-out", "include")


def declare(parser: argparse.ArgumentParser) -> None:
    """What `skord annotate` takes."""
    parser.add_argument("pages", type=Path, nargs="*", metavar="PAGES", help="where the pages are")
    parser.add_argument(
        "--only", type=Path, metavar="FILE", help="only pages of these addresses, one a line"
    )
    parser.add_argument(
        "--least-sure", type=int, metavar="N",
        help="of a dump, the N pages of which its extractor was least sure",
    )  # fmt: skip
    commands.declare_reading(parser)
    commands.declare_serving(parser)


def declare_export(parser: argparse.ArgumentParser) -> None:
    """What `skord annotate export` takes."""
    parser.add_argument("out", type=Path, metavar="FILE", help="such as labels.jsonl")
    commands.declare_database(parser)
    parser.add_argument(
        "--annotator", metavar="NAME", help="whose labels; needed where several have labelled"
    )
    parser.add_argument(
        "--unfinished", choices=UNFINISHED, default=UNFINISHED[0],
        help="labels of pages that were begun and are not marked as done (left out unless asked)",
    )  # fmt: skip
    parser.add_argument("--replace", action="store_true", help="write over a file that is there")


def run(options: argparse.Namespace) -> None:
    """Read the pages, and serve the workbench until it is stopped."""
    commands.serve(options)


def export(options: argparse.Namespace) -> None:
    """Write labelled pages, and say what was left out."""
    database = commands.existing(options.database)
    names = [name for name in Annotations(database).annotators() if name]
    if not names:
        raise ConfigError(f"{database.path} holds no labels: label pages with `skord annotate`")
    if options.annotator is None and len(names) > 1:
        raise ConfigError(f"{', '.join(names)} have labelled: name one, --annotator {names[0]}")
    annotator = options.annotator or names[0]
    commands.require_annotators(database, [annotator])
    if options.out.exists() and not options.replace:
        raise ConfigError(f"{options.out} is there already: name another, or give --replace")
    included = options.unfinished == "include"
    unfinished = unfinished_pages(database, annotator)
    written = export_published(
        database, annotator, options.out, labelled_only=True, with_unfinished=included
    )
    print(f"{options.out}: {written} pages labelled by {annotator}")
    if unfinished:
        said = "among them" if included else "left out (--unfinished include takes them too)"
        print(f"{unfinished} pages are begun and not done: {said}", file=sys.stderr)
