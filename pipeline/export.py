"""The corpus: the kept texts as files, with a card that tells how they came about."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import luigi
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.cc_net import CCNet
from pipeline.decontamination import Decontaminate
from pipeline.dedup import Deduplicate
from pipeline.education_scores import ScoreEducation
from pipeline.markdown_processing import ProcessMarkdown
from pipeline.published_files import PublishingTask
from pipeline.quality_filtering import FilterDocuments
from pipeline.register_labels import LabelRegisters
from pipeline.repeated_passages import FindRepeatedPassages
from pipeline.reservations import DetectReservations
from pipeline.unwanted_kinds import MeasureUnwanted
from pipeline.warc_processing import ConvertToMarkdown, FetchHTMLDocuments, WARCIndex
from skord.core.dumps import source_of
from skord.core.failures import ConfigError
from skord.core.storage.column_store import SHARD, ShardWriter
from skord.core.storage.shared_columns import FAILURE
from skord.core.tasks.document_task import DocumentTask, Process
from skord.core.tasks.phases import Phase
from skord.core.tasks.sharded_task import ShardedTask
from skord.html.pandoc.binary import find_pandoc, pandoc_version
from skord.publishing.card.dataset_card import CardFacts
from skord.publishing.card.facts import card_facts
from skord.publishing.manifest import CARD, FILES, removed_pages
from skord.publishing.replaced_kinds import DEFAULT, RULES_VERSION, Replaced
from skord.publishing.rows import (
    FILTERED,
    FORMATS,
    MARKDOWN,
    MIME,
    NEAR_DUPLICATE,
    REPEATED,
    RESERVED,
    check_scores,
    cuts_of,
    left_out,
    looser_limits,
)
from skord.publishing.source import CHOSEN, PLAN, CorpusSource, Form
from skord.quality import limits as quality
from skord.quality.features import FEATURES, PUBLISHABLE, published_on_request
from skord.rights.reservations import are_reserved, parse_reservation_pattern
from skord.text.cuts import KEPT, TREATMENTS, cut_out

PASSAGES = "repeated_passages"
"""Column of FindRepeatedPassages, and of a row that they are cut out of."""

OFF, MARKED, REPLACED = "off", "marked", "replaced"
"""What can be done about a kind of personal data."""


LATER_TASKS: tuple[type[ShardedTask], ...] = (
    FindRepeatedPassages,
    Decontaminate,
    MeasureUnwanted,
    LabelRegisters,
    ScoreEducation,
)
"""Tasks on request whose measures can decide what is published."""


TOLD = (
    CCNet,
    WARCIndex,
    FetchHTMLDocuments,
    ConvertToMarkdown,
    ProcessMarkdown,
    FilterDocuments,
    Deduplicate,
)
"""Tasks that a card tells of, in graph order."""

COLUMNS: Mapping[str, tuple[type[ShardedTask], str]] = {
    "url": (ConvertToMarkdown, "url"),
    "warc_file": (WARCIndex, "warc_file"),
    "offset": (WARCIndex, "warc_record_offset"),
    "length": (WARCIndex, "warc_record_length"),
    "warc_date": (ConvertToMarkdown, "warc_date"),
    "title": (ConvertToMarkdown, "title"),
    "date": (ConvertToMarkdown, "date"),
    "language": (FilterDocuments, "language"),
    "text": (ProcessMarkdown, "text"),
    "bucket": (CCNet, "bucket"),
    "payload_digest": (WARCIndex, "payload_digest"),
    "line_verdicts": (ProcessMarkdown, "line_verdicts"),
}
"""What a row of the corpus is made of, besides scores."""


class ExportCorpus(PublishingTask):
    """Publish the kept texts: `files/`, with card and checksums, ready to be copied elsewhere.

    Only pages with `dedup_keep` are in it. `limits` are decided anew, from the stored measures,
    and may only be stricter than those under which texts were deduplicated: a page that did
    not compete then has no verdict, so looser ones need [FilterDocuments] limits and
    Deduplicate again. A near-duplicate does not come back when the one that was kept goes.
    What `python -m pipeline removals` lists is left out, and a list that is added makes the
    task incomplete; which file a page is in does not depend on the lists.

    Columns, for every document of the index: `in_corpus` (removals not counted), `left_out`
    (why not: limits that it fails, `near_duplicate`, `filtered`, `reserved`, `repeated`), `file`.
    """

    version = 3
    on_request = True
    reads = {
        FilterDocuments: [feature.name for feature in FEATURES],
        Deduplicate: ["dedup_keep"],
    }

    schema = pa.schema({"in_corpus": "bool", "left_out": "string", "file": "int32"})

    target_bytes = luigi.IntParameter(
        default=1 << 30, description="bytes of text (UTF-8) in a file to aim for"
    )
    limits: Mapping[str, Any] = luigi.DictParameter(
        default={}, description="feature name to stricter limits [low, high]"
    )
    scores: Sequence[str] = luigi.ListParameter(
        default=("language_score", "perplexity", "reference_score"),
        description="measures and labels that are columns, besides measures with limits; "
        "those of tasks on request, too (registers, unwanted_kind …), which then run before",
    )
    reservations: Sequence[str] = luigi.ListParameter(
        default=(),
        significant=False,
        description="reservations by which pages are left out, such as tdmrep_* or "
        "robots_txt:GPTBot; DetectReservations then runs before",
    )
    replace_kinds: Sequence[str] = luigi.ListParameter(
        default=tuple(map(str, DEFAULT)),
        description="stand-ins for emails, ip_addresses, phone_numbers, personal_numbers",
    )
    personal_data: Mapping[str, str] = luigi.DictParameter(
        default={},
        significant=False,
        description="kind of personal data to off, marked or replaced, beside replace_kinds",
    )
    passages = luigi.ChoiceParameter(
        choices=list(TREATMENTS),
        default=KEPT,
        significant=False,
        description="what becomes of passages that FindRepeatedPassages finds, which then runs "
        "before: kept, all but the first copy cut out, or all copies",
    )
    format = luigi.ChoiceParameter(
        choices=list(FORMATS),
        default=MARKDOWN,
        significant=False,
        description="how texts are written: with Markdown's structure, or plain without markup",
    )
    json_lines = luigi.BoolParameter(
        default=False,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="also write the rows as JSON lines",
    )
    title = luigi.Parameter(default="Web texts", description="of the card")
    licence = luigi.Parameter(default="other", description="of the collection, as the hub names it")
    licence_link = luigi.Parameter(
        default="https://commoncrawl.org/terms-of-use", description="where the licence is read"
    )
    contact = luigi.Parameter(default="", description="where requests for removal go")

    def upstream(self) -> Sequence[ShardedTask]:
        """Every task whose columns are in the corpus, or decide."""
        tasks: list[type[ShardedTask]] = [
            CCNet, WARCIndex, ConvertToMarkdown, ProcessMarkdown, FilterDocuments, Deduplicate,
        ]  # fmt: skip
        tasks += [task for task in self.columns_read() if task not in tasks]
        return [task(**self.shared_params()) for task in tasks]

    def columns_read(self) -> Mapping[type[ShardedTask], Sequence[str]]:
        """Tasks on request only where what they found decides, or is published."""
        wanted = {*self.limits, *self.scores}
        named = {
            task: [name for name in published_on_request(str(task.__name__)) if name in wanted]
            for task in LATER_TASKS
        }
        asked: dict[type[ShardedTask], Sequence[str]] = {t: n for t, n in named.items() if n}
        if self.reservations:
            asked[DetectReservations] = ["reservations"]
        if self.passages != KEPT:
            asked[FindRepeatedPassages] = [*asked.get(FindRepeatedPassages, ()), PASSAGES]
            asked[ProcessMarkdown] = ["text"]
        return {**self.reads, **asked}

    def _on_request(self) -> list[str]:
        """Names of the tasks on request that are read."""
        return [str(task.__name__) for task in self.columns_read() if task not in TOLD]

    def fingerprint_parts(self) -> Sequence[str]:
        """What decides or is a column since later than the others: without it all is as before."""
        said = [f"reservations {sorted(self.reservations)}"] if self.reservations else []
        names = [name for task in LATER_TASKS for name in self.columns_read().get(task, ())]
        later = [one.name for one in PUBLISHABLE if one.name in names]
        said += [f"columns {later}"] if later else []
        if self._on_request():
            said.append("card of tasks on request")
        if self.passages != KEPT:
            said.append(f"passages {self.passages}")
        if self.format != MARKDOWN:
            said.append(f"format {self.format}")
        if self.personal_data:
            said.append(f"personal data {sorted(self.personal_data.items())}")
        kinds = {*self.kinds(REPLACED), *self.kinds(MARKED)}
        return [
            *said,
            *(f"{kind} {RULES_VERSION[kind]}" for kind in sorted(kinds & {*RULES_VERSION})),
        ]

    def kinds(self, treatment: str) -> list[str]:
        """The kinds of personal data that are treated so; those nothing is said of are off."""
        said = {**dict.fromkeys(self.replace_kinds, REPLACED), **self.personal_data}
        return [str(kind) for kind in Replaced if said.get(str(kind), OFF) == treatment]

    def check(self) -> None:
        """What is asked for must be something that can be written."""

        if self.target_bytes <= 0:
            raise ConfigError("[ExportCorpus] target_bytes must be positive: 1073741824 is 1 GB")
        wider = looser_limits(self.limits_in_force(), self._earlier_limits())
        if wider:
            raise ConfigError(
                f"[ExportCorpus] limits: {wider[0]} may only be stricter here, for texts outside "
                "of the earlier limits were not deduplicated: set [FilterDocuments] limits"
            )
        try:
            check_scores(self.scores)
            list(map(Replaced, self.replace_kinds))
            self._check_personal_data()
            list(map(parse_reservation_pattern, self.reservations))
        except ValueError as error:
            raise ConfigError(f"[ExportCorpus]: {error}") from error

    def _check_personal_data(self) -> None:
        """Raise ValueError for a kind or a treatment that there is not."""
        for kind, treatment in self.personal_data.items():
            Replaced(kind)
            if treatment not in (OFF, MARKED, REPLACED):
                raise ValueError(f"personal_data: {kind} is {treatment!r}: off, marked or replaced")

    def limits_in_force(self) -> dict[str, tuple[float, float]]:
        """The limits of FilterDocuments, those given here in their place.

        Raises:
            ConfigError: a limit names no feature, or is no pair of numbers.
        """

        try:
            given = {name: (float(low), float(high)) for name, (low, high) in self.limits.items()}
            return {
                **self._earlier_limits(),
                **quality.quality_limits(given, sets=(), has_later=True),
            }
        except (ValueError, TypeError) as error:
            raise ConfigError(f"[ExportCorpus] limits: {error}") from error

    def _earlier_limits(self) -> dict[str, tuple[float, float]]:
        return FilterDocuments(**self.shared_params()).feature_limits()

    # -- phases --------------------------------------------------------------------------

    def phases(self) -> Sequence[Phase]:
        """Choose documents, cut the corpus into files, write them, then card and columns."""

        return [
            Phase(CHOSEN, self.num_shards, self.choose),
            Phase(PLAN, lambda: 1, self.plan),
            Phase(FILES, self.num_files, self.write_file),
            Phase(CARD, lambda: 1, self.write_card),
            Phase(SHARD, self.num_shards, self.run_shard),
        ]

    def choose(self, shard: int) -> None:
        """Which of the shard's documents are in the corpus, and how long their texts are."""
        reads = {str(task.__name__): list(names) for task, names in self.columns_read().items()}
        self._source().choose(shard, reads, self._left_out)

    def plan(self, number: int) -> None:
        """Where each shard's texts begin among all, and so into how many files they go."""
        del number
        self._source().plan(self.num_shards(), self.target_bytes)

    def num_files(self) -> int:
        """As many as planned; one more than there are, so that one is missing, before that."""

        planned = self._source().num_files()
        if planned is not None:
            return planned
        made = self.store.storage.names(f"{self.store.folder(self.task_family)}/_{FILES}")
        return len(made) + 1

    def rows(self, number: int, replaced: Counter[str]) -> Iterator[pa.Table]:
        """The chosen documents whose texts begin in this file's share of all texts."""

        form = Form(
            self._scores(),
            self.kinds(REPLACED),
            self.kinds(MARKED),
            str(self.passages),
            str(self.format),
        )
        return self._source().rows(number, form, replaced)

    def _source(self) -> CorpusSource:

        columns = dict(COLUMNS)
        measured_by = {
            name: task for task in LATER_TASKS for name in published_on_request(str(task.__name__))
        }
        columns.update({n: (measured_by.get(n, FilterDocuments), n) for n in self._scores()})
        if self.passages != KEPT:
            columns[PASSAGES] = (FindRepeatedPassages, PASSAGES)
        if source_of(str(self.dump), self.store.storage).is_text:
            columns[MIME] = (WARCIndex, MIME)
        names = {name: (str(task.__name__), of) for name, (task, of) in columns.items()}
        return CorpusSource(self.store, self.task_family, self.fingerprint, names)

    def _left_out(self, batch: pa.Table) -> pa.Array:

        limits = self.limits_in_force()
        tasks = {n: str(t.__name__) for t, names in self.columns_read().items() for n in names}
        measures = pa.table({name: batch[f"{tasks[name]}.{name}"] for name in limits})
        reasons = left_out(batch["Deduplicate.dedup_keep"], measures, limits)
        if self.reservations:
            reserved = are_reserved(batch["DetectReservations.reservations"], self.reservations)
            reasons = pc.if_else(pc.and_(reasons.is_null(), pa.array(reserved)), RESERVED, reasons)
        if self.passages != KEPT:
            texts = batch["ProcessMarkdown.text"].to_pylist()
            passages = batch[f"FindRepeatedPassages.{PASSAGES}"].to_pylist()
            is_empty = [
                not cut_out(text or "", cuts_of(ranges, self.passages))
                for text, ranges in zip(texts, passages, strict=True)
            ]
            reasons = pc.if_else(pc.and_(reasons.is_null(), pa.array(is_empty)), REPEATED, reasons)
        return reasons

    def _scores(self) -> list[str]:
        """Measures that are columns, in the order of `PUBLISHABLE`."""
        wanted = {*self.scores, *self.limits_in_force()}
        return [feature.name for feature in PUBLISHABLE if feature.name in wanted]

    def form(self) -> dict[str, Any]:
        """How the files are written, in words for the manifest; see `CorpusForm`."""

        conversion = ConvertToMarkdown(**self.shared_params())
        about = {
            "dump": str(self.dump),
            "converter": conversion.converter,
            "pandoc": pandoc_version(find_pandoc(conversion.pandoc_path)),
            "replace_kinds": self.kinds(REPLACED),
        }
        if self.format != MARKDOWN:
            about["format"] = str(self.format)
        said = json.dumps(about, sort_keys=True)
        marks = {"marks": self.kinds(MARKED)} if self.kinds(MARKED) else {}
        cuts = {"has_cuts": True} if self.passages != KEPT else {}
        written = {"scores": self._scores(), "has_json": self.json_lines, "about": said}
        return {**written, **marks, **cuts}

    def facts(self) -> CardFacts:
        """What the card says besides figures."""

        words = {
            "title": self.title,
            "licence": self.licence,
            "licence_link": self.licence_link,
            "contact": self.contact,
        }
        limits = self.limits_in_force()
        models = {task.task_family: list(task.fingerprint_parts()) for task in self.upstream()}
        kinds = self.kinds(REPLACED)
        told = [str(task.__name__) for task in TOLD]
        beside = self._on_request()
        facts = card_facts(self.store, told, words, self._scores(), limits, kinds, models, beside)
        return replace(
            facts,
            reservations=self._reservation_facts(),
            marks=tuple(self.kinds(MARKED)),
            evaluation_sets=self._evaluation_sets(),
            passages=self._passages(),
            left_out=self._left_out_here(),
        )

    def _left_out_here(self) -> Mapping[str, int]:
        """Why documents that came as far as this are not in the corpus, and how many."""

        counts = self._source().left_out(self.num_shards())
        earlier = (FILTERED, NEAR_DUPLICATE)
        return {why: number for why, number in sorted(counts.items()) if why not in earlier}

    def _evaluation_sets(self) -> Mapping[str, int]:
        """Sets that texts were held against, where that decides, and how many items they have."""
        if Decontaminate not in self.columns_read():
            return {}
        return Decontaminate(**self.shared_params()).set_sizes()

    def _passages(self) -> Mapping[str, Any]:
        """Which passages are cut out; nothing where all are kept."""
        if self.passages == KEPT:
            return {}
        length = int(FindRepeatedPassages(**self.shared_params()).length)
        return {"treatment": str(self.passages), "tokens": length}

    def _reservation_facts(self) -> dict[str, Any]:
        """What the card says of reservations; nothing where none decide."""
        if not self.reservations:
            return {}

        counts = (self.store.manifest(str(DetectReservations.__name__)) or {})["counts"]
        return {
            "deciding": sorted(self.reservations),
            "left_out": self._source().left_out(self.num_shards())[RESERVED],
            "pages": {
                name.removeprefix("reserved."): number
                for name, number in sorted(counts.items())
                if name.startswith("reserved.") and number
            },
        }

    # -- columns -------------------------------------------------------------------------

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """The files of the shard's chosen documents, in their order."""
        numbers, _ = self._source().places(shard)
        yield partial(self._mark, iter(numbers.tolist()))

    def resume(self, partial_path: str, writer: ShardWriter) -> int:
        """Nothing is skipped: the documents' files are handed out in order."""
        del partial_path, writer
        return 0

    def _mark(self, numbers: Iterator[int], batch: pa.Table) -> pa.Table:

        reasons = self._left_out(batch)
        files = [next(numbers) if reason is None else None for reason in reasons.to_pylist()]
        columns = [reasons.is_null(), reasons, files, pa.nulls(len(batch), FAILURE.type)]
        return pa.table(columns, schema=self.schema.append(FAILURE))

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """How many are in the corpus, removals not counted."""
        return {"in_corpus": table["in_corpus"].to_pylist().count(True)}


class WithoutRemovedPages(DocumentTask):
    """Extend it for other forms in which pages leave: what ExportCorpus removed is in none."""

    is_abstract: ClassVar[bool] = True

    def fingerprint_parts(self) -> Sequence[str]:
        """What was removed is not in them."""
        removed = self.removed()
        return [",".join(sorted(removed))] if removed else []

    def removed(self) -> set[str]:
        """Ids of the pages that removal lists took out of the corpus."""

        return set(removed_pages(self.store, str(ExportCorpus.__name__)))
