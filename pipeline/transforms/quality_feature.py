"""What a measure of a document is: its column, its limits, and where both come from."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pyarrow as pa

_FLOAT = pa.float64()

NO_LIMIT = (-math.inf, math.inf)
"""Limits of a measure that decides nothing until the settings say so."""


@dataclass(frozen=True)
class Feature:
    """One measure of a document.

    Attributes:
        name: its column, and the name of its limits in the settings.
        low: lowest accepted value, inclusive, unless the settings say otherwise.
        high: highest accepted value, inclusive.
        unit: what the number counts.
        source: where measure and limits come from.
        set: the feature set that it belongs to.
        description: what is measured, and when it is null, in a sentence or two.
        type: Arrow type of the column.
    """

    name: str
    low: float
    high: float
    unit: str
    source: str
    set: str
    description: str
    type: pa.DataType = _FLOAT

    @property
    def field(self) -> pa.Field:
        """The column, with what a reader of the file wants to know as metadata."""
        about = {
            "doc": self.description,
            "unit": self.unit,
            "source": self.source,
            "set": self.set,
        }
        return pa.field(self.name, self.type, metadata=about)
