"""The main text of HTML files: the graph's steps for one page, without a graph."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from urllib.parse import unquote, urlsplit

import requests

from skord.cli.arguments.publish import INCOMPLETE
from skord.core.failures import ConfigError, DocumentError
from skord.crawl.warc.payload import is_html
from skord.one_page import extract, extract_page, to_markdown

MOST_BYTES = 20_000_000
"""Of a page that is fetched; what is longer is none."""

TIMEOUT_S = 30.0

OTHERS = {
    b"%PDF-": "a PDF, which is no HTML: give an HTML file, or have pdftotext make a text of it",
    b"PK\x03\x04": "a ZIP archive or an office document: give the HTML files in it",
    b"\x1f\x8b": "compressed: gunzip -c FILE | skord extract -",
    b"\x89PNG": "a picture: give an HTML file",
    b"\xff\xd8\xff": "a picture: give an HTML file",
    b"GIF8": "a picture: give an HTML file",
    b"WARC/": "a WARC file: skord run DeduplicateIndividually --dumps NAME --source FILE",
}
"""How files begin that are no pages, and what to do."""
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_BEGINS_AS_PAGE = re.compile(rb"\s*<|\xff\xfe|\xfe\xff|\xef\xbb\xbf")
_HEAD_BYTES = 1445


def run(options: argparse.Namespace) -> int:
    """Print page after page; a page without text is said.

    Returns:
        0; 1 where no page has a text; `INCOMPLETE` where some have none.
    """
    if options.whole_page and options.format != "markdown":
        raise ConfigError(f"--whole-page is Markdown: leave out --format {options.format}")
    if options.threshold is not None and not 0 <= options.threshold <= 1:
        raise ConfigError(f"--threshold {options.threshold:g}: give a number from 0 to 1")
    failed = 0
    for file in options.files:
        url = options.url or (file if file.startswith(("http://", "https://")) else None)
        try:
            print(_rendered(_page(file), options, file, url))
        except DocumentError as error:
            failed += 1
            sys.stdout.flush()
            print(f"skord: {file}: no text ({error}): check that it is a page", file=sys.stderr)
    return 0 if not failed else 1 if failed == len(options.files) else INCOMPLETE


def _rendered(html: bytes, options: argparse.Namespace, file: str, url: str | None) -> str:
    """A page as text in the format that the options name, or as a line of JSON."""
    if options.whole_page:
        return to_markdown(html).rstrip("\n")
    if options.format != "json":
        return extract(html, url, options.threshold, options.format).rstrip("\n")
    page = extract_page(html, url, options.threshold)
    about = {"file": file, "title": page.title, "date": page.date, "language": page.language}
    lines = [vars(line) for line in page.lines]
    return json.dumps({**about, "text": page.text, "lines": lines}, ensure_ascii=False)


def _page(file: str) -> bytes:
    content = _read(file)
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
    if file.startswith(("http://", "https://")):
        return _fetched_page(file)
    path = Path(unquote(urlsplit(file).path)) if file.startswith("file:") else Path(file)
    if path.is_dir():
        raise ConfigError(
            f"{file} is a folder: skord extract {shlex.quote(f'{path}')}/*.html, or "
            f"skord run DeduplicateIndividually --dumps NAME --source {shlex.quote(f'{path}')} for "
            "the whole graph"
        )
    return path.read_bytes()


def _fetched_page(url: str) -> bytes:
    """One page that a person asks for, from its site.

    Raises:
        ConfigError: it cannot be had.
    """

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
