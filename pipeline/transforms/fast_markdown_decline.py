"""What the converter leaves to pandoc."""

from __future__ import annotations

from enum import StrEnum


class Decline(StrEnum):
    """Why a page is left to pandoc."""

    mathematics = "mathematics"
    """Formulas: pandoc turns MathML into TeX."""
    columns = "columns"
    """A table that declares other columns than it has, or has more than a browser would draw."""
    nesting = "nesting"
    """Lists, quotations, tables or styles deeper in one another than any reader could follow."""
    unbalanced = "unbalanced"
    """A tag closes what is not open: this is not the output of `clean_html`."""


class DeclinedError(Exception):
    """This page is for pandoc.

    Args:
        reason: why.
    """

    def __init__(self, reason: Decline) -> None:
        super().__init__(reason.value)
        self.reason = reason
