"""What cc_net and this project wrote for the same crawl, document by document."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq


def peer_documents(folder: Path, dump: str) -> Iterator[Mapping[str, Any]]:
    """What cc_net wrote."""
    for path in sorted((folder / "out" / "mined" / dump).glob("*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
            yield from map(json.loads, lines)


def our_documents(folder: Path, dump: str) -> Iterator[Mapping[str, Any]]:
    """What was selected here, under cc_net's names."""
    for path in sorted((folder / "CCNet" / dump).glob("*.parquet")):
        for row in pq.read_table(path).to_pylist():
            yield {
                "url": row["url"],
                "date_download": row["warc_date"],
                "digest": row["digest"],
                "length": row["length"],
                "nlines": row["nlines"],
                "source_domain": row["source_domain"],
                "title": row["title"],
                "raw_content": row["raw_content"],
                "cc_segment": row["warc_file"]
                .replace("/warc/", "/wet/")
                .replace(".warc.gz", ".warc.wet.gz"),
                "original_nlines": row["original_nlines"],
                "original_length": row["original_length"],
                "line_ids": row["line_ids"],
                "language": row["language"],
                "language_score": round(row["language_score"], 2),
                "bucket": row["bucket"],
            } | ({} if row["perplexity"] is None else {"perplexity": row["perplexity"]})


def report_differences(
    theirs: Iterable[Mapping[str, Any]], ours: Iterable[Mapping[str, Any]], mix: str
) -> None:
    """Print how many documents are equal in all fields, and which fields differ in how many."""
    expected = {document["digest"]: document for document in theirs}
    results = {document["digest"]: document for document in ours}
    kinds: Counter[str] = Counter()
    equal = 0
    for digest in expected.keys() | results.keys():
        if digest not in results or digest not in expected:
            kinds["only cc_net has it" if digest in expected else "only ours has it"] += 1
            continue
        names = expected[digest].keys() | results[digest].keys()
        differing = [n for n in names if expected[digest].get(n) != results[digest].get(n)]
        kinds.update(differing)
        equal += not differing
    fields = len(next(iter(expected.values()))) if expected else 0
    print(f"{mix}: {equal} of {len(expected)} documents equal in all {fields} fields")
    for kind, number in kinds.most_common():
        print(f"{mix}:   {kind}: {number}")
