"""The main text of HTML files: the graph's steps for one page, without a graph."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import TextIO
from urllib.parse import unquote, urlsplit

import requests

from skord.cli.parser import INCOMPLETE, USAGE_ERROR
from skord.core.error_messages import sentence_of
from skord.core.failures import ConfigError, DocumentError
from skord.core.storage.filesystem import whole_file
from skord.crawl.warc.http_body import ZSTANDARD, decoded_body
from skord.crawl.warc.payload import HTML_NAME, is_html
from skord.many_pages import map_in_order
from skord.one_page import extract, extract_page, to_markdown

MOST_BYTES = 20_000_000
"""Of a page that is fetched, or unpacked; what is longer is none."""

TIMEOUT_S = 30.0

WEB = ("http://", "https://")
"""How addresses of pages begin that are fetched."""

SUFFIXES = {"markdown": ".md", "plain": ".txt", "html": ".html", "json": ".json", "jsonl": ".jsonl"}
"""Of the files written to a folder, by format."""

OTHERS = {
    b"%PDF-": "a PDF, which is no HTML: give an HTML file, or have pdftotext make a text of it",
    b"PK\x03\x04": "a ZIP archive or an office document: give the HTML files in it",
    b"\x89PNG": "a picture: give an HTML file",
    b"\xff\xd8\xff": "a picture: give an HTML file",
    b"GIF8": "a picture: give an HTML file",
    b"WARC/": "a WARC file: skord corpus FILE --out FOLDER",
}
"""How files begin that are no pages, and what to do."""
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_BEGINS_AS_PAGE = re.compile(rb"\s*<|\xff\xfe|\xfe\xff|\xef\xbb\xbf")
_HEAD_BYTES = 1445


@dataclass(frozen=True)
class PageJob:
    """One page of a command: where it is read, and how its text is written.

    Attributes:
        file: a path or an address; - for what is piped.
        format: a `TextFormat`, or json.
        whole_page: all of it as Markdown.
        is_alone: the only page: an error in it ends the command.
    """

    file: str
    url: str | None
    threshold: float | None
    format: str
    whole_page: bool
    is_alone: bool


def run(options: argparse.Namespace) -> int:
    """Write the text of page after page; a page without text is reported.

    Returns:
        0; 1 where no page has a text; `INCOMPLETE` where some have none.
    """
    as_rows = options.format in ("json", "jsonl")
    if options.whole_page and options.format != "markdown":
        raise ConfigError(f"--whole-page is Markdown: leave out --format {options.format}")
    if options.threshold is not None and not 0 <= options.threshold <= 1:
        raise ConfigError(f"--threshold {options.threshold:g}: give a number from 0 to 1")
    if options.parallel < 1:
        raise ConfigError(f"--parallel {options.parallel}: give 1 or more processes")
    if options.url and not options.url.startswith(WEB):
        raise ConfigError(f"--url {options.url}: an address begins with http:// or https://")
    files = list(dict.fromkeys([*options.files, *_pages_below(options.input_dir)]))
    if not files:
        print("skord: required: FILE or --input-dir FOLDER", file=sys.stderr)
        return USAGE_ERROR
    jobs = [
        PageJob(
            file,
            options.url or (file if file.startswith(WEB) else None),
            options.threshold,
            "json" if as_rows else options.format,
            options.whole_page,
            len(files) == 1,
        )
        for file in files
    ]
    folder = _output_folder(options.output, len(files) > 1 or bool(options.input_dir), as_rows)
    targets = _targets(files, folder, options) if folder else {}
    if options.output and not folder:
        _check_sources(files, [Path(options.output)])
    with _text_stream(None if folder else options.output) as stream:
        failed = 0
        workers = 1 if "-" in files else min(options.parallel, len(files))
        results = map_in_order(text_or_sentence, jobs, workers)
        for number, (job, (text, sentence)) in enumerate(zip(jobs, results, strict=True), 1):
            if sentence:
                failed += 1
                sys.stdout.flush()
                print(f"skord: {sentence}", file=sys.stderr)
            elif folder:
                targets[job.file].parent.mkdir(parents=True, exist_ok=True)
                targets[job.file].write_text(f"{text}\n", "utf-8")
            else:
                heading = f"==> {job.file} <==\n" if len(files) > 1 and not as_rows else ""
                print(f"{heading}{text}", file=stream)
            if options.output and len(files) > 1 and sys.stderr.isatty():
                end = "\n" if number == len(files) else ""
                print(f"\r{number:,} of {len(files):,} pages", end=end, file=sys.stderr, flush=True)
        if options.output and not folder and failed == len(files):
            raise ConfigError(f"{options.output} is not written: no page has a text")
    return 0 if not failed else 1 if failed == len(files) else INCOMPLETE


def text_or_sentence(job: PageJob) -> tuple[str, str]:
    """The text of a page, or a sentence on why there is none.

    Raises:
        ConfigError, OSError: the only page there is cannot be read.
    """
    try:
        return _rendered(_page(job.file), job), ""
    except DocumentError as error:
        return "", f"{job.file}: no text ({error}): check that it is a page"
    except (ConfigError, OSError) as error:
        if job.is_alone:
            raise
        return "", sentence_of(error)


def _rendered(html: bytes, job: PageJob) -> str:
    """A page as text in the format of the job, or as a line of JSON."""
    if job.whole_page:
        return to_markdown(html).rstrip("\n")
    if job.format != "json":
        return extract(html, job.url, job.threshold, job.format).rstrip("\n")
    page = extract_page(html, job.url, job.threshold).to_dict()
    del page["markdown"]
    return json.dumps({"file": job.file, **page}, ensure_ascii=False)


# -- where texts go -----------------------------------------------------------------------


def _pages_below(folder: Path | None) -> list[str]:
    """The HTML files of a folder and of all below it, sorted."""
    if folder is None:
        return []
    if not folder.is_dir():
        raise ConfigError(f"--input-dir {folder} is no folder: name one with HTML files")
    files = sorted(str(path) for path in folder.rglob("*") if HTML_NAME.search(path.name))
    if not files:
        raise ConfigError(
            f"--input-dir {folder} holds no file named .html, .htm or .xhtml, packed or not"
        )
    return files


def _output_folder(output: str | None, are_many: bool, as_rows: bool) -> Path | None:
    """The folder that -o names: one that is there, or ends in /, or has no suffix for many pages."""
    if output is None:
        return None
    path = Path(output)
    several = are_many and not as_rows and not path.suffix
    return (
        path if path.is_dir() or output.endswith("/") or (several and not path.exists()) else None
    )


def _targets(files: list[str], folder: Path, options: argparse.Namespace) -> dict[str, Path]:
    """The file that each page's text is written to, named as the page, below the folder."""
    suffix = SUFFIXES[options.format]
    targets: dict[str, Path] = {}
    for file in files:
        path = Path(unquote(urlsplit(file).path).lstrip("/") if "://" in file else file)
        below = options.input_dir is not None and path.is_relative_to(options.input_dir)
        name = path.relative_to(options.input_dir) if below else Path(path.name or "page")
        plain = HTML_NAME.sub("", name.name) if HTML_NAME.search(name.name) else name.stem
        target = folder / ("page" if file == "-" else name.with_name(plain))
        targets[file] = target.with_name(target.name + suffix)
    _check_sources(files, targets.values())
    by_target: dict[Path, str] = {}
    for file, target in targets.items():
        if (other := by_target.setdefault(target, file)) != file:
            raise ConfigError(
                f"{other} and {file} would both be written to {target}: give them with --input-dir, "
                "or in two commands"
            )
    return targets


