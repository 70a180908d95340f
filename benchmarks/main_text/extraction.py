"""Main text of pages beside what other extractors make of them, on one set in one run.

    make bench-extraction PEERS="trafilatura resiliparse readability my_module:my_function"
    python -m benchmarks extraction --pages FILE.jsonl.gz --peers trafilatura

Every extractor is a function of a page's HTML and address that gives its text; ours is
`skord.extract`. Pages are those of the test sites of a data folder, or those of a file in the
same form (`skord.models.line_classifier.training.dataset`), such as pages held back. A group's figure is
the mean over its pages: F1 of the bag of words (`\\w+`, lower case; the measure of WCXB, arXiv
2605.21097) with its bootstrap interval over sites, F1 of runs of four words, the share of titles
kept where the gold begins with them, pages without a word, and CPU time.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from skord.core.failures import ConfigError, DocumentError
from skord.html.charset.decode import decode
from skord.models.line_classifier.features.words import overlap, words
from skord.models.line_classifier.training.dataset import (
    html_of,
    in_test,
    read_records,
    unusable_gold,
)
from skord.one_page import extract

Extractor = Callable[[str, str | None], str]
OURS = "skord"
SITE_PAGES = 15
DRAWS = 1000
"""Of the bootstrap: sites drawn with replacement so many times."""
_WORD = re.compile(r"\w+")
_FIRST_WORDS = 100
"""Of gold and text, among which a title that is kept stands."""


class ScoredPage(NamedTuple):
    """A page with the text that a person would keep."""

    id: str
    site: str
    url: str | None
    html: str
    gold: str
    title: str
    groups: tuple[str, ...]


class Figures(NamedTuple):
    """Of one extractor on one page; `title` is None where the gold begins with none."""

    words: float
    runs: float
    title: bool | None
    is_empty: bool
    cpu_s: float


def word_f1(text: str, gold: str) -> float:
    """F1 of two bags of words; two texts without a word agree.

    >>> word_f1("En bro, en å.", "en bro")
    0.6666666666666666
    """
    have, want = (Counter(_WORD.findall(one.lower())) for one in (text, gold))
    total = have.total() + want.total()
    return 2 * (have & want).total() / total if total else 1.0


def keeps_title(text: str, gold: str, title: str) -> bool | None:
    """Whether a text begins with the title that its gold begins with; None where that does not.

    >>> keeps_title("# Ny bro", "Ny bro. Text.", "Ny bro"), keeps_title("x", "Text", "Bro")
    (True, None)
    """
    wanted = f" {' '.join(words(title))} "
    begins = [f" {' '.join(words(one)[:_FIRST_WORDS])} " for one in (gold, text)]
    return wanted in begins[1] if wanted.strip() and wanted in begins[0] else None


def figures(extractor: Extractor, page: ScoredPage) -> Figures:
    """How well a page's text is extracted, and at what price."""
    started = time.process_time()
    text = extractor(page.html, page.url)
    cpu_s = time.process_time() - started
    return Figures(
        word_f1(text, page.gold),
        overlap(text, page.gold).f1,
        keeps_title(text, page.gold, page.title),
        not _WORD.search(text),
        cpu_s,
    )


def interval(values: Sequence[float], sites: Sequence[str]) -> tuple[float, float]:
    """Within which the mean lies in 95 of 100 draws of as many sites."""
    of_site = defaultdict(list)
    for value, site in zip(values, sites, strict=True):
        of_site[site].append(value)
    sums = np.array([[sum(some), len(some)] for some in of_site.values()])
    drawn = np.random.default_rng(7).integers(0, len(sums), (DRAWS, len(sums)))
    totals = sums[drawn].sum(1)
    low, high = np.percentile(totals[:, 0] / totals[:, 1], [2.5, 97.5]).tolist()
    return low, high


def extractors(names: Sequence[str]) -> dict[str, Extractor]:
    """Ours and the named ones.

    Args:
        names: trafilatura, readability, resiliparse, or `module:function` of HTML and address.

    Raises:
        ConfigError: it cannot be imported.
    """
    return {OURS: _ours} | {name: _named(name) for name in names}


def _ours(html: str, url: str | None) -> str:
    try:
        return extract(html, url)
    except DocumentError:
        return ""


def _named(name: str) -> Extractor:
    known = {
        "trafilatura": _trafilatura,
        "readability": _readability,
        "resiliparse": _resiliparse,
    }
    try:
        if name in known:
            return known[name]()
        module, _, function = name.partition(":")
        chosen = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(
            f"no extractor {name!r} ({error}): install it, or give module:function"
        ) from error
    return lambda html, url: str(chosen(html, url) or "")


