"""Texts made again from a table of pointers: fetch the record, convert it, keep the lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from skord.core.failures import ConfigError, DocumentError
from skord.core.storage.column_store import ColumnStore
from skord.crawl.warc.fetch import (
    MENDABLE,
    FetchedRecord,
    RecordMismatch,
    WantedRecord,
)
from skord.crawl.warc.records import only_record
from skord.publishing.files import sha256_of_file
from skord.publishing.pointers import (
    CUTS_FIELD,
    POINTERS_SCHEMA,
    REBUILT_SCHEMA,
    packed_digest,
    text_again,
    unpacked_id,
)
from skord.publishing.rows import MARKDOWN, PLAIN

BATCH_ROWS = 200
"""Pointers taken at a time: their records and pages are in memory together."""

Row = dict[str, Any]


@dataclass(frozen=True)
class About:
    """What a table of pointers holds of how its texts were made.

    Attributes:
        converter, pandoc: what made the Markdown, and the version of a pandoc, "" for none.
        replace_kinds: what stand-ins were put in for.
        format: how texts were written.
    """

    dump: str
    converter: str
    pandoc: str
    replace_kinds: tuple[str, ...]
    format: str = MARKDOWN


def read_about(path: Path) -> About:
    """What the footer of a table of pointers holds."""
    try:
        with pq.ParquetFile(path) as file:
            noted = json.loads(
                (file.schema_arrow.metadata or file.metadata.metadata or {}).get(b"skord", b"null")
            )
            missing = set(POINTERS_SCHEMA.names) - set(file.schema_arrow.names)
    except (pa.ArrowInvalid, KeyError, TypeError, ValueError, OSError) as error:
        raise ConfigError(
            f"{path} is no table of pointers ({str(error).partition('. ')[0]})"
        ) from error
    if missing:
        raise ConfigError(f"{path} is no table of pointers: it lacks {', '.join(sorted(missing))}")
    return About(**{**noted, "replace_kinds": tuple(noted["replace_kinds"])})


Page = dict[str, Any] | DocumentError


@dataclass(frozen=True)
class Records:
    """Where the records of a dump come from.

    Attributes:
        fetch: those wanted, in order, failures in their places.
        convert: records to Markdown (`content`), by the converter of that name.
    """

    fetch: Callable[[Sequence[WantedRecord]], Sequence[FetchedRecord]]
    convert: Callable[[Sequence[bytes], str], Iterable[Page]]


@dataclass(frozen=True)
class Rebuilder:
    """Makes texts again, from the records of a dump by its name."""

    records_of: Callable[[str], Records]

    def rebuild(self, path: Path, out: ColumnStore) -> Counter[str]:
        """Write `{name}.parquet` with a row for each pointer: the text, or why there is none.

        What an earlier run made is taken over; only what the network failed on is asked for
        again.

        Returns:
            `documents` and `failure.{code}`: how many.

        Raises:
            CrawlError: the endpoint could not be reached; running again continues from here.
        """
        target, fingerprint = f"{path.stem}.parquet", sha256_of_file(path)[:16]
        about = read_about(path)
        earlier: dict[str, Row] = {}
        footer = out.footer(target)
        if footer and footer.fingerprint == fingerprint:
            if not MENDABLE & failures_in(footer.counts).keys():
                return Counter(footer.counts)
            earlier = _earlier(out, target)
        of_dump = self.records_of(about.dump)
        with out.writer(target, REBUILT_SCHEMA, fingerprint) as writer:
            for pointers in _batches(path):
                rows = _rows(pointers, about, of_dump, earlier)
                writer.write(pa.Table.from_pylist(rows, REBUILT_SCHEMA))
                writer.counts.update(documents=len(rows))
                writer.counts.update(f"failure.{row['failure']}" for row in rows if row["failure"])
            return Counter(writer.counts)


def _rows(
    pointers: Sequence[Row], about: About, of_dump: Records, earlier: Mapping[str, Row]
) -> list[Row]:
    missing = [one for one in pointers if one["id"] not in earlier]
    made = {**earlier, **_made(missing, about, of_dump)}
    return [made[one["id"]] for one in pointers]


def _made(pointers: Sequence[Row], about: About, of_dump: Records) -> dict[str, Row]:
    fetched = of_dump.fetch([_wanted(one) for one in pointers])
    failures = [_failure(*pair) for pair in zip(pointers, fetched, strict=True)]
    wanted = zip(fetched, failures, strict=True)
    records = [one.record for one, failure in wanted if one.record and not failure]
    pages = iter(of_dump.convert(records, about.converter))
    return {
        one["id"]: _failed(one, failure) if failure else _row(one, next(pages), about)
        for one, failure in zip(pointers, failures, strict=True)
    }


def _wanted(pointer: Row) -> WantedRecord:
    place = (pointer["warc_file"], pointer["offset"], pointer["length"])
    return WantedRecord(pointer["id"], *place, None, pointer["url"])


def _failure(pointer: Row, fetched: FetchedRecord) -> str | None:
    """Why a record is not the one meant; that it is whole was seen when it came."""
    if fetched.record is None:
        return str(fetched.failure)
    stored_digest = packed_digest(only_record(fetched.record).header("WARC-Payload-Digest"))
    wanted = pointer["payload_digest"]
    differs = stored_digest is not None and wanted is not None and stored_digest != wanted
    return str(RecordMismatch.digest_mismatch) if differs else None


def _row(pointer: Row, page: Page, about: About) -> Row:
    if isinstance(page, DocumentError):
        return _failed(pointer, str(page.code))
    try:
        text = text_again(
            page["content"], pointer["lines"], about.replace_kinds, pointer["text_digest"],
            pointer.get(CUTS_FIELD.name) or b"", is_plain=about.format == PLAIN,
        )  # fmt: skip
    except DocumentError as error:
        return _failed(pointer, str(error.code))
    return {"id": pointer["id"], "url": pointer["url"], "text": text, "failure": None}


def _failed(pointer: Row, code: str) -> Row:
    return {"id": pointer["id"], "url": pointer["url"], "text": None, "failure": code}


def _batches(path: Path) -> Iterator[list[Row]]:
    with pq.ParquetFile(path) as file:
        has_cuts = CUTS_FIELD.name in file.schema_arrow.names
        columns = [*POINTERS_SCHEMA.names, *([CUTS_FIELD.name] if has_cuts else [])]
        for batch in file.iter_batches(BATCH_ROWS, columns=columns):
            yield [{**row, "id": unpacked_id(row["id"])} for row in batch.to_pylist()]


def _earlier(out: ColumnStore, target: str) -> dict[str, Row]:
    """Rows of an earlier run that another would not change."""
    rows = out.read_table(target).to_pylist()
    return {row["id"]: row for row in rows if row["failure"] not in MENDABLE}


def failures_in(counts: Mapping[str, int]) -> dict[str, int]:
    """How many documents failed, by code.

    >>> failures_in({"documents": 9, "failure.not_in_wet": 2})
    {'not_in_wet': 2}
    """
    prefix = "failure."
    return {k.removeprefix(prefix): n for k, n in sorted(counts.items()) if k.startswith(prefix)}
