"""What the converter leaves to pandoc."""

from __future__ import annotations

from enum import StrEnum


class Decline(StrEnum):
    """Why a page is left to pandoc."""

    mathematics = "mathematics"
    """Formulas: pandoc turns MathML into TeX."""
    columns = "columns"
    """A table with more columns or fields than any reader could follow."""
    nesting = "nesting"
    """Lists, quotations, tables or styles deeper in one another than any reader could follow."""


class DeclinedError(Exception):
    """This page is for pandoc.

    Args:
        reason: why.
    """

    def __init__(self, reason: Decline) -> None:
        super().__init__(reason.value)
        self.reason = reason