def _trafilatura() -> Extractor:
    chosen = partial(import_module("trafilatura").extract, include_comments=False)
    return lambda html, url: chosen(html, url=url) or ""


def _resiliparse() -> Extractor:
    plain = import_module("resiliparse.extract.html2text").extract_plain_text
    return lambda html, _: str(plain(html, main_content=True, alt_texts=False))


def _readability() -> Extractor:
    document, lxml_html = import_module("readability").Document, import_module("lxml.html")
    unparseable = import_module("readability.readability").Unparseable

    def text(html: str, url: str | None) -> str:
        try:
            return " ".join(lxml_html.fromstring(document(html, url=url).summary()).itertext())
        except unparseable:
            return ""

    return text


def scored_pages(data: Path, pages: Path | None) -> list[ScoredPage]:
    """Pages of a file, or the usable ones of a data folder's test sites, some of each site."""
    if pages:
        return [_page(record) for record in read_records(pages.parent, pages.name)]
    taken: Counter[str] = Counter()
    results = []
    for record in read_records(data):
        taken[record["split_key"]] += bool(usable := _is_tested(record))
        if usable and taken[record["split_key"]] <= SITE_PAGES:
            results.append(_page(record))
    return results


def _is_tested(record: dict[str, Any]) -> bool:
    return in_test(record["split_key"]) and not unusable_gold(record)


def _page(record: dict[str, Any]) -> ScoredPage:
    html = record.get("html") or decode(html_of(record), None).text
    groups = ("all", record.get("page_type") or "", record.get("lang") or "")
    return ScoredPage(
        record["id"],
        record["split_key"],
        record.get("url"),
        html,
        record.get("gold_text") or "",
        record.get("title") or "",
        tuple(group for group in groups if group),
    )


def table(pages: Sequence[ScoredPage], results: dict[str, list[Figures]], least: int = 5) -> str:
    """All groups of some pages and all extractors, in Markdown."""
    rows = [
        "| group | pages | extractor | word F1 | 95 % | 4-gram F1 | titles | empty | CPU ms |",
        "|---" * 9 + "|",
    ]
    sizes = Counter(group for page in pages for group in page.groups)
    for group in (name for name, size in sizes.most_common() if size >= least):
        its = [number for number, page in enumerate(pages) if group in page.groups]
        sites = [pages[number].site for number in its]
        for name, of_pages in results.items():
            rows.append(_row(group, name, [of_pages[number] for number in its], sites))
    return "\n".join(rows)


def _row(group: str, name: str, its: Sequence[Figures], sites: Sequence[str]) -> str:
    low, high = interval([one.words for one in its], sites)
    titles = [one.title for one in its if one.title is not None]
    cells = [
        group,
        str(len(its)),
        name,
        f"{np.mean([one.words for one in its]):.3f}",
        f"{low:.3f}-{high:.3f}",
        f"{np.mean([one.runs for one in its]):.3f}",
        f"{np.mean(titles):.2f} of {len(titles)}" if titles else "",
        str(sum(one.is_empty for one in its)),
        f"{1000 * np.mean([one.cpu_s for one in its]):.1f}",
    ]
    return f"| {' | '.join(cells)} |"


def losses(pages: Sequence[ScoredPage], results: dict[str, list[Figures]], most: int = 10) -> str:
    """The pages on which another is ahead of ours by most, and by how much."""
    behind = []
    for number, page in enumerate(pages):
        others = {n: of_pages[number].words for n, of_pages in results.items() if n != OURS}
        if others:
            best = max(others, key=others.__getitem__)
            behind.append((results[OURS][number].words - others[best], page.id, best))
    worst = [one for one in sorted(behind) if one[0] < 0][:most]
    return "\n".join(f"{page}: {best} is {-gap:.3f} ahead" for gap, page, best in worst)


def main() -> None:
    """Prints the table and the pages on which ours loses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/extraction"))
    parser.add_argument("--pages", type=Path, help="a file of pages instead of the test sites'")
    parser.add_argument("--peers", nargs="*", default=[])
    chosen = parser.parse_args()
    try:
        pages, chosen_extractors = scored_pages(chosen.data, chosen.pages), extractors(chosen.peers)
    except ConfigError as error:
        parser.error(str(error))
    if not pages:
        parser.error(f"no pages in {chosen.pages or chosen.data}")
    results = {
        name: [figures(extractor, page) for page in pages]
        for name, extractor in chosen_extractors.items()
    }
    print(f"{table(pages, results)}\n\n{losses(pages, results)}")


if __name__ == "__main__":
    main()
