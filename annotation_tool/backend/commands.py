"""What `skord annotate` does: read pages and labels, serve the workbench, compare annotators."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import socket
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from skord.annotation_tool.backend import exchange, views
from skord.annotation_tool.backend.access import access_for, token_in
from skord.annotation_tool.backend.annotations import ADJUDICATED, Annotations
from skord.annotation_tool.backend.database import Database
from skord.annotation_tool.backend.published import NAME
from skord.annotation_tool.backend.sources import PageReader
from skord.core.failures import ConfigError
from skord.models.line_classifier.interface import EMBEDDED
from skord.models.line_classifier.load import load_line_classifier

NO_MODEL = "none"
_NAMED = 5
"""Pages named in a message, at most."""


def declare_serving(command: argparse.ArgumentParser) -> None:
    """Where the tool is served, and for whom."""
    command.add_argument("--host", default="127.0.0.1", help="another than loopback needs a token")
    command.add_argument("--port", type=int, default=8090, help="0: any that is free")
    command.add_argument("--name", action="append", default=[], help="host name that browsers use")
    command.add_argument("--token-file", type=Path, help="made, with a token, if it is not there")
    command.add_argument(
        "--annotator",
        action="append",
        default=[],
        type=annotator_name,
        metavar="NAME",
        help="only these may label; may be given again",
    )
    command.add_argument(
        "--blind", action="store_true", help="no predictions either before a page is done"
    )


def declare_database(command: argparse.ArgumentParser) -> None:
    """The file that holds pages and labels."""
    command.add_argument(
        "--database",
        type=Path,
        default=Path("annotations.sqlite"),
        help="file of pages and labels; annotations.sqlite here when left out",
    )


def declare_reading(command: argparse.ArgumentParser) -> None:
    """How pages are read, and which model predicts their labels."""
    declare_database(command)
    command.add_argument("--languages", default="", help="only pages of these, such as sv,da")
    command.add_argument("--limit", type=int, default=1000, help="pages of each PATH, at most")
    command.add_argument(
        "--model", default=EMBEDDED, help=f"embedded, a transformers model, or {NO_MODEL}"
    )


def annotator_name(given: str) -> str:
    """The name of an annotator, as an option gives it."""
    if not NAME.fullmatch(given):
        raise argparse.ArgumentTypeError(f"{given!r} is no name: letters, digits and _ .@+-")
    return given


def take_in(database: Database, options: argparse.Namespace, annotator: str | None = None) -> int:
    """Read what --pages names into the database and say what came of it; returns pages added."""
    replace = getattr(options, "replace", False)
    least_sure: int | None = getattr(options, "least_sure", None)
    only = _addresses(getattr(options, "only", None))
    added = 0
    languages = frozenset(options.languages.split(",")) - {""}
    for path in options.pages:
        reader = PageReader()
        found = reader.read(path, languages, least_sure)
        wanted = (page for page in found if only is None or page.url in only)
        pages = islice(wanted, options.limit)
        imported = exchange.import_labels(database, pages, annotator, replace=replace)
        _say(path, imported)
        added += imported.added
        for code, number in sorted(reader.passed_over.items()):
            print(f"  passed over: {code} {number}", file=sys.stderr)
    return added


def _addresses(path: Path | None) -> frozenset[str] | None:
    """What a file lists, one address a line; None without a file."""
    if path is None:
        return None
    try:
        listed = frozenset(path.read_text(encoding="utf-8").split())
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"--only {path} cannot be read: {error}") from error
    if not listed:
        raise ConfigError(f"--only {path} lists no address")
    return listed


def _say(path: Path, annotations: exchange.Imported) -> None:
    counts = f"{annotations.labelled} with labels, {annotations.same} with labels that were here"
    print(f"{path}: {annotations.pages} pages, {annotations.added} new, {counts}", file=sys.stderr)
    if annotations.differing:
        print(
            f"  {len(annotations.differing)} are labelled otherwise here and stay so "
            f"(--replace takes the file's): {', '.join(annotations.differing[:_NAMED])}"
            + (" …" if len(annotations.differing) > _NAMED else ""),
            file=sys.stderr,
        )


def serve(options: argparse.Namespace) -> None:
    """Take in the pages that are named, and serve the tool until it is stopped."""
    try:
        import uvicorn  # noqa: PLC0415 - an optional dependency

        from skord.annotation_tool.backend.app import create_app  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ConfigError(f"this needs {error.name}: pip install -e '.[annotation]'") from error
    if not 0 <= options.port < 1 << 16:
        raise ConfigError(f"--port {options.port}: give 1 to 65535, or 0 for any that is free")
    if options.limit < 1:
        raise ConfigError(f"--limit {options.limit}: give 1 or more")
    token = token_in(options.token_file) if options.token_file else None
    access_for(options.host, options.port, options.name, token)
    database = Database(options.database)
    take_in(database, options)
    if options.model != NO_MODEL:
        database.predict(load_line_classifier(options.model))
    if not database.entries():
        raise ConfigError(
            f"{options.database} holds no pages: name some, as in skord annotate PAGES"
        )
    with _bound(options.host, options.port) as listening:
        port = listening.getsockname()[1]
        access = access_for(options.host, port, options.name, token)
        app = create_app(database, access, frozenset(options.annotator), is_blind=options.blind)
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


def take_in_with_labels(options: argparse.Namespace) -> None:
    """Take in pages, and labels that files of pages, or files of labels alone, bring."""
    database = Database(options.database)
    added = take_in(database, options, options.annotator)
    if added and options.model != NO_MODEL:
        database.predict(load_line_classifier(options.model))
    for path in options.labels:
        _say(path, exchange.import_gold(database, path, options.annotator, replace=options.replace))


def print_agreement(options: argparse.Namespace) -> None:
    """Print how far two annotators agree."""
    database = existing(options.database)
    require_annotators(database, [options.first, options.second])
    agreement = views.agreement_of(database, options.first, options.second)
    kappa = agreement["kappa"]
    shown = "not defined" if not isinstance(kappa, float) else f"{kappa:.3f}"
    print(
        f"{agreement['pages']} pages, {agreement['lines']} lines, {agreement['differing']} differ, "
        f"Cohen's kappa {shown}; settle them in the browser as {ADJUDICATED!r}"
    )


def require_annotators(database: Database, names: Iterable[str]) -> None:
    """Refuses names of nobody who has labelled a page."""
    known = list(Annotations(database).annotators())
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = (
                f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known) or 'none'}"
            )
            raise ConfigError(f"{name!r} has labelled no page in {database.path}: {hint}")


def existing(path: Path) -> Database:
    """The database at a path, which is not made if it is not there."""
    if not path.exists():
        raise ConfigError(f"--database {path}: there is no such file")
    return Database(path)
