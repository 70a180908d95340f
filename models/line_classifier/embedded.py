"""The line classifier that the package carries."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from skord.html.line_context import LineContext
from skord.markdown.extraction import best_cut, probabilities
from skord.markdown.fences import fenced_blocks
from skord.markdown.plain_lines import PlainLines, plain_page
from skord.models.line_classifier.array_types import Floats, Ints
from skord.models.line_classifier.features.context import ContextFeatures, context_features
from skord.models.line_classifier.features.lines import PageFeatures, plain_features
from skord.models.line_classifier.features.offers import offers, reviews
from skord.models.line_classifier.features.phrases import frame_phrases
from skord.models.line_classifier.features.rows import framing_rows, site_name
from skord.models.line_classifier.interface import (
    CONTEXT_WEIGHTS,
    WEIGHTS,
    PageClassifier,
    PageVerdict,
    embedded_name,
)
from skord.models.line_classifier.network import (
    Judged,
    Network,
    network_logits,
    read_network,
    rounded_logits,
)
from skord.models.line_classifier.page_types import PAGE_TYPES, TEMPERATURES, type_temperature
from skord.models.line_classifier.smoothing import draw_to_headings, smooth_logits
from skord.native import with_blank_lines

# Of lines that nothing visible stands before: surely removed, yet finite.
BLANK_LOGIT = -16.0
# Of lines in menus, footers, asides, dialogs and offers, and of rows of controls or links, at most.
# Hardly any of these on the training pages is main text (CARD.md); the network takes some for it.
FRAME_LOGIT = -4.0
# A page with fewer words than this outside of them uses them for something else.
LEAST_UNFRAMED_WORDS = 20
# A page whose best cut promises less is judged as unsurely as the most uncertain type is: what was
# taken for an article, and has hardly a line that belongs to one, is something else.
DOUBTED_F1 = 0.7
LIKELY_PRODUCT = 0.5
"""Share of the type from which on customers' reviews are taken for what stands beside a product."""
_PRODUCT = PAGE_TYPES.index("product")
_HIGHEST = TEMPERATURES.max()


class ClassifierInput(NamedTuple):
    """A page as `plain_page` has it, and its features; those of the HTML where it is known."""

    plain: bytes
    features: PageFeatures
    context: ContextFeatures | None


