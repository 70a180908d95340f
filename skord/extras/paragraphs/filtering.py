"""Paragraphs to a corpus, as Uzushio makes one: FilterParagraphs, ExportParagraphs."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any, ClassVar

import luigi
import pyarrow as pa

from pipeline.export import WithoutRemovedPages
from pipeline.warc_processing import FetchHTMLDocuments
from skord.core.failures import ConfigError
from skord.core.storage.column_store import ShardWriter
from skord.core.storage.shared_columns import FAILURE, ID
from skord.core.tasks.document_task import DocumentTask, Process
from skord.crawl.warc.framing import canonical_record_id
from skord.extras.paragraphs.extraction import CountParagraphs, ExtractParagraphs
from skord.extras.paragraphs.filters import (
    NO_CONTENT,
    ParagraphLimits,
    as_markdown,
    link_ratio,
    page_reason,
    paragraph_reasons,
)
from skord.extras.paragraphs.page_measures import is_drawn, paragraph_page_measures
from skord.models.language_model.interface import LanguageModels, load_language_models
from skord.paragraphs.format import read_paragraphs, write_paragraphs
from skord.publishing.manifest import RemovedPages
from skord.text.list_files import digest_of, read_entries

PACKING = pa.Codec("gzip")
"""Arrow's own, with which texts come out equally large under every Python."""


class FilterParagraphs(DocumentTask):
    """Choose among the paragraphs of each page, then among pages by what is left.

    Columns, one entry for each paragraph of `text` of ExtractParagraphs: `reasons` (the filter
    that takes it out: `adjacent`, `no_content`, `min_chars`, `max_link_ratio`, `max_exact_freq`,
    `max_near_freq`, `run`; null where it is kept) and `link_ratios` (share of its characters that
    are links). For the page: `kept_paragraphs` (how many), `chars` (of them), `compression_ratio`
    (packed by LZ4 against size), `script_ratio` (share of letters in a script of its language;
    null where that is not known), `hiragana_ratio` (null but for Japanese), `ended_ratio` (share of
    paragraphs that end a sentence), `num_listed_words` (words of the list that its text
    holds), `copies` (how often its paragraphs occur in the dump, the mean of `near_freq` by
    length), `perplexity` (null unless `max_perplexity` is set and there is a model of its
    language) and `page_reason` (why the page is left out; null where it is kept).
    """

    version = 2  # further measures of pages, and repeated neighbours

    on_request: ClassVar[bool] = True

    leads_to: ClassVar[str] = "ExportParagraphs"

    reads = {ExtractParagraphs: ["text", "lang"], CountParagraphs: ["exact_freq", "near_freq"]}

    schema = pa.schema(
        [
            ("reasons", pa.list_(pa.string())),
            ("link_ratios", pa.list_(pa.float32())),
            ("kept_paragraphs", pa.int32()),
            ("chars", pa.int32()),
            ("compression_ratio", pa.float32()),
            ("script_ratio", pa.float32()),
            ("hiragana_ratio", pa.float32()),
            ("ended_ratio", pa.float32()),
            ("num_listed_words", pa.int32()),
            ("copies", pa.float32()),
            ("perplexity", pa.float64()),
            ("page_reason", pa.string()),
        ]
    )

    no_content: Sequence[str] = luigi.ListParameter(
        default=("default",),
        description="patterns of path steps (tag.class#id) without content; default: Uzushio's",
    )
    min_chars = luigi.IntParameter(default=1, description="of a paragraph")
    drop_adjacent = luigi.BoolParameter(
        default=True,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="take out a paragraph with the text of the one before it",
    )
    max_link_ratio = luigi.FloatParameter(
        default=0.8, description="share of a paragraph's characters that are links"
    )
    max_exact_freq = luigi.IntParameter(
        default=0, description="paragraphs of the dump with the same text; 0: any number"
    )
    max_near_freq = luigi.IntParameter(
        default=0, description="paragraphs of the dump that are nearly the same; 0: any number"
    )
    run_freq = luigi.IntParameter(
        default=100, description="from this near_freq on paragraphs in a row are template; 0: none"
    )
    run_length = luigi.IntParameter(default=3, description="so many of them in a row")
    min_page_chars = luigi.IntParameter(default=200, description="of what is left of a page")
    max_page_chars = luigi.IntParameter(default=0, description="likewise; 0: any number")
    min_compression = luigi.FloatParameter(
        default=0.0, description="least packed size against size of what is left"
    )
    max_compression = luigi.FloatParameter(default=1.0, description="the greatest")
    min_script = luigi.FloatParameter(
        default=0.0, description="share of letters in a script of the page's language"
    )
    min_hiragana = luigi.FloatParameter(
        default=0.1, description="share of hiragana in Japanese text"
    )
    min_ended = luigi.FloatParameter(
        default=0.0, description="share of paragraphs left that end a sentence"
    )
    word_list_files: Sequence[str] = luigi.ListParameter(
        default=(), description="files of words that a page may hold few of, one on a line"
    )
    max_listed_words = luigi.IntParameter(default=2, description="of them in a page")
    max_perplexity = luigi.FloatParameter(
        default=0.0, description="of what is left, by the language's model; 0: any"
    )
    language_models = luigi.Parameter(
        default="embedded", description="folder of SentencePiece and KenLM models"
    )
    expected_copies = luigi.FloatParameter(
        default=0.0,
        description="of pages whose paragraphs occur n times, keep so many of n; 0: all",
    )

    def check(self) -> None:
        """Patterns must be such, and lists and models be there."""
        self._models()
        try:
            _ = self.limits().steps
        except re.error as error:
            raise ConfigError(f"[FilterParagraphs] no_content: {error}") from error

    def fingerprint_parts(self) -> Sequence[str]:
        """The entries of lists decide, and models that score."""
        digest = digest_of(*self.word_list_files)
        models = self._models()
        return [part for part in (digest, models.name if models else "") if part]

    def _models(self) -> LanguageModels | None:
        """Those by which pages are limited."""
        if not self.max_perplexity:
            return None

        return load_language_models(str(self.language_models))

    def limits(self) -> ParagraphLimits:
        """What is taken out."""
        patterns = tuple(self.no_content)
        words = frozenset(word.lower() for word in read_entries(*self.word_list_files))
        return ParagraphLimits(
            no_content=NO_CONTENT if patterns == ("default",) else patterns,
            listed_words=words,
            **{name: getattr(self, name) for name in LIMITS},
        )

    def process(self, batch: pa.Table) -> pa.Table:
        """The decisions on each page's paragraphs and on the page."""
        limits, models = self.limits(), self._models()
        names = (
            ID.name,
            "ExtractParagraphs.lang",
            "ExtractParagraphs.text",
            "CountParagraphs.exact_freq",
            "CountParagraphs.near_freq",
        )
        rows = [
            judged_page(page_id, language, text, exact, near, limits, models)
            for page_id, language, text, exact, near in zip(
                *(batch[name].to_pylist() for name in names), strict=True
            )
        ]
        return pa.Table.from_pylist(rows, schema=self.schema.append(FAILURE))

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """Paragraphs and pages by what took them out."""
        counts: Counter[str] = Counter()
        for reasons in table["reasons"].to_pylist():
            counts.update(f"paragraphs.{reason or 'kept'}" for reason in reasons or ())
        pages = zip(table["page_reason"].to_pylist(), table["chars"].to_pylist(), strict=True)
        counts.update(f"pages.{why or 'kept'}" for why, chars in pages if chars is not None)
        return counts


