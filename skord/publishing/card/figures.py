"""What one file of the corpus holds, added up while it is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from skord.publishing.card.dataset_card import CardFigures
from skord.publishing.removals.requests import Removals


def _rows_of(**columns: pa.DataType) -> pa.DataType:
    """A list of rows of these columns."""
    return pa.list_(pa.struct(columns))


FILE_SCHEMA = pa.schema(
    {
        "number": pa.int32(),
        "documents": pa.int64(),
        "text_bytes": pa.int64(),
        "written": _rows_of(name=pa.string(), bytes=pa.int64(), sha256=pa.string()),
        "languages": _rows_of(language=pa.string(), documents=pa.int64(), characters=pa.int64()),
        "replaced": _rows_of(kind=pa.string(), number=pa.int64()),
        "removed": _rows_of(id=pa.string(), kind=pa.string(), value=pa.string(), added=pa.string()),
    }
)
"""What one file of the corpus holds, and which pages were taken out of it, why."""

Row = dict[str, Any]


class Figures:
    """What is written to one file, added up row by row."""

    def __init__(self) -> None:
        self.text_bytes = 0
        self.documents: Counter[str] = Counter()
        self.characters: Counter[str] = Counter()
        self.removed: list[Row] = []

    def without_removed(self, table: pa.Table, removals: Removals) -> pa.Table:
        """The rows that may stay; the others are noted."""
        if not removals:
            return table
        keys = zip(*(table[n].to_pylist() for n in ("id", "url", "text_digest")), strict=True)
        matches = [removals.match(*key) for key in keys]
        for page_id, match in zip(table["id"].to_pylist(), matches, strict=True):
            if match:
                self.removed.append({"id": page_id, **vars(match)})
        return table.filter(pa.array([match is None for match in matches], pa.bool_()))

    def counted(self, table: pa.Table) -> pa.Table:
        """The same table, added up."""
        self.text_bytes += pc.sum(pc.binary_length(table["text"])).as_py() or 0
        lengths = pc.utf8_length(table["text"]).to_pylist()
        for language, length in zip(table["language"].to_pylist(), lengths, strict=True):
            self.documents[language or "unknown"] += 1
            self.characters[language or "unknown"] += length
        return table

    def row(self) -> Row:
        """Columns of `FILE_SCHEMA`."""
        return {
            "documents": self.documents.total(),
            "text_bytes": self.text_bytes,
            "languages": [
                {"language": name, "documents": number, "characters": self.characters[name]}
                for name, number in sorted(self.documents.items())
            ],
            "removed": sorted(self.removed, key=lambda one: str(one["id"])),
        }


def card_figures(rows: Iterable[Mapping[str, Any]]) -> CardFigures:
    """The figures of all files together, each a row of `FILE_SCHEMA`."""
    rows = list(rows)
    languages: dict[str, tuple[int, int]] = {}
    for one in (one for row in rows for one in row["languages"]):
        documents, characters = languages.get(one["language"], (0, 0))
        languages[one["language"]] = (documents + one["documents"], characters + one["characters"])
    replaced: Counter[str] = Counter()
    for one in (one for row in rows for one in row["replaced"]):
        replaced[one["kind"]] += one["number"]
    written = [one for row in rows for one in row["written"]]
    return CardFigures(
        files=len(rows),
        text_bytes=sum(row["text_bytes"] for row in rows),
        packed_bytes=sum(one["bytes"] for one in written if one["name"].startswith("data/")),
        languages=languages,
        replaced=dict(replaced),
        removed=dict(Counter(one["kind"] for row in rows for one in row["removed"])),
        has_json=any(one["name"].startswith("json/") for one in written),
    )
