"""Where each selected page's record lies: CCIndex → WARCIndex.

Their commands name the module `pipeline.warc_processing`, which has both.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import luigi
import numpy as np
import pyarrow as pa

from pipeline.cc_net import OWN_PAGES, CCNet, CrawlFiles, DownloadWET
from skord.core.dumps import Source, source_of
from skord.core.failures import DocumentError
from skord.core.storage.column_store import SHARD, ShardWriter
from skord.core.storage.shard_files import ShardFooter
from skord.core.storage.shared_columns import FAILURE, ID
from skord.core.tasks.document_task import DocumentTask, Process, rows_of_answers
from skord.core.tasks.phases import Phase
from skord.core.tasks.sharded_task import ShardedTask
from skord.crawl.captures import (
    CAPTURES_SCHEMA,
    WANTED_SCHEMA,
    Keys,
    capture_keys,
    locate_captures,
    wanted_captures,
)
from skord.crawl.cdx import cdx_lines, is_cdx, timestamp_of
from skord.crawl.config import check_endpoint, crawl_settings, open_crawl
from skord.crawl.files import DIGEST, check_kept, local_name
from skord.crawl.warc.fetch import (
    LEDGER_SCHEMA,
    MENDABLE,
    FetchedRecord,
    RecordFetcher,
    WantedRecord,
    earlier_records,
    ledger_row,
)
from skord.html.charset.letter_rules import LetterRule
from skord.html.cleaning import MAX_CLEANED_CHARS, MAX_HTML_CHARS, SizeLimits
from skord.html.converter import convert_html
from skord.html.converter_name import Converter
from skord.html.line_context import line_context_type
from skord.html.pandoc import find_pandoc, pandoc_version
from skord.records.conversion import convert_records, rules_with
from skord.sources.columns import own_places, read_members, text_of_record
from skord.sources.read_again import SourceReader
from skord.sources.shards import source_opener
from skord.text.own_languages import own_languages


class CCIndex(CrawlFiles):
    """Keep the dump's index files (cdx), one shard each: 300 in a dump of Common Crawl.

    One row: `file` (path on the crawl), `bytes`, `failure`. The files lie under `files/`.
    """

    kind = "cc-index"

    schema = pa.schema(
        {"file": "string", "bytes": "int64", "failure": "string", DIGEST.name: DIGEST.type}
    )

    max_failure_share = luigi.FloatParameter(
        default=0.0, significant=False, description="a missing index file loses pages: none may"
    )

    def assign_shards(self, paths: Sequence[str]) -> Mapping[str, int]:
        """The files that hold lines, each its own shard."""
        return {path: shard for shard, path in enumerate(filter(is_cdx, paths))}


class WARCIndex(DocumentTask):
    """Point at each selected page's record in the crawl.

    Columns: `warc_file`, `warc_record_offset` and `warc_record_length` (bytes of the gzip
    member), `payload_digest` (SHA-1, base32), `http_status`, `mime`.
    """

    reads = {CCNet: ["url", "warc_file", "warc_date"]}

    schema = pa.schema(
        {
            "warc_file": "string",
            "warc_record_offset": "int64",
            "warc_record_length": "int32",
            "payload_digest": "string",
            "http_status": "int16",
            "mime": "string",
        }
    )

    @property
    def is_of_own_files(self) -> bool:
        """Whether the pages are those of a source, whose places are known from the start."""
        return source_of(str(self.dump), self.store.storage).is_own

    def upstream(self) -> Sequence[ShardedTask]:
        """The selected pages and the index; a source of one's own needs none."""
        pages = CCNet(**self.shared_params())
        return [pages] if self.is_of_own_files else [pages, CCIndex(**self.shared_params())]

    def phases(self) -> Sequence[Phase]:
        """Keys of the wanted captures, then each index file against them, then the join."""
        if self.is_of_own_files:
            return super().phases()
        return [
            Phase("wanted", self.num_shards, self.list_wanted, transient=True),
            Phase("captures", self._num_cdx, self.find_captures, transient=True),
            Phase(SHARD, self.num_shards, self.run_shard),
        ]

    def _num_cdx(self) -> int:
        return CCIndex(**self.shared_params()).num_shards()

    def list_wanted(self, shard: int) -> None:
        """Sorted keys of the shard's captures."""
        path = self.store.path(CCNet.get_task_family(), shard)
        pages = self.store.read_table(path, ["url", "warc_date"])
        keys = capture_keys(
            pages["url"].to_pylist(), map(timestamp_of, pages["warc_date"].to_pylist())
        )
        table = pa.table({"key": keys}, schema=WANTED_SCHEMA)
        self.store.write_sorted(
            self.store.path(self.task_family, shard, "wanted"), table, self.fingerprint
        )

    def find_captures(self, number: int) -> None:
        """The lines of one index file that may be wanted, sorted by the shard they concern."""
        counts: Counter[str] = Counter()
        family = CCIndex.get_task_family()
        row = self.store.read_table(self.store.path(family, number)).to_pylist()[0]
        check_kept(self.store, family, number, row)
        file = row["file"]
        with self.store.storage.stream(self.store.file_path(family, local_name(file))) as stream:
            lines = cdx_lines(stream, counts)
            captures = wanted_captures(lines, self._wanted(), self._shard_of_file(), counts)
            rows = [
                {**asdict(capture), "shard": shard, "warc_file": capture.filename}
                for shard, capture in captures
            ]
        table = pa.Table.from_pylist(rows, schema=CAPTURES_SCHEMA)
        table = table.sort_by([(name, "ascending") for name in ("shard", "warc_file", "offset")])
        path = self.store.path(self.task_family, number, "captures")
        self.store.write_sorted(path, table, self.fingerprint, **counts)

    def _wanted(self) -> Keys:
        paths = [
            self.store.path(self.task_family, shard, "wanted") for shard in range(self.num_shards())
        ]
        keys = [self.store.read_table(path)["key"].to_numpy() for path in paths]
        return np.sort(np.concatenate(keys))

    def _shard_of_file(self) -> dict[str, int]:
        family = DownloadWET.get_task_family()
        return {
            file: shard
            for shard in range(self.num_shards())
            for file in self.store.read_table(self.store.path(family, shard))[
                "warc_file"
            ].to_pylist()
        }

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """Gather what the index files say about this shard."""
        if self.is_of_own_files:
            path = self.store.path(DownloadWET.get_task_family(), shard, OWN_PAGES)
            columns = [ID.name, *self.schema.names]
            yield partial(own_places, self.store.read_table(path, columns))
            return
        captures = [
            self.store.read_slice(
                self.store.path(self.task_family, number, "captures"), shard, shard + 1
            )
            for number in range(self._num_cdx())
        ]
        yield partial(self._locate, pa.concat_tables(captures))

    def shard_counts(self, shard: int) -> Mapping[str, int]:
        """What the index files held, noted once: lines, and those that could not be read."""
        counts: Counter[str] = Counter()
        if self.is_of_own_files:
            return counts
        for number in range(self._num_cdx() if shard == 0 else 0):
            footer = self.store.footer(self.store.path(self.task_family, number, "captures"))
            counts.update(footer.counts if footer else {})
        return {f"index.{name}": number for name, number in counts.items()}

    def _locate(self, captures: pa.Table, batch: pa.Table) -> pa.Table:
        places = zip(
            batch["CCNet.warc_file"].to_pylist(),
            batch["CCNet.url"].to_pylist(),
            map(timestamp_of, batch["CCNet.warc_date"].to_pylist()),
            strict=True,
        )
        rows = locate_captures(list(places), captures.to_pylist())
        return pa.Table.from_pylist(rows, schema=self.schema.append(FAILURE))


