"""`python -m pipeline …`: look at a run, rehearse one, know the dumps."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pipeline.cli.dumps import refresh
from pipeline.cli.export import add_export
from pipeline.cli.features import add_features
from pipeline.cli.funnel import funnel, render
from pipeline.cli.grade import add_grade
from pipeline.cli.logs import log_lines
from pipeline.cli.plan import add_plan
from pipeline.cli.rebuild import add_rebuild
from pipeline.cli.reconstruct import add_reconstruct
from pipeline.cli.removals import add_removals
from pipeline.cli.report.command import add_report
from pipeline.cli.retry import retry
from pipeline.cli.sample import Rehearsal, build
from pipeline.cli.status import dumps_with_data, status_lines
from pipeline.cli.what_if import add_what_if
from pipeline.cli.why import pages_with, story
from pipeline.core.column_store import ColumnStore
from pipeline.core.config import executor, open_storage
from pipeline.core.config_check import check_settings
from pipeline.core.dumps import check_dump, known_dumps
from pipeline.core.failures import ConfigError, PipelineError
from pipeline.sample_crawl.faults import Faults, parse_faults
from pipeline.sample_crawl.server import CrawlServer


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog="python -m pipeline", description=__doc__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    status = commands.add_parser("status", help="where every task of a dump stands")
    status.add_argument("--dump", help="one dump; all with data when left out")
    status.set_defaults(run=_status)

    why = commands.add_parser("why", help="one page's row in every table, and where it ended")
    why.add_argument("page", nargs="?", help="URL or id")
    why.add_argument("--text", help="words of the page, when its address is not known")
    why.add_argument("--dump", help="one dump; all with data when left out")
    why.set_defaults(run=_why)

    shown = commands.add_parser("funnel", help="documents and characters through the tasks")
    shown.add_argument("--dump", required=True)
    shown.set_defaults(run=_funnel)

    logs = commands.add_parser("logs", help="what the runs of one shard left behind")
    logs.add_argument("task")
    logs.add_argument("--dump", required=True)
    logs.add_argument("--shard", type=int, required=True)
    logs.add_argument("--phase", default="shard")
    logs.set_defaults(run=_logs)

    again = commands.add_parser("retry", help="make some shards of a task again")
    again.add_argument("task")
    again.add_argument("--dump", required=True)
    again.add_argument("--shards", required=True, help="numbers and ranges, such as 3,17-20")
    again.set_defaults(run=_retry)

    dumps = commands.add_parser("dumps", help="the dumps that are known")
    dumps.add_argument("--refresh", action="store_true", help="fetch the endpoint's list first")
    dumps.set_defaults(run=_dumps)

    add_features(commands)
    add_grade(commands)
    add_plan(commands)
    add_export(commands)
    add_rebuild(commands)
    add_reconstruct(commands)
    add_removals(commands)
    add_report(commands)
    add_what_if(commands)
    _sample_parser(commands.add_parser("sample", help="rehearse on a miniature crawl"))
    return top


def _sample_parser(sample: argparse.ArgumentParser) -> None:
    verbs = sample.add_subparsers(required=True, metavar="VERB")
    for name, run, text in (
        ("run", _sample_run, "build, serve and run the whole graph"),
        ("build", _sample_build, "build a crawl in the layout of Common Crawl"),
        ("serve", _sample_serve, "serve a crawl over HTTP until interrupted"),
    ):
        verb = verbs.add_parser(name, help=text)
        verb.add_argument("folder", type=Path, help="where it lies")
        verb.set_defaults(run=run)
        if name != "serve":
            verb.add_argument(
                "--source",
                type=Path,
                action="append",
                default=[],
                help="a folder of HTML pages or a WARC file; the bundled pages when left out",
            )
            verb.add_argument("--dump", default="2024-10")
            verb.add_argument(
                "--harvest", action="store_true", help="a Latvian crawl instead, in five charsets"
            )
        if name == "serve":
            verb.add_argument("--port", type=int, default=0)
        if name != "build":
            verb.add_argument(
                "--fault",
                action="append",
                default=[],
                metavar="KIND=RATE",
                help="how often the server misbehaves, such as unavailable=0.05; seed=N too",
            )
        if name == "run":
            verb.add_argument("--workers", type=int, default=-1)
            verb.add_argument("--executor", choices=["local", "slurm"], default="local")


def _status(options: argparse.Namespace) -> None:
    check_settings()
    storage = open_storage()
    dumps = [options.dump] if options.dump else dumps_with_data(ColumnStore(storage, ""))
    for dump in dumps:
        check_dump(dump, storage)
        print("\n".join(status_lines(dump, Path(executor().log_dir))), end="\n\n")
    if not dumps:
        print(f"nothing in {storage.url} yet")


def _why(options: argparse.Namespace) -> None:
    storage = open_storage()
    dumps = [options.dump] if options.dump else dumps_with_data(ColumnStore(storage, ""))
    if (options.page is None) == (options.text is None):
        raise ConfigError("why: give either a URL or id, or --text and words of the page")
    for dump in dumps:
        store = ColumnStore(storage, dump)
        pages = [options.page] if options.page else pages_with(store, options.text)
        if not pages:
            print(f"no page of dump {dump} has these words, selected pages being looked at")
        for page in pages:
            print("\n".join(story(store, page)))


def _funnel(options: argparse.Namespace) -> None:
    print(render(funnel(ColumnStore(open_storage(), options.dump))))


def _logs(options: argparse.Namespace) -> None:
    lines = log_lines(
        Path(executor().log_dir), options.task, options.dump, options.shard, options.phase
    )
    print("\n".join(lines))


def _retry(options: argparse.Namespace) -> int:
    check_settings()
    check_dump(options.dump, open_storage())
    return 0 if retry(options.task, options.dump, options.shards) else 1


def _dumps(options: argparse.Namespace) -> None:
    if options.refresh:
        print(f"{refresh()} new", file=sys.stderr)
    print("\n".join(known_dumps(open_storage())))


def _sample_build(options: argparse.Namespace) -> None:
    print(build(options.folder, options.source, options.dump, harvest=options.harvest))


def _sample_serve(options: argparse.Namespace) -> None:
    with CrawlServer(options.folder, _faults(options), port=options.port) as server:
        print(server.url, flush=True)
        server.stopping.wait()


def _sample_run(options: argparse.Namespace) -> int:
    faults = _faults(options)
    return Rehearsal(
        folder=options.folder,
        sources=options.source,
        dump=options.dump,
        faults=faults,
        workers=options.workers,
        executor=options.executor,
        harvest=options.harvest,
    ).run()


def _faults(options: argparse.Namespace) -> Faults:
    try:
        return parse_faults(options.fault)
    except ValueError as error:
        raise ConfigError(f"--fault: {error}") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options) or 0)
    except PipelineError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
