"""Lines of the published annotation tool's JSONL.

An object a line: `url`, `content` (Markdown), `selected_lines` (numbers of the kept lines,
from 0; absent where nobody has looked at the page), `is_ignored`, and `line_predictions` (a
probability a line; absent without a model). Exports have fields more, which the published tool
passes over: `page`, the digest of the archived page; `annotator`, whose labels they are; `site` and
`lang`; and, so that a page can be converted and trained on elsewhere, `html_b64`, the archived page
in base64, with its `content_type`.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any, NamedTuple

import numpy as np

from skord.annotation_tool.backend.labels import LineRangeError, from_selected, kept_lines
from skord.markdown.extraction import split_lines

NAME = re.compile(r"[\w .@+-]{1,60}")
"""Of an annotator."""
_DIGEST = re.compile(r"[0-9a-f]{64}")


class PublishedExample(NamedTuple):
    r"""One page of a JSONL file.

    Attributes:
        url: as given.
        markdown: ends in "\n"; one is added to a page that does not.
        labels: None for a page without `selected_lines`.
        is_ignored: whether the page is set aside.
        probabilities: a byte a line, × 255; None without `line_predictions`.
        page: digest of the archived page, in hex; None where the file does not say.
        annotator: whose the labels are; None where the file does not say.
        site, lang: "" where the file does not say.
        archived: the page's bytes; None where the file has the Markdown alone.
        content_type: the HTTP header, for the charset of `archived`.
    """

    url: str
    markdown: str
    labels: bytes | None
    is_ignored: bool
    probabilities: bytes | None
    page: str | None = None
    annotator: str | None = None
    site: str = ""
    lang: str = ""
    archived: bytes | None = None
    content_type: str | None = None


class NotPublishedError(ValueError):
    """A line is not in this form; the message says where it departs."""


def read_published(row: Any) -> PublishedExample:
    r"""One parsed line.

    >>> row = {"url": "https://a.se/", "content": "Meny\nText", "selected_lines": [1]}
    >>> read_published(row)[1:4]
    ('Meny\nText\n', b'\x00\x01', False)

    Raises:
        NotPublishedError: a field is missing, of another type, or names lines there are not.
    """
    if not isinstance(row, dict) or not isinstance(row.get("content"), str):
        raise NotPublishedError("it has no text in `content`")
    content = row["content"]
    markdown = content if content.endswith("\n") else f"{content}\n"
    lines = len(split_lines(markdown))
    return PublishedExample(
        url=str(row.get("url") or ""),
        markdown=markdown,
        labels=_labels(row.get("selected_lines"), lines),
        is_ignored=bool(row.get("is_ignored")),
        probabilities=_probabilities(row.get("line_predictions"), lines),
        page=_matching(row.get("page"), _DIGEST, "page"),
        annotator=_matching(row.get("annotator"), NAME, "annotator"),
        site=str(row.get("site") or ""),
        lang=str(row.get("lang") or ""),
        archived=_parse_archived(row.get("html_b64")),
        content_type=row.get("content_type"),
    )


def write_published(example: PublishedExample) -> dict[str, object]:
    r"""The object for one page; without labels it has none of the fields that say so.

    >>> write_published(PublishedExample("u", "A\nB\n", b"\x01\x00", False, None))
    {'url': 'u', 'content': 'A\nB\n', 'selected_lines': [0], 'is_ignored': False}
    """
    row: dict[str, object] = {"url": example.url, "content": example.markdown}
    if example.page is not None:
        row["page"] = example.page
    row |= {name: value for name in ("site", "lang") if (value := getattr(example, name))}
    if example.labels is not None:
        row |= {"selected_lines": kept_lines(example.labels), "is_ignored": example.is_ignored}
        if example.annotator is not None:
            row["annotator"] = example.annotator
    if example.probabilities is not None:
        row["line_predictions"] = [round(value / 255, 4) for value in example.probabilities]
    if example.archived is not None:
        row["html_b64"] = base64.b64encode(example.archived).decode()
        if example.content_type is not None:
            row["content_type"] = example.content_type
    return row


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
