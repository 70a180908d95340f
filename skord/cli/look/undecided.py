"""What speaks against a kept page and has not decided, with the setting that would."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.export import OFF, ExportCorpus
from skord.cli.declarations import WhyPart
from skord.extras import declared
from skord.publishing.pseudonyms import marked_personal_data
from skord.quality.features import features_of_extras
from skord.rights.reservations import deciding_reservations

Row = Mapping[str, Any]
Pair = tuple[float, float]

_NEXT = "the next export leaves the page out"


def undecided_sentences(tables: Mapping[str, Row], export: ExportCorpus) -> Iterator[str]:
    """Sentences on what a page bears that is still in, each with the setting that decides."""
    yield from _measures(tables, export)
    for part in declared(WhyPart):
        yield from part.sentences(tables, export)
    yield from _reservations(tables.get("DetectReservations", {}), export)
    yield from _personal_data(tables.get("ProcessMarkdown", {}), export)


def _measures(tables: Mapping[str, Row], export: ExportCorpus) -> Iterator[str]:
    values = {name: value for row in tables.values() for name, value in row.items()}
    in_force = export.limits_in_force()
    for name, limits in in_force.items():
        if _is_outside(values.get(name), limits):
            yield f"{name} = {values[name]:g} is outside of {range_of(limits)}: {_NEXT}"
    for one in features_of_extras():
        value, limits = values.get(one.name), (one.low, one.high)
        if one.name not in in_force and _is_outside(value, limits):
            yield (
                f"{one.name} = {value:g}, where {range_of(limits)} is suggested: "
                "[ExportCorpus] limits decides, and does not name it"
            )


def _reservations(row: Row, export: ExportCorpus) -> Iterator[str]:
    reservations = row.get("reservations") or ()
    if deciding_reservations(reservations, export.reservations):
        yield f"its owner reserves it: {_NEXT}"
    elif reservations:
        sources = ", ".join(dict.fromkeys(str(one["source"]) for one in reservations))
        yield (
            f"its owner reserves it ({sources}): [ExportCorpus] reservations decides, and names "
            "none of these"
        )


def _personal_data(row: Row, export: ExportCorpus) -> Iterator[str]:

    left = export.kinds(OFF)
    counts = Counter(one.kind for one in marked_personal_data(row.get("text") or "", left))
    if counts:
        said = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items()))
        yield f"its text holds {said}: [ExportCorpus] personal_data decides, and leaves them"


def _is_outside(value: object, limits: Pair) -> bool:
    return isinstance(value, int | float) and not limits[0] <= value <= limits[1]


def range_of(limits: Pair) -> str:
    """Limits as a person reads them.

    >>> range_of((3, float("inf"))), range_of((0.0, 0.05))
    ('from 3', '0 to 0.05')
    """
    low, high = limits
    if math.isinf(high):
        return f"from {low:g}"
    return f"up to {high:g}" if math.isinf(low) else f"{low:g} to {high:g}"
