"""Measure signs of spam, empty templates and farms of links: MeasureUnwanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

import pyarrow as pa

from pipeline.cc_net import CCNet
from pipeline.markdown_processing import ProcessMarkdown
from pipeline.quality_filtering import FilterDocuments
from pipeline.warc_processing import FetchHTMLDocuments
from skord.core.failures import DocumentError
from skord.core.storage.shared_columns import FAILURE
from skord.core.tasks.document_task import DocumentTask
from skord.crawl.warc.records import read_response
from skord.extras.unwanted.signs import unwanted_columns
from skord.models.unwanted.interface import MACHINE_MADE, load_unwanted
from skord.quality.features import features_on_request
from skord.quality.links import foreign_domain_rate
from skord.text.own_languages import own_languages

LEAST_SHARE = 0.01
"""Of an unwanted text's words that are of its kind, where it is counted as of that kind."""


class MeasureUnwanted(DocumentTask):
    """Signs of texts that nobody wrote to be read.

    Columns: `vocabulary_richness`, `stop_word_share`, `unwanted_word_share`, `unwanted_score`,
    `machine_made_score`, `foreign_domain_rate` (measures that can be limited at the export),
    `unwanted_kind` (loans, gambling, adult, pills or replicas, whose words occur most; null where
    none does). Both scores are null in languages that they were not trained on.
    """

    version = 5
    on_request: ClassVar[bool] = True
    reads = {
        ProcessMarkdown: ["text"],
        FilterDocuments: ["language"],
        FetchHTMLDocuments: ["record"],
        CCNet: ["url"],
    }

    schema = pa.schema(
        [
            *(one.field for one in features_on_request("MeasureUnwanted")),
            ("unwanted_kind", pa.string()),
        ]
    )

    def fingerprint_parts(self) -> Sequence[str]:
        """The scores depend on the weights."""
        return [load_unwanted().name, load_unwanted(MACHINE_MADE).name]

    def process(self, batch: pa.Table) -> pa.Table:
        """The measures of each text."""
        measures = unwanted_columns(
            batch["ProcessMarkdown.text"].combine_chunks(),
            batch["FilterDocuments.language"].to_pylist(),
            own_languages().stop_words,
        )
        measures["foreign_domain_rate"] = self._foreign_domain_rates(batch)
        columns = [
            *(measures[name] for name in self.schema.names),
            pa.nulls(len(batch), FAILURE.type),
        ]
        return pa.table(columns, schema=self.schema.append(FAILURE))

    @staticmethod
    def _foreign_domain_rates(batch: pa.Table) -> pa.Array:

        def rate(record: bytes | None, url: str, text: str | None) -> float | None:
            try:
                body = read_response(record or b"").body
            except DocumentError:
                return None
            return foreign_domain_rate(body, url, len((text or "").split()))

        rows = zip(
            *(batch[name].to_pylist() for name in (
                "FetchHTMLDocuments.record", "CCNet.url", "ProcessMarkdown.text"
            )), strict=True,
        )  # fmt: skip
        return pa.array([rate(*row) for row in rows], pa.float64())

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """How many unwanted texts there are of each kind, by score and words."""
        named = ("unwanted_kind", "unwanted_word_share", "unwanted_score")
        limit = load_unwanted().limit
        return Counter(
            f"unwanted.{kind}"
            for kind, share, score in zip(*(table[n].to_pylist() for n in named), strict=True)
            if kind and share >= LEAST_SHARE and (score or 0) >= limit
        )
