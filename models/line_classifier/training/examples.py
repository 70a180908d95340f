"""Pages to features with labels, as training and line scores need them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skord.html.cleaning import page_title
from skord.html.line_context import LineContext, line_context
from skord.html.page_facts import PAGE
from skord.markdown.extraction import split_lines
from skord.markdown.fences import fenced_blocks
from skord.markdown.plain_lines import plain_markdown, utf8_of
from skord.models.line_classifier.features.context import ContextFeatures, context_features
from skord.models.line_classifier.features.lines import PageFeatures, page_features
from skord.models.line_classifier.features.words import words
from skord.models.line_classifier.page_types import PAGE_TYPES
from skord.models.line_classifier.training.alignment import gold_shares
from skord.models.line_classifier.training.dataset import Page

_SECTIONS = frozenset(
    ("nav", "header", "footer", "main", "article", "section", "aside", "form", "address", "dialog")
)
_KEPT = frozenset(("!hidden", "@dialog", "@alertdialog", "@tabpanel", "@tablist", "@tab"))
"""What component libraries do write, for who cannot see the page."""


def in_soup(context: LineContext, site: str) -> LineContext:
    """A page's elements without names that say what they are, as builds of components write them.

    Most pages with gold text name their parts: `<nav>`, `<article>`, `class="post-body"`. Pages of
    today often do not, and a network that leans on names is lost there. So what sections a page
    becomes a division, and what has a class gets one that a build could have made up, the same for
    the same.

    Args:
        site: whose pages have the same made-up names.

    >>> nav = LineContext(
    ...     elements=["nav #top .menu", "p"], parents=[-1, 0], lines=[1], links=b"0", controls=b"0"
    ... )
    >>> in_soup(nav, "a.se")["elements"]
    ['div .sc-92750c .85989', 'p']
    """
    habit = int(_digest(site), 16) % 3
    return LineContext(
        elements=[_rename_element(element, site, habit) for element in context["elements"]],
        parents=context["parents"],
        lines=context["lines"],
        links=context["links"],
        controls=context["controls"],
    )


def _rename_element(element: str, site: str, habit: int) -> str:
    tag, *names = element.split(" ")
    if tag == PAGE:
        return element
    kept = [name for name in names if name in _KEPT]
    if len(kept) < len(names) or tag in _SECTIONS:
        kept = [*_made_up(_digest(f"{site} {element}"), habit), *kept]
    return " ".join(["div" if tag in _SECTIONS else tag, *kept])


def _made_up(digest: str, habit: int) -> list[str]:
    """Classes as a build writes them: one of three habits."""
    match habit:
        case 0:
            return [f".css-{digest[:6]}"]
        case 1:
            return [f".sc-{digest[:6]}", f".{digest[6:11]}"]
        case _:
            return []


def _digest(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()


# From the first share on a line is content, up to the second it is not; between them its
# label is unknown.
KEEP_SHARE = 0.5
REMOVE_SHARE = 0.2
NEAR_TITLE = 3
"""Lines under the title among which one that dates the text is looked for."""
DATE_WORDS = 6
_DATE = re.compile(
    r"\b\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d\b|\b(?:19|20)\d\d[-./]\d\d?[-./]\d\d?\b"
    r"|\b\d{1,2}\.? [^\W\d]{3,10}\.? (?:19|20)\d\d\b"
    r"|\b[^\W\d]{3,10}\.? \d{1,2}(?:th|st|nd|rd)?,? (?:19|20)\d\d\b"
)
COMMITTED = "sites"
"""Source of the pages built from committed Markdown; their gold lacks the code of the pages."""
READ = "gold"
"""Source of the pages whose lines were labelled by reading: nothing is to mend."""


class Example(NamedTuple):
    """One page for training.

    Attributes:
        labels: 1 keep, 0 remove, between them how likely, NaN unknown; one for each visible line.
        context: what the page's HTML says of the visible lines; None without it.
        weight: how much the page counts, beside others.
        page_type: number in `page_types.PAGE_TYPES`; -1 if not known.
        soup: `context` without names that say anything (`in_soup`); None for a page that is known by
            its names alone.
    """

    site: str
    features: PageFeatures
    labels: NDArray[np.float32]
    context: ContextFeatures | None
    weight: float = 1.0
    page_type: int = -1
    soup: ContextFeatures | None = None

    def dense(self, with_context: bool) -> NDArray[np.float32]:
        """Dense features of the visible lines, with or without those of the HTML."""
        if not with_context:
            return self.features.dense
        assert self.context is not None
        return np.concatenate([self.features.dense, self.context.dense], axis=1)


def example_of_page(page: Page) -> Example:
    """A page with the labels that its gold gives."""
    features = page_features(plain_markdown(page.markdown))
    labels = np.array(line_labels(page), np.float32)[features.lines]
    kind = PAGE_TYPES.index(page.page_type) if page.page_type else -1
    in_html = page_context(page) if features.lines.size else None
    without_names = in_soup(in_html, page.site) if in_html and not page.is_made else None
    context, soup = (_features(known, features) for known in (in_html, without_names))
    return Example(page.site, features, labels, context, page.weight, kind, soup)


def _features(context: LineContext | None, features: PageFeatures) -> ContextFeatures | None:
    return context_features(context, features.lines, features.words) if context else None


def page_context(page: Page) -> LineContext | None:
    """The HTML elements around a page's lines, where its HTML is known."""
    return line_context(page.html, page.markdown, page.url or None) if page.html else None


