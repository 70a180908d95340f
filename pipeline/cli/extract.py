"""The main text of HTML files: the graph's steps for one page, without a graph."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from pipeline.api.one_page import extract, extract_page, to_markdown
from pipeline.core.failures import ConfigError, DocumentError


def run(options: argparse.Namespace) -> int:
    """Print page after page; a page without text is said, and counts as failed."""
    if options.threshold is not None and not 0 <= options.threshold <= 1:
        raise ConfigError(f"--threshold {options.threshold:g}: give a number from 0 to 1")
    failed = 0
    for file in options.files:
        try:
            print(shown(_read(file), options.format, file, options.url, options.threshold))
        except DocumentError as error:
            failed += 1
            print(f"{file}: no text ({error})", file=sys.stderr)
    return 1 if failed else 0


def shown(html: bytes, form: str, file: str, url: str | None, threshold: float | None) -> str:
    """A page as text, as Markdown, or as a line of JSON."""
    if form == "text":
        return extract(html, url, threshold)
    if form == "markdown":
        return to_markdown(html).rstrip("\n")
    page = extract_page(html, url, threshold)
    about = {"file": file, "title": page.title, "date": page.date, "language": page.language}
    lines = [vars(line) for line in page.lines]
    return json.dumps({**about, "text": page.text, "lines": lines}, ensure_ascii=False)


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    if file.startswith(("http://", "https://")):
        raise ConfigError(f"{file}: pages are not fetched here: curl -s {file} | skord extract -")
    return Path(file).read_bytes()