LIMITS = [
    one.name for one in fields(ParagraphLimits) if one.name not in ("no_content", "listed_words")
]
"""Settings that are limits as they stand."""


def judged_page(
    page_id: str,
    language: str | None,
    text: str,
    exact: Sequence[int],
    near: Sequence[int],
    limits: ParagraphLimits,
    models: LanguageModels | None = None,
) -> dict[str, Any]:
    """The row of FilterParagraphs for one page."""
    paragraphs = read_paragraphs(text)
    reasons = paragraph_reasons(paragraphs, exact, near, limits)
    kept = [place for place, reason in enumerate(reasons) if reason is None]
    left = [paragraphs[place] for place in kept]
    measures = paragraph_page_measures(
        left, [near[place] for place in kept], language, limits.listed_words
    )
    if models is not None and left:
        plain = "\n".join(one.plain for one in left)
        score = models.score(language or "", [plain], exact=False)[0].page
        measures = replace(measures, perplexity=score)
    drawn = is_drawn(page_id, measures.copies, limits.expected_copies)
    measures = replace(measures, copies_drawn=drawn)
    columns = vars(measures) | {"page_reason": page_reason(measures, limits)}
    del columns["copies_drawn"]
    return {
        "reasons": reasons,
        "link_ratios": list(map(link_ratio, paragraphs)),
        "kept_paragraphs": len(kept),
        **columns,
        FAILURE.name: None,
    }


