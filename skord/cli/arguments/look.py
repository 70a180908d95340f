"""Commands that look at what is there."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from skord.cli.arguments.parser import Command, Group


def of_dump(parser: ArgumentParser, *, required: bool = True, text: str = "") -> None:
    """The option that names one dump, or one input."""
    parser.add_argument(
        "--dump",
        "--dumps",
        "--input",
        required=required,
        metavar="NAME",
        help=text or "a dump, such as 2024-10, or the name of files of your own",
    )


def of_dumps(parser: ArgumentParser, *, required: bool = True, text: str = "") -> None:
    """The option that names dumps and inputs."""
    parser.add_argument(
        "--dumps",
        "--dump",
        "--input",
        required=required,
        default=None if required else "",
        metavar="NAME,…",
        help=text or "dumps, such as 2024-10,2024-18, or names of files of your own",
    )


def as_json(parser: ArgumentParser) -> None:
    """The option of commands that programs read."""
    parser.add_argument(
        "--json", action="store_true", help="one JSON value on standard output, for programs"
    )


def _status(parser: ArgumentParser) -> None:
    of_dump(parser, required=False, text="one dump or input; all with data when left out")
    as_json(parser)


def _funnel(parser: ArgumentParser) -> None:
    of_dump(parser)
    as_json(parser)


def _why(parser: ArgumentParser) -> None:
    parser.add_argument("page", nargs="?", help="URL or id")
    parser.add_argument("--text", help="words of the page, when its address is not known")
    of_dump(parser, required=False, text="one dump or input; all with data when left out")
    as_json(parser)


def _report(parser: ArgumentParser) -> None:
    of_dumps(parser)
    parser.add_argument("--out", type=Path, default=Path("report.html"), help="the HTML file")
    parser.add_argument(
        "--max-shards",
        type=int,
        default=100,
        help="shards that are read, evenly spaced, in a dump with more",
    )
    as_json(parser)


def _logs(parser: ArgumentParser) -> None:
    parser.add_argument("task")
    of_dump(parser)
    parser.add_argument("--shard", type=int, required=True)
    parser.add_argument("--phase", default="shard")
    as_json(parser)


def _verify(parser: ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--dump", "--dumps", "--input", metavar="NAME", help="all that was made of a dump or input"
    )
    what.add_argument(
        "--publish", metavar="FOLDER", help="a published corpus, judged by its folder alone"
    )
    parser.add_argument("--repair", action="store_true", help="make damaged shards again")
    as_json(parser)


LOOK = Group(
    "look",
    [
        Command("status", "where every task of a dump stands", "skord.cli.look.status", _status),
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
    ],
)

LOOK_CLOSER = Group(
    "look closer",
    [
        Command(
            "funnel",
            "documents and characters through the tasks, and what was lost to what",
            "skord.cli.look.funnel",
            _funnel,
        ),
        Command(
            "verify",
            "read every shard against what was noted of it",
            "skord.cli.repair.verify",
            _verify,
            description="Read every shard of a dump and compare it with its fingerprint, ids, "
            "number, checksums and row counts, as bit rot asks for now and then. With --repair, "
            "shards that are missing or damaged are made again, and nothing else. With --publish, "
            "hold a published folder, or a copy of one, against its checksums, card, pointers and "
            "list of what was taken out.",
        ),
        Command("logs", "what the runs of one shard left behind", "skord.cli.look.logs", _logs),
    ],
    below="study",
)
