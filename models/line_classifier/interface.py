r"""What a line classifier is.

A page is Markdown whose lines end in "\n", and in nothing else: U+2028, U+0085, \f, \v and
\r are characters of a line. (`str.splitlines` counts them as line ends; labels counted one
way and lines the other keep the wrong lines.) Text after the last "\n" is no line and has no
logit; the converter's Markdown always ends in "\n".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from skord.html.line_context import LineContext

EMBEDDED = "embedded"
EMBEDDED_BF16 = "embedded-bf16"
EMBEDDED_NAMES = frozenset(["", EMBEDDED, EMBEDDED_BF16])
"""All but EMBEDDED_BF16 compute on the CPU, to the same bits everywhere."""

WEIGHTS = Path(__file__).with_name("weights.npz")
"""The embedded model's, for pages of which only the Markdown is known."""
CONTEXT_WEIGHTS = Path(__file__).with_name("context_weights.npz")
"""For pages with the HTML elements around each line."""


ONE_THRESHOLD = 0.4
"""For the embedded model, where one is wanted for all pages."""


class PageVerdict(NamedTuple):
    r"""What a classifier makes of a page.

    Attributes:
        logits: one for each "\n".
        types: the share of each of `page_types.PAGE_TYPES`; empty where the classifier knows none,
            and for a page without a visible line.
        plain: the page as `markdown.plain_lines.plain_page` has it, from a classifier that is shown
            that.
    """

    logits: NDArray[np.float32]
    types: Mapping[str, float]
    plain: bytes | None = None


class LineClassifier(Protocol):
    """Tells for every line of a page how likely it is main content.

    Attributes:
        name: kind and digest of the weights; two classifiers of one name give the same
            logits. Part of the fingerprint of what is made with it.
    """

    name: str

    def logits(
        self, pages: Sequence[str], contexts: Sequence[LineContext | None] | None = None
    ) -> list[NDArray[np.float32]]:
        r"""One logit for each "\n" of each page, in order; a page may have none.

        A page's logits do not depend on the other pages.

        Args:
            pages: Markdown.
            contexts: for each page the HTML elements around its lines, where they are known;
                a classifier that has no use for them does without.
        """
        ...


class PageClassifier(LineClassifier, Protocol):
    """A line classifier that also tells a page's type."""

    def verdicts(
        self, pages: Sequence[str], contexts: Sequence[LineContext | None] | None = None
    ) -> list[PageVerdict]:
        """As `logits`, with each page's type."""
        ...

    def logits(
        self, pages: Sequence[str], contexts: Sequence[LineContext | None] | None = None
    ) -> list[NDArray[np.float32]]:
        r"""One logit for each "\n" of each page; positive: more likely kept than not."""
        return [verdict.logits for verdict in self.verdicts(pages, contexts)]


def verdicts(
    classifier: LineClassifier,
    pages: Sequence[str],
    contexts: Sequence[LineContext | None] | None = None,
) -> list[PageVerdict]:
    """What a classifier makes of pages, with their types if it tells them."""
    tells_types = getattr(classifier, "verdicts", None)
    if tells_types is not None:
        return list(tells_types(pages, contexts))
    return [PageVerdict(logits, {}) for logits in classifier.logits(pages, contexts)]


def embedded_name(digests: Sequence[str], *, in_bf16: bool = False) -> str:
    """Of an embedded classifier with the weights of these digests.

    >>> embedded_name(["1f", "2e"], in_bf16=True)
    'embedded-1f-2e-bf16'
    """
    return "-".join(["embedded", *digests, *["bf16"] * in_bf16])
