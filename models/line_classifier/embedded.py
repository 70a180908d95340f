"""The line classifier that the package carries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from models.line_classifier.array_types import Floats, Ints
from models.line_classifier.code_blocks import fenced_blocks, prose_blocks
from models.line_classifier.context_features import ContextFeatures, context_features
from models.line_classifier.features import PageFeatures, page_features
from models.line_classifier.interface import CONTEXT_WEIGHTS, WEIGHTS, embedded_name
from models.line_classifier.network import Network, line_logits, read_network
from models.line_classifier.smoothing import evened
from pipeline.html.line_context import LineContext
from pipeline.markdown.extraction import split_lines
from pipeline.markdown.plain_lines import plain_markdown

# Of lines that nothing visible stands before: surely removed, yet finite.
BLANK_LOGIT = -16.0
# Of lines of code that are removed by rule.
CODE_LOGIT = -8.0
# Of lines in menus, footers and asides, at most. On the training pages 0.0, 0.0 and 0.3 % of
# these lines are main text; the network takes some long ones for it.
FRAME_LOGIT = -4.0
# A page with fewer words than this outside of them uses them for something else.
LEAST_UNFRAMED_WORDS = 20


class Shown(NamedTuple):
    """A page in its plain form, and its features; those of the HTML where it is known."""

    markdown: str
    features: PageFeatures
    context: ContextFeatures | None


class EmbeddedClassifier:
    """Logits from numpy arithmetic on one core; see CARD.md for its training and figures.

    Blocks of code between fences are removed by rule unless `keep_code`: no language is
    written in them, and the gold of Scandinavian pages leaves them out. The network would keep
    those amid the text. Prose that an author set as code is judged like other text.

    Attributes:
        name: "embedded-" and the start of the SHA-256 of each weights file.
        network, with_context: for pages without and with their HTML.
    """

    def __init__(
        self, network: Network, with_context: Network | None = None, *, keep_code: bool = False
    ) -> None:
        self.network = network
        self.with_context = with_context
        self._keep_code = keep_code
        digests = [network.digest, *([with_context.digest] if with_context else [])]
        self.name = embedded_name(digests, keep_code=keep_code)

    def logits(
        self, pages: Sequence[str], contexts: Sequence[LineContext | None] | None = None
    ) -> list[Floats]:
        r"""One logit for each "\n" of each page; positive: more likely kept than not."""
        known = contexts if contexts is not None else [None] * len(pages)
        shown = (self.shown(*page) for page in zip(pages, known, strict=True))
        return [self.ruled(page, self._computed(page)) for page in shown]

    def shown(self, markdown: str, context: LineContext | None) -> Shown:
        """What the network for such a page is shown of it."""
        markdown = plain_markdown(markdown)
        page = page_features(markdown)
        if context is None or self.with_context is None or not page.lines.size:
            return Shown(markdown, page, None)
        if len(context["lines"]) != page.line_count:
            raise ValueError(f"{len(context['lines'])} contexts for {page.line_count} lines")
        return Shown(markdown, page, context_features(context, page.lines, page.words))

    def ruled(self, page: Shown, visible: Floats) -> Floats:
        """Logits of all lines of a page from the network's, of those with a visible character."""
        found = page.context
        visible = evened(visible, page.features, found)
        if found and page.features.words[~found.framed].sum() >= LEAST_UNFRAMED_WORDS:
            visible[found.framed] = np.minimum(visible[found.framed], FRAME_LOGIT)
        whole = with_blank_lines(page.features.lines, visible, page.features.line_count)
        blocks = fenced_blocks(page.markdown)
        lines = split_lines(page.markdown) if blocks else []
        for (start, end), prose in zip(blocks, prose_blocks(lines, blocks), strict=True):
            # Half a block of code, or one without its fences, is no Markdown.
            judged = self._keep_code or prose
            whole[start:end] = whole[start:end].mean() if judged else CODE_LOGIT
        return whole

    def _computed(self, page: Shown) -> Floats:
        network = self.with_context if page.context and self.with_context else self.network
        return line_logits(network, page.features, page.context)


def read_embedded(*, keep_code: bool = False) -> EmbeddedClassifier:
    """The classifier with the weights that lie beside this module.

    Args:
        keep_code: whether the network rules on blocks of code too.

    Raises:
        ConfigError: they are missing or of another shape.
    """
    with_context = read_network(CONTEXT_WEIGHTS, True)
    return EmbeddedClassifier(read_network(WEIGHTS, False), with_context, keep_code=keep_code)


def with_blank_lines(lines: Ints, logits: Floats, line_count: int) -> Floats:
    """Logits of all lines from those of the visible ones.

    A blank line belongs to the block that it ends: it gets the greatest logit of that block,
    so kept blocks stay apart and removed ones leave no gaps.

    Args:
        lines: numbers of the visible lines, ascending.
        logits: theirs.
        line_count: of the page.

    >>> with_blank_lines(np.array([1, 2, 5]), np.array([1, -1, -2], np.float32), 7).tolist()
    [-16.0, 1.0, -1.0, 1.0, 1.0, -2.0, -2.0]
    """
    whole = np.full(line_count, BLANK_LOGIT, np.float32)
    if not lines.size:
        return whole
    block_starts = np.flatnonzero(np.diff(lines, prepend=-2) > 1)
    greatest = np.maximum.reduceat(logits, block_starts)
    block_of = np.searchsorted(lines[block_starts], np.arange(line_count), "right") - 1
    after_block = block_of >= 0
    whole[after_block] = greatest[block_of[after_block]]
    whole[lines] = logits
    return whole
