"""What can be wrong with a page on the way from its record to its text."""

from __future__ import annotations

from skord.core.failures import FailureCode


class ConversionFailure(FailureCode):
    """Why a fetched record has no Markdown."""

    not_html = "not_html"
    """A PDF, an image, JSON, plain text: nothing to convert."""
    undecodable = "undecodable"
    """No charset reads the bytes: they are a compressed file, an image, noise."""
    http_status = "http_status"
    """The server answered with another status than 200."""
    too_large = "too_large"
    """The page, its cleaned form, its Markdown or one of its tags is over a limit."""
    too_deep = "too_deep"
    """Thousands of tags stand open at once, and parsing takes time with the square of that; or
    hundreds of blocks with text stand in one another, and no reader could follow."""
    empty_page = "empty_page"
    """Nothing was left: scripts only, or an empty body."""
    pandoc_error = "pandoc_error"
    """Pandoc reported an error of its own."""
    pandoc_timeout = "pandoc_timeout"
    """The time for one page was over before pandoc was done."""
    pandoc_memory = "pandoc_memory"
    """Pandoc outgrew its memory limit on this page, in a fresh process too."""
    pandoc_died = "pandoc_died"
    """Pandoc ended without an answer, and so did a second, fresh process."""
