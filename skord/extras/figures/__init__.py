"""The figures of the CCNet paper for a dump: `skord study ccnet-figures`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from skord.cli.declarations import ExtraCommand
from skord.cli.parser import Command, as_json, of_dump


def _ccnet_figures(parser: ArgumentParser) -> None:
    of_dump(parser)
    parser.add_argument("--max-shards", type=int, default=20, help="the first so many are read")
    parser.add_argument("--out", type=Path, help="a folder for pictures, an SVG for each figure")
    as_json(parser)


DECLARES = (
    ExtraCommand(
        "look closer",
        Command(
            "ccnet-figures",
            "the figures of the CCNet paper for a dump",
            "skord.extras.figures.command",
            _ccnet_figures,
            description="The figures of the CCNet paper for a dump, from what is stored of it: "
            "documents, sentences and tokens by language and bucket, how many paragraphs are left "
            "when more shards are compared, and perplexity with the limits of head and tail.",
        ),
    ),
)
