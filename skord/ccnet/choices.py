"""What the settings of CCNet choose between."""

from enum import StrEnum


class Mode(StrEnum):
    """Whose rules the selection follows."""

    DEFAULT = "default"
    """This project's: what is read, kept and scored is the text as a reader sees it."""
    EXACT = "exact"
    """Those of cc_net 1.0, so that both select the same pages with the same fields."""


class Normalisation(StrEnum):
    """Which spellings of a paragraph count as the same."""

    PUBLISHED = "published"
    """What cc_net's code does: accents and most punctuation count."""
    PAPER = "paper"
    """What its paper says: no accents and no punctuation count, so that å is a."""


class ParagraphRule(StrEnum):
    """Which copies of a repeated paragraph are removed."""

    DROP_ALL = "drop_all"
    """The published rule: every copy is removed, the first one too."""
    KEEP_FIRST = "keep_first"
    """The first document in crawl order keeps its copy."""
    KEEP_ALL = "keep_all"
    """No paragraph is removed: for those who count paragraphs over all pages of a language."""
