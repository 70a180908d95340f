"""The band keys that SWEb publishes, for those who compare with its data: PublishedSignatures."""

from __future__ import annotations

import pyarrow as pa

from pipeline.core.columns import FAILURE
from pipeline.core.document_task import DocumentTask
from pipeline.markdown_processing import ProcessMarkdown
from pipeline.transforms.published_minhash import PUBLISHED_SCHEMA, published_signatures


class PublishedSignatures(DocumentTask):
    """MinHash band keys, bit for bit those of SWEb's published code.

    Deduplicate does not read them: it takes those of ComputeSignatures, which cost a tenth
    and tell how similar two texts are.

    Columns: `minhash_bucket_0` … `minhash_bucket_13` (null for texts under 16 characters).
    """

    on_request = True
    reads = {ProcessMarkdown: ["text"]}
    schema = PUBLISHED_SCHEMA

    def process(self, batch: pa.Table) -> pa.Table:
        """The keys of each text."""
        keys = published_signatures(batch["ProcessMarkdown.text"])
        return keys.append_column(FAILURE, pa.nulls(len(keys), pa.string()))
