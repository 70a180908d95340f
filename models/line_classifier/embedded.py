"""The line classifier that the package carries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from models.line_classifier.features import page_features
from models.line_classifier.network import Network, line_logits
from models.line_classifier.page_arrays import Floats, Ints
from pipeline.transforms.extraction import split_lines

WEIGHTS = Path(__file__).with_name("weights.npz")
# A run of backticks or tildes after quote signs, indentation and list markers.
_FENCE = re.compile(r"[ >]*(?:(?:[-*+]|\d+[.)]) +)*[ >]*(`{3,}(?=[^`]*$)|~{3,})")
# Of lines that nothing visible stands before: surely removed, yet finite.
BLANK_LOGIT = -16.0


class EmbeddedClassifier:
    """Logits from numpy arithmetic on one core; see CARD.md for its training and figures.

    Attributes:
        name: "embedded-" and the start of the weights' SHA-256.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self.name = f"embedded-{network.digest}"

    def logits(self, pages: Sequence[str]) -> list[Floats]:
        r"""One logit for each "\n" of each page; positive: more likely kept than not."""
        return [self._page_logits(page) for page in pages]

    def _page_logits(self, markdown: str) -> Floats:
        page = page_features(markdown)
        whole = with_blank_lines(page.lines, line_logits(self._network, page), page.line_count)
        for start, end in fenced_blocks(markdown):
            # Half a block of code, or one without its fences, is no Markdown.
            whole[start:end] = whole[start:end].mean()
        return whole


def fenced_blocks(markdown: str) -> list[tuple[int, int]]:
    r"""First line of each block of code between fences, and the line after its last.

    A fence that is never closed opens nothing: the rest of the page would be one block.

    >>> fenced_blocks("a\n```\nx\n\n```\n~~~\n")
    [(1, 5)]
    """
    if "```" not in markdown and "~~~" not in markdown:
        return []
    blocks, opened, fence = [], -1, ""
    for number, line in enumerate(split_lines(markdown)):
        found = _FENCE.match(line)
        if found and opened < 0:
            opened, fence = number, found[1]
        elif found and found[1].startswith(fence) and not line[found.end() :].strip():
            blocks.append((opened, number + 1))
            opened = -1
    return blocks


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