@lru_cache(maxsize=8192)
def line_labels(page: Page) -> tuple[float, ...]:
    """1 keep, 0 remove, NaN unknown, for every line of a page."""
    if page.labels:
        return page.labels
    markdown = plain_markdown(page.markdown)
    lines = split_lines(markdown)
    aligned = _without_code(markdown) if page.source == COMMITTED else lines
    labels = [_label(share) for share in gold_shares(aligned, page.gold)]
    if page.source == COMMITTED:
        labels = _without_generated(markdown, labels)
    labels = _without_repeats(lines, labels)
    for number in title_lines(page, lines) if page.gold and page.source != READ else ():
        labels[number] = 1.0
    for number in date_lines(lines, labels) if page.source != READ else ():
        labels[number] = 1.0
    title = words(page.title)
    for number, line in enumerate(lines):
        # Neither is the title labelled as no content where it stands once more.
        if labels[number] == 0 and title and words(line) == title:
            labels[number] = np.nan
    return tuple(labels)


def title_lines(page: Page, lines: Sequence[str]) -> list[int]:
    """The heading that names a page's content, if there is one; gold often leaves it out.

    It is the first heading with the words of the title that the gold knows; else the first of
    the first level whose words, two at least, stand in the HTML's title; else the only one of the
    first level, if it has three words.

    Args:
        page: with title and HTML, where they are known.
        lines: of its Markdown, in plain form.
    """
    headings = {number: words(line) for number, line in enumerate(lines) if line.startswith("#")}
    title = words(page.title)
    named = [number for number, heading in headings.items() if heading and heading == title]
    if named:
        return named[:1]
    first = {
        number: heading for number, heading in headings.items() if lines[number].startswith("# ")
    }
    around = f" {' '.join(words(page_title(page.html) or ''))} "
    known = [
        n for n, heading in first.items() if len(heading) > 1 and f" {' '.join(heading)} " in around
    ]
    alone = [number for number, heading in first.items() if len(heading) > 2 and len(first) == 1]
    return (known or alone)[:1]


def date_lines(lines: Sequence[str], labels: Sequence[float]) -> list[int]:
    """The line that dates the text, if it stands by itself right under a kept first heading.

    Args:
        lines: of a page, in plain form.
        labels: 1 for those that are kept.

    >>> date_lines(["# Ny bro", "", "3 mars 2024", "", "Kommunen bygger."], [1, 0, 0, 0, 1])
    [2]
    """
    kept = (n for n, line in enumerate(lines) if line.startswith("#") and labels[n] == 1)
    first = next(kept, None)
    if first is None:
        return []
    below = [n for n in range(first + 1, len(lines)) if lines[n].strip()][:NEAR_TITLE]
    dated = (n for n in below if len(lines[n].split()) <= DATE_WORDS and _DATE.search(lines[n]))
    return list(dated)[:1]


def _without_repeats(lines: Sequence[str], labels: list[float]) -> list[float]:
    """Unknown labels for lines that stand elsewhere, too, where the gold has them once."""
    line_words = [tuple(words(line)) for line in lines]
    once = {
        line for line, label in zip(line_words, labels, strict=True) if label == 1 and len(line) > 1
    }
    return [
        float(np.nan) if label == 0 and line in once else label
        for line, label in zip(line_words, labels, strict=True)
    ]


def _without_code(markdown: str) -> list[str]:
    """The lines, empty in blocks of code.

    Some books print their source at the end of the page, in one block. It is closer to the gold
    than the text that readers see, and would be labelled in its stead.
    """
    lines = split_lines(markdown)
    for start, end in fenced_blocks(utf8_of(markdown)):
        lines[start:end] = [""] * (end - start)
    return lines


def _label(share: float | None) -> float:
    if share is None or REMOVE_SHARE < share < KEEP_SHARE:
        return float(np.nan)
    return float(share >= KEEP_SHARE)


def _without_generated(markdown: str, labels: list[float]) -> list[float]:
    """Unknown labels for code, and for tables amid the content, which this gold leaves out.

    Code was lost when the gold was made: nothing is known of its lines, wherever they stand.
    """
    kept = [number for number, label in enumerate(labels) if label == 1]
    for number, line in enumerate(split_lines(markdown)):
        is_row = line.lstrip().startswith("|") or line.startswith("    ")
        if is_row and kept and kept[0] < number < kept[-1] and labels[number] == 0:
            labels[number] = np.nan
    for start, end in fenced_blocks(utf8_of(markdown)):
        labels[start:end] = [float(np.nan)] * (end - start)
    return labels


def code_of_page(page: Page) -> str:
    """What a page's gold says nothing of: its code, where the gold lacks it; "" elsewhere."""
    if page.source != COMMITTED:
        return ""
    markdown = plain_markdown(page.markdown)
    lines = split_lines(markdown)
    blocks = fenced_blocks(utf8_of(markdown))
    return "\n".join("\n".join(lines[start:end]) for start, end in blocks)
