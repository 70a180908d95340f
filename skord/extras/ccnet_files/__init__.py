"""CCNet's published forms: ExportCCNet, MinifyCCNet, `skord publish reconstruct`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from skord.cli.declarations import ExtraCommand
from skord.cli.parser import INCOMPLETE, Command
from skord.extras import TaskModule

MODES = ("default", "exact")


def _reconstruct(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--minified",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="MinifyCCNet's .parquet, or published .json.gz; of a folder, all there are",
    )
    parser.add_argument(
        "--wet",
        default="",
        metavar="FOLDER|URL",
        help="a folder or s3://bucket/prefix with WET files, or the http(s) address of a crawl; "
        "[crawl] base_url when left out",
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the .parquet files")
    parser.add_argument(
        "--json", action="store_true", help="write published .json.gz files beside them"
    )
    parser.add_argument(
        "--mode",
        choices=MODES,
        default="",
        help="[HashParagraphs] mode of the selection; when left out, that of a .parquet file, "
        "and exact for a published one",
    )


DECLARES = (
    TaskModule("skord.extras.ccnet_files.task"),
    ExtraCommand(
        "publish",
        Command(
            "reconstruct",
            "make CCNet's texts again from WET files and minified files",
            "skord.extras.ccnet_files.command",
            _reconstruct,
            description="Rebuild texts from WET files and what MinifyCCNet, or cc_net's minify, "
            f"kept of them. Exit status {INCOMPLETE}: some documents could not be rebuilt; each has"
            " its row, and in it the reason.",
        ),
    ),
)
