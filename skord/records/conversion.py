"""Fetched records to the columns of ConvertToMarkdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from skord.core.failures import ConfigError, DocumentError
from skord.crawl.warc.payload import earliest_date, fetch_day, is_html, with_elements_closed
from skord.crawl.warc.records import read_response
from skord.html.charset.decode import in_utf8
from skord.html.charset.letter_rules import RULES, LetterRule
from skord.html.charset.names import charset_name
from skord.html.cleaning import SIZE_LIMITS, SizeLimits
from skord.html.converter import read_page_and_convert
from skord.html.failures import ConversionFailure
from skord.html.line_context import context_of_words
from skord.html.page_date import page_date
from skord.html.pandoc import TIMEOUT_S
from skord.html.script_content import script_content
from skord.text.own_languages import Letters


def convert_records(
    records: Iterable[bytes],
    pandoc: Path | None = None,
    timeout_s: float = TIMEOUT_S,
    rules: Sequence[LetterRule] = RULES,
    limits: SizeLimits = SIZE_LIMITS,
) -> Iterator[dict[str, Any] | DocumentError]:
    """For each page its Markdown and what its record says of it, or why there is none.

    Args:
        records: gzip members with one WARC response record each.
        pandoc: as `find_pandoc` gives it; None: our own converter.
        timeout_s: for one page, by pandoc.
        rules: the languages whose letters may tell a page's charset.
        limits: larger pages are `too_large`.
    """
    for record in records:
        try:
            yield _page_of_record(record, pandoc, timeout_s, rules, limits)
        except DocumentError as error:
            yield error


def _page_of_record(
    record: bytes,
    pandoc: Path | None,
    timeout_s: float,
    rules: Sequence[LetterRule],
    limits: SizeLimits,
) -> dict[str, Any]:
    response = read_response(record)
    if response.status != 200:
        raise DocumentError(ConversionFailure.http_status, str(response.status))
    if not is_html(response.content_type, response.body):
        raise DocumentError(ConversionFailure.not_html, str(response.content_type))
    body = with_elements_closed(response.body, response.content_type)
    decoded = in_utf8(body, response.content_type, rules)
    page, markdown = read_page_and_convert(
        decoded.page, *limits, pandoc=pandoc, timeout_s=timeout_s
    )
    return {
        "warc_block_digest": response.block_digest,
        "title": page.title,
        "html_lang": page.language,
        "date": page_date(decoded.page, fetch_day(response.date)),
        "server_date": earliest_date(response.date, response.http_headers),
        "charset": decoded.charset,
        "charset_source": str(decoded.source),
        "truncated": response.truncated,
        **markdown._asdict(),
        "script_content": script_content(decoded.page, markdown.content),
        "line_context": context_of_words(page.words, markdown.content, response.url),
    }


def rules_with(own: Mapping[str, Letters]) -> tuple[LetterRule, ...]:
    """The rules, with those of languages that the user has added in place of theirs.

    Args:
        own: by language code.

    Raises:
        ConfigError: a charset is none.
    """
    added = [
        LetterRule(
            code,
            " ".join(signals.words),
            dict(signals.per_mille),
            tuple(_known_failure(charset, code) for charset in signals.charsets),
        )
        for code, signals in own.items()
    ]
    return (*(rule for rule in RULES if rule.language not in own), *added)


def _known_failure(label: str, code: str) -> str:
    name = charset_name(label)
    if name is None:
        raise ConfigError(f"{code}.toml: [letters] charsets has {label!r}, which is no charset")
    return name
