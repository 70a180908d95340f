"""What the graph does to a page, for one page: to try things out, and to score them."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from skord.crawl.warc.payload import with_elements_closed
from skord.html.charset.decode import in_utf8
from skord.html.converter import convert_decoded, convert_html
from skord.html.line_context import context_of_words
from skord.html.page_date import page_date
from skord.html.script_content import script_content
from skord.markdown.extraction import (
    extracted,
    from_bytes,
    has_few_words,
    joined_lines,
    split_lines,
    text_of_lines,
)
from skord.markdown.plain_lines import plain_page
from skord.markdown.rendering import plain_text, simple_html
from skord.models.language_id.batches import load_language_batches
from skord.models.line_classifier.interface import verdicts
from skord.models.line_classifier.load import load_line_classifier
from skord.models.scandinavian.interface import EMBEDDED, load_scandinavian
from skord.models.scandinavian.unlisted_languages import scores_with_unlisted
from skord.text.languages import language_of


@dataclass(frozen=True)
class KeptLine:
    """A line of the page's Markdown that is main text.

    Attributes:
        number: among the lines of the Markdown, from 0.
        text: as it stands there.
        probability: of being main text, from 0 to 1.
    """

    number: int
    text: str
    probability: float


@dataclass(frozen=True)
class ExtractedPage:
    """One page, from its HTML to its text.

    Attributes:
        title: that the HTML gives; None without one.
        date: the day on which the page says it was published, as 2024-03-01, from 1990 to today; None
            if it does not say so.
        language: of the text, as `identify_language` finds it; None where it finds none.
        text: the main text.
        markdown: the whole page, a block in each line.
        lines: of the Markdown, those that were kept.
    """

    title: str | None
    date: str | None
    language: str | None
    text: str
    markdown: str
    lines: Sequence[KeptLine]

    def to_dict(self) -> dict[str, Any]:
        """All of it as what JSON can hold; a line is a dictionary of its attributes."""
        return asdict(self)


def to_markdown(html: bytes | str) -> str:
    """GitHub-flavoured Markdown with one block per line, links reduced to their text.

    Args:
        html: a page; the charset of bytes is found out from themselves.

    Raises:
        DocumentError: the page cannot be converted; `code` says why.
    """
    return convert_html(html)


class TextFormat(StrEnum):
    """How the main text of a page is written.

    Attributes:
        markdown: with the structure of Markdown, escapes only where a sign would not be shown.
        plain: without markup; see `markdown.rendering.plain_text`.
        html: as simple HTML.
    """

    markdown = "markdown"
    plain = "plain"
    html = "html"


def extract(
    html: bytes | str,
    url: str | None = None,
    threshold: float | None = None,
    format: str = TextFormat.markdown,
) -> str:
    """The main text of a page, by the embedded line classifier.

    Args:
        html: a page.
        url: where it was found; addresses of pictures become whole by it.
        threshold: least probability of a line that is kept; chosen for the page when None.
        format: a `TextFormat`: markdown, plain or html.

    Raises:
        DocumentError: the page cannot be converted; `code` says why.
        ValueError: there is no such format.

    >>> extract("<p>Den <b>nya</b> bron öppnades den 17. maj i fjol.</p>", format="plain")
    'Den nya bron öppnades den 17. maj i fjol.'
    >>> print(extract(
    ...     "<nav><a href=/>Start</a></nav><article><h1>Bron är öppen</h1><p>I går öppnades bron "
    ...     "mellan torget och hamnen, efter två års arbete.</p></article>"
    ... ))
    # Bron är öppen
    <BLANKLINE>
    I går öppnades bron mellan torget och hamnen, efter två års arbete.
    """
    form = TextFormat(format)
    page = _page_columns(_decoded_html(html), url, threshold)
    text = str(page.columns["text"])
    if form is TextFormat.plain:
        return plain_text(text)
    return simple_html(_escaped_text(page, url)) if form is TextFormat.html else text


def extract_page(
    html: bytes | str, url: str | None = None, threshold: float | None = None
) -> ExtractedPage:
    """The main text of a page with what the page says of itself.

    Args:
        html: a page.
        url: where it was found; addresses of pictures become whole by it.
        threshold: least probability of a line that is kept; chosen for the page when None.

    Raises:
        DocumentError: the page cannot be converted; `code` says why.

    >>> page = extract_page(
    ...     "<title>Bron</title><article><p>I går öppnades bron mellan torget och hamnen, efter "
    ...     "två års arbete som hela staden har kunnat följa.</p></article>"
    ... )
    >>> page.title, page.language, len(page.lines)
    ('Bron', 'sv', 1)
    """
    page = _decoded_html(html)
    title, markdown, columns = _page_columns(page, url, threshold)
    text, lines = str(columns["text"]), _kept_lines(markdown, columns)
    date = page_date(page, latest=datetime.now(UTC).date())
    return ExtractedPage(title, date, identify_language(text).code, text, markdown, lines)


def _decoded_html(html: bytes | str) -> str | bytes:
    if isinstance(html, str):
        return html
    # Of a page without headers its first line says that it is XHTML.
    kind = "application/xhtml+xml" if html.removeprefix(BOM_UTF8).startswith(b"<?xml") else None
    return in_utf8(with_elements_closed(html, kind), None).page


class _Judged(NamedTuple):
    title: str | None
    markdown: str
    columns: Mapping[str, object]


def _page_columns(page: str | bytes, url: str | None, threshold: float | None) -> _Judged:
    read, (markdown, _) = convert_decoded(page)
    context = context_of_words(read.words, markdown, url, plain_page(markdown))
    (judged,) = verdicts(load_line_classifier("embedded"), [markdown], [context])
    columns = extracted(markdown, judged.logits, threshold, url, plain=judged.plain)
    if has_few_words(str(columns["text"])) and (content := script_content(page, markdown)):
        columns = extracted(
            markdown, judged.logits, threshold, url, plain=judged.plain, script_content=content
        )
    return _Judged(read.title, markdown, columns)


def _escaped_text(page: _Judged, url: str | None) -> str:
    """The main text with every escape that a Markdown source needs."""
    kept = page.columns["line_verdicts"]
    assert isinstance(kept, bytes)
    lines = joined_lines(plain_page(page.markdown), np.frombuffer(kept, np.bool_), escaped=True)
    return text_of_lines(lines, url)[0]


def _kept_lines(markdown: str, columns: Mapping[str, object]) -> list[KeptLine]:
    stored, kept = columns["line_probabilities"], columns["line_verdicts"]
    assert isinstance(stored, bytes)
    assert isinstance(kept, bytes)
    lines = zip(split_lines(markdown), from_bytes(stored).tolist(), kept, strict=True)
    return [
        KeptLine(number, line, round(chance, 3))
        for number, (line, chance, keep) in enumerate(lines)
        if keep and line.strip()
    ]


class Language(NamedTuple):
    """What a text is in.

    Attributes:
        code: as lid.176 has it (ISO 639-1 mostly; "no" is Bokmål, "nn" Nynorsk), "fo", "se" or "kl";
            None where no language is likely.
        score: its probability, from 0 to 1; 0 without a code.
    """

    code: str | None
    score: float


LEAST_LANGUAGE_SCORE = 0.2
"""Below it no language is named: the least score of the published pipeline."""


def identify_language(text: str) -> Language:
    """The language of a text, as FilterDocuments finds it by default.

    lid.176 (Joulin et al. 2016) scores it, in small letters where most are capitals; a second model
    divides what it gives the Scandinavian languages, Faroese among them; North Sámi and Greenlandic,
    for which it has no label, are known by their words and letters.

    >>> identify_language("KOMMUNEN HAR BESTÄMT ATT BRON STÄNGS I TRE VECKOR.").code
    'sv'
    >>> identify_language("12 345")
    Language(code=None, score=0.0)
    """
    if not any(map(str.isalpha, text)):
        return Language(None, 0.0)
    identifier = load_language_batches()
    scores = identifier.scores_of([text])
    nearest = load_scandinavian(EMBEDDED, tuple(identifier.one_by_one.labels))
    of_text = scores_with_unlisted([text], scores, nearest)[0]
    code = language_of(of_text)
    score = of_text[code] if code is not None else 0.0
    return Language(code, score) if score >= LEAST_LANGUAGE_SCORE else Language(None, 0.0)