class FetchHTMLDocuments(DocumentTask):
    """Fetch each page's record by byte range, and prove that it is the one meant.

    Columns: `bytes`, `digest_ok`, `record` (the gzip member as it came). What it took to get
    there, a row per document with `status` (the last answer's) and `tries`, lies beside
    under `_ledger/`, since it differs from run to run. Running again asks only for what is
    missing.
    """

    reads = {WARCIndex: ["warc_file", "warc_record_offset", "warc_record_length", "payload_digest"]}

    schema = pa.schema({"bytes": "int32", "digest_ok": "bool", "record": "binary"})

    incompressible = ("record",)

    threads = luigi.IntParameter(
        default=4, significant=False, description="requests under way at once in one worker"
    )

    def check(self) -> None:
        """The endpoint's settings must be able to work."""
        if not self.source.is_own:
            crawl_settings()

    def check_online(self) -> None:
        """The endpoint must answer, before anything starts; a source of one's own needs none."""
        if not self.source.is_own:
            check_endpoint(str(self.dump), "warc")

    @property
    def needs_network(self) -> bool:
        """The records lie on the crawl's servers; those of a source of one's own do not."""
        return not self.source.is_own

    @property
    def source(self) -> Source:
        """What the dump is made of."""
        return source_of(str(self.dump), self.store.storage)

    def columns_read(self) -> Mapping[type[ShardedTask], Sequence[str]]:
        """What a source's record is written with, too."""
        if not self.source.is_own:
            return self.reads
        return {**self.reads, CCNet: ["url", "warc_date"]}

    def is_whole(self, footer: ShardFooter) -> bool:
        """Whether the shard has no holes that asking again may fill."""
        return not any(f"failure.{code}" in footer.counts for code in MENDABLE)

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """A client, the ledger, and what an earlier run fetched; or the source's files."""
        if self.source.is_own:
            with self._own_records() as process:
                yield process
            return
        fetcher = RecordFetcher(open_crawl, self.threads)
        kept = self._fetched_before(shard)
        ledger_path = self.store.path(self.task_family, shard, "ledger")
        with self.store.writer(ledger_path, LEDGER_SCHEMA, self.fingerprint) as ledger:
            yield lambda batch: self._fetch(batch, fetcher, ledger, next(kept, {}))

    @contextlib.contextmanager
    def _own_records(self) -> Iterator[Process]:
        names = [ID.name, "CCNet.url", "CCNet.warc_date"]
        names += [f"WARCIndex.{name}" for name in self.reads[WARCIndex]]
        opened = source_opener(self.source, self.store, DownloadWET.get_task_family())
        with SourceReader(self.source, opened) as reader:
            yield lambda batch: read_members(batch.select(names), reader, self.schema)

    def resume(self, partial_path: str, writer: ShardWriter) -> int:
        """Nothing is skipped: what was fetched before is read from the ledger once more."""
        return super().resume(partial_path, writer) if self.source.is_own else 0

    def _fetched_before(self, shard: int) -> Iterator[Mapping[str, FetchedRecord]]:
        earlier = (
            earlier_records(self.store, path) if self.store.has(path, self.fingerprint) else ()
            for path in (self.store.path(self.task_family, shard), self.partial_path(shard))
        )
        return ({**a, **b} for a, b in zip_longest(*earlier, fillvalue={}))

    def _fetch(
        self,
        batch: pa.Table,
        fetcher: RecordFetcher,
        ledger: ShardWriter,
        kept: Mapping[str, FetchedRecord],
    ) -> pa.Table:
        names = [ID.name, *(f"WARCIndex.{name}" for name in self.reads[WARCIndex])]
        columns = (batch[name].to_pylist() for name in names)
        wanted = [WantedRecord(*values) for values in zip(*columns, strict=True)]
        missing = fetcher.fetch([record for record in wanted if record.id not in kept])
        records = {**kept, **{record.id: record for record in missing}}
        for record in wanted:
            ledger.append(ledger_row(records[record.id]))
        rows = [vars(records[record.id]) for record in wanted]
        return pa.Table.from_pylist(rows, schema=self.schema.append(FAILURE))


