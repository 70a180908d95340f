"""Lines of the published annotation tool's JSONL.

An object a line: `url`, `content` (Markdown), `selected_lines` (numbers of the kept lines,
from 0; absent where nobody has looked at the page), `is_ignored`, and `line_predictions` (a
probability a line; absent without a model). Exports have fields more, which the published tool
passes over: `page`, the digest of the page; `annotator`, whose labels they are; `site` and
`lang`; and, so that a page can be converted and trained on elsewhere, `html_b64`, the archived page
in base64, with its `content_type`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from typing import Any, NamedTuple

import numpy as np

from skord.annotation_tool.backend.labels import LineRangeError, from_selected, kept_lines
from skord.markdown.extraction import split_lines

NAME = re.compile(r"[\w .@+-]{1,60}")
"""Of an annotator."""
_DIGEST = re.compile(r"[0-9a-f]{64}")


class SourcePage(NamedTuple):
    r"""One page as a source or a file of labels has it; "" and None where that does not say.

    Attributes:
        digest: SHA-256 of the archived bytes, or of the Markdown where there are none, in hex: the
            page's name everywhere, whatever file it came from.
        url: where it was found; a file's name where nothing is known.
        site: host without `www.`, or what the source calls the site.
        lang: as the source has it, else the page's own `lang`, else as identified.
        source: file and place it was read from.
        markdown: as ConvertToMarkdown writes it; ends in "\n".
        archived: the page's bytes.
        content_type: the HTTP header, for the charset of `archived`.
        probabilities: of its lines, a byte each, × 255.
        labels: of its lines, a byte each; None for a page that nobody has labelled.
        is_ignored: whether the page is set aside.
        annotator: whose the labels are.
    """

    digest: str
    url: str
    site: str
    lang: str
    source: str
    markdown: str
    archived: bytes | None = None
    content_type: str | None = None
    probabilities: bytes | None = None
    labels: bytes | None = None
    is_ignored: bool = False
    annotator: str | None = None


def markdown_digest(markdown: str) -> str:
    """The name of a page of which only the Markdown is known."""
    return hashlib.sha256(markdown.encode("utf-8", "replace")).hexdigest()


class NotPublishedError(ValueError):
    """A line is not in this form; the message names where it departs."""


def read_published(row: Any, place: str = "") -> SourcePage:
    r"""The page of one parsed line, read at a place.

    >>> row = {"url": "https://a.se/", "content": "Meny\nText", "selected_lines": [1]}
    >>> page = read_published(row)
    >>> page.markdown, page.labels, page.is_ignored
    ('Meny\nText\n', b'\x00\x01', False)

    Raises:
        NotPublishedError: a field is missing, of another type, or names lines there are not.
    """
    if not isinstance(row, dict) or not isinstance(row.get("content"), str):
        raise NotPublishedError("it has no text in `content`")
    content = row["content"]
    markdown = content if content.endswith("\n") else f"{content}\n"
    lines = len(split_lines(markdown))
    archived = _parse_archived(row.get("html_b64"))
    digest = markdown_digest(markdown) if archived is None else hashlib.sha256(archived).hexdigest()
    return SourcePage(
        digest=_matching(row.get("page"), _DIGEST, "page") or digest,
        url=str(row.get("url") or ""),
        site=str(row.get("site") or ""),
        lang=str(row.get("lang") or ""),
        source=place,
        markdown=markdown,
        archived=archived,
        content_type=row.get("content_type"),
        probabilities=_probabilities(row.get("line_predictions"), lines),
        labels=_labels(row.get("selected_lines"), lines),
        is_ignored=bool(row.get("is_ignored")),
        annotator=_matching(row.get("annotator"), NAME, "annotator"),
    )


def write_published(page: SourcePage) -> str:
    r"""The line for one page, without its end; what is not known of the page is left out.

    >>> write_published(SourcePage("9f", "u", "", "", "", "A\nB\n", labels=b"\x01\x00"))
    '{"url": "u", "content": "A\\nB\\n", "page": "9f", "selected_lines": [0], "is_ignored": false}'
    """
    row: dict[str, object] = {"url": page.url, "content": page.markdown, "page": page.digest}
    row |= {name: value for name in ("site", "lang") if (value := getattr(page, name))}
    if page.labels is not None:
        row |= {"selected_lines": kept_lines(page.labels), "is_ignored": page.is_ignored}
        if page.annotator is not None:
            row["annotator"] = page.annotator
    if page.probabilities is not None:
        row["line_predictions"] = [round(value / 255, 4) for value in page.probabilities]
    if page.archived is not None:
        row["html_b64"] = base64.b64encode(page.archived).decode()
        if page.content_type is not None:
            row["content_type"] = page.content_type
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "replace").decode()


def _matching(value: Any, pattern: re.Pattern[str], name: str) -> str | None:
    if value is not None and not (isinstance(value, str) and pattern.fullmatch(value)):
        raise NotPublishedError(f"`{name}` is {value!r}")
    return value


def _parse_archived(packed: Any) -> bytes | None:
    if packed is None:
        return None
    try:
        return base64.b64decode(packed, validate=True)
    except (TypeError, ValueError, binascii.Error) as error:
        raise NotPublishedError("`html_b64` is no page in base64") from error


def _labels(numbers: Any, lines: int) -> bytes | None:
    if numbers is None:
        return None
    if not isinstance(numbers, list) or not all(type(number) is int for number in numbers):
        raise NotPublishedError("`selected_lines` is not a list of line numbers")
    try:
        return from_selected(numbers, lines)
    except LineRangeError as error:
        raise NotPublishedError(f"`selected_lines` names {error}") from error


def _probabilities(predictions: Any, lines: int) -> bytes | None:
    """None also for an empty list, which the published server gives where there is no model."""
    if not predictions:
        return None
    try:
        shares = np.asarray(predictions, np.float64)
    except (TypeError, ValueError) as error:
        raise NotPublishedError("`line_predictions` is not a list of numbers") from error
    if shares.ndim != 1 or not bool(((shares >= 0) & (shares <= 1)).all()):
        raise NotPublishedError("`line_predictions` holds other things than probabilities")
    # Text after the last "\n" has no prediction there: it counts as unknown, one half.
    padded = np.append(shares, [0.5] * max(0, lines - len(shares)))
    if len(padded) != lines:
        raise NotPublishedError(f"`line_predictions` has {len(shares)} values for {lines} lines")
    return bytes(np.rint(padded * 255).astype(np.uint8))
