"""Tell what kind of text each page is, by its register: LabelRegisters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

import luigi
import numpy as np
import pyarrow as pa

from pipeline.markdown_processing import ProcessMarkdown
from pipeline.quality_filtering import FilterDocuments
from skord.core.storage.shared_columns import FAILURE
from skord.core.tasks.document_task import DocumentTask
from skord.models.registers.interface import REGISTERS, load_registers
from skord.quality.features import features_on_request


class LabelRegisters(DocumentTask):
    """The registers of each text: narrative, information, opinion, persuasion, discussion, how_to.

    Columns: a score for each register (estimate of its probability), `registers` (those that the
    text counts as, most likely first; empty where none is likely). Null for texts in languages
    that the model was not trained on.
    """

    on_request: ClassVar[bool] = True
    reads = {ProcessMarkdown: ["text"], FilterDocuments: ["language"]}

    schema = pa.schema(
        [
            *(one.field for one in features_on_request("LabelRegisters")),
            ("registers", pa.list_(pa.string())),
        ]
    )

    model_path = luigi.Parameter(
        default="embedded",
        description="weights of skord.models.registers; embedded for those shipped",
    )
    taught: Sequence[str] = luigi.ListParameter(
        default=("sv",), description="languages whose texts are labelled; the model knows Swedish"
    )

    def check(self) -> None:
        """The weights must be there."""
        load_registers(str(self.model_path))

    def fingerprint_parts(self) -> Sequence[str]:
        """Scores depend on the weights."""
        return [load_registers(str(self.model_path)).name]

    def process(self, batch: pa.Table) -> pa.Table:
        """Scores and registers of each text."""
        model = load_registers(str(self.model_path))
        texts = batch["ProcessMarkdown.text"].to_pylist()
        languages = batch["FilterDocuments.language"].to_pylist()
        chosen = [
            place
            for place, (text, language) in enumerate(zip(texts, languages, strict=True))
            if text and language in self.taught
        ]
        scores = np.full((len(texts), len(REGISTERS)), np.nan)
        scores[chosen] = model.scores([texts[place] for place in chosen])
        named = [None if np.isnan(row[0]) else model.registers(row) for row in scores]
        columns = [
            *(pa.array(column, pa.float64(), from_pandas=True) for column in scores.T),
            pa.array(named, pa.list_(pa.string())),
            pa.nulls(len(batch), FAILURE.type),
        ]
        return pa.table(columns, schema=self.schema.append(FAILURE))

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """How many texts are of each register; those of none, too."""
        lists = [names for names in table["registers"].to_pylist() if names is not None]
        counts = Counter(f"register.{name}" for names in lists for name in names or ("none",))
        return {**counts, "labelled": len(lists)}
