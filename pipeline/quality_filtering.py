"""Measure each text and decide whether it is good enough: FilterDocuments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import luigi
import pyarrow as pa
import pyarrow.compute as pc

from models.reference_classifier.interface import load_reference_classifier
from pipeline.core.columns import FAILURE
from pipeline.core.document_task import DocumentTask, each_document
from pipeline.core.failures import ConfigError
from pipeline.io.language_model import load_language_model
from pipeline.markdown_processing import ProcessMarkdown
from pipeline.transforms import quality
from pipeline.transforms.languages import language_of
from pipeline.transforms.minhash import BAND_COLUMNS, band_keys, text_digest
from pipeline.warc_processing import ConvertToMarkdown


class FilterDocuments(DocumentTask):
    """Measure every text; a text outside any limit does not pass.

    Columns: `passes_all_quality_filters`, `failed_filters` (which ones), a column for each
    feature of `transforms.quality.FEATURES`, `language` and `language_score` of the
    extracted text, `minhash_bucket_0` … `13` (null for texts under 16 characters),
    `text_digest` (64 bits; equal texts have equal ones).
    """

    reads = {ProcessMarkdown: ["text"], ConvertToMarkdown: ["url"]}
    schema = pa.schema(
        [
            ("passes_all_quality_filters", pa.bool_()),
            ("failed_filters", pa.list_(pa.string())),
            *quality.SCHEMA.remove_metadata(),
            ("language", pa.string()),
            ("language_score", pa.float32()),
            ("reference_score", pa.float32()),
            *((name, pa.uint64()) for name in BAND_COLUMNS),
            ("text_digest", pa.uint64()),
        ]
    )

    limits: Mapping[str, Any] = luigi.DictParameter(
        default={}, description="feature name to its limits [low, high], where not the published"
    )
    blocked_domains: Sequence[str] = luigi.ListParameter(
        default=(), description="domains whose pages, and those of their subdomains, never pass"
    )
    lid_model_path = luigi.Parameter(
        default="", description="a fastText model; the embedded lid.176.ftz when empty"
    )

    reference_model_path = luigi.Parameter(
        default="",
        description="weights of models.reference_classifier; reference_score is null when empty",
    )

    def check(self) -> None:
        """Every limit must name a feature; the models must be there."""
        self.feature_limits()
        load_language_model(self.lid_model_path)
        load_reference_classifier(self.reference_model_path)

    def stamp_parts(self) -> Sequence[str]:
        """The language and the reference score depend on their models."""
        reference = load_reference_classifier(self.reference_model_path)
        named = [reference.name] if reference else []
        return [load_language_model(self.lid_model_path).name, *named]

    def feature_limits(self) -> dict[str, tuple[float, float]]:
        """The limits in force, the settings' put in the place of the published ones.

        Raises:
            ConfigError: a limit names no feature, or is no pair of numbers.
        """
        try:
            changed = {name: (float(low), float(high)) for name, (low, high) in self.limits.items()}
            return quality.limits(changed)
        except (ValueError, TypeError) as error:
            raise ConfigError(f"[FilterDocuments] limits: {error}") from error

    def process(self, batch: pa.Table) -> pa.Table:
        """Measures, language and signature of each text."""
        judge = partial(
            judge_text,
            limits=self.feature_limits(),
            blocked_domains=quality.domain_set(self.blocked_domains),
            language_scores=load_language_model(self.lid_model_path).scores,
        )
        return self.with_reference_score(batch, each_document(batch, judge, self.schema))

    def with_reference_score(self, batch: pa.Table, judged: pa.Table) -> pa.Table:
        """The table with the score of each text; null without a model or where judging failed."""
        classifier = load_reference_classifier(self.reference_model_path)
        if classifier is None:
            return judged
        scores = classifier.scores(batch["ProcessMarkdown.text"].to_pylist())
        column = pc.if_else(
            judged[FAILURE.name].is_null(), pa.array(scores), pa.scalar(None, pa.float32())
        )
        at = judged.column_names.index("reference_score")
        return judged.set_column(at, self.schema.field("reference_score"), column)

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """How many pass, and how many each filter stops."""
        stopped = [name for names in table["failed_filters"].to_pylist() for name in names or ()]
        counts = {f"filter.{name}": stopped.count(name) for name in set(stopped)}
        return {**counts, "passes": table["passes_all_quality_filters"].to_pylist().count(True)}


def judge_text(
    text: str,
    url: str,
    *,
    limits: Mapping[str, tuple[float, float]],
    blocked_domains: frozenset[str],
    language_scores: Any,
) -> dict[str, object]:
    """The columns of FilterDocuments for one text."""
    measures = quality.measure(text, url, blocked_domains)
    failed = quality.failed_filters(measures, limits)
    scores = language_scores(text)
    language = language_of(scores)
    keys = band_keys(text)
    return {
        "passes_all_quality_filters": not failed,
        "failed_filters": failed,
        **measures,
        "language": language,
        "language_score": scores[language] if language else None,
        **dict(zip(BAND_COLUMNS, keys.tolist() if keys is not None else [], strict=False)),
        "text_digest": text_digest(text),
    }
