"""`skord annotate`: label in a browser which lines of pages are main text; labels in and out."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import socket
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from skord.annotation_tool.backend import views
from skord.annotation_tool.backend.access import access_for, token_in
from skord.annotation_tool.backend.annotations import ADJUDICATED, Annotations
from skord.annotation_tool.backend.database import Database
from skord.annotation_tool.backend.exchange import (
    Imported,
    export_gold,
    export_published,
    import_gold,
    import_labels,
    unfinished_pages,
)
from skord.annotation_tool.backend.published import NAME
from skord.annotation_tool.backend.sources import PageReader
from skord.core.failures import ConfigError
from skord.core.storage.filesystem import whole_file
from skord.models.line_classifier.load import load_line_classifier

NO_MODEL = "none"
NAMED_PAGES = 5
"""Pages named in a message, at most."""


def run(options: argparse.Namespace) -> None:
    """Read the pages that are named, and serve the workbench until it is stopped."""
    try:
        import uvicorn  # noqa: PLC0415 - an optional dependency

        from skord.annotation_tool.backend.app import create_app  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ConfigError(f"this needs {error.name}: pip install 'skord[annotation]'") from error
    if not 0 <= options.port < 1 << 16:
        raise ConfigError(f"--port {options.port}: give 1 to 65535, or 0 for any that is free")
    if options.limit < 1:
        raise ConfigError(f"--limit {options.limit}: give 1 or more")
    check_annotator_names(options.annotator)
    token = token_in(options.token_file) if options.token_file else None
    access_for(options.host, options.port, options.name, token)
    database = Database(options.database)
    only = None if options.only is None else listed_addresses(options.only)
    take_in(database, options, only=only, least_sure=options.least_sure)
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


def check_annotator_names(names: Iterable[str]) -> None:
    """Raise ConfigError for a name that no annotator can have."""
    for name in names:
        if not NAME.fullmatch(name):
            raise ConfigError(f"--annotator {name!r} is no name: letters, digits and _ .@+-")


def listed_addresses(path: Path) -> frozenset[str]:
    """The addresses in a file, one a line."""
    try:
        listed = frozenset(path.read_text(encoding="utf-8").split())
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"--only {path} cannot be read: {error}") from error
    if not listed:
        raise ConfigError(f"--only {path} lists no address")
    return listed


def take_in(
    database: Database,
    options: argparse.Namespace,
    annotator: str | None = None,
    *,
    replace: bool = False,
    only: frozenset[str] | None = None,
    least_sure: int | None = None,
) -> int:
    """Read pages into the database and print what was read; returns how many were added."""
    added = 0
    languages = frozenset(options.languages.split(",")) - {""}
    for path in options.pages:
        reader = PageReader()
        found = reader.read(path, languages, least_sure)
        wanted = (page for page in found if only is None or page.url in only)
        imported = import_labels(
            database, islice(wanted, options.limit), annotator, replace=replace
        )
        _print_imported(path, imported)
        added += imported.added
        for code, number in sorted(reader.passed_over.items()):
            print(f"  passed over: {code} {number}", file=sys.stderr)
    return added


def _print_imported(path: Path, imported: Imported) -> None:
    counts = f"{imported.labelled} with labels, {imported.same} with labels that were here"
    print(f"{path}: {imported.pages} pages, {imported.added} new, {counts}", file=sys.stderr)
    if imported.differing:
        print(
            f"  {len(imported.differing)} are labelled otherwise here and stay so "
            f"(--replace takes the file's): {', '.join(imported.differing[:NAMED_PAGES])}"
            + (" …" if len(imported.differing) > NAMED_PAGES else ""),
            file=sys.stderr,
        )


def import_pages(options: argparse.Namespace) -> None:
    """Take in pages, and labels that files of pages, or files of labels alone, bring."""
    check_annotator_names([options.annotator] if options.annotator else [])
    database = Database(options.database)
    added = take_in(database, options, options.annotator, replace=options.replace)
    if added and options.model != NO_MODEL:
        database.predict(load_line_classifier(options.model))
    for path in options.labels:
        imported = import_gold(database, path, options.annotator, replace=options.replace)
        _print_imported(path, imported)


def export(options: argparse.Namespace) -> None:
    """Write labelled pages, and report what was left out."""
    database = existing_database(options.database)
    names = [name for name in Annotations(database).annotators() if name]
    if not names:
        raise ConfigError(f"{database.path} holds no labels: label pages with `skord annotate`")
    chosen = options.annotator or names
    if not options.labels_only and len(chosen) > 1:
        raise ConfigError(f"{', '.join(chosen)} have labelled: name one, --annotator {chosen[0]}")
    require_annotators(database, chosen)
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
    where = "among them" if included else "left out (--unfinished include takes them too)"
    for name in chosen:
        if unfinished := unfinished_pages(database, name):
            print(f"{unfinished} pages of {name} are begun and not done: {where}", file=sys.stderr)


def print_agreement(options: argparse.Namespace) -> None:
    """Print how far two annotators agree."""
    database = existing_database(options.database)
    require_annotators(database, [options.first, options.second])
    agreement = views.agreement_of(database, options.first, options.second)
    kappa = agreement["kappa"]
    shown = "not defined" if not isinstance(kappa, float) else f"{kappa:.3f}"
    print(
        f"{agreement['pages']} pages, {agreement['lines']} lines, {agreement['differing']} differ, "
        f"Cohen's kappa {shown}; settle them in the browser as {ADJUDICATED!r}"
    )


def require_annotators(database: Database, names: Iterable[str]) -> None:
    """Raise ConfigError for the name of somebody who has labelled no page."""
    known = list(Annotations(database).annotators())
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = (
                f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known) or 'none'}"
            )
            raise ConfigError(f"{name!r} has labelled no page in {database.path}: {hint}")


def existing_database(path: Path) -> Database:
    """The database at a path, which is not made if it is not there."""
    if not path.exists():
        raise ConfigError(f"--database {path}: there is no such file")
    return Database(path)
