"""How well extracted text agrees with gold, on the pages of the test sites.

    python -m skord.models.line_classifier.training.evaluate --data FOLDER --cache FOLDER [--model PATH]

Text is compared in 4-grams of words (`words.overlap`); a group's figure is the mean of its
pages' precision, recall and F1, with at most SITE_PAGES pages of a site so that one template
is not the result. Lines are scored against the labels that the gold gives them, all of a
group's lines together. trafilatura, readability-lxml and resiliparse are scored beside the model
where they are installed.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skord.markdown.extraction import (
    kept_text,
    line_verdicts,
    page_threshold,
    probabilities,
    split_lines,
)
from skord.markdown.plain_lines import plain_markdown, plain_page
from skord.models.line_classifier.features.words import overlap
from skord.models.line_classifier.interface import LineClassifier
from skord.models.line_classifier.load import load_line_classifier
from skord.models.line_classifier.page_types import PAGE_TYPES
from skord.models.line_classifier.training.dataset import Page, in_test, read_pages
from skord.models.line_classifier.training.examples import code_of_page, line_labels, page_context

DRAWS = 1000
LEAST_SITES = 2
"""Below so many sites there is no interval."""
WORST = 20
_TEMPLATE = Path(__file__).with_name("worst_pages.html")
_SEED = 7


class Mean(NamedTuple):
    """A mean over pages, and where 95 of 100 means lie whose sites are drawn anew.

    `low` and `high` are None where there are too few sites.
    """

    value: float
    low: float | None
    high: float | None


class Row(NamedTuple):
    """A group of pages: each extractor's mean F1, and the first's less the second's."""

    group: str
    pages: int
    sites: int
    means: dict[str, Mean]
    gain: Mean | None


def scores(pages: Sequence[Page], methods: Sequence[Method]) -> dict[str, NDArray[np.float64]]:
    """F1 of each page's text against the labelled lines, in runs of four words, by extractor."""
    return {
        method.name: np.array([overlap(method.text(page), page.gold).f1 for page in pages])
        for method in methods
    }


def site_mean(values: NDArray[np.float64], sites: Sequence[str]) -> Mean:
    """Mean over pages, with an interval from drawing their sites anew.

    Pages of a site are alike, so sites are drawn, not pages (Efron & Tibshirani 1993, An
    Introduction to the Bootstrap, chapter 8).

    >>> site_mean(np.array([1.0, 1.0]), ["a", "b"])
    Mean(value=1.0, low=1.0, high=1.0)
    >>> site_mean(np.array([0.5]), ["a"])
    Mean(value=0.5, low=None, high=None)
    """
    by_site: dict[str, list[float]] = defaultdict(list)
    for value, site in zip(values.tolist(), sites, strict=True):
        by_site[site].append(value)
    mean = float(values.mean())
    if len(by_site) < LEAST_SITES:
        return Mean(mean, None, None)
    sums = np.array([sum(some) for some in by_site.values()])
    counts = np.array([len(some) for some in by_site.values()])
    drawn = np.random.default_rng(_SEED).integers(len(sums), size=(DRAWS, len(sums)))
    means = sums[drawn].sum(1) / counts[drawn].sum(1)
    low, high = np.percentile(means, [2.5, 97.5]).tolist()
    return Mean(mean, low, high)


def comparison(
    pages: Sequence[Page], kinds: Sequence[str], by_method: Mapping[str, NDArray[np.float64]]
) -> list[Row]:
    """Means of all pages, by type of page and by language.

    Args:
        kinds: type of each; "" if not known.
        by_method: F1 of each page, by extractor; the first is set against the second.
    """
    groups = {"all": list(range(len(pages)))}
    for name in sorted({*kinds} - {""}):
        groups[f"type {name}"] = [at for at, kind in enumerate(kinds) if kind == name]
    for name in sorted({page.lang for page in pages} - {""}):
        groups[f"language {name}"] = [at for at, page in enumerate(pages) if page.lang == name]
    return [
        _row(name, [pages[at] for at in chosen], chosen, by_method)
        for name, chosen in groups.items()
    ]


def _row(
    name: str,
    pages: Sequence[Page],
    chosen: Sequence[int],
    by_method: Mapping[str, NDArray[np.float64]],
) -> Row:
    sites = [page.site for page in pages]
    of_group = {method: values[list(chosen)] for method, values in by_method.items()}
    means = {method: site_mean(values, sites) for method, values in of_group.items()}
    first, *others = of_group.values()
    gain = site_mean(first - others[0], sites) if others else None
    return Row(name, len(pages), len(set(sites)), means, gain)


