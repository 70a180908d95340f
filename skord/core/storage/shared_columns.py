"""The columns that every task's table has."""

import pyarrow as pa

ID = pa.field("id", pa.string(), nullable=False)
"""The WARC-Record-ID of the page's response record, `urn:uuid:…`, from first task to last."""

FAILURE = pa.field("failure", pa.string())
"""Null, or the code of what went wrong with this row in this task."""
