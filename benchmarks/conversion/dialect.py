"""How far each converter writes what pandoc 2.9.2.1 writes, with nothing set aside.

    make bench-markdown-dialect PEER=/path/to/pandoc-2.9.2.1 ARGS="--pages pages.jsonl.gz"

All convert the same cleaned pages; 2.9.2.1 has the published flags and filter. Lines that are not
blank are compared, blanks within them folded, and words; also whole pages, to the byte but for
blanks at the end. Without pages the bundled sample crawl is converted.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.conversion.fast import agreement
from benchmarks.conversion.pages import pages_of
from benchmarks.measuring import BenchmarkError, print_table
from skord.core.failures import DocumentError
from skord.html.charset.decode import decode
from skord.html.cleaning import clean_html
from skord.html.converter import Converter, find_pandoc, pandoc_version
from skord.html.pandoc import convert_with_pandoc
from skord.html.pandoc_dialect import DeclinedError, fast_markdown

PUBLISHED_PANDOC = "2.9.2.1"
TIMEOUT_S = 60


def by_native(pages: Sequence[str]) -> list[str | None]:
    """Markdown of our own converter; None where it declines."""
    return [_native(page) for page in pages]


def _native(page: str) -> str | None:
    try:
        return fast_markdown(page)
    except DeclinedError:
        return None


def by_pandoc(pandoc: Path, pages: Sequence[str]) -> list[str | None]:
    """Markdown by way of a pandoc; None where it fails."""
    return [_by_pandoc(pandoc, page) for page in pages]


def _by_pandoc(pandoc: Path, page: str) -> str | None:
    try:
        return convert_with_pandoc(page, pandoc, TIMEOUT_S).rstrip()
    except DocumentError:
        return None


def cleaned_pages(files: Sequence[Path], count: int) -> list[str]:
    """Cleaned pages; those too large or too deep are left out."""
    results: list[str] = []
    for body in pages_of(files, count):
        try:
            results.append(clean_html(decode(body, None).text))
        except DocumentError:
            continue
    return results


def row(name: str, wanted: Sequence[str | None], results: Sequence[str | None]) -> list[str]:
    """A converter's agreement with what is wanted."""
    pairs = [
        (want, got.rstrip())
        for want, got in zip(wanted, results, strict=True)
        if want is not None and got is not None
    ]
    lines, words, pages = agreement(pairs)
    return [name, str(len(pairs)), f"{lines:.3%}", f"{words:.3%}", f"{pages:.1%}"]


def main() -> None:
    """Print the table and the fast converter's figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--peer", "--pandoc", type=Path, required=True, help="pandoc 2.9.2.1")
    parser.add_argument("--pages", type=Path, nargs="*", default=[], help="*.jsonl.gz")
    parser.add_argument("--count", type=int, default=1000)
    chosen = parser.parse_args()
    published = chosen.peer / "pandoc" if chosen.peer.is_dir() else chosen.peer
    if pandoc_version(published) != PUBLISHED_PANDOC:
        raise BenchmarkError(f"{published} is not pandoc {PUBLISHED_PANDOC}")
    pages = cleaned_pages(chosen.pages, chosen.count)
    wanted = by_pandoc(published, pages)
    fast = row(f"converter = {Converter.FAST}", wanted, by_native(pages))
    newer = row(f"converter = {Converter.PANDOC}", wanted, by_pandoc(find_pandoc(), pages))
    print_table(["", "pages", "lines", "words", "whole pages"], [fast, newer])
    print(f"\nmarkdown-dialect: {fast[2]} of lines, {fast[3]} of words ")


if __name__ == "__main__":
    main()
