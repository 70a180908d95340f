"""Run this project's selection, in exact mode, on the same WET files as cc_net.

    python -m benchmarks.ccnet_ours SETTINGS.json

The same functions in the same order as the tasks HashParagraphs and CCNet call them, through
the same column store, in one process and without Luigi. Prints one line of JSON: CPU seconds
from after the imports to the end.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from models.language_model.interface import LanguageModels, load_language_models
from pipeline.core.columns import FAILURE, ID, ColumnStore
from pipeline.core.storage import Storage
from pipeline.io.language_batches import load_language_batches
from pipeline.io.raw_files import wet_pages
from pipeline.io.wet_files import BadRecord
from pipeline.transforms.line_hashing import LINES_SCHEMA, hash_lines, keys_of_pages
from pipeline.transforms.paragraph_keys import Keys
from pipeline.transforms.paragraphs import Counts, LinePass, ParagraphRule, RepeatedKeys
from pipeline.transforms.selection import (
    PAGE_COLUMNS,
    Judged,
    LanguageRule,
    Mode,
    TextPage,
    judge_pages,
    selected_row,
)
from pipeline.transforms.sharding import repeats_by_shard

MIN_CHARS = 300
ROW_GROUP_PAGES = 4096
MIN_SCORE = 0.5
FILES = "DownloadWET"
SCHEMA = pa.schema(
    [
        ID,
        ("url", pa.string()),
        ("warc_file", pa.string()),
        ("warc_date", pa.string()),
        ("title", pa.string()),
        ("raw_content", pa.string()),
        ("line_ids", pa.list_(pa.int32())),
        ("original_nlines", pa.int32()),
        ("original_length", pa.int32()),
        ("length", pa.int32()),
        ("language", pa.string()),
        ("language_score", pa.float32()),
        *PAGE_COLUMNS,
        ("perplexity", pa.float64()),
        ("bucket", pa.string()),
        FAILURE,
    ]
)


def main(settings_path: str) -> None:
    settings = json.loads(Path(settings_path).read_text(encoding="utf-8"))
    start = time.process_time()
    select(settings)
    print(json.dumps({"cpu_s": time.process_time() - start}))


def select(settings: Mapping[str, Any]) -> None:
    """Hash all shards, compare the keys, then judge and write shard by shard."""
    store = ColumnStore(Storage(settings["folder"]), settings["dump"])
    shards: Sequence[Sequence[str]] = settings["shards"]
    counts = [_hashed(store, shard, paths) for shard, paths in enumerate(shards)]
    repeats = repeats_by_shard(counts, settings["group_shards"])
    model = load_language_batches(settings["lid"])
    models = load_language_models(settings["models"]) if settings["models"] else None
    rule = LanguageRule(settings["languages"], MIN_SCORE, "top")
    for shard, paths in enumerate(shards):
        mine = repeats.filter(pc.equal(repeats["shard"], shard))
        repeated = RepeatedKeys(
            mine["key"].to_numpy(), mine["first_shard"].to_numpy().astype(np.int64)
        )
        judged = judge_pages(
            _pages(store, paths),
            LinePass(repeated, ParagraphRule.DROP_ALL, shard),
            model.scores_of,
            rule,
            MIN_CHARS,
            mode=Mode.EXACT,
            line_keys=_line_keys(store, shard, counts[shard][0]),
        )
        with store.writer(store.path("CCNet", shard), SCHEMA, "benchmark") as writer:
            selected = (page for page in judged if page.refusal is None)
            while chunk := list(islice(selected, 256)):
                for page, perplexity in zip(chunk, _perplexities(chunk, models), strict=True):
                    row = selected_row(page, settings["languages"], Mode.EXACT)
                    writer.append(row | perplexity)


def _hashed(store: ColumnStore, shard: int, paths: Sequence[str]) -> tuple[Keys, Counts]:
    hashed = hash_lines(_pages(store, paths), MIN_CHARS)
    with store.writer(store.path("Lines", shard), LINES_SCHEMA, "benchmark") as writer:
        lines = hashed.lines()
        for start in range(0, len(lines), ROW_GROUP_PAGES):
            writer.write(lines.slice(start, ROW_GROUP_PAGES))
    return hashed.keys, hashed.documents


def _line_keys(store: ColumnStore, shard: int, keys: Keys) -> Iterator[Keys]:
    with store.open_parquet(store.path("Lines", shard)) as file:
        yield from keys_of_pages(file.iter_batches(ROW_GROUP_PAGES), keys)


def _perplexities(
    pages: Sequence[Judged], models: LanguageModels | None
) -> list[dict[str, object]]:
    found: list[dict[str, object]] = [{"perplexity": None, "bucket": "all"} for _ in pages]
    places: dict[str, list[int]] = {}
    for place, page in enumerate(pages):
        if page.language is not None and models is not None:
            places.setdefault(page.language, []).append(place)
    for language, own in places.items():
        scored = models.score(language, [pages[p].text for p in own], exact=True) if models else ()
        for place, score in zip(own, scored, strict=True):
            found[place] = {"perplexity": score.page, "bucket": str(score.bucket)}
    return found


def _pages(store: ColumnStore, paths: Sequence[str]) -> Iterator[TextPage]:
    rows = [{"file": path, "failure": None} for path in paths]
    for page in wet_pages(store, FILES, rows, Mode.EXACT):
        if not isinstance(page, BadRecord):
            yield page


if __name__ == "__main__":
    main(sys.argv[1])
