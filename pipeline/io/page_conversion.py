"""One fetched record to the columns of ConvertToMarkdown."""

from __future__ import annotations

from pipeline.core.failures import DocumentError
from pipeline.io.pandoc import Converter, PandocWorker, convert_page, find_pandoc
from pipeline.io.warc_records import read_response
from pipeline.transforms.charset import decode
from pipeline.transforms.conversion_failures import ConversionFailure
from pipeline.transforms.html_cleaning import html_lang, page_title
from pipeline.transforms.http_payload import earliest_date, is_html


def convert_record(
    record: bytes, worker: PandocWorker, converter: str = Converter.PANDOC
) -> dict[str, object]:
    """Markdown of a page and what its record says about it.

    Args:
        record: one gzip member with one WARC response record.
        worker: a running pandoc.
        converter: a `Converter` or its value.

    Raises:
        DocumentError: the record is no HTML page, or its conversion failed.
    """
    response = read_response(record)
    if response.status != 200:
        raise DocumentError(ConversionFailure.http_status, str(response.status))
    if not is_html(response.content_type, response.body):
        raise DocumentError(ConversionFailure.not_html, str(response.content_type))
    decoded = decode(response.body, response.content_type)
    return {
        "warc_block_digest": response.block_digest,
        "content": convert_page(decoded.text, worker, converter=converter),
        "title": page_title(decoded.text),
        "html_lang": html_lang(decoded.text),
        "date": earliest_date(response.date, response.http_headers),
        "charset": decoded.charset,
        "charset_source": str(decoded.source),
        "truncated": response.truncated,
    }


def convert_html(html: str | bytes, pandoc_path: str | None = None) -> str:
    """Markdown of one page outside of any task.

    Raises:
        DocumentError: it cannot be converted.
        ConfigError: there is no pandoc.
    """
    text = html if isinstance(html, str) else decode(html, None).text
    with PandocWorker(find_pandoc(pandoc_path)) as worker:
        return convert_page(text, worker)
