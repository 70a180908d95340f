"""The names of what turns HTML into Markdown, for settings: importing them loads no converter."""

from __future__ import annotations

from enum import StrEnum


class Converter(StrEnum):
    """What turns cleaned HTML into Markdown."""

    PANDOC = "pandoc"
    """Pandoc, one call a page: the published way."""
    FAST = "fast"
    """Our own converter."""
