"""Commands that help to decide before anything is made."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path

from skord.cli.arguments.look import as_json, of_dump
from skord.cli.arguments.parser import Command, Group, OptionsOf
from skord.cli.declarations import WhatIfSetting
from skord.extras import declared


def _dumps(parser: ArgumentParser) -> None:
    parser.add_argument("--refresh", action="store_true", help="fetch the endpoint's list first")
    as_json(parser)


def _features(parser: ArgumentParser) -> None:
    parser.add_argument("--set", metavar="SET", help="one feature set; all when left out")
    as_json(parser)


def _what_if(parser: ArgumentParser) -> None:
    of_dump(parser)
    parser.add_argument(
        "--set",
        dest="changes",
        action="append",
        required=True,
        metavar="NAME=VALUE,…",
        help="a feature's limit, such as unigram_entropy=2.5 or content_length=200..100000; or "
        "what the export decides: reservations=PATTERN+PATTERN"
        + "".join(f", {one.name}={'|'.join(one.values)}" for one in declared(WhatIfSetting)),
    )
    parser.add_argument("--show", type=int, default=50, help="pages that are shown to read")
    as_json(parser)


def _plan(parser: ArgumentParser) -> None:
    of_dump(parser)
    parser.add_argument(
        "--pilot",
        type=Path,
        help="a folder with data/ and logs/ of another run; what there is of this dump when left "
        "out",
    )
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    as_json(parser)


DECIDE = Group(
    "decide",
    [
        Command("dumps", "the dumps that are known", "skord.cli.dumps", _dumps),
        Command(
            "features",
            "the measures of a text, their limits, and which of them decide",
            "skord.cli.look.features",
            _features,
            description="The measures that FilterDocuments takes of every text, and the limits in "
            "force. A star marks those that decide, as the settings have it.",
        ),
        Command(
            "what-if",
            "which pages other limits would let pass or stop",
            "skord.cli.look.what_if",
            _what_if,
            description="Which pages would pass or fall if the limits were others; decided anew, "
            "measured once. Give NAME=VALUE for the limit that the feature has, NAME=LOW..HIGH for "
            "both (either may be left out), NAME=off for none.",
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
        Command(
            "plan",
            "what a dump will take: requests, bytes, disk, hours",
            "skord.cli.planning.command",
            _plan,
            description="What a dump will take, before anything of it is submitted. Estimated from "
            "shards that are there: of this dump, or of a pilot (its own data_dir, made with "
            "--DownloadWET-share 0.01 and a hundredth of the shards, so that they are as "
            "large), or of a sample crawl.",
        ),
        Command(
            "slurm profile",
            "settings for the cluster that it stands on: slurm profile > cluster.cfg",
            "skord.slurm.profile",
            lambda _: None,
            reads_settings=False,
        ),
    ],
    below="study",
)
