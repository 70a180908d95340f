"""All text of the selected pages by paragraphs: ExtractParagraphs, CountParagraphs.

They stand beside the way to the corpus, for those who choose among paragraphs by their place
in the page, their links, and how often they occur.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar

import luigi
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.cc_net import CCNet
from pipeline.warc_processing import FetchHTMLDocuments
from skord.core.failures import ConfigError, DocumentError, FailureCode
from skord.core.storage.column_store import SHARD
from skord.core.storage.shared_columns import FAILURE, ID
from skord.core.tasks.document_task import DocumentTask, Process, each_document
from skord.core.tasks.phases import KEYS, Phase, share_of
from skord.crawl.warc.payload import earliest_date, is_html, with_elements_closed
from skord.crawl.warc.records import read_response
from skord.extras.paragraphs.counts import (
    COUNT_COLUMNS,
    DistinctParagraphs,
    Frequencies,
    merge_paragraph_counts,
    near_rows,
    totals_by_shard,
    turned_rows,
)
from skord.extras.paragraphs.simhash import BITS, PLACES
from skord.html.charset.decode import MAX_BAD_SHARE, CharsetSource, Decoded, decode
from skord.html.failures import ConversionFailure
from skord.models.language_id.lid176 import load_language_model
from skord.paragraphs.extract import page_paragraphs
from skord.paragraphs.format import read_paragraphs, write_paragraphs
from skord.text.languages import LanguageScores, language_of, telling_text


class ParagraphFailure(FailureCode):
    """Why a fetched record has no paragraphs, besides what `ConversionFailure` names."""

    truncated = "truncated"
    """The crawler cut the page off."""


def extract_record(
    record: bytes, url: str, identify: Callable[[str], LanguageScores], *, keep_truncated: bool
) -> dict[str, object]:
    """Paragraphs of a page and what its record has about it.

    Args:
        record: one gzip member with one WARC response record.
        url: of the page.
        identify: gives a text's language scores.
        keep_truncated: take pages that the crawler cut off, too.

    Raises:
        DocumentError: the record is no HTML page, or no text can be had of it.
    """
    response = read_response(record)
    if response.status != 200:
        raise DocumentError(ConversionFailure.http_status, str(response.status))
    if response.truncated and not keep_truncated:
        raise DocumentError(ParagraphFailure.truncated, response.truncated)
    if not is_html(response.content_type, response.body):
        raise DocumentError(ConversionFailure.not_html, str(response.content_type))
    decoded = decode(
        with_elements_closed(response.body, response.content_type), response.content_type
    )
    refuse_guesses(decoded)
    paragraphs = page_paragraphs(decoded.text)
    plain = "\n".join(paragraph.plain for paragraph in paragraphs)
    return {
        "text": write_paragraphs(paragraphs),
        "url": url,
        "charset": decoded.charset,
        "lang": language_of(identify(telling_text(plain))),
        "date": earliest_date(response.date, response.http_headers),
    }


def refuse_guesses(decoded: Decoded) -> None:
    """Raise DocumentError for bytes that are no text, or that the detector's charset hardly reads.

    A detector always names one, for pages that are not text, too.
    """
    if decoded.source is CharsetSource.unreadable:
        raise DocumentError(ConversionFailure.undecodable, decoded.charset)
    if decoded.source is CharsetSource.detector:
        foreign = sum(char > "\x7f" for char in decoded.text)
        if decoded.text.count("\ufffd") > MAX_BAD_SHARE * foreign:
            raise DocumentError(ConversionFailure.undecodable, decoded.charset)


class ExtractParagraphs(DocumentTask):
    """Take all paragraphs out of each page, in the format of Uzushio.

    Columns: `text` (paragraphs separated by a blank line, each `css>path.class#id`, U+001C and
    its text, links between U+0002 and U+0003; `paragraphs.format` reads it), `doc_id`
    (as `id`), `url`, `charset`, `lang` (best label of the language model), `date` (earliest of
    the record's dates, ISO 8601 in UTC).
    """

    version = 2

    on_request: ClassVar[bool] = True

    leads_to: ClassVar[str] = "ExportParagraphs"

    reads = {FetchHTMLDocuments: ["record"], CCNet: ["url"]}

    schema = pa.schema(
        {
            "text": "string",
            "doc_id": "string",
            "url": "string",
            "charset": "string",
            "lang": "string",
            "date": "string",
        }
    )

    lid_model_path = luigi.Parameter(
        default="", description="a fastText model; the embedded lid.176.ftz when empty"
    )
    keep_truncated = luigi.BoolParameter(
        default=False,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="take pages that the crawler cut off, too",
    )

    def check(self) -> None:
        """The language model must be there."""
        load_language_model(self.lid_model_path)

    def fingerprint_parts(self) -> Sequence[str]:
        """Models name different languages."""
        return [load_language_model(self.lid_model_path).name]

    def process(self, batch: pa.Table) -> pa.Table:
        """The paragraphs of each page."""
        identify = load_language_model(self.lid_model_path).scores

        def extract(record: bytes, url: str) -> dict[str, Any]:
            return extract_record(record, url, identify, keep_truncated=self.keep_truncated)

        table = each_document(batch, extract, self.schema)
        names = pc.if_else(
            table[FAILURE.name].is_null(), batch[ID.name], pa.scalar(None, pa.string())
        )
        return table.set_column(self.schema.get_field_index("doc_id"), "doc_id", names)


class CountParagraphs(DocumentTask):
    """Count how often each paragraph occurs in the dump.

    Columns, one number for each paragraph of `text`: `exact_freq` (paragraphs with the same
    text, links left out of account) and `near_freq` (those, and the ones nearly like it).
    """

    on_request: ClassVar[bool] = True

    leads_to: ClassVar[str] = "ExportParagraphs"

    reads = {ExtractParagraphs: ["text"]}

    schema = pa.schema(COUNT_COLUMNS)

    num_partitions = luigi.IntParameter(
        default=64,
        significant=False,
        description="ranges that paragraphs are compared in; sets the memory",
    )
    max_distance = luigi.IntParameter(
        default=20, description="bits of 128 by which signatures of near paragraphs may differ"
    )
    window = luigi.IntParameter(
        default=32, description="signatures that each is compared with, in each of 8 sort orders"
    )

    def check(self) -> None:
        """The distance must mean something."""
        if not 0 <= self.max_distance < BITS // 2:
            raise ConfigError(
                f"[CountParagraphs] max_distance must lie between 0 and {BITS // 2 - 1}: "
                f"texts without anything in common differ in {BITS // 2} bits"
            )

    def phases(self) -> Sequence[Phase]:
        """Find the distinct texts, merge and turn them, compare, add up, look up."""
        parts = self._named
        every = [
            ("distinct", self.num_shards, self.find_distinct),
            (parts("merged"), self._num_partitions, self.merge),
            (parts("turned"), self._num_partitions, self.turn),
            (parts("near"), self._num_partitions, self.compare),
            (parts("totals"), self._num_partitions, self.add_up),
        ]
        return [
            *(Phase(name, size, run, transient=True) for name, size, run in every),
            Phase(SHARD, self.num_shards, self.run_shard),
        ]

    def find_distinct(self, shard: int) -> None:
        """The distinct paragraphs of one shard, with their signatures."""
        distinct = DistinctParagraphs()
        wanted = {self.upstream()[0].task_family: ["text"]}
        for _, batch in self.store.side_by_side(shard, wanted):
            texts = batch["ExtractParagraphs.text"].drop_null().to_pylist()
            distinct.add([text for document in texts for text in _plain_text(document)])
        self._write("distinct", shard, distinct.table())

    def merge(self, partition: int) -> None:
        """One range of keys over all shards."""
        low, high = share_of(partition, self.num_partitions, KEYS)
        shards = range(self.num_shards())
        parts = [self._slice("distinct", shard, low, high) for shard in shards]
        self._write(self._named("merged"), partition, merge_paragraph_counts(parts))

    def turn(self, partition: int) -> None:
        """The same once for each sort order of signatures."""
        path = self._path(self._named("merged"), partition)
        self._write(self._named("turned"), partition, turned_rows(self.store.read_table(path)))

    def compare(self, partition: int) -> None:
        """Which paragraphs in one range of signatures are near each other."""
        low, high = share_of(partition, self.num_partitions, PLACES)
        parts = [self._slice(self._named("turned"), p, low, high) for p in self._partitions]
        rows = near_rows(parts, self.window, self.max_distance)
        self._write(self._named("near"), partition, rows)

    def add_up(self, partition: int) -> None:
        """The frequencies of one range of keys, shard by shard."""
        low, high = share_of(partition, self.num_partitions, KEYS)
        distinct = self.store.read_table(self._path(self._named("merged"), partition))
        near = [self._slice(self._named("near"), p, low, high) for p in self._partitions]
        shards = range(self.num_shards())
        held = [self._slice("distinct", shard, low, high)["key"].to_numpy() for shard in shards]
        self._write(self._named("totals"), partition, totals_by_shard(distinct, near, held))

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """What was found of this shard's paragraphs."""
        totals = self._named("totals")
        parts = (self._slice(totals, p, shard, shard + 1) for p in self._partitions)
        yield partial(self._look_up, Frequencies(parts))

    def _look_up(self, frequencies: Frequencies, batch: pa.Table) -> pa.Table:
        def count(text: str) -> dict[str, list[int]]:
            return dict(zip(self.schema.names, frequencies(_plain_text(text)), strict=True))

        return each_document(batch, count, self.schema)

    @property
    def _partitions(self) -> range:
        return range(self.num_partitions)

    def _num_partitions(self) -> int:
        return int(self.num_partitions)

    def _named(self, phase: str) -> str:
        """Phases cut into other parts must not meet."""
        return f"{phase}-{self.num_partitions}"

    def _path(self, phase: str, number: int) -> str:
        return self.store.path(self.task_family, number, phase)

    def _slice(self, phase: str, number: int, low: int, high: int) -> pa.Table:
        return self.store.read_slice(self._path(phase, number), low, high)

    def _write(self, phase: str, number: int, table: pa.Table) -> None:
        self.store.write_sorted(self._path(phase, number), table, self.fingerprint)


def _plain_text(text: str) -> list[str]:

    return [paragraph.plain for paragraph in read_paragraphs(text)]
