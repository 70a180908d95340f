"""Documents as CCNet published them: fields and their order, and how they share out over files.

One JSON object per line, in files named after language and perplexity bucket (Wenzek et
al. 2020, section 3; fields as in the corpus of dump 2019-09).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

from skord.crawl.cdx import segment_of

_PLAIN = re.compile(r"[A-Za-z0-9-]+")

Row = Mapping[str, Any]
"""One row of CCNet's columns."""


SELECTION_COLUMNS = (
    "id", "url", "warc_file", "warc_date", "title", "raw_content", "line_ids", "original_nlines",
    "length", "language", "language_score", "digest", "perplexity", "bucket", "content_length",
)  # fmt: skip
"""CCNet's columns that a published document is made from."""


def published_document(row: Row) -> dict[str, Any]:
    """A selected page as published, fields in order.

    `length` counts characters, `original_length` the bytes of the WET record: so it was
    published. `perplexity` is null for a language without a model.

    Raises:
        ValueError: `warc_file` is not a path of the crawl.
    """
    return {
        "url": row["url"],
        "date_download": row["warc_date"],
        "digest": row["digest"] or "",
        "length": row["length"],
        "nlines": len(row["line_ids"]),
        "source_domain": domain_of(row["url"]),
        "title": row["title"],
        "raw_content": row["raw_content"],
        "cc_segment": segment_of(row["warc_file"]),
        "original_nlines": row["original_nlines"],
        "original_length": row["content_length"],
        "line_ids": list(row["line_ids"]),
        "language": row["language"],
        "language_score": rounded_perplexity(row["language_score"], 2),
        "perplexity": rounded_perplexity(row["perplexity"], 1),
        "bucket": row["bucket"],
    }


def domain_of(url: str) -> str:
    """Host of a URL as written, user and port included; "" where there is none to be read.

    >>> domain_of("https://Example.se:8080/om"), domain_of("http://[")
    ('Example.se:8080', '')
    """
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""


def rounded_perplexity(value: float | None, digits: int) -> float | None:
    """The value with so many decimals, undoing what 32 bits of storage added.

    >>> rounded_perplexity(0.9900000095367432, 2), rounded_perplexity(None, 1)
    (0.99, None)
    """
    return None if value is None else round(float(value), digits)


def file_name(language: str, bucket: str, number: int) -> str:
    """Name of one of the files that hold a language and bucket.

    >>> file_name("sv", "head", 3)
    'sv_head_0003.json.gz'

    Raises:
        ValueError: a language or bucket that would not do in a file's name.
    """
    if not (_PLAIN.fullmatch(language) and _PLAIN.fullmatch(bucket)):
        raise ValueError(f"language {language!r} and bucket {bucket!r} make no file name")
    return f"{language}_{bucket}_{number:04d}.json.gz"


@dataclass(frozen=True, order=True)
class Part:
    """Documents of one shard, language and bucket, packed together.

    Args:
        language, bucket: which documents.
        shard: where they come from.
        place: its number among the shard's parts.
        bytes: packed.
    """

    language: str
    bucket: str
    shard: int
    place: int
    bytes: int


def files_of(parts: Iterable[Part], target_bytes: int) -> Iterator[tuple[str, list[Part]]]:
    """Share parts out over files of so many packed bytes; a larger part has one of its own.

    Yields:
        Name and parts of each file, by language, bucket and number; parts in crawl order.

    >>> parts = [Part("sv", "head", shard, 0, 40) for shard in (2, 0, 1, 3)]
    >>> [(name, [part.shard for part in held]) for name, held in files_of(parts, 80)]
    [('sv_head_0000.json.gz', [0, 1]), ('sv_head_0001.json.gz', [2, 3])]
    """
    for (language, bucket), split in groupby(sorted(parts), lambda p: (p.language, p.bucket)):
        for number, held in enumerate(_filled(split, target_bytes)):
            yield file_name(language, bucket, number), held


def _filled(parts: Iterable[Part], target_bytes: int) -> Iterator[list[Part]]:
    held: list[Part] = []
    held_bytes = 0
    for part in parts:
        if held and held_bytes + part.bytes > target_bytes:
            yield held
            held, held_bytes = [], 0
        held.append(part)
        held_bytes += part.bytes
    yield held
