"""Whether a published corpus is as its own notes have it, judged by its folder alone.

Anybody who has a copy can check it: each file by its checksum, the figures of the card by counting,
each pointer by the text that it is of, and of each page that was taken out that it is not there.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from skord.core.failures import ConfigError
from skord.core.storage.filesystem import Storage
from skord.publishing.card.figures import Figures
from skord.publishing.manifest import REMOVED, removed_digest
from skord.publishing.pointers import packed_id
from skord.publishing.removals.requests import text_digest

CARD, SUMS = "README.md", "SHA256SUMS"

Fault = tuple[str, str]
"""A file's path in the folder, and what is wrong with it."""

UNREADABLE = (pa.ArrowException, OSError, EOFError, ValueError, LookupError, TypeError, zlib.error)
"""What readers raise of files that are not what their names say."""

_LANGUAGE_ROW = re.compile(r"^\| (\S+) \| ([\d,]+) \| ([\d,]+) \|$", re.MULTILINE)
_LANGUAGES = re.compile(r"^\| language \| documents \| characters \|\n(?:\|.*\n)*", re.MULTILINE)
_TAKEN_OUT = re.compile(r"^Taken out by request so far: ([^.]*)\.", re.MULTILINE)


def folder_faults(folder: Storage, figures: Figures) -> Iterator[Fault]:
    """What is wrong in a published folder.

    `figures`, empty before, get what the files hold.
    """
    if not folder.exists(SUMS):
        raise ConfigError(
            f"{folder.shown_url} holds no {SUMS}: name the folder of a published corpus, with "
            f"{CARD} and {SUMS} in it"
        )
    sums = {}
    for line in folder.read(SUMS).decode(errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        sums[name] = digest
    yield from _checksum_faults(folder, sums)
    removed: Counter[str] = Counter()
    gone: set[str] = set()
    try:
        for one in _json_lines(folder, REMOVED) if REMOVED in sums else ():
            removed[one["kind"]] += 1
            gone.add(one["id_sha256"])
    except UNREADABLE as error:
        yield REMOVED, f"it cannot be read ({_short(error)})"
    packed_bytes = 0
    for name in sorted(name for name in sums if name.startswith("data/")):
        packed_bytes += folder.size(name) or 0
        try:
            yield from _row_faults(folder, name, sums, gone, figures)
        except UNREADABLE as error:
            yield name, f"it or what lies beside it cannot be read ({_short(error)})"
    try:
        card = folder.read(CARD).decode()
    except UNREADABLE as error:
        yield CARD, f"it cannot be read ({_short(error)})"
        return
    yield from ((CARD, fault) for fault in _card_faults(card, figures, packed_bytes, removed))


def _short(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _checksum_faults(folder: Storage, sums: Mapping[str, str]) -> Iterator[Fault]:
    there = set(folder.tree(""))
    for name in sorted(there - {*sums, SUMS}):
        yield name, f"{SUMS} does not list it"
    for name in (CARD, *(name for name in sums if name != CARD)):
        if name not in there:
            yield name, "it is missing"
        elif name not in sums:
            yield name, f"{SUMS} does not list it"
        elif folder.sha256(name) != sums[name]:
            yield name, f"it is not what {SUMS} lists"


def _row_faults(
    folder: Storage, name: str, sums: Mapping[str, str], gone: set[str], figures: Figures
) -> Iterator[Fault]:
    """Rows of one file against their pointers, their JSON lines, and what was taken out."""
    stem = name.removeprefix("data/").removesuffix(".parquet")
    pointers, lines = f"pointers/{stem}.parquet", f"json/{stem}.jsonl.gz"
    with folder.open(pointers) as file:
        table = pq.read_table(file, columns=["id", "url", "text_digest"])
    expected = iter(table.to_pylist())
    as_json = _json_lines(folder, lines) if lines in sums else None
    differs: dict[str, str] = {}  # the first page of each file beside it that is not this one's
    with folder.open(name) as file, pq.ParquetFile(file) as data:
        for group in range(data.num_row_groups):
            rows = data.read_row_group(group, columns=["id", "url", "language", "text"])
            figures.counted(rows)
            for row in rows.to_pylist():
                page = row["id"]
                if removed_digest(page) in gone:
                    yield name, f"it holds {page}, which was taken out"
                digest = text_digest(row["text"])
                pointer = {"id": packed_id(page), "url": row["url"], "text_digest": digest}
                if next(expected, None) != pointer:
                    differs.setdefault(pointers, page)
                line = next(as_json, {}) if as_json is not None else row
                if any(line.get(name) != value for name, value in row.items()):
                    differs.setdefault(lines, page)
    for beside, page in differs.items():
        yield beside, f"what it has of {page} is of another page or text"
    if next(expected, None) is not None:
        yield pointers, f"it has pointers of pages that {name} does not hold"
    if as_json is not None and next(as_json, None) is not None:
        yield lines, f"it has lines of pages that {name} does not hold"


def _json_lines(folder: Storage, name: str) -> Iterator[dict[str, Any]]:
    with folder.stream(name) as stream:
        if name.endswith(".gz"):
            with gzip.open(stream) as lines:
                yield from map(json.loads, lines)
        else:
            yield from map(json.loads, stream.read().splitlines())


def _card_faults(
    card: str, figures: Figures, packed_bytes: int, removed: Mapping[str, int]
) -> Iterator[str]:
    """Where the card's figures are not those of the files."""
    counted = {
        "num_examples": figures.documents.total(),
        "num_bytes": figures.text_bytes,
        "dataset_size": figures.text_bytes,
        "download_size": packed_bytes,
    }
    for name, number in counted.items():
        stated = re.search(rf"^ *{name}: (\d+)$", card, re.MULTILINE)
        if stated is None or int(stated[1]) != number:
            yield f"it has {name} {stated[1] if stated else 'nothing'}, the files have {number}"
    table = _LANGUAGES.search(card)
    rows = _LANGUAGE_ROW.findall(table[0]) if table else []
    numbers = {code: (_number(documents), _number(signs)) for code, documents, signs in rows}
    there = {code: (n, figures.characters[code]) for code, n in figures.documents.items()}
    for code in sorted(numbers.keys() | there.keys()):
        if numbers.get(code) != there.get(code):
            yield (
                f"it has {numbers.get(code, (0, 0))} documents and characters of {code}, the "
                f"files have {there.get(code, (0, 0))}"
            )
    taken = _TAKEN_OUT.search(card)
    listed_removed = dict(re.findall(r"(\w+) ([\d,]+)", taken[1])) if taken else {}
    if {kind: _number(n) for kind, n in listed_removed.items()} != dict(removed):
        yield f"it lists {listed_removed} as taken out, {REMOVED} has {dict(removed)}"


def _number(written: str) -> int:
    return int(written.replace(",", ""))
