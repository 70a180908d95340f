"""One fetched record to the columns of ExtractParagraphs."""

from __future__ import annotations

from collections.abc import Callable

from skord.core.failures import DocumentError, FailureCode
from skord.crawl.warc.payload import earliest_date, is_html, with_elements_closed
from skord.crawl.warc.records import read_response
from skord.html.charset.decode import MAX_BAD_SHARE, CharsetSource, Decoded, decode
from skord.html.failures import ConversionFailure
from skord.paragraphs.extract import page_paragraphs
from skord.paragraphs.format import write_paragraphs
from skord.text.languages import LanguageScores, language_of, telling_text


class ParagraphFailure(FailureCode):
    """Why a fetched record has no paragraphs, besides what `ConversionFailure` names."""

    truncated = "truncated"
    """The crawler cut the page off."""


def extract_record(
    record: bytes, url: str, identify: Callable[[str], LanguageScores], *, keep_truncated: bool
) -> dict[str, object]:
    """Paragraphs of a page and what its record says about it.

    Args:
        record: one gzip member with one WARC response record.
        url: of the page.
        identify: gives a text's language scores.
        keep_truncated: take pages that the crawler cut off, too.

    Raises:
        DocumentError: the record is no HTML page, or no text can be had of it.
    """
    response = read_response(record)
    if response.status != 200:
        raise DocumentError(ConversionFailure.http_status, str(response.status))
    if response.truncated and not keep_truncated:
        raise DocumentError(ParagraphFailure.truncated, response.truncated)
    if not is_html(response.content_type, response.body):
        raise DocumentError(ConversionFailure.not_html, str(response.content_type))
    decoded = decode(
        with_elements_closed(response.body, response.content_type), response.content_type
    )
    refuse_guesses(decoded)
    paragraphs = page_paragraphs(decoded.text)
    plain = "\n".join(paragraph.plain for paragraph in paragraphs)
    return {
        "text": write_paragraphs(paragraphs),
        "url": url,
        "charset": decoded.charset,
        "lang": language_of(identify(telling_text(plain))),
        "date": earliest_date(response.date, response.http_headers),
    }


def refuse_guesses(decoded: Decoded) -> None:
    """Raise DocumentError for bytes that are no text, or that the detector's charset hardly reads.

    A detector always names one, for pages that are not text, too.
    """
    if decoded.source is CharsetSource.unreadable:
        raise DocumentError(ConversionFailure.undecodable, decoded.charset)
    if decoded.source is CharsetSource.detector:
        foreign = sum(char > "\x7f" for char in decoded.text)
        if decoded.text.count("\ufffd") > MAX_BAD_SHARE * foreign:
            raise DocumentError(ConversionFailure.undecodable, decoded.charset)
