r"""The small form of a selection: which lines of which WET records it kept.

CCNet shared its corpus that way (Wenzek et al. 2020, section 3.5; `reproduce`): some 75
bytes a page instead of its text, which the WET file of the crawl still holds. A
document is found again by the digest of its WET record, all of it.

The published form is JSON, with line numbers as base64 of little-endian 16-bit numbers:

    {"url": …, "digest": "sha1:…", "cc_segment": "crawl-data/…/wet/….warc.wet.gz",
     "language": "sv", "language_score": 0.99, "perplexity": 151.5, "bucket": "head",
     "line_ids": "AAAEAA=="}
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from skord.ccnet.choices import Mode
from skord.core.failures import DocumentError, FailureCode
from skord.crawl.cdx import segment_of
from skord.extras.ccnet_files.documents import Row, rounded_perplexity

MINIFIED_SCHEMA = pa.schema(
    [
        ("url", pa.string()),
        ("digest", pa.string()),
        ("cc_segment", pa.string()),
        ("language", pa.string()),
        ("language_score", pa.float64()),
        ("perplexity", pa.float64()),
        ("bucket", pa.string()),
        ("line_ids", pa.list_(pa.uint32())),
        ("mode", pa.string()),
        ("failure", pa.string()),
    ]
)
"""Columns of the small form; `mode` is the rule by which lines were counted, see `text_pages`."""

MINIFIED_FIELDS = tuple(MINIFIED_SCHEMA.names[:-2])
"""Fields of the published small form, in order."""

_UINT16_IDS = 1 << 16
_UINT16 = np.dtype("<u2")


class MinifiedFailure(FailureCode):
    """Why a document has no published small form, or such a form is none."""

    line_id_too_large = "line_id_too_large"
    """A line from the 65,537th on was kept; the published form counts them in 16 bits."""
    not_minified = "not_minified"
    """The line is not a JSON object with the fields of the published small form."""


def encode_line_ids(line_ids: Sequence[int]) -> str:
    """Line numbers in the published form.

    >>> encode_line_ids([0, 4, 40_000])
    'AAAEAECc'

    Raises:
        DocumentError: one of them needs more than 16 bits.
    """
    if line_ids and max(line_ids) >= _UINT16_IDS:
        raise DocumentError(MinifiedFailure.line_id_too_large, f"line {max(line_ids)}")
    return base64.b64encode(np.array(line_ids, dtype=_UINT16).tobytes()).decode("ascii")


def decode_line_ids(written: str) -> list[int]:
    """Line numbers from the published form, unsigned, so that those above 32,767 come through.

    >>> decode_line_ids("AAAEAECc")
    [0, 4, 40000]

    Raises:
        DocumentError: it is not base64 of whole 16-bit numbers.
    """
    try:
        packed = base64.b64decode(written, validate=True)
        return [int(n) for n in np.frombuffer(packed, dtype=_UINT16)]
    except (binascii.Error, ValueError, TypeError) as error:
        raise DocumentError(MinifiedFailure.not_minified, f"line_ids: {error}") from error


def minified_row(row: Row, mode: str) -> dict[str, Any]:
    """The small form of one row of CCNet's columns, selected in that mode.

    Raises:
        ValueError: `warc_file` is not a path of the crawl.
    """
    return {
        "url": row["url"],
        "digest": row["digest"] or "",
        "cc_segment": segment_of(row["warc_file"]),
        "language": row["language"],
        "language_score": rounded_perplexity(row["language_score"], 2),
        "perplexity": rounded_perplexity(row["perplexity"], 1),
        "bucket": row["bucket"],
        "line_ids": row["line_ids"],
        "mode": mode,
        "failure": None,
    }


MINIFIED_FROM = (
    *("id", "url", "warc_file", "line_ids", "language", "language_score"),
    *("digest", "perplexity", "bucket"),
)
"""CCNet's columns that `minified_row` reads, and the page's id."""


def published_minified(row: Row) -> dict[str, Any]:
    """A row of the small form as published, fields in order."""
    ids = encode_line_ids(row["line_ids"])
    return {name: row[name] for name in MINIFIED_FIELDS[:-1]} | {"line_ids": ids}


def _fits(name: str, value: object) -> bool:
    """Whether a published field holds what it should; those that name the page must be there."""
    if value is None:
        return name not in ("url", "digest", "cc_segment", "line_ids")
    if name in ("language_score", "perplexity"):
        return isinstance(value, int | float)
    return isinstance(value, str) and value.encode(errors="replace").decode() == value


def of_published_minified(document: object) -> dict[str, Any]:
    """The row of a published small form; what was left out of it becomes null.

    cc_net counted its lines.
    """
    if not isinstance(document, Mapping):
        raise DocumentError(MinifiedFailure.not_minified, "no JSON object")
    row = {name: document.get(name) for name in MINIFIED_FIELDS}
    for name, value in row.items():
        if not _fits(name, value):
            raise DocumentError(MinifiedFailure.not_minified, name)
    ids = decode_line_ids(str(row["line_ids"]))
    return {**row, "line_ids": ids, "mode": str(Mode.EXACT), "failure": None}
