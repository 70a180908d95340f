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
    """The page is over [ConvertToMarkdown] max_html_chars, its cleaned form over max_cleaned_chars,
    or one of its tags has thousands of attributes."""
    too_deep = "too_deep"
    """Thousands of tags stand open at once, and parsing takes time with the square of that; or so
    many blocks stand in one another that indenting their lines would multiply the page."""
    empty_page = "empty_page"
    """Nothing was left: scripts only, or an empty body."""
    pandoc_error = "pandoc_error"
    """Pandoc reported an error of its own."""
    pandoc_timeout = "pandoc_timeout"
    """The time for one page was over before pandoc was done."""
