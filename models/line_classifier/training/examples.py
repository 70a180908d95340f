"""Pages to features with labels, as training and line scores need them."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.line_classifier.code_blocks import fenced_blocks
from models.line_classifier.context_features import ContextFeatures, context_features
from models.line_classifier.features import PageFeatures, page_features
from models.line_classifier.training.alignment import gold_shares
from models.line_classifier.training.dataset import Page
from models.line_classifier.words import words
from pipeline.html.line_context import LineContext, line_context
from pipeline.markdown.extraction import split_lines
from pipeline.markdown.plain_lines import plain_markdown

# From the first share on a line is content, up to the second it is not; between them its
# label is unknown.
KEEP_SHARE = 0.5
REMOVE_SHARE = 0.2
COMMITTED = "sites"
"""Source of the pages built from committed Markdown; their gold leaves fenced code out."""


class Example(NamedTuple):
    """One page for training.

    Attributes:
        site: the registered domain.
        features: of the visible lines.
        labels: 1 keep, 0 remove, between them how likely, NaN unknown; one for each visible line.
        context: what the page's HTML says of the visible lines; None without it.
        weight: how much the page counts, beside others.
    """

    site: str
    features: PageFeatures
    labels: NDArray[np.float32]
    context: ContextFeatures | None
    weight: float = 1.0

    def dense(self, with_context: bool) -> NDArray[np.float32]:
        """Dense features of the visible lines, with or without those of the HTML."""
        if not with_context:
            return self.features.dense
        assert self.context is not None
        return np.concatenate([self.features.dense, self.context.dense], axis=1)


def example(page: Page) -> Example:
    """A page with the labels that its gold gives."""
    features = page_features(plain_markdown(page.markdown))
    labels = np.array(line_labels(page), np.float32)[features.lines]
    return Example(page.site, features, labels, _context(page, features), page.weight)


def _context(page: Page, features: PageFeatures) -> ContextFeatures | None:
    found = page_context(page) if features.lines.size else None
    return context_features(found, features.lines, features.words) if found else None


def page_context(page: Page) -> LineContext | None:
    """The HTML elements around a page's lines, where its HTML is known."""
    return line_context(page.html, page.markdown) if page.html else None


@lru_cache(maxsize=8192)
def line_labels(page: Page) -> tuple[float, ...]:
    """1 keep, 0 remove, NaN unknown, for every line of a page."""
    markdown = plain_markdown(page.markdown)
    lines = split_lines(markdown)
    aligned = _without_code(markdown) if page.source == COMMITTED else lines
    labels = [_label(share) for share in gold_shares(aligned, page.gold)]
    title = words(page.title)
    for number, line in enumerate(lines):
        # Gold seldom holds the page's title, though it is content: neither is taught.
        if labels[number] == 0 and title and words(line) == title:
            labels[number] = np.nan
    return tuple(_without_generated(lines, labels) if page.source == COMMITTED else labels)


def _without_code(markdown: str) -> list[str]:
    """The lines, empty in blocks of code.

    Some books print their source at the end of the page, in one block. It is closer to the gold
    than the text that readers see, and would be labelled in its stead.
    """
    lines = split_lines(markdown)
    for start, end in fenced_blocks(markdown):
        lines[start:end] = [""] * (end - start)
    return lines


def _label(share: float | None) -> float:
    if share is None or REMOVE_SHARE < share < KEEP_SHARE:
        return float(np.nan)
    return float(share >= KEEP_SHARE)


def _without_generated(lines: list[str], labels: list[float]) -> list[float]:
    """Unknown labels for code and tables amid the content, which this gold leaves out."""
    kept = [number for number, label in enumerate(labels) if label == 1]
    fenced = False
    for number, line in enumerate(lines):
        fence = line.lstrip().startswith(("```", "~~~"))
        fenced ^= fence
        generated = fenced or fence or line.lstrip().startswith("|") or line.startswith("    ")
        if generated and kept and kept[0] < number < kept[-1] and labels[number] == 0:
            labels[number] = np.nan
    return labels