def _check_sources(files: Iterable[str], targets: Iterable[Path]) -> None:
    """Refuse to write over a page that is read."""
    sources = {Path(file).resolve() for file in files}
    for target in targets:
        if target.resolve() in sources:
            raise ConfigError(f"{target} is a page that is read: give another name with -o")


@contextmanager
def _text_stream(output: str | None) -> Iterator[TextIO]:
    """Standard output, or a file that appears under its name once it is whole."""
    if output is None:
        yield sys.stdout
        return
    with whole_file(Path(output)) as partial, partial.open("w", encoding="utf-8") as stream:
        yield stream


# -- reading pages ------------------------------------------------------------------------


def _page(file: str) -> bytes:
    stored = _read(file)
    coding = "zstd" if stored.startswith(ZSTANDARD) else ""
    content = decoded_body(stored, "", coding, cut=False, max_bytes=MOST_BYTES)
    for beginning, what in OTHERS.items():
        if content.startswith(beginning):
            raise ConfigError(f"{file} is {what.replace('FILE', file)}")
    # MIME Sniffing (WHATWG), sections 3 and 7.1: neither a tag at the start, nor text.
    binary = _BINARY.search(content, 0, _HEAD_BYTES) and not _BEGINS_AS_PAGE.match(content)
    if binary or not is_html("text/html", content):
        raise ConfigError(f"{file} is neither HTML nor text: give an HTML file")
    return content


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    if file.startswith(WEB):
        return _fetched_page(file)
    if re.match(r"(?!file:)[a-z]\w*://", file):
        raise ConfigError(
            f"{file} cannot be fetched (neither http nor https): give the page's file"
        )
    path = Path(unquote(urlsplit(file).path)) if file.startswith("file:") else Path(file)
    if path.is_dir():
        raise ConfigError(
            f"{file} is a folder: skord extract --input-dir {shlex.quote(f'{path}')}, or "
            f"skord corpus {shlex.quote(f'{path}')} --out FOLDER for "
            "the whole graph"
        )
    return path.read_bytes()


def _fetched_page(url: str) -> bytes:
    """One page that a person asks for, from its site."""
    agent = {"User-Agent": f"skord/{version('skord')} (one page, for a person)"}
    try:
        with requests.get(url, headers=agent, timeout=TIMEOUT_S, stream=True) as answer:
            answer.raise_for_status()
            content = b"".join(islice(answer.iter_content(1 << 16), MOST_BYTES >> 16))
    except requests.RequestException as error:
        refused = error.response
        reason = "no answer" if refused is None else f"{refused.status_code} {refused.reason}"
        raise ConfigError(
            f"{url} cannot be fetched ({reason}): save the page, and give the file"
        ) from error
    return content
