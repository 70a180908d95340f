"""`skord annotate`: label in a browser which lines of pages are main text; labels in and out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from skord.annotation_tool.backend import commands
from skord.annotation_tool.backend.annotations import Annotations
from skord.annotation_tool.backend.exchange import (
    IMPORTED,
    export_gold,
    export_published,
    unfinished_pages,
)
from skord.core.failures import ConfigError
from skord.core.storage.filesystem import whole_file

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
        "--annotator", action="append", default=[], metavar="NAME",
        help="whose labels; needed where several have labelled",
    )  # fmt: skip
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--all-pages", action="store_true",
        help="pages without labels, too, and no HTML: for others to go on with",
    )  # fmt: skip
    form.add_argument(
        "--labels-only", action="store_true",
        help="no text, no address: digests of lines, and labels; of several annotators, too",
    )  # fmt: skip
    parser.add_argument(
        "--unfinished", choices=UNFINISHED, default=UNFINISHED[0],
        help="labels of pages that were begun and are not marked as done (left out unless asked)",
    )  # fmt: skip
    parser.add_argument("--replace", action="store_true", help="write over a file that is there")


def declare_import(parser: argparse.ArgumentParser) -> None:
    """What `skord annotate import` takes."""
    parser.add_argument("pages", type=Path, nargs="*", metavar="PAGES", help="where the pages are")
    parser.add_argument(
        "--labels", type=Path, action="append", default=[], metavar="FILE",
        help="labels without text, as annotate export --labels-only writes them",
    )  # fmt: skip
    parser.add_argument(
        "--annotator", type=commands.annotator_name, metavar="NAME",
        help=f"whose the labels are, if not as the file says, or {IMPORTED!r}",
    )  # fmt: skip
    parser.add_argument(
        "--replace", action="store_true", help="take labels that differ from those of the annotator"
    )
    commands.declare_reading(parser)


def declare_agreement(parser: argparse.ArgumentParser) -> None:
    """What `skord annotate agreement` takes."""
    parser.add_argument("first", metavar="NAME")
    parser.add_argument("second", metavar="NAME")
    commands.declare_database(parser)


def run(options: argparse.Namespace) -> None:
    """Read the pages, and serve the workbench until it is stopped."""
    commands.serve(options)


def export(options: argparse.Namespace) -> None:
    """Write labelled pages, and say what was left out."""
    database = commands.existing(options.database)
    names = [name for name in Annotations(database).annotators() if name]
    if not names:
        raise ConfigError(f"{database.path} holds no labels: label pages with `skord annotate`")
    chosen = options.annotator or names
    if not options.labels_only and len(chosen) > 1:
        raise ConfigError(f"{', '.join(chosen)} have labelled: name one, --annotator {chosen[0]}")
    commands.require_annotators(database, chosen)
    if options.out.exists() and not options.replace:
        raise ConfigError(f"{options.out} is there already: name another, or give --replace")
    included = options.unfinished == "include"
    with whole_file(options.out) as partial:
        if options.labels_only:
            written = export_gold(database, chosen, partial)
        else:
            written = export_published(
                database,
                chosen[0],
                partial,
                labelled_only=not options.all_pages,
                with_unfinished=included,
            )
    print(f"{options.out}: {written} pages labelled by {', '.join(chosen)}")
    said = "among them" if included else "left out (--unfinished include takes them too)"
    for name in chosen:
        if unfinished := unfinished_pages(database, name):
            print(f"{unfinished} pages of {name} are begun and not done: {said}", file=sys.stderr)
