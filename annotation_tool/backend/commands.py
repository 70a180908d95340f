"""`python -m annotation_tool …`: serve, import, export, agreement."""

from __future__ import annotations

import argparse
import contextlib
import socket
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from annotation_tool.backend import exchange, views
from annotation_tool.backend.access import access_for, token_in
from annotation_tool.backend.annotations import ADJUDICATED
from annotation_tool.backend.database import Database
from annotation_tool.backend.sources import PageReader, SourcePage
from models.line_classifier.interface import EMBEDDED
from models.line_classifier.load import load_line_classifier
from pipeline.core.failures import ConfigError, PipelineError

NO_MODEL = "none"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog="python -m annotation_tool", description=__doc__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", help="label pages in a browser")
    _page_options(serve)
    serve.add_argument("--host", default="127.0.0.1", help="another than loopback needs a token")
    serve.add_argument("--port", type=int, default=8090, help="0: any that is free")
    serve.add_argument("--name", action="append", default=[], help="host name that browsers use")
    serve.add_argument("--token-file", type=Path, help="made, with a token, if it is not there")
    serve.set_defaults(run=_serve)

    taken = commands.add_parser("import", help="put in pages, and labels that a JSONL brings")
    _page_options(taken)
    taken.add_argument("--annotator", default="imported", help="whose the labels are")
    taken.set_defaults(run=_import)

    export = commands.add_parser("export", help="write labels as JSONL")
    _database_option(export)
    export.add_argument("out", type=Path)
    export.add_argument("--annotator", action="append", required=True, metavar="NAME")
    export.add_argument(
        "--labels-only", action="store_true", help="no text, no URL: hashes of lines and labels"
    )
    export.set_defaults(run=_export)

    agreement = commands.add_parser("agreement", help="Cohen's kappa of two annotators")
    _database_option(agreement)
    agreement.add_argument("first")
    agreement.add_argument("second")
    agreement.set_defaults(run=_agreement)
    return top


def _database_option(command: argparse.ArgumentParser) -> None:
    command.add_argument("--database", type=Path, default=Path("annotations.sqlite"))


def _page_options(command: argparse.ArgumentParser) -> None:
    _database_option(command)
    command.add_argument(
        "--pages",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help="data_dir/dump, a WARC file, HTML or a folder of it, JSONL; may be given again",
    )
    command.add_argument("--languages", default="", help="only pages of these, such as sv,da")
    command.add_argument("--limit", type=int, default=1000, help="pages of each PATH, at most")
    command.add_argument(
        "--model", default=EMBEDDED, help=f"embedded, a transformers model, or {NO_MODEL}"
    )


def take_in(database: Database, options: argparse.Namespace, annotator: str) -> None:
    """Read what --pages names into the database, predict, and say what came of it."""
    languages = frozenset(options.languages.split(",")) - {""}
    for path in options.pages:
        with PageReader() as reader:
            pages = islice(reader.read(path, languages), options.limit)
            counted = _Counted(pages)
            labelled = exchange.import_labels(database, counted, annotator)
        print(f"{path}: {counted.pages} pages, {labelled} with labels", file=sys.stderr)
        for code, number in sorted(reader.passed_over.items()):
            print(f"  passed over: {code} {number}", file=sys.stderr)
    if options.model != NO_MODEL:
        database.predict(load_line_classifier(options.model))


class _Counted:
    """Pages on their way, and how many went by."""

    def __init__(self, pages: Iterable[SourcePage]) -> None:
        self._source = pages
        self.pages = 0

    def __iter__(self) -> Iterator[SourcePage]:
        for page in self._source:
            self.pages += 1
            yield page


def _serve(options: argparse.Namespace) -> None:
    try:
        import uvicorn  # noqa: PLC0415 - an optional dependency

        from annotation_tool.backend.app import create_app  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ConfigError(f"serve needs {error.name}: pip install -e '.[annotation]'") from error
    token = token_in(options.token_file) if options.token_file else None
    access_for(options.host, options.port, options.name, token)
    database = Database(options.database)
    take_in(database, options, "imported")
    if not database.entries():
        raise ConfigError(f"{options.database} holds no pages: name some with --pages")
    with _bound(options.host, options.port) as listening:
        port = listening.getsockname()[1]
        app = create_app(database, access_for(options.host, port, options.name, token))
        shown = (options.name or [options.host])[0]
        print(f"http://{shown}:{port}/{f'?token={token}' if token else ''}", flush=True)
        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False)
        uvicorn.Server(config).run(sockets=[listening])


@contextlib.contextmanager
def _bound(host: str, port: int) -> Iterator[socket.socket]:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.create_server(address[:2], family=family)
    except OSError as error:
        raise ConfigError(f"--host {host} --port {port}: {error.strerror or error}") from error
    with listening:
        yield listening


def _import(options: argparse.Namespace) -> None:
    take_in(Database(options.database), options, options.annotator)


def _export(options: argparse.Namespace) -> None:
    database = _existing(options.database)
    if options.labels_only:
        written = exchange.export_gold(database, options.annotator, options.out)
    elif len(options.annotator) == 1:
        written = exchange.export_published(database, options.annotator[0], options.out)
    else:
        raise ConfigError("--annotator: the published form holds the labels of one annotator")
    print(f"{options.out}: {written} pages with labels")


def _agreement(options: argparse.Namespace) -> None:
    found = views.agreement_of(_existing(options.database), options.first, options.second)
    kappa = found["kappa"]
    shown = "not defined" if not isinstance(kappa, float) else f"{kappa:.3f}"
    print(
        f"{found['pages']} pages, {found['lines']} lines, {found['differing']} differ, "
        f"Cohen's kappa {shown}; settle them in the browser as {ADJUDICATED!r}"
    )


def _existing(path: Path) -> Database:
    if not path.exists():
        raise ConfigError(f"--database {path}: there is no such file")
    return Database(path)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = parser().parse_args(arguments)
    try:
        options.run(options)
    except PipelineError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0
