"""Score how much each text teaches its reader, for ranking: ScoreEducation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import luigi
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.markdown_processing import ProcessMarkdown
from skord.core.storage.shared_columns import FAILURE
from skord.core.tasks.document_task import DocumentTask
from skord.models.education.interface import load_education
from skord.quality.features import features_on_request


class ScoreEducation(DocumentTask):
    """How much each text teaches, as a reader of pairs would order them.

    Columns: `education_score` (in standard deviations of the texts that the model was trained on, 0 is
    usual; null without a text). It ranks; no limit on it is recommended.
    """

    on_request: ClassVar[bool] = True
    reads = {ProcessMarkdown: ["text"]}

    schema = pa.schema([one.field for one in features_on_request("ScoreEducation")])

    model_path = luigi.Parameter(
        default="embedded",
        description="weights of skord.models.education; embedded for those shipped",
    )

    def check(self) -> None:
        """The weights must be there."""
        load_education(str(self.model_path))

    def fingerprint_parts(self) -> Sequence[str]:
        """Scores depend on the weights."""
        return [load_education(str(self.model_path)).name]

    def process(self, batch: pa.Table) -> pa.Table:
        """The score of each text."""
        texts = batch["ProcessMarkdown.text"].combine_chunks().fill_null("")
        scores = load_education(str(self.model_path)).scores(texts.to_pylist())
        has_text = pc.greater(pc.utf8_length(texts), 0)
        column = pc.if_else(has_text, pa.array(scores, pa.float64()), None)
        schema = self.schema.append(FAILURE)
        return pa.table([column, pa.nulls(len(batch), FAILURE.type)], schema=schema)

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """How many texts are scored, and how many of them above the usual."""
        scores = [score for score in table["education_score"].to_pylist() if score is not None]
        return {"scored": len(scores), "above_usual": sum(score > 0 for score in scores)}
