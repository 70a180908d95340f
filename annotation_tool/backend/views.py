"""What the interface shows: the database's rows put together and measured."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skord.annotation_tool.backend.annotations import (
    ADJUDICATED,
    Annotation,
    Annotations,
    UnknownPageError,
)
from skord.annotation_tool.backend.database import Database, PageEntry
from skord.annotation_tool.backend.labels import kept_lines, loss
from skord.annotation_tool.backend.ordering import Filter, Order, QueuedPage
from skord.annotation_tool.backend.ordering import queue as ordered
from skord.markdown.extraction import split_lines
from skord.models.line_classifier.interface import ONE_THRESHOLD


class Agreement(NamedTuple):
    """Two annotators' labels of the same lines, compared.

    Attributes:
        pages: on which both have labels.
        lines: visible lines of these pages.
        differing: lines on which the labels differ.
        kappa: Cohen's, over all lines together; None where it is not defined.
    """

    pages: int
    lines: int
    differing: int
    kappa: float | None


def cohens_kappa(first: Sequence[int], second: Sequence[int]) -> float | None:
    """Agreement of two raters beyond what chance would give.

    (p_o - p_e) / (1 - p_e), where p_o is the share of equal labels and p_e that expected of
    two independent raters with these shares of each label. Cohen, "A coefficient of agreement
    for nominal scales", Educational and Psychological Measurement 20 (1960).

    Returns:
        1 for full agreement, 0 for none beyond chance; None without labels, or where both
        give one and the same label throughout, which leaves nothing to agree on.

    The example of 50 proposals read by two readers, 20 times both yes, 15 times both no:

    >>> first = [1] * 20 + [1] * 5 + [0] * 10 + [0] * 15
    >>> second = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    >>> round(cohens_kappa(first, second), 3)
    0.4
    >>> cohens_kappa([1, 0], [0, 1])
    -1.0
    >>> cohens_kappa([1, 1], [1, 1]) is None
    True
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} labels beside {len(second)}")
    a, b = np.asarray(first), np.asarray(second)
    if not a.size:
        return None
    equal = float((a == b).mean())
    expected = sum(float((a == label).mean() * (b == label).mean()) for label in {*first, *second})
    return None if expected == 1 else (equal - expected) / (1 - expected)


def agreement(pages: Iterable[tuple[Sequence[int], Sequence[int]]]) -> Agreement:
    """Over all lines of some pages; each page's labels are of its visible lines.

    >>> agreement([([1, 0], [1, 0]), ([1, 1], [1, 0])])
    Agreement(pages=2, lines=4, differing=1, kappa=0.5)
    """
    pairs = list(pages)
    first = [label for labels, _ in pairs for label in labels]
    second = [label for _, labels in pairs for label in labels]
    differing = sum(a != b for a, b in zip(first, second, strict=True))
    return Agreement(len(pairs), len(first), differing, cohens_kappa(first, second))


Figures = tuple[bytes, bytes | None]
"""Of a page: which lines are visible, a byte each, and its predictions."""


def state(database: Database) -> dict[str, object]:
    """Counts by language and site, annotators with the pages they have done, the model."""
    entries = database.entries()
    return {
        "pages": len(entries),
        "languages": dict(sorted(Counter(entry.lang for entry in entries).items())),
        "sites": dict(sorted(Counter(entry.site for entry in entries).items())),
        "annotators": Annotations(database).annotators(),
        "classifiers": sorted({entry.classifier for entry in entries if entry.classifier}),
        "adjudicated": ADJUDICATED,
        "threshold": ONE_THRESHOLD,
    }


def queue(
    database: Database, annotator: str, order: Order, wanted: Filter
) -> list[dict[str, object]]:
    """The wanted pages in order, as an annotator sees them."""
    figures = database.figures()
    everybody = _by_page(database)
    pages = (
        queued_page(entry, figures[entry.digest], everybody[entry.digest], annotator)
        for entry in database.entries()
    )
    return [page._asdict() for page in ordered(pages, order, wanted)]


def queued_page(
    entry: PageEntry, figures: Figures, by_annotator: Mapping[str, Annotation], annotator: str
) -> QueuedPage:
    """A page with the figures by which it is ordered."""
    visible, probabilities = figures
    seen = np.frombuffer(visible, bool)
    mine = by_annotator.get(annotator)
    compared = [a.labels for name, a in by_annotator.items() if name != ADJUDICATED and a.is_done]
    return QueuedPage(
        digest=entry.digest,
        url=entry.url,
        site=entry.site,
        lang=entry.lang,
        lines=entry.lines,
        uncertainty=entry.uncertainty or 0.0,
        differing=max((_differing(a, b, seen) for a, b in combinations(compared, 2)), default=0),
        annotators=len(compared),
        loss=loss(mine.labels, probabilities, seen) if mine and probabilities else 0.0,
        second_wanted=bool(compared) and not (mine and (mine.is_done or mine.is_ignored)),
        is_done=bool(mine and mine.is_done),
        is_ignored=bool(mine and mine.is_ignored),
        is_begun=bool(mine and mine.revision and not (mine.is_done or mine.is_ignored)),
    )


