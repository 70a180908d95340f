"""Commands that try the whole graph out on a small crawl of one's own, and completion."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from skord.cli.arguments.parser import Command, Group

SHELLS = ("bash", "zsh", "tcsh")


def _folder(parser: ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="where it lies")


def _sources(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--source",
        type=Path,
        action="append",
        default=[],
        help="a folder of HTML pages or a WARC file; the bundled pages when left out",
    )
    parser.add_argument("--dump", default="2024-10")
    parser.add_argument(
        "--harvest", action="store_true", help="a Latvian crawl instead, in five charsets"
    )


def _faults(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="KIND=RATE",
        help="how often the server misbehaves, such as unavailable=0.05; seed=N too",
    )


def _build(parser: ArgumentParser) -> None:
    _folder(parser)
    _sources(parser)
    parser.add_argument("--pages", type=int, help="so many, with the statistics of a real dump")
    parser.add_argument("--share", type=float, default=0.02, help="of them in Nordic languages")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--part", default="1/1", help="of the files, such as 3/8")
    parser.add_argument("--pages-a-file", type=int, default=1000, metavar="N")


def _run(parser: ArgumentParser) -> None:
    _folder(parser)
    _sources(parser)
    _faults(parser)
    parser.add_argument(
        "--languages", default="", help="codes of the languages to select, such as fi,sv"
    )
    parser.add_argument(
        "--kind",
        choices=["common_crawl", "warc", "pages", "texts"],
        default="common_crawl",
        help="what the pages are taken for: a crawl with WET files and an index, WARC files of "
        "one's own, HTML files and JSON Lines, or texts",
    )
    parser.add_argument("--workers", type=int, default=-1)
    parser.add_argument("--executor", choices=["local", "slurm"], default="local")


def _serve(parser: ArgumentParser) -> None:
    _folder(parser)
    parser.add_argument("--port", type=int, default=0)
    _faults(parser)


def _completion(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS)


_SAMPLE, _HELP = "skord.cli.sample", "the whole graph over a small crawl of one's own"

SAMPLE = Group(
    "try out",
    [
        Command("sample run", _HELP, _SAMPLE, _run, "run_sample",
                "Build a small crawl, serve it, and run the whole graph over it."),
        Command("sample build", _HELP, _SAMPLE, _build, "build_sample",
                "Build a crawl in the layout of Common Crawl."),
        Command("sample serve", _HELP, _SAMPLE, _serve, "serve_sample",
                "Serve a crawl over HTTP until interrupted."),
    ],
)  # fmt: skip

SHELL = Group(
    "",
    [
        Command(
            "completion",
            "what makes the shell complete these words",
            "skord.cli.completion",
            _completion,
            description="Print what makes a shell complete these words: in bash, "
            'eval "$(skord completion bash)".',
            reads_settings=False,
        )
    ],
)
