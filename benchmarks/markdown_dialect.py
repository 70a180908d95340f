"""Where the fast converter's Markdown differs from pandoc 2.9.2.1's, construct by construct.

    make bench-markdown-dialect PEER=/path/to/pandoc-2.9.2.1 ARGS="--pages pages.jsonl.gz"

Both convert the same cleaned pages. The dialect departs from what pandoc 2.9.2.1 writes where that
loses text or says nothing of the page; each row of the table sets one more of these departures
aside, on pandoc's side by a filter over its document, on both by folding a notation. The last row
is what is left: where one of the two reads a page otherwise. Lines that are not blank are
compared, blanks within them folded, and words. Without pages the bundled rehearsal crawl is
converted.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.markdown_fast import Agreement, agreement, folded
from benchmarks.markdown_pages import pages_of
from benchmarks.measuring import BenchmarkError, print_table
from pipeline.core.failures import DocumentError
from pipeline.io.pandoc_batches import PandocBatches
from pipeline.io.pandoc_binary import PUBLISHED_PANDOC, find_pandoc, pandoc_version
from pipeline.transforms.charset import decode
from pipeline.transforms.fast_markdown import DeclinedError, fast_markdown
from pipeline.transforms.html_cleaning import clean_html

_FILTER = Path(__file__).with_name("markdown_dialect.lua")
_ALT = re.compile(r"!\[(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*\]")
_STYLE = re.compile(r"\*+|~~")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_RULE = re.compile(r"-{3,}")
_TABLE_RULE = re.compile(r"\|[| :-]*-[| :-]*\|")
_EMPTY_CELL = re.compile(r"\| +(?=\|)")
_SHOWN = re.compile(r"\w|!\[")


def _without_alt(line: str) -> str:
    return _ALT.sub("![]", line)


def _without_styles(line: str) -> str:
    return " ".join(_STYLE.sub("", line).split())


def _if_shown(line: str) -> str:
    r"""Nothing for a line without a word or a picture.

    >>> _if_shown("- **"), _if_shown("<!-- end list -->"), _if_shown("- a")
    ('', '', '- a')
    """
    return line if _SHOWN.search(line) and line != "<!-- end list -->" else ""


def _without_notation(line: str) -> str:
    r"""Escapes undone; rules and tables as GitHub's shortest.

    >>> _without_notation("a\\!"), _without_notation("-----"), _without_notation("| ---- | - |")
    ('a!', '---', '|---|---|')
    """
    if _TABLE_RULE.fullmatch(line):
        return "|" + "---|" * (line.count("|") - 1)
    return _EMPTY_CELL.sub("| ", "---" if _RULE.fullmatch(line) else _ESCAPE.sub(r"\1", line))


class Departure(NamedTuple):
    """A deliberate one: by what filter it is set aside on pandoc's side, what is folded on both."""

    name: str
    choice: str
    fold: Callable[[str], str]


DEPARTURES = [
    Departure("nothing set aside", "", str),
    Departure("tables of long cells, as HTML or as blocks", "tables", str),
    Departure("figures: caption as text of the picture, or below it", "figures", _without_alt),
    Departure("definitions, as list or as text", "definitions", str),
    Departure("styles around breaks and blanks", "styles", _without_styles),
    Departure("empty items and headings, <!-- end list -->", "empty", _if_shown),
    Departure("escapes, rules, tables' padding", "", _without_notation),
]
"""In the order in which they are set aside."""


def fast(cleaned: str) -> str | None:
    """Our own walk; None where it declines."""
    try:
        return fast_markdown(cleaned)
    except DeclinedError:
        return None


def by_pandoc(pandoc: Path, pages: Sequence[str], choices: Sequence[str]) -> list[str]:
    """Pandoc's Markdown with some of the dialect's choices; "" where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        lua = Path(folder) / "filter.lua"
        chosen = ", ".join(f"{choice} = true" for choice in choices if choice)
        lua.write_text(f"CHOICES = {{{chosen}}}\n{_FILTER.read_text()}")
        with PandocBatches(pandoc, lua_filter=lua) as batches:
            answers = batches.convert_all(pages)
    return ["" if isinstance(answer, DocumentError) else answer for answer in answers]


def normalized(markdown: str, folds: Sequence[Callable[[str], str]]) -> str:
    """The lines that are not blank, folded one way after another."""
    lines = folded(markdown)
    for fold in folds:
        lines = [line for line in map(fold, lines) if line.strip()]
    return "\n".join(lines)


def agreements(pandoc: Path, pages: Sequence[str]) -> Iterator[tuple[Departure, Agreement]]:
    """How far both agree, with one departure more set aside each time."""
    walks = [fast(page) for page in pages]
    kept = [(page, walk) for page, walk in zip(pages, walks, strict=True) if walk]
    others: list[str] = []
    for number, departure in enumerate(DEPARTURES, 1):
        aside = DEPARTURES[:number]
        if departure.choice or not others:
            choices = [other.choice for other in aside]
            others = by_pandoc(pandoc, [page for page, _ in kept], choices)
        folds = [other.fold for other in aside]
        pairs = [
            (normalized(other, folds), normalized(walk, folds))
            for other, (_, walk) in zip(others, kept, strict=True)
        ]
        yield departure, agreement(pairs)


def cleaned_pages(files: Sequence[Path], count: int) -> list[str]:
    """Cleaned pages; those too large or too deep are left out."""
    found: list[str] = []
    for body in pages_of(files, count):
        try:
            found.append(clean_html(decode(body, None).text))
        except DocumentError:
            continue
    return found


def main() -> None:
    """Print the table and the last row's figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--peer", "--pandoc", type=Path, required=True, help="pandoc 2.9.2.1")
    parser.add_argument("--pages", type=Path, nargs="*", default=[], help="*.jsonl.gz")
    parser.add_argument("--count", type=int, default=1000)
    chosen = parser.parse_args()
    pandoc = find_pandoc(str(chosen.peer))
    if pandoc_version(pandoc) != PUBLISHED_PANDOC:
        raise BenchmarkError(f"{pandoc} is not pandoc {PUBLISHED_PANDOC}")
    pages = cleaned_pages(chosen.pages, chosen.count)
    rows = []
    for departure, found in agreements(pandoc, pages):
        rows.append([departure.name, f"{found.lines:.2%}", f"{found.words:.3%}"])
    print(f"{len(pages)} pages; equal to pandoc {PUBLISHED_PANDOC} with this set aside, too\n")
    print_table(["departure", "lines", "words"], rows)
    print(f"\nmarkdown-dialect: {rows[-1][1]} of lines, {rows[-1][2]} of words (goals 97%, 99.5%)")


if __name__ == "__main__":
    main()
