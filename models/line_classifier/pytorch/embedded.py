"""The embedded classifier's network in bf16, for many pages at once, on a GPU where there is one.

Features and rules are those of `embedded`, on the CPU; with laying pages together they are about a
third of a page's time there, so a GPU at most makes a process three times as fast, and pays where
many share it.
Pages are computed together as rows of one long table, nothing is padded, and a page's neighbours
may show in the last bits of its logits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch

from skord.html.line_context import LineContext
from skord.models.line_classifier.array_types import Floats
from skord.models.line_classifier.embedded import ClassifierInput, EmbeddedClassifier
from skord.models.line_classifier.interface import PageClassifier, PageVerdict, embedded_name
from skord.models.line_classifier.network import NOTHING_SEEN, Judged, Network, at_temperature
from skord.models.line_classifier.pytorch.batch import Dropout, Tensor, batch_of
from skord.models.line_classifier.pytorch.network import judged
from skord.models.line_classifier.training.examples import Example

BATCH_LINES = 1 << 16
"""Visible lines computed together, unless one page has more: a tenth of a gigabyte of features."""
_NO_LABELS = np.zeros(0, np.float32)


class GpuNetwork:
    """A network whose weights lie on a device.

    Attributes:
        device: "cuda" or "cpu".
    """

    def __init__(self, network: Network, device: str) -> None:
        self.device = device
        self._with_context = "element_vectors" in network.ensemble[0]
        self._members = [
            {name: torch.from_numpy(array).to(device) for name, array in member.items()}
            for member in network.ensemble
        ]

    def judged(self, pages: Sequence[ClassifierInput]) -> list[Judged]:
        """Logits of the visible lines of each page, and its type; no page is without a line."""
        if not pages:
            return []
        examples = [Example("", page.features, _NO_LABELS, page.context) for page in pages]
        batch = batch_of(examples, self._with_context, Dropout()).to(self.device)
        with torch.inference_mode(), torch.autocast(self.device, torch.bfloat16):
            of_members = [judged(weights, batch) for weights in self._members]
        lines = _mean([of_member.float() for of_member, _ in of_members])
        types = _mean([torch.softmax(of_member.float(), 1) for _, of_member in of_members])
        parts = np.split(lines, np.cumsum([page.features.lines.size for page in pages])[:-1])
        return [at_temperature(*page) for page in zip(parts, types, strict=True)]


def _mean(of_members: Sequence[Tensor]) -> Floats:
    total: Tensor = sum(of_members)
    mean: Floats = (total / len(of_members)).cpu().numpy()
    return mean


class GpuClassifier(PageClassifier):
    """Logits as of an `EmbeddedClassifier`, but for bf16's roundings.

    Attributes:
        name: the embedded classifier's, and "bf16".
    """

    def __init__(self, embedded: EmbeddedClassifier, device: str) -> None:
        self._embedded = embedded
        networks = [some for some in (embedded.network, embedded.with_context) if some]
        self.name = embedded_name([some.digest for some in networks], in_bf16=True)
        self._networks = [GpuNetwork(some, device) for some in networks]

    def verdicts(
        self, pages: Sequence[str], contexts: Sequence[LineContext | None] | None = None
    ) -> list[PageVerdict]:
        """The same with each page's type."""
        known = contexts if contexts is not None else [None] * len(pages)
        shown = (self._embedded.shown(*page) for page in zip(pages, known, strict=True))
        return [
            self._embedded.ruled(page, logits)
            for batch in page_batches(shown)
            for page, logits in zip(batch, self._judged(batch), strict=True)
        ]

    def _judged(self, batch: Sequence[ClassifierInput]) -> list[Judged]:
        """What the networks make of each page."""
        judgements = [NOTHING_SEEN for _ in batch]
        for number, network in enumerate(self._networks):
            its = [at for at, page in enumerate(batch) if _network_of(page) == number]
            for at, computed in zip(its, network.judged([batch[at] for at in its]), strict=True):
                judgements[at] = computed
        return judgements


def _network_of(page: ClassifierInput) -> int | None:
    """0 for a page without its HTML, 1 for one with it, None where there is nothing to see."""
    return int(page.context is not None) if page.features.lines.size else None


def page_batches(
    pages: Iterable[ClassifierInput], most_lines: int = BATCH_LINES
) -> Iterator[list[ClassifierInput]]:
    """Pages in their order, as many together as have at most so many visible lines."""
    batch: list[ClassifierInput] = []
    lines = 0
    for page in pages:
        if batch and lines + page.features.lines.size > most_lines:
            yield batch
            batch, lines = [], 0
        batch.append(page)
        lines += page.features.lines.size
    if batch:
        yield batch