def worst_pages(
    pages: Sequence[Page],
    kept: Callable[[Page], NDArray[np.bool_]],
    by_method: Mapping[str, NDArray[np.float64]],
) -> str:
    """An HTML page of the pages that the first extractor gets most wrong, line by line.

    Args:
        kept: which lines the first extractor keeps.
        by_method: F1 of each page, by extractor.
    """
    from jinja2 import Environment, FileSystemLoader  # noqa: PLC0415

    first = next(iter(by_method.values()))
    shown = [
        {
            "url": pages[at].url or pages[at].site,
            "lang": pages[at].lang,
            "figures": {name: float(values[at]) for name, values in by_method.items()},
            "lines": _lines(pages[at], kept(pages[at])),
        }
        for at in np.argsort(first, kind="stable")[:WORST].tolist()
    ]
    rooms = Environment(loader=FileSystemLoader(_TEMPLATE.parent), autoescape=True)
    return rooms.get_template(_TEMPLATE.name).render(
        pages=shown, extractor=next(iter(by_method)), count=len(pages)
    )


def _lines(page: Page, kept: NDArray[np.bool_]) -> list[tuple[str, str]]:
    """Each visible line with what became of it."""
    names = {
        (True, True): "right", (True, False): "missed", (False, True): "wrong",
        (False, False): "removed",
    }  # fmt: skip
    lines = split_lines(plain_markdown(page.markdown))
    return [
        (names[label == 1, bool(keep)], line)
        for line, label, keep in zip(lines, page.labels, kept, strict=True)
        if not np.isnan(label)
    ]


SITE_PAGES = 15
CUTS = (None, 0.2, 0.4)
"""Thresholds that the model is scored at; None: as `page_threshold` chooses for each page."""
LANGUAGE_PAGES = 5
PEERS = ("trafilatura", "readability", "resiliparse")
SCANDINAVIAN = ("sv", "da", "nb", "nn", "is")


class Method(NamedTuple):
    """A way to extract text; if it works by lines, `kept` has which.

    Attributes:
        text: what it extracts of a page.
        kept: whether each line is kept.
    """

    name: str
    text: Callable[[Page], str]
    kept: Callable[[Page], NDArray[np.bool_]] | None = None


class Score(NamedTuple):
    """Means over pages, each from 0 to 1; `line_f1` is None for methods without lines."""

    pages: int
    sites: int
    precision: float
    recall: float
    f1: float
    line_f1: float | None


def set_digest(pages: list[Page]) -> str:
    """Which pages with which gold are scored; the converter's Markdown does not count."""
    total = hashlib.sha256()
    for page in pages:
        total.update(f"{page.id}\0{page.gold}\0".encode("utf-8", "surrogatepass"))
    return total.hexdigest()[:16]


def page_groups(pages: list[Page]) -> dict[str, list[Page]]:
    """The pages as a whole, by language, of the others those with some pages, and by type."""
    named = {"all": pages, "Scandinavian": [p for p in pages if p.lang in SCANDINAVIAN]}
    for lang in SCANDINAVIAN:
        named[lang] = [p for p in pages if p.lang == lang]
    named["other"] = [p for p in pages if p.lang not in SCANDINAVIAN]
    for lang, count in Counter(page.lang for page in named["other"]).most_common():
        if count >= LANGUAGE_PAGES:
            named[lang] = [page for page in pages if page.lang == lang]
    for kind in PAGE_TYPES:
        named[kind] = [page for page in pages if page.page_type == kind]
    return {name: members for name, members in named.items() if members}


def score_method(pages: list[Page], method: Method) -> Score:
    """How well a method extracts these pages."""
    overlaps = np.array(
        [overlap(method.text(page), page.gold, code_of_page(page)) for page in pages]
    )
    precision, recall, f1 = overlaps.mean(0).tolist()
    lines = line_f1(pages, method) if method.kept else None
    return Score(len(pages), len({page.site for page in pages}), precision, recall, f1, lines)


def line_f1(pages: list[Page], method: Method) -> float:
    """F1 of keeping lines over all labelled lines of the pages."""
    assert method.kept is not None
    labels = np.concatenate([line_labels(page) for page in pages])
    kept = np.concatenate([method.kept(page) for page in pages])
    hits = float(np.sum(kept & (labels == 1)))
    wrong = float(np.sum(kept & (labels == 0)) + np.sum(~kept & (labels == 1)))
    return 2 * hits / (2 * hits + wrong) if hits else 0.0