class ConvertToMarkdown(DocumentTask):
    """Turn each page's HTML into Markdown, one block per line.

    Columns: `url`, `warc_file`, `warc_date`, `warc_block_digest`, `content` (GitHub-flavoured
    Markdown, links reduced to their text), `link_spans` (half-open ranges of characters of
    `content`, in code points, that were the text of links), `line_context` (the HTML elements
    around each line: `html.line_context`), `script_content` (Markdown of what the page says in its
    scripts alone, null where its own text is enough), `title`, `html_lang`, `date` (day on which the
    page says that it was published: `html.page_date`), `server_date` (earliest of the record's
    dates, ISO 8601 in UTC), `charset`, `charset_source` (which step of the ladder knew
    it), `truncated` (the crawler's own reason, if it cut the page).
    """

    version = 17

    reads = {
        FetchHTMLDocuments: ["record"],
        WARCIndex: ["warc_file"],
        CCNet: ["url", "warc_date"],
    }

    schema = pa.schema(
        [
            ("url", pa.string()),
            ("warc_file", pa.string()),
            ("warc_date", pa.string()),
            ("warc_block_digest", pa.string()),
            ("content", pa.string()),
            ("link_spans", pa.list_(pa.struct([("start", pa.int32()), ("end", pa.int32())]))),
            ("line_context", line_context_type()),
            ("script_content", pa.string()),
            ("title", pa.string()),
            ("html_lang", pa.string()),
            ("date", pa.string()),
            ("server_date", pa.string()),
            ("charset", pa.string()),
            ("charset_source", pa.string()),
            ("truncated", pa.string()),
        ]
    )

    pandoc_path = luigi.Parameter(
        default="",
        significant=False,
        description="a pandoc, any version; pypandoc_binary's when empty",
    )
    converter = luigi.ChoiceParameter(
        choices=[str(converter) for converter in Converter],
        default=str(Converter.FAST),
        description="fast: our own converter; pandoc: one call of it a page, the published way",
    )
    timeout_s = luigi.FloatParameter(default=20.0, description="for one page, by pandoc")
    max_html_chars = luigi.IntParameter(
        default=MAX_HTML_CHARS,
        description="the longest page, pictures in data: addresses left out; others are too_large",
    )
    max_cleaned_chars = luigi.IntParameter(
        default=MAX_CLEANED_CHARS,
        description="the longest page without the markup that leaves no trace; others are too_large",
    )

    def check(self) -> None:
        """There must be a pandoc if one is to convert, unless there is no HTML."""
        if not self.is_of_texts:
            self.pandoc()
            self._letter_rules()

    def pandoc(self) -> Path | None:
        """The pandoc that converts; None where our own converter does."""
        if Converter(self.converter) is Converter.FAST:
            return None
        return find_pandoc(self.pandoc_path)

    @property
    def is_of_texts(self) -> bool:
        """Whether the pages are a source's texts, which are handed on as they are."""
        return source_of(str(self.dump), self.store.storage).is_text

    def fingerprint_parts(self) -> Sequence[str]:
        """Versions of pandoc write different Markdown; texts stay what they are."""
        if self.is_of_texts:
            return ["as it is"]
        letters = own_languages().digest("letters")
        own = [f"letters {letters}"] if letters else []
        pandoc = self.pandoc()
        return [pandoc_version(pandoc), *own] if pandoc else own

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """Find the pandoc once, if one is to convert."""
        del shard
        yield self._hand_on if self.is_of_texts else partial(self._convert, self.pandoc())

    def _hand_on(self, batch: pa.Table) -> pa.Table:
        return self._answered(batch, map(text_of_record, self._records(batch)))

    def _convert(self, pandoc: Path | None, batch: pa.Table) -> pa.Table:
        records, rules = self._records(batch), self._letter_rules()
        answers = convert_records(records, pandoc, self.timeout_s, rules, self._limits())
        return self._answered(batch, answers)

    def _limits(self) -> SizeLimits:
        return SizeLimits(int(self.max_html_chars), int(self.max_cleaned_chars))

    @staticmethod
    def _letter_rules() -> Sequence[LetterRule]:
        return rules_with(own_languages().letters)

    @staticmethod
    def _records(batch: pa.Table) -> list[bytes]:
        records: list[bytes] = batch["FetchHTMLDocuments.record"].to_pylist()
        return records

    def _answered(
        self, batch: pa.Table, answers: Iterable[dict[str, Any] | DocumentError]
    ) -> pa.Table:
        index = {"url": "CCNet.url", "warc_file": "WARCIndex.warc_file"}
        index["warc_date"] = "CCNet.warc_date"
        return rows_of_answers(batch, answers, index, self.schema)

    @staticmethod
    def convert_html_to_markdown(html: str | bytes, pandoc_path: str | None = None) -> str:
        """Markdown of one page, as the task makes it; for trying things out.

        Args:
            html: decoded, or as bytes whose charset is then found out.
            pandoc_path: a pandoc binary to convert with; None: our own converter.

        Raises:
            DocumentError: it cannot be converted.
            ConfigError: there is no pandoc.
        """
        return convert_html(html, pandoc_path)
