"""Measure texts as FilterDocuments does, in a process of its own.

    python -m benchmarks.quality.ours TEXTS.json RESULT.json

Writes the values, and CPU seconds for SWEb's set with the decision, for every set with it, for
the signature, for fastText's language scores, for dividing the Scandinavian ones, and for all
that the task does with a row group, once each after a first go that compiles and loads.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from pipeline.quality_filtering import FilterDocuments
from pipeline.warc_processing import ConvertToMarkdown
from skord.models.language_id.batches import load_language_batches
from skord.models.scandinavian.interface import WEIGHTS, ScandinavianClassifier
from skord.models.scandinavian.weights import read_weights
from skord.near_duplicates.minhash import minhash_signatures
from skord.quality import limits as quality
from skord.quality.lists import is_listed_domain
from skord.quality.measures import quality_columns
from skord.quality.text_measures import TextCounts, sweb_columns

URL = "https://example.com/page"
BATCH = 500
FIRST = 20


def main(texts_path: str, result_path: str) -> None:
    texts = pa.array(json.loads(Path(texts_path).read_text(encoding="utf-8")), pa.string())
    identify = load_language_batches("").scores_of
    batches = [texts[at : at + BATCH] for at in range(0, len(texts), BATCH)]
    classifier = ScandinavianClassifier(read_weights(WEIGHTS))
    scores = [identify(batch.to_pylist()) for batch in batches]
    task, tables = FilterDocuments(dump="2024-10"), [as_read(batch) for batch in batches]
    timed = {
        "sweb_s": lambda: [sweb_set(batch) for batch in batches],
        "all_s": lambda: [
            decided(quality_columns(batch, [URL] * len(batch), results))
            for batch, results in zip(batches, scores, strict=True)
        ],
        "signature_s": lambda: [minhash_signatures(batch) for batch in batches],
        "language_s": lambda: [identify(batch.to_pylist()) for batch in batches],
        "divided_s": lambda: [
            classifier.divided(batch.to_pylist(), results)
            for batch, results in zip(batches, scores, strict=True)
        ],
        "task_s": lambda: [task.process(table) for table in tables],
    }
    sweb_set(texts[:FIRST])
    task.process(as_read(texts[:FIRST]))
    result: dict[str, object] = {name: _cpu_s(action) for name, action in timed.items()}
    result["values"] = [row for batch in batches for row in sweb_set(batch).to_pylist()]
    Path(result_path).write_text(json.dumps(result), encoding="utf-8")


def as_read(batch: pa.Array) -> pa.Table:
    """The columns that the task reads; the texts are all of their pages, a tenth is links."""
    pages = [f"{text}\n" for text in batch.to_pylist()]
    spans = [[{"start": 0, "end": len(page) // 10}] for page in pages]
    return pa.table(
        {
            "ProcessMarkdown.text": batch,
            "ProcessMarkdown.line_verdicts": pa.array(
                [b"\x01" * page.count("\n") for page in pages], pa.binary()
            ),
            "ConvertToMarkdown.url": pa.array([URL] * len(batch)),
            "ConvertToMarkdown.content": pa.array(pages),
            "ConvertToMarkdown.link_spans": pa.array(
                spans, ConvertToMarkdown.schema.field("link_spans").type
            ),
            "CCNet.perplexity": pa.nulls(len(batch), pa.float64()),
            "CCNet.bucket": pa.array(["all"] * len(batch)),
            "CCNet.language": pa.array(["sv"] * len(batch)),
        }
    )


def sweb_set(batch: pa.Array) -> pa.Table:
    """SWEb's set alone, and the decision on it."""
    columns = sweb_columns(TextCounts(batch, [""] * len(batch), ()), batch)
    listed = [is_listed_domain(URL, frozenset()) for _ in range(len(batch))]
    return decided(pa.table({**columns, "is_domain_blacklisted": pa.array(listed)}))


def decided(table: pa.Table) -> pa.Table:
    passes, failed = quality.decide_quality(table, quality.quality_limits())
    return table.append_column("passes", passes).append_column("failed", failed)


def _cpu_s(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


if __name__ == "__main__":
    main(*sys.argv[1:])
