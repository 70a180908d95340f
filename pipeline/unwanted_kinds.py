"""Measure signs of spam: lists of search words, loans, gambling, adult, pills: MeasureUnwanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

import pyarrow as pa

from models.unwanted.interface import load_unwanted
from pipeline.core.storage.column_store import FAILURE
from pipeline.core.tasks.document_task import DocumentTask
from pipeline.markdown_processing import ProcessMarkdown
from pipeline.quality.features import later
from pipeline.quality.unwanted import unwanted_columns
from pipeline.quality_filtering import FilterDocuments
from pipeline.text.own_languages import own_languages


class MeasureUnwanted(DocumentTask):
    """Signs of texts that nobody wrote to be read.

    Columns: `vocabulary_richness`, `stop_word_share`, `unwanted_word_share`, `unwanted_score`
    (measures that can be limited at the export), `unwanted_kind` (loans, gambling, adult, pills or
    replicas, whose words occur most; null where none does).
    """

    version = 2
    on_request: ClassVar[bool] = True
    reads = {ProcessMarkdown: ["text"], FilterDocuments: ["language"]}
    schema = pa.schema(
        [*(one.field for one in later("MeasureUnwanted")), ("unwanted_kind", pa.string())]
    )

    def fingerprint_parts(self) -> Sequence[str]:
        """The score depends on the weights."""
        return [load_unwanted().name]

    def process(self, batch: pa.Table) -> pa.Table:
        """The measures of each text."""
        measures = unwanted_columns(
            batch["ProcessMarkdown.text"].combine_chunks(),
            batch["FilterDocuments.language"].to_pylist(),
            own_languages().stop_words,
        )
        columns = [
            *(measures[name] for name in self.schema.names),
            pa.nulls(len(batch), FAILURE.type),
        ]
        return pa.table(columns, schema=self.schema.append(FAILURE))

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """How many texts have a twentieth or more of their words from a kind's list."""
        rows = zip(
            *(table[n].to_pylist() for n in ("unwanted_kind", "unwanted_word_share")), strict=True
        )
        return Counter(f"unwanted.{kind}" for kind, share in rows if kind and share >= 0.05)