def page(
    database: Database, digest: str, annotator: str, *, is_blind: bool = False
) -> dict[str, object]:
    """One page with everything that the lines are drawn from.

    Others' labels are shown to whoever is done with the page, and to who settles it: a second
    reading is blind to the first.

    Args:
        is_blind: keep back the predictions, too, until then.
    """
    entry, markdown = database.entry(digest), database.markdown(digest)
    if entry is None or markdown is None:
        raise UnknownPageError(digest)
    probabilities = database.probabilities(digest)
    annotations = Annotations(database)
    mine = annotations.of(digest, annotator)
    may_compare = mine.is_done or annotator == ADJUDICATED
    shown = probabilities if may_compare or not is_blind else None
    return {
        **entry._asdict(),
        "text": split_lines(markdown.encode("utf-8", "replace").decode()),
        "probabilities": list(shown) if shown else None,
        "selected_lines": kept_lines(mine.labels),
        "is_ignored": mine.is_ignored,
        "is_done": mine.is_done,
        "revision": mine.revision,
        "others": {
            name: kept_lines(theirs.labels)
            for name, theirs in annotations.by_page(digest).items()
            if may_compare and name != annotator and theirs.is_done
        },
    }


def begin_adjudication(database: Database, digest: str, first: str, second: str) -> Annotation:
    """The settled labels of a page; to begin with, what both keep.

    Raises:
        UnknownPageError: there is no such page, or one of them has not labelled it.
    """
    annotations = Annotations(database)
    settled = annotations.of(digest, ADJUDICATED)
    if settled.revision:
        return settled
    by_annotator = annotations.by_page(digest)
    if first not in by_annotator or second not in by_annotator:
        raise UnknownPageError(f"{digest} labelled by {first} and by {second}")
    both = zip(by_annotator[first].labels, by_annotator[second].labels, strict=True)
    begun = Annotation(bytes(a & b for a, b in both))
    return annotations.replace(digest, ADJUDICATED, begun, f"from {first} and {second}")


def agreement_of(database: Database, first: str, second: str) -> dict[str, object]:
    """Two annotators compared on the visible lines of the pages that both have done."""
    annotations = Annotations(database)
    one, other = annotations.by_annotator(first), annotations.by_annotator(second)
    pairs = _labels_of_both(database.figures(), one, other)
    urls = {entry.digest: entry.url for entry in database.entries()}
    return {
        **agreement(pairs.values())._asdict(),
        "by_page": [
            {"digest": digest, "url": urls[digest], **agreement([pair])._asdict()}
            for digest, pair in pairs.items()
        ],
    }


def team(database: Database) -> dict[str, object]:
    """How far everybody is, and how far each two agree on the pages that both have done."""
    annotations = Annotations(database)
    names = [name for name in annotations.annotators() if name != ADJUDICATED]
    by_name = {name: annotations.by_annotator(name) for name in names}
    figures = database.figures()
    return {
        "pages": len(figures),
        "progress": [
            {
                "annotator": name,
                "done": sum(mine.is_done for mine in by_name[name].values()),
                "begun": sum(not mine.is_done for mine in by_name[name].values()),
                "ignored": sum(mine.is_ignored for mine in by_name[name].values()),
            }
            for name in names
        ],
        "agreement": [
            {"first": one, "second": other, **agreement(labels.values())._asdict()}
            for one, other in combinations(names, 2)
            for labels in [_labels_of_both(figures, by_name[one], by_name[other])]
        ],
    }


def _labels_of_both(
    figures: Mapping[str, Figures], one: Mapping[str, Annotation], other: Mapping[str, Annotation]
) -> dict[str, tuple[list[int], list[int]]]:
    """Two annotators' labels of the visible lines of the pages that both have done, by page."""
    both = [p for p in sorted(one) if one[p].is_done and p in other and other[p].is_done]
    seen = {p: [n for n, is_seen in enumerate(figures[p][0]) if is_seen] for p in both}
    return {
        p: ([one[p].labels[n] for n in seen[p]], [other[p].labels[n] for n in seen[p]])
        for p in both
    }


def _differing(one: bytes, other: bytes, seen: NDArray[np.bool_]) -> int:
    different = np.frombuffer(one, np.uint8) != np.frombuffer(other, np.uint8)
    return int((different & seen).sum())


def _by_page(database: Database) -> dict[str, dict[str, Annotation]]:
    annotations = Annotations(database)
    by_line: dict[str, dict[str, Annotation]] = defaultdict(dict)
    for name in annotations.annotators():
        for digest, annotation in annotations.by_annotator(name).items():
            by_line[digest][name] = annotation
    return by_line