class EmbeddedClassifier(PageClassifier):
    """Logits from numpy arithmetic on one core; see CARD.md for its training and figures.

    A block of code between fences, and a table, is kept or removed as a whole.

    Attributes:
        name: "embedded-" and the start of the SHA-256 of each weights file.
        network, with_context: for pages without and with their HTML.
    """

    def __init__(self, network: Network, with_context: Network | None = None) -> None:
        self.network = network
        self.with_context = with_context
        digests = [network.digest, *([with_context.digest] if with_context else [])]
        self.name = embedded_name(digests)

    def verdicts(
        self, pages: Sequence[str], contexts: Sequence[LineContext | None] | None = None
    ) -> list[PageVerdict]:
        """The same with each page's type."""
        known = contexts if contexts is not None else [None] * len(pages)
        shown = (self.shown(*page) for page in zip(pages, known, strict=True))
        return [self.ruled(page, self._computed(page)) for page in shown]

    def shown(self, markdown: str, context: LineContext | None) -> ClassifierInput:
        """What the network for such a page is shown of it."""
        plain = plain_page(markdown)
        page = plain_features(plain)
        if context is None or self.with_context is None or not page.lines.size:
            return ClassifierInput(plain, page, None)
        if len(context["lines"]) != page.line_count:
            raise ValueError(f"{len(context['lines'])} contexts for {page.line_count} lines")
        return ClassifierInput(plain, page, context_features(context, page.lines, page.words))

    def ruled(self, page: ClassifierInput, judged_page: Judged) -> PageVerdict:
        """Logits of all lines of a page from the network's, of those with a visible character."""
        lines = PlainLines(page.plain)
        whole = self._whole(page, lines, judged_page)
        ratio = np.float32(type_temperature(judged_page.types) / _HIGHEST)
        if ratio < 1 and best_cut(page.plain, probabilities(whole)).expected_f1 < DOUBTED_F1:
            doubted = rounded_logits(judged_page.logits * ratio)
            whole = self._whole(page, lines, judged_page._replace(logits=doubted))
        types = dict(zip(PAGE_TYPES, judged_page.types.tolist(), strict=True))
        return PageVerdict(whole, types if page.features.lines.size else {}, page.plain)

    def _whole(self, page: ClassifierInput, lines: PlainLines, judged_page: Judged) -> Floats:
        """Logits of all lines of a page from those of the visible ones."""
        context, features = page.context, page.features
        is_product = float(judged_page.types[_PRODUCT]) >= LIKELY_PRODUCT
        visible = smooth_logits(judged_page.logits, features, context)
        if context:
            framed = framing_rows(
                page.plain,
                features.lines,
                features.words,
                context.links,
                context.controls,
                context.framed,
                leads_away=is_product,
            )
            if features.words[~framed].sum() >= LEAST_UNFRAMED_WORDS:
                np.minimum(visible, FRAME_LOGIT, out=visible, where=framed)
            raise_belonging(visible, features.words, context)
            visible = draw_to_headings(
                visible, page.plain, features.lines, context.links, judged_page.types
            )
        # A blank line belongs to the block that it ends, so kept blocks stay apart and removed ones
        # leave no gaps.
        all_lines = with_blank_lines(features.lines, visible, features.line_count, BLANK_LOGIT)
        whole = np.frombuffer(all_lines, np.float32).copy()
        likely = whole > FRAME_LOGIT
        for start, end in fenced_blocks(lines.plain):
            # Half a block of code, or one without its fences, is no Markdown.
            whole[start:end] = whole[start:end].mean()
            likely[start:end] = False
        whole[frame_phrases(lines, np.flatnonzero(likely))] = FRAME_LOGIT
        for start, end in table_blocks(lines.rows):
            whole[start:end] = whole[start:end].mean()
        for start, end in chain(offers(lines), reviews(lines) if is_product else ()):
            whole[start:end] = np.minimum(whole[start:end], FRAME_LOGIT)
        if context:
            named = site_name(lines, features.lines, features.words, context.links, whole)
            if named is not None:
                whole[named] = FRAME_LOGIT
        return whole

    def _computed(self, page: ClassifierInput) -> Judged:
        network = self.with_context if page.context and self.with_context else self.network
        return network_logits(network, page.features, page.context)


def raise_belonging(visible: Floats, words: Ints, context: ContextFeatures) -> None:
    """Draw notes up to the text, and captions of tables and code up to these.

    Args:
        visible: logits of the visible lines, which are changed.
        words: how many each of them has.
        context: of these lines.
    """
    notes = context.notes
    if notes.size:
        rest = np.ones(len(visible), np.bool_)
        rest[notes] = False
        kept = rest & (visible > 0)
        if words[notes].sum() < words[kept].sum():
            mean = np.float32(np.average(visible[kept], weights=words[kept]))
            visible[notes] = np.maximum(visible[notes], mean)
    if not context.captions.size:
        return
    held = set(context.figures.tolist()).difference(context.captions.tolist())
    for at in context.captions.tolist():
        beside = held.intersection((at - 1, at + 1))
        visible[at] = max([visible[at], *(visible[one] for one in beside)])


def table_blocks(rows: Sequence[int]) -> list[tuple[int, int]]:
    """First row of each table of a page, and the line after its last.

    Args:
        rows: numbers of all rows, ascending.

    >>> table_blocks([0, 1, 4])
    [(0, 2), (4, 5)]
    """
    blocks: list[tuple[int, int]] = []
    for number in rows:
        start = blocks.pop()[0] if blocks and blocks[-1][1] == number else number
        blocks.append((start, number + 1))
    return blocks


def read_embedded(folder: Path = WEIGHTS.parent) -> EmbeddedClassifier:
    """The classifier with the weights of a folder, the shipped ones unless another is named.

    A folder of weights for the Markdown alone holds no others; the shipped one holds both.

    Args:
        folder: as `training.tuning` writes one.

    Raises:
        ConfigError: they are missing or of another shape.
    """
    with_html = folder / CONTEXT_WEIGHTS.name
    known = folder == WEIGHTS.parent or with_html.exists()
    with_context = read_network(with_html, True) if known else None
    network = read_network(folder / WEIGHTS.name, False)
    return EmbeddedClassifier(network, with_context)
