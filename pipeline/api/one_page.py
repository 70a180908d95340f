"""What the graph does to a page, for one page: to try things out, and to score them."""

from __future__ import annotations

from models.line_classifier.load import load_line_classifier
from pipeline.html.charset.decode import decode
from pipeline.html.line_context import line_context
from pipeline.markdown.extraction import extracted
from pipeline.warc_processing import ConvertToMarkdown


def to_markdown(html: bytes | str) -> str:
    """GitHub-flavoured Markdown with one block per line, links reduced to their text.

    Args:
        html: a page; the charset of bytes is found out from themselves.

    Raises:
        DocumentError: the page cannot be converted; `code` says why.
    """
    return ConvertToMarkdown.convert_html_to_markdown(html)


def extract(html: bytes | str, url: str | None = None) -> str:
    """The main text of a page, by the embedded line classifier, cut as the page asks for.

    Args:
        html: a page.
        url: where it was found; the embedded model does not look at it.

    Raises:
        DocumentError: the page cannot be converted; `code` says why.
    """
    page = html if isinstance(html, str) else decode(html, None).text
    markdown = to_markdown(page)
    context = line_context(page, markdown)
    (logits,) = load_line_classifier("embedded").logits([markdown], [context])
    return str(extracted(markdown, logits, page_url=url)["text"])