class ExportParagraphs(WithoutRemovedPages, DocumentTask):
    """Write documents of the paragraphs that FilterParagraphs kept, a file for language and shard.

    Under `files/lang=CODE/` lie `NNNNN.parquet` with `id` (or `docId`), `url`, `charset`, `date`
    and `text`. Pages that a removal list names are left out. The
    manifest's counts are the dump's statistics: `documents`, `text_bytes`, `packed_text_bytes` (each
    text packed by itself, as records are), `raw_bytes` (of the records, packed), `charset.NAME`,
    `year.YYYY.LANG`.

    Columns: `file` (below `files/`) and `bytes` (of the text); null where the page is not in.
    """

    version = 2  # counts of packed text

    on_request: ClassVar[bool] = True

    reads = {
        ExtractParagraphs: ["text", "url", "charset", "lang", "date"],
        FilterParagraphs: ["reasons", "page_reason"],
        FetchHTMLDocuments: ["bytes"],
    }

    schema = pa.schema({"file": "string", "bytes": "int32"})

    form = luigi.ChoiceParameter(
        choices=["markdown", "paragraphs"],
        default="markdown",
        description="text as Markdown, or as Uzushio's paragraphs with their paths",
    )
    doc_id = luigi.BoolParameter(
        default=False,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="name the id docId and write it as a bare UUID, as Uzushio does",
    )

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """The documents of the shard by language, written when all are there."""
        held: dict[str, list[dict[str, Any]]] = {}
        counts: Counter[str] = Counter()
        self._statistics = counts
        yield partial(self._gather, f"{shard:05d}.parquet", held, counts, self.removed())
        for folder, rows in sorted(held.items()):
            path = self.store.file_path(self.task_family, f"{folder}/{shard:05d}.parquet")
            with self.store.writer(
                path, self._file_schema(), self.fingerprint, indexed=False
            ) as out:
                for row in rows:
                    out.append(row)
        for name in self._names():  # of a language that lost its last page here
            folder, _, file = name.partition("/")
            if file == f"{shard:05d}.parquet" and folder not in held:
                self.store.storage.delete(self.store.file_path(self.task_family, name))

    def _names(self) -> list[str]:
        """The files that are there, by their paths."""
        folder = self.store.file_path(self.task_family, "").rstrip("/")
        return list(self.store.storage.tree(folder))

    def pages_in_files(self) -> Iterator[tuple[str, str, str]]:
        """Every row of every file."""
        for name in self._names():
            path = self.store.file_path(self.task_family, name)
            with self.store.open_parquet(path) as file:
                page_id, url = file.schema_arrow.names[:2]
                for batch in file.iter_batches(columns=[page_id, url]):
                    for row in batch.to_pylist():
                        yield name, canonical_record_id(row[page_id]), row[url] or ""

    def shard_counts(self, shard: int) -> Mapping[str, int]:
        """The shard's statistics."""
        del shard
        return self._statistics

    def resume(self, partial_path: str, writer: ShardWriter) -> int:
        """Nothing is skipped: files are written whole."""
        del partial_path, writer
        return 0

    def _file_schema(self) -> pa.Schema:

        names = ["docId" if self.doc_id else ID.name, "url", "charset", "date", "text"]
        return pa.schema([(name, pa.string()) for name in names])

    def _gather(
        self,
        name: str,
        held: dict[str, list[dict[str, Any]]],
        counts: Counter[str],
        removed: RemovedPages,
        batch: pa.Table,
    ) -> pa.Table:

        rows: list[dict[str, Any]] = []
        for row in batch.to_pylist():
            text = self._text(row)
            is_listed = (row[ID.name], row["ExtractParagraphs.url"] or "") in removed
            is_in = not row["FilterParagraphs.page_reason"] and not is_listed
            if not (is_in and text):
                rows.append({FAILURE.name: None})
                continue
            about = {key: row[f"ExtractParagraphs.{key}"] for key in ("url", "charset", "date")}
            language = row["ExtractParagraphs.lang"] or "und"
            page_id = row[ID.name].removeprefix("urn:uuid:") if self.doc_id else row[ID.name]
            document = {self._file_schema().names[0]: page_id, **about, "text": text}
            held.setdefault(f"lang={language}", []).append(document)
            data = text.encode()
            size = len(data)
            year = (about["date"] or "none")[:4]
            counts.update([f"charset.{about['charset']}", f"year.{year}.{language}"])
            counts.update(
                documents=1,
                text_bytes=size,
                packed_text_bytes=PACKING.compress(data).size,
                raw_bytes=row["FetchHTMLDocuments.bytes"] or 0,
            )
            rows.append({"file": f"lang={language}/{name}", "bytes": size, FAILURE.name: None})
        return pa.Table.from_pylist(rows, schema=self.schema.append(FAILURE))

    def _text(self, row: Mapping[str, Any]) -> str:

        paragraphs = read_paragraphs(row["ExtractParagraphs.text"])
        pairs = zip(paragraphs, row["FilterParagraphs.reasons"], strict=True)
        kept = [one for one, reason in pairs if reason is None]
        return as_markdown(kept) if self.form == "markdown" else write_paragraphs(kept)
