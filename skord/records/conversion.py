"""Fetched records to the columns of ConvertToMarkdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skord.core.failures import ConfigError, DocumentError
from skord.crawl.warc.payload import earliest_date, is_html, with_elements_closed
from skord.crawl.warc.records import read_response
from skord.html.charset.decode import in_utf8
from skord.html.charset.letter_rules import RULES, LetterRule
from skord.html.charset.names import charset_name
from skord.html.cleaning import SIZE_LIMITS, SizeLimits
from skord.html.converter import Markdown, Pandoc, complete_with_pandoc, read_natively
from skord.html.failures import ConversionFailure
from skord.html.line_context import context_of_words
from skord.text.own_languages import Letters

PAGES_AT_A_TIME = 64
"""Held in memory together."""


def convert_records(
    records: Sequence[bytes],
    pandoc: Pandoc,
    converter: str,
    rules: Sequence[LetterRule] = RULES,
    limits: SizeLimits = SIZE_LIMITS,
) -> list[dict[str, Any] | DocumentError]:
    """For each page its Markdown and what its record says of it, or why there is none.

    Args:
        records: gzip members with one WARC response record each.
        pandoc: ready to convert.
        converter: a `Converter` or its value.
        rules: the languages whose letters may tell a page's charset.
        limits: larger pages are `too_large`.
    """
    return [
        answer
        for first in range(0, len(records), PAGES_AT_A_TIME)
        for answer in _converted_records(
            records[first : first + PAGES_AT_A_TIME], pandoc, converter, rules, limits
        )
    ]


def _converted_records(
    records: Sequence[bytes],
    pandoc: Pandoc,
    converter: str,
    rules: Sequence[LetterRule],
    limits: SizeLimits,
) -> list[dict[str, Any] | DocumentError]:
    pages_read = [_read_record(record, rules, limits) for record in records]
    pages = [known for known in pages_read if isinstance(known, dict)]
    marked, natives = ([known.pop(part) for known in pages] for part in ("marked", "native"))
    answers = iter(complete_with_pandoc(marked, natives, pandoc, converter))
    return [
        known if isinstance(known, DocumentError) else _with_markdown(known, next(answers))
        for known in pages_read
    ]


def _with_markdown(
    known: dict[str, Any], answer: Markdown | DocumentError
) -> dict[str, Any] | DocumentError:
    words, url = known.pop("words"), known.pop("address")
    if isinstance(answer, DocumentError):
        return answer
    context = context_of_words(words, answer.content, url)
    return {**known, **answer._asdict(), "line_context": context}


def _read_record(
    record: bytes, rules: Sequence[LetterRule], limits: SizeLimits
) -> dict[str, Any] | DocumentError:
    """What a record says of its page; its words, markup as `marked`, our Markdown as `native`."""
    try:
        return _page_of_record(record, rules, limits)
    except DocumentError as error:
        return error


def _page_of_record(
    record: bytes, rules: Sequence[LetterRule], limits: SizeLimits
) -> dict[str, Any]:
    response = read_response(record)
    if response.status != 200:
        raise DocumentError(ConversionFailure.http_status, str(response.status))
    if not is_html(response.content_type, response.body):
        raise DocumentError(ConversionFailure.not_html, str(response.content_type))
    decoded = in_utf8(
        with_elements_closed(response.body, response.content_type), response.content_type, rules
    )
    page, native = read_natively(decoded.page, *limits)
    return {
        "warc_block_digest": response.block_digest,
        "title": page.title,
        "html_lang": page.language,
        "date": earliest_date(response.date, response.http_headers),
        "charset": decoded.charset,
        "charset_source": str(decoded.source),
        "truncated": response.truncated,
        "words": page.words,
        "address": response.url,
        "marked": page.cleaned,
        "native": native,
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
            " ".join(said.words),
            dict(said.per_mille),
            tuple(_known_failure(charset, code) for charset in said.charsets),
        )
        for code, said in own.items()
    ]
    return (*(rule for rule in RULES if rule.language not in own), *added)


def _known_failure(label: str, code: str) -> str:
    name = charset_name(label)
    if name is None:
        raise ConfigError(f"{code}.toml: [letters] charsets has {label!r}, which is no charset")
    return name
