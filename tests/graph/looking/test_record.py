"""What each task makes of the sample crawl is on record, so that no output changes unnoticed."""

import hashlib
import json

import pyarrow as pa
import pyarrow.parquet as pq

from skord.core.registry import task_classes
from tests.graph.bench import DUMP

PACKED = ("bytes", "warc_record_offset", "warc_record_length")
"""What depends on the zlib that packed the crawl."""

RECORDED = {
    "DownloadWET": (1, "0cfed0e660fa"),
    "HashParagraphs": (3, "1adbdfb0fbc5"),
    "CCNet": (2, "8a6ad05614dd"),
    "CCIndex": (1, "45a09691da3b"),
    "WARCIndex": (1, "a8bea73374a4"),
    "FetchHTMLDocuments": (1, "4d66a34ef8ec"),
    "ConvertToMarkdown": (17, "97c8b144f084"),
    "ProcessMarkdown": (24, "1aa618dae605"),
    "FilterDocuments": (8, "03615ea1a4a2"),
    "ComputeSignatures": (2, "5b102d63e6a6"),
    "Deduplicate": (2, "23e425415ff8"),
}
"""Task to its version and the digest of what it made.

Where one differs, the first of them has its `version` raised (those after it read what it made),
and what the test tells is put here. Other pages of the sample crawl want no version.
"""


def is_exact(field: pa.Field) -> bool:
    """Whether a column is the same on every machine: fractions are rounded elsewhere."""
    kind = field.type.value_type if pa.types.is_list(field.type) else field.type
    exact = pa.types.is_string(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)
    return field.name not in PACKED and (exact or pa.types.is_fixed_size_binary(kind))


def digest(folder) -> str:
    """Of the values of all tables; Parquet may store them in other bytes."""
    made = hashlib.sha256()
    for path in sorted(folder.glob("*.parquet")):
        table = pq.read_table(path)
        for name in (field.name for field in table.schema if is_exact(field)):
            values = json.dumps(table[name].to_pylist(), default=bytes.hex)
            made.update(f"{path.name} {name} {values}".encode())
    return made.hexdigest()[:12]


def test_every_task_makes_what_is_on_record(whole):
    folders = {name: whole.folder / "data" / name / DUMP for name in task_classes()}

    made = {
        name: (task_classes()[name].version, digest(folder))
        for name, folder in folders.items()
        if folder.is_dir()
    }

    assert made == RECORDED, "\n".join(f'"{name}": {one},' for name, one in made.items())