def whole_page() -> Method:
    """The page as it is: what any extractor must beat."""
    return Method("every line", lambda page: plain_markdown(page.markdown))


def labelled_lines() -> Method:
    """The lines that the gold labels keep: the best that decisions on lines can do."""

    def text(page: Page) -> str:
        return kept_text(
            plain_markdown(page.markdown), np.nan_to_num(np.array(line_labels(page))), 0.5
        )

    return Method("labels (ceiling)", text)


def classified_lines(
    classifier: LineClassifier,
    pages: Sequence[Page],
    cuts: Sequence[float | None] = CUTS,
    with_context: bool = True,
) -> list[Method]:
    """One classifier at several thresholds; its logits are computed once.

    Args:
        cuts: a method for each; None: a threshold for each page.
        with_context: whether it is shown the pages' HTML too.
    """
    contexts = [page_context(page) for page in pages] if with_context else None
    logits = classifier.logits([page.markdown for page in pages], contexts)
    kept_shares = {page.id: probabilities(line) for page, line in zip(pages, logits, strict=True)}
    given = "" if with_context else ", Markdown alone"
    return [by_lines(kept_shares, cut, given) for cut in cuts]


def by_lines(
    kept_by_page: dict[str, NDArray[np.float32]], cut: float | None = None, given: str = ""
) -> Method:
    """Keeping the lines whose probability is at or above a threshold."""

    def kept(page: Page) -> NDArray[np.bool_]:
        plain = plain_page(page.markdown)
        threshold = page_threshold(plain, kept_by_page[page.id]) if cut is None else cut
        return line_verdicts(plain, kept_by_page[page.id], threshold)

    return Method(
        f"model{'' if cut is None else f' at {cut}'}{given}",
        lambda page: kept_text(plain_markdown(page.markdown), kept_by_page[page.id], cut),
        kept,
    )


def peer_extractors(wanted: Collection[str] = PEERS) -> list[Method]:
    """Extractors that read the HTML themselves, those that are wanted and installed.

    trafilatura has its default settings, without comments; resiliparse its main content.
    """
    methods = []
    if "trafilatura" in wanted and find_spec("trafilatura"):
        extract = partial(import_module("trafilatura").extract, include_comments=False)
        methods.append(Method("trafilatura", lambda page: extract(page.html) or ""))
    if "readability" in wanted and find_spec("readability"):
        methods.append(Method("readability-lxml", _by_readability))
    if "resiliparse" in wanted and find_spec("resiliparse"):
        plain = import_module("resiliparse.extract.html2text").extract_plain_text
        plain = partial(plain, main_content=True, alt_texts=False)
        methods.append(Method("resiliparse", lambda page: str(plain(page.html))))
    return methods


def _by_readability(page: Page) -> str:
    """The text of what readability keeps; nothing where it finds no article."""
    document = import_module("readability").Document(page.html)
    try:
        summary = document.summary()
    except import_module("readability.readability").Unparseable:
        return ""
    return " ".join(import_module("lxml.html").fromstring(summary).itertext())


def score_table(pages: list[Page], methods: Sequence[Method]) -> str:
    """A Markdown table of all groups and methods."""
    rows = ["| group | pages (sites) | method | precision | recall | F1 | line F1 |"]
    rows.append("|---" * 7 + "|")
    for name, members in page_groups(pages).items():
        for method in methods:
            row = score_method(members, method)
            figures = [f"{value:.3f}" for value in row[2:] if value is not None]
            cells = [name, f"{row.pages} ({row.sites})", method.name, *figures]
            rows.append(f"| {' | '.join(cells + [''] * (7 - len(cells)))} |")
    return "\n".join(rows)


def main() -> None:
    """Prints the table of the test pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--model", default="")
    chosen = parser.parse_args()
    pages, _ = read_pages(chosen.data, chosen.cache, in_test, SITE_PAGES)
    classifier = load_line_classifier(chosen.model)
    methods = [whole_page(), *peer_extractors(), *classified_lines(classifier, pages)]
    methods += [*classified_lines(classifier, pages, [None], False), labelled_lines()]
    print(f"{classifier.name} on {len(pages)} pages, set {set_digest(pages)}\n")
    print(score_table(pages, methods))


if __name__ == "__main__":
    main()
