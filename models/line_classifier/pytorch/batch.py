"""Several pages as one set of torch tensors, with what chance leaves out for a training step.

Needs torch, which only training and the network on a GPU do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from skord.models.line_classifier.features.context import ContextFeatures
from skord.models.line_classifier.features.dom import TOKEN_BUCKETS
from skord.models.line_classifier.network import DILATIONS, NEARER
from skord.models.line_classifier.training.examples import Example

Tensor = Any
"""torch.Tensor; its methods are not annotated."""


class Dropout(NamedTuple):
    """What a training step does not see; all zero outside of training.

    Attributes:
        dropout: of features and of inner values.
        word_dropout: share of words left out of the lines.
        wordless_pages: share of pages shown without any words, since words are of a site.
        name_dropout: share of the names of elements that a page is shown without.
        nameless_pages: share of pages shown without any of them.
    """

    dropout: float = 0.0
    word_dropout: float = 0.0
    wordless_pages: float = 0.0
    name_dropout: float = 0.0
    nameless_pages: float = 0.0


class Elements(NamedTuple):
    """`ContextFeatures` of several pages, numbered through, as tensors.

    `facts` is the number of each page's element that says what it says of itself as a whole,
    `has_facts` 1 where there is one.
    """

    tokens: Tensor
    token_starts: Tensor
    kept: Tensor
    path: Tensor
    path_starts: Tensor
    nearer: Tensor
    leaves: Tensor
    facts: Tensor
    has_facts: Tensor


class Batch(NamedTuple):
    """Lines of several pages, one page after the other.

    Attributes:
        dense: features; shape [lines, DENSE or more].
        page: number of each line's page in the batch.
        place: of each line in a column in which pages are parted by as many empty rows as the
            convolutions reach over.
        buckets, word_starts, word_kept: words, where each line's start, 0 for those left out.
        elements: None for a network that knows the Markdown alone.
    """

    dense: Tensor
    page: Tensor
    place: Tensor
    pages: int
    places: int
    buckets: Tensor
    word_starts: Tensor
    word_kept: Tensor
    elements: Elements | None

    def to(self, device: str) -> Batch:
        """The same batch on another device."""
        moved: dict[str, Any] = {
            name: part.to(device)
            for name, part in self._asdict().items()
            if isinstance(part, torch.Tensor)
        }
        elements = self.elements and Elements(*(part.to(device) for part in self.elements))
        return self._replace(**moved, elements=elements)


def batch_of(examples: Sequence[Example], with_context: bool, chance: Dropout) -> Batch:
    """The examples as one batch; draws from torch's generator what is left out."""
    sizes = [example.features.lines.size for example in examples]
    page = np.repeat(np.arange(len(sizes)), sizes)
    words = [example.features.buckets for example in examples]
    seen = torch.rand(len(examples)) >= chance.wordless_pages
    kept = torch.rand(sum(map(len, words))) >= chance.word_dropout
    kept = kept & torch.repeat_interleave(seen, torch.tensor([len(some) for some in words]))
    return Batch(
        dense=_tensor([example.dense(with_context) for example in examples]),
        page=torch.from_numpy(page),
        place=torch.from_numpy(np.arange(page.size) + page * max(DILATIONS)),
        pages=len(sizes),
        places=sum(sizes) + len(sizes) * max(DILATIONS),
        buckets=_tensor(words),
        word_starts=_starts([example.features.word_starts for example in examples]),
        word_kept=kept.float(),
        elements=_elements(examples, chance) if with_context else None,
    )


def _elements(examples: Sequence[Example], chance: Dropout) -> Elements:
    """A name left out is left out of the whole page; a page without soup keeps its names."""
    known = [(example.context, example.soup) for example in examples if example.context is not None]
    contexts = [context for context, _ in known]
    kept = []
    for context, soup in known:
        names = torch.rand(TOKEN_BUCKETS) >= chance.name_dropout
        shown = (torch.rand(()) >= chance.nameless_pages) | (soup is None)
        kept.append((names[_tensor([context.tokens])] & shown).float())
    return Elements(
        tokens=_tensor([context.tokens for context in contexts]),
        token_starts=_starts([context.token_starts for context in contexts]),
        kept=torch.cat(kept),
        path=_number_values(contexts, lambda c: c.path, lambda c: c.token_starts.size - 1),
        path_starts=_starts([context.path_starts for context in contexts]),
        nearer=NEARER ** _tensor([context.steps for context in contexts]).float(),
        leaves=_number_values(contexts, lambda c: c.leaves, lambda c: c.path_starts.size - 1),
        facts=_number_values(contexts, _page_element, lambda c: c.token_starts.size - 1),
        has_facts=torch.tensor([float(context.page_element >= 0) for context in contexts]),
    )


def _page_element(context: ContextFeatures) -> NDArray[np.int64]:
    return np.array([max(context.page_element, 0)], np.int64)


def _number_values(
    contexts: Sequence[ContextFeatures],
    numbers: Callable[[ContextFeatures], NDArray[np.int64]],
    count: Callable[[ContextFeatures], int],
) -> Tensor:
    """Numbers that begin at 0 on each page, made to go on from page to page."""
    before = [0, *accumulate(map(count, contexts))]
    return _tensor([numbers(context) + at for context, at in zip(contexts, before, strict=False)])


def _starts(starts: Sequence[NDArray[np.int64]]) -> Tensor:
    """Where stretches start, page after page, and the end of the last."""
    ends = [0, *accumulate(int(some[-1]) for some in starts)]
    moved = [some[:-1] + at for some, at in zip(starts, ends, strict=False)]
    return _tensor([*moved, np.array(ends[-1:], np.int64)])


def _tensor(arrays: Sequence[NDArray[Any]]) -> Tensor:
    return torch.from_numpy(np.concatenate(arrays))
