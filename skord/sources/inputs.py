"""Files and folders of many kinds sorted into sources: WARC files, pages and texts."""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skord.core.dumps import SourceKind
from skord.core.failures import ConfigError
from skord.crawl.warc.payload import HTML_NAME
from skord.sources.files import ROWS_NAME, TEXT_NAME, WARC_NAME, guessed_kind
from skord.sources.rows import column_names
from skord.sources.warc_files import NotWARCError, check_start

WORK = "work"
"""The data folder, in the folder of a corpus that was made of some inputs."""

MADE_OF = "inputs.json"
"""In that data folder: which files the corpus was made of, as they were."""

KINDS = (str(SourceKind.PAGES), str(SourceKind.TEXTS), str(SourceKind.WARC))


@dataclass(frozen=True)
class Inputs:
    """What some paths hold.

    Attributes:
        paths: kind of source to its path, as a `Source` has it.
        left_out: why files are not read, and their names.
        digest: of names, sizes and times of change of the local files: another one where any differs.
    """

    paths: Mapping[str, str]
    left_out: Mapping[str, Sequence[str]]
    digest: str


def sort_inputs(
    words: Sequence[str], html_column: str, text_column: str, never: Path | None = None
) -> Inputs:
    """The files that paths and patterns mean, by the kind of source that reads them.

    Args:
        words: files, folders, patterns, addresses of WARC files, or one `s3://bucket/prefix`.
        html_column, text_column: of tables; the first that a table has decides what it is.
        never: a folder that is passed over, as all are that hold such a corpus.

    Raises:
        ConfigError: one is not there, or nothing can be read.
    """
    remote = [word for word in words if "://" in word]
    if remote:
        if len(words) > 1:
            raise ConfigError(f"{remote[0]} lies elsewhere: give it alone, or copy the files here")
        if remote[0].startswith("http") and not WARC_NAME.search(remote[0]):
            raise ConfigError(
                f"{remote[0]} is an address: only WARC and ARC files are fetched; download it, and give "
                "the file"
            )
        return Inputs({guessed_kind(remote[0]): remote[0]}, {}, remote[0])
    kinds: dict[str, list[Path]] = {}
    left_out: dict[str, list[str]] = {}
    digest = hashlib.blake2b(digest_size=16)
    for path in dict.fromkeys(_files_of_words(words, never)):
        kind = _kind_of_file(path, html_column, text_column)
        if kind not in KINDS:
            left_out.setdefault(kind, []).append(path.name)
            continue
        about = path.stat()
        digest.update(f"{path}\0{about.st_size}\0{about.st_mtime_ns}\n".encode("utf-8", "replace"))
        kinds.setdefault(kind, []).append(path)
    if not kinds:
        reasons = ", ".join(f"{len(n):,} {why}" for why, n in left_out.items()) or "no file"
        raise ConfigError(
            f"{', '.join(words)}: nothing here can be read ({reasons}): give HTML pages, WARC files, "
            f"texts (.txt, .md), or tables (.parquet, .jsonl, .csv) with a column "
            + " or ".join(dict.fromkeys([html_column, text_column]))
        )
    paths = {kind: "\n".join(map(str, sorted(found))) for kind, found in sorted(kinds.items())}
    return Inputs(paths, left_out, digest.hexdigest())


def _files_of_words(words: Sequence[str], never: Path | None) -> Iterator[Path]:
    """Absolute paths of files; those named themselves first, hidden ones of folders left out."""
    for word in words:
        path = Path(word).absolute()
        found = [path] if path.exists() else [Path(one).absolute() for one in _matches(word)]
        if not found:
            raise ConfigError(f"there is no {word}: look at the path")
        for one in sorted(found):
            if not one.is_dir():
                yield one
                continue
            made = {never, *(path.parents[1] for path in one.rglob(f"{WORK}/{MADE_OF}"))}
            for below in sorted(one.rglob("*")):
                hidden = any(part.startswith(".") for part in below.relative_to(one).parts)
                if below.is_file() and not hidden and made.isdisjoint(below.parents):
                    yield below


def _matches(word: str) -> list[str]:
    return glob.glob(word, recursive=True) if glob.has_magic(word) else []  # noqa: PTH207


def _kind_of_archive(path: Path) -> str:
    try:
        with path.open("rb") as file:
            check_start(file, path.name)
    except NotWARCError:
        return "neither a WARC nor an ARC file"
    return str(SourceKind.WARC)


def _kind_of_file(path: Path, html_column: str, text_column: str) -> str:
    """The `SourceKind`, or why it is not read."""
    forms = {SourceKind.WARC: WARC_NAME, SourceKind.PAGES: HTML_NAME, SourceKind.TEXTS: TEXT_NAME}
    for kind, form in forms.items():
        if form.search(path.name):
            return _kind_of_archive(path) if kind is SourceKind.WARC else str(kind)
    if path.suffix == ".json":
        return "JSON, which is read with an object in each line (.jsonl)"
    if not ROWS_NAME.search(path.name):
        return "of another kind"
    try:
        with path.open("rb") as file:
            columns = column_names(file, path.name)
    except ConfigError:
        return "table that cannot be read"
    for kind, column in ((SourceKind.PAGES, html_column), (SourceKind.TEXTS, text_column)):
        if column in columns:
            return str(kind)
    return f"table without a column {' or '.join(dict.fromkeys([html_column, text_column]))}"
