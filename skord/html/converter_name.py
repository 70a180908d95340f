"""The names of what turns HTML into Markdown, for settings: importing them loads no converter."""

from __future__ import annotations

from enum import StrEnum


class Converter(StrEnum):
    """What turns cleaned HTML into Markdown."""

    PANDOC = "pandoc"
    """Pandoc, page by page in one process."""
    FAST = "fast"
    """Our own converter, in a tenth of the time; what it declines goes to pandoc."""
