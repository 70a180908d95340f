"""Keep the main text of each page: ProcessMarkdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import luigi
import pyarrow as pa

from pipeline.warc_processing import ConvertToMarkdown, WARCIndex
from skord.core.dumps import source_of
from skord.core.storage.shared_columns import FAILURE
from skord.core.tasks.document_task import DocumentTask
from skord.core.tasks.sharded_task import ShardedTask
from skord.markdown.extraction import extracted
from skord.models.line_classifier.interface import LineClassifier, verdicts
from skord.models.line_classifier.load import (
    load_line_classifier,
    name_of_line_classifier,
    wants_gpu,
)
from skord.sources.columns import whole_texts


class ProcessMarkdown(DocumentTask):
    """Classify every line of a page's Markdown and keep those of the main text.

    Columns: `text` (the kept lines in their plain form: `markdown.plain_lines`), `images`
    (character position in `text` and absolute URL), `kept_lines` (how many), `line_probabilities`
    (one byte for each line: probability × 255, so that another threshold needs no second look by
    the model), `line_verdicts` (one byte for each line: 1 kept, 0 not), `threshold` (least
    probability of a line that was kept, chosen for the page unless the settings give one; null
    where nothing was likely), `page_type` and its share (null for models without types), and
    `nothing_kept`, why a page has no text (`markdown.extraction.NothingKept`), and `text_source`,
    where the text is from: the lines of the page, or its scripts (`markdown.extraction.TextSource`).
    """

    version = 24

    reads = {ConvertToMarkdown: ["url", "content", "line_context", "script_content"]}

    schema = pa.schema(
        [
            ("text", pa.string()),
            ("images", pa.list_(pa.struct([("position", pa.int32()), ("url", pa.string())]))),
            ("kept_lines", pa.int32()),
            ("line_probabilities", pa.binary()),
            ("line_verdicts", pa.binary()),
            ("threshold", pa.float32()),
            ("page_type", pa.string()),
            ("page_type_share", pa.float32()),
            ("nothing_kept", pa.string()),
            ("text_source", pa.string()),
        ]
    )

    model_path = luigi.Parameter(
        default="embedded",
        description="embedded, embedded-bf16 (on a GPU where there is one), a folder that skord train"
        " wrote, or folder or hub id of an AutoModelForTokenClassification",
    )
    trust_remote_code = luigi.BoolParameter(
        default=False,
        significant=False,
        description="run the code that a model of model_path comes with; its name shows it",
    )
    line_filter_threshold: float | None = luigi.OptionalFloatParameter(
        default=None,
        description="least probability of a line that is kept; empty: chosen for each page",
    )

    @property
    def gpus(self) -> int:
        """The embedded model computes on the CPU, unless it is asked for in bf16."""
        return int(wants_gpu(self.model_path))

    def check(self) -> None:
        """The model must load."""
        self._classifier()

    def fingerprint_parts(self) -> Sequence[str]:
        """The weights decide which lines are kept, where any are left out."""
        if self._is_of_texts:
            return ["whole"]
        trusted = self.trust_remote_code
        return [name_of_line_classifier(self.model_path, trust_remote_code=trusted)]

    @property
    def _is_of_texts(self) -> bool:
        return source_of(str(self.dump), self.store.storage).is_text

    def columns_read(self) -> Mapping[type[ShardedTask], Sequence[str]]:
        """Of texts, whether they are Markdown."""
        return {**self.reads, **({WARCIndex: ["mime"]} if self._is_of_texts else {})}

    def _classifier(self) -> LineClassifier:
        return load_line_classifier(self.model_path, trust_remote_code=self.trust_remote_code)

    def process(self, batch: pa.Table) -> pa.Table:
        """Main text of each page; all of it where the pages are a source's texts."""
        if self._is_of_texts:
            contents, mimes = batch["ConvertToMarkdown.content"], batch["WARCIndex.mime"]
            return whole_texts(contents.to_pylist(), mimes.to_pylist(), self.schema)
        urls, pages, contexts, scripts = (
            batch[f"ConvertToMarkdown.{name}"].to_pylist() for name in self.reads[ConvertToMarkdown]
        )
        judged = verdicts(self._classifier(), pages, contexts)
        rows = [
            extracted(
                page,
                judgement.logits,
                self.line_filter_threshold,
                url,
                judgement.types,
                judgement.plain,
                script,
            )
            for page, judgement, url, script in zip(pages, judged, urls, scripts, strict=True)
        ]
        return pa.Table.from_pylist(rows, schema=self.schema.append(FAILURE))
