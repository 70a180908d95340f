"""Columns of the tasks between selection and text, for pages of a source."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from skord.core.failures import DocumentError
from skord.core.storage.shared_columns import FAILURE, ID
from skord.core.tasks.document_task import each_document
from skord.crawl.warc.framing import WARCRecord, read_records
from skord.crawl.warc.payload import earliest_date
from skord.markdown.extraction import NothingKept, split_lines
from skord.markdown.plain_lines import plain_markdown
from skord.sources.pages import PassedOver
from skord.sources.read_again import SourceReader


def own_places(pages: pa.Table, batch: pa.Table) -> pa.Table:
    """The place of each selected page, as noted when its file was read.

    Args:
        pages: `id` and the columns of WARCIndex, of all pages of the shard.
        batch: `id` of those selected.
    """
    row_of = {page_id: row for row, page_id in enumerate(pages[ID.name].to_pylist())}
    rows = pa.array([row_of[page_id] for page_id in batch[ID.name].to_pylist()], pa.int64())
    places = pages.take(rows).drop_columns([ID.name])
    return places.append_column(FAILURE, pa.nulls(len(batch), FAILURE.type))


def read_members(batch: pa.Table, reader: SourceReader, schema: pa.Schema) -> pa.Table:
    """The columns of FetchHTMLDocuments, each record read again at its place.

    Args:
        batch: id, url, date, file, offset, length and digest of each, in this order.
        schema: `bytes`, `digest_ok`, `record`.
    """
    places = [f"given.{place}" for place in range(batch.num_columns)]
    named = batch.rename_columns(places)

    def read(
        page_id: str, url: str, date: str | None, file: str, offset: int, length: int, digest: str
    ) -> dict[str, Any]:
        member = reader.member(page_id, url, date, (file, offset, length), digest)
        return {"bytes": len(member), "digest_ok": True, "record": member}

    return each_document(named, read, schema)


def text_of_record(record: bytes) -> dict[str, Any] | DocumentError:
    """The columns of ConvertToMarkdown for a text, which is handed on as it is.

    Args:
        record: a gzip member with a resource of text in UTF-8.
    """
    held = next(iter(read_records(io.BytesIO(record))))
    if not isinstance(held, WARCRecord):
        return DocumentError(held.reason, held.detail)
    try:
        text = held.block.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return DocumentError(PassedOver.not_utf8, error.reason)
    content = text.replace("\r\n", "\n")
    return {
        "content": content if content.endswith("\n") else f"{content}\n",
        "link_spans": [],
        "date": (given := earliest_date(held.header("WARC-Date"), ())) and given[:10],
        "server_date": given,
        "charset": "utf-8",
    }


def whole_text(content: str, mime: str) -> Mapping[str, Any]:
    r"""The columns of ProcessMarkdown for a text of which all is main text.

    Args:
        content: ends in a line break.
        mime: `text/markdown`, which is brought into plain form, or `text/plain`.

    >>> whole_text("2 * 3\n", "text/plain")["text"]
    '2 * 3'
    """
    lines = len(split_lines(content))
    text = (plain_markdown(content) if mime == "text/markdown" else content).strip("\n")
    return {
        "text": text,
        "images": [],
        "kept_lines": lines,
        "line_verdicts": np.ones(lines, np.uint8).tobytes(),
        "nothing_kept": None if text.strip() else NothingKept.no_line,
    }


def whole_texts(contents: Iterable[str], mimes: Iterable[str], schema: pa.Schema) -> pa.Table:
    """`whole_text` of each, with `failure`."""
    rows = [whole_text(*pair) for pair in zip(contents, mimes, strict=True)]
    return pa.Table.from_pylist(rows, schema=schema.append(FAILURE))
