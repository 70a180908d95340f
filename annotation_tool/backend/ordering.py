"""Which page comes next, and which are shown at all."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class Order(StrEnum):
    """How the queue is ordered; pages that compare equal keep the order of their digests."""

    uncertainty = "uncertainty"
    """Those first on whose lines the model is least sure: it learns most from labels there."""
    disagreement = "disagreement"
    """Those first on which annotators differ in most lines; then where one differs from the
    model."""
    loss = "loss"
    """Those first whose labels the model finds least likely: hard pages, and slips."""
    lang = "lang"
    """By language, then site."""
    site = "site"
    """By site, then address."""


class Status(StrEnum):
    """Which pages are shown, by what the annotator has made of them."""

    all = "all"
    open = "open"
    done = "done"
    ignored = "ignored"
    contested = "contested"
    """Labelled by two annotators who differ in at least one line."""
    second = "second"
    """Done by another, and not by the annotator: for a second reading."""


class QueuedPage(NamedTuple):
    """A page as the queue shows it.

    Attributes:
        uncertainty: mean entropy of its lines' predictions, bits; 0 without a model.
        differing: lines on which annotators differ.
        annotators: how many have labelled it.
        loss: of the annotator's labels under the predictions, nats; 0 for an untouched page.
        second_wanted: another is done with it, and the annotator is not.
        is_begun: the annotator has changed something, and neither is done nor set it aside.
    """

    digest: str
    url: str
    site: str
    lang: str
    lines: int
    uncertainty: float
    differing: int
    annotators: int
    loss: float
    is_done: bool
    is_ignored: bool
    second_wanted: bool = False
    is_begun: bool = False


class Filter(NamedTuple):
    """What the annotator asked to see; "" stands for everything."""

    status: Status = Status.all
    lang: str = ""
    site: str = ""
    words: str = ""


def queue(pages: Iterable[QueuedPage], order: Order, wanted: Filter) -> list[QueuedPage]:
    """The pages that are wanted, in order.

    >>> a = QueuedPage("a", "https://a.se/", "a.se", "sv", 9, 0.1, 3, 2, 0.4, True, False)
    >>> b = a._replace(digest="b", lang="da", uncertainty=0.7, differing=0, is_done=False)
    >>> [page.digest for page in queue([a, b], Order.uncertainty, Filter())]
    ['b', 'a']
    >>> [page.digest for page in queue([a, b], Order.disagreement, Filter())]
    ['a', 'b']
    >>> [page.digest for page in queue([a, b], Order.lang, Filter(status=Status.open))]
    ['b']
    """
    shown = sorted((p for p in pages if _is_wanted(p, wanted)), key=lambda page: page.digest)
    return sorted(shown, key=lambda page: _place(page, order))


def _place(page: QueuedPage, order: Order) -> tuple[float, float, str, str]:
    match order:
        case Order.uncertainty:
            return -page.uncertainty, 0, "", ""
        case Order.disagreement:
            return -page.differing, -page.loss, "", ""
        case Order.loss:
            return -page.loss, 0, "", ""
        case Order.lang:
            return 0, 0, page.lang, page.site
        case Order.site:
            return 0, 0, page.site, page.url


def _is_wanted(page: QueuedPage, wanted: Filter) -> bool:
    status = {
        Status.all: True,
        Status.open: not page.is_done and not page.is_ignored,
        Status.done: page.is_done,
        Status.ignored: page.is_ignored,
        Status.contested: page.differing > 0,
        Status.second: page.second_wanted,
    }[wanted.status]
    return (
        status
        and wanted.lang in ("", page.lang)
        and wanted.site in ("", page.site)
        and wanted.words.lower() in page.url.lower()
    )
