"""The texts that were read for labels, found again by their digests.

No text is in the project: labels name the first 16 digits of the SHA-1 of a text's UTF-8.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

LANGUAGES = ("sv", "da", "nb", "nn", "is", "fo", "lv")
LEAST_CHARS = 100
SAMPLE = "sample"


class ReadText(NamedTuple):
    """A text of the data.

    Attributes:
        site: whose page it is; a page of SweCORE, whose site is not known, is its own.
        source: the file that it is from; `sample` for pages of the sample crawl.
    """

    digest: str
    text: str
    language: str
    site: str
    source: str


def digest_of(text: str) -> str:
    """The key of a text.

    >>> digest_of("")
    'da39a3ee5e6b4b0d'
    """
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:16]


def read_texts(data: Path, sample: Path | None = None) -> Iterator[ReadText]:
    """Swedish pages with registers, main texts of Nordic and Latvian pages, the sample crawl's.

    Args:
        data: a folder with `register` and `extraction`.
        sample: `skord/sample_crawl/pages`, if those are wanted.
    """
    yield from _of_registers(data)
    yield from _of_extraction(data)
    if sample is not None:
        yield from _of_sample(sample)


def _of_registers(data: Path) -> Iterator[ReadText]:
    for name in ("swecore_train", "swecore_dev"):
        with gzip.open(data / "register" / f"{name}.tsv.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                text = line.rstrip("\n").split("\t", 1)[1]
                digest = digest_of(text)
                yield ReadText(digest, text, "sv", digest, name)


TESTING_ONLY = "outside_nordic"
"""Pages that state no licence: extractors are scored on them, and nothing is trained on them."""


def data_files(folder: Path, names: str = "*.jsonl.gz") -> list[Path]:
    """The files of a data folder that may be trained on, sorted."""
    return [path for path in sorted(folder.glob(names)) if not path.name.startswith(TESTING_ONLY)]


def _of_extraction(data: Path) -> Iterator[ReadText]:
    known: set[str] = set()
    for path in data_files(data / "extraction"):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if row.get("lang") not in LANGUAGES:
                    continue
                text = _main_text(row)
                digest = digest_of(text)
                if len(text) >= LEAST_CHARS and digest not in known:
                    known.add(digest)
                    source = path.name.removesuffix(".jsonl.gz")
                    yield ReadText(digest, text, row["lang"], row["split_key"], source)


def _main_text(row: dict[str, Any]) -> str:
    gold = row.get("gold_text") or row.get("gold_md") or ""
    return "\n".join(gold) if isinstance(gold, list) else str(gold)


def _of_sample(pages: Path) -> Iterator[ReadText]:
    for path in sorted(pages.rglob("*.md")):
        text = path.read_text(encoding="utf-8").split("+++")[2].strip()
        yield ReadText(digest_of(text), text, path.parent.name, SAMPLE, SAMPLE)


def read_labels(path: Path) -> list[dict[str, Any]]:
    """A JSON object a line."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def wilson_interval(right: int, number: int) -> str:
    """A share with its interval of 95 % (Wilson 1927).

    >>> wilson_interval(8, 10)
    '0.80 (0.49 to 0.94)'
    """
    share, z = right / max(number, 1), 1.96
    middle = (share + z * z / (2 * number)) / (1 + z * z / number)
    half = (
        z * math.sqrt(share * (1 - share) / number + (z / number / 2) ** 2) / (1 + z * z / number)
    )
    return f"{share:.2f} ({middle - half:.2f} to {middle + half:.2f})"
