"""Corpora compared by what models learn, and what there is for a language."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from skord.cli.declarations import ExtraCommand
from skord.cli.parser import Command, as_json


def _evaluate(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--corpus", action="append", required=True, metavar="PATH", help="two or more of them"
    )
    parser.add_argument("--held-out", required=True, metavar="PATH", help="texts that are in none")
    parser.add_argument("--megabytes", type=float, default=8.0, help="at most, of each corpus")
    parser.add_argument("--seeds", type=int, default=2, help="trainings of each")
    parser.add_argument("--no-network", action="store_true", help="the n-gram model alone")
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


DECLARES = (
    ExtraCommand(
        "decide",
        Command(
            "evaluate",
            "from which of several corpora small models learn most",
            "skord.extras.evaluation.evaluate",
            _evaluate,
            description="Train a byte n-gram model and a small network on equal amounts of each "
            "corpus, and print the bits per byte that they take of held-out text, with 95 % "
            "intervals over its documents. Less is better; a difference whose interval holds 0 is "
            "none. A corpus is a folder or file of texts (.txt, .md), Parquet or JSON Lines with "
            "a column text.",
        ),
    ),
    ExtraCommand(
        "look closer",
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
    ),
)
