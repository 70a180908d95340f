"""The corpus: the kept texts as files, with a card on how they came about."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any, ClassVar, cast

import luigi
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.cc_net import CCNet
from pipeline.dedup import Deduplicate
from pipeline.markdown_processing import ProcessMarkdown
from pipeline.quality_filtering import FilterDocuments, limit_pairs
from pipeline.reservations import DetectReservations
from pipeline.warc_processing import ConvertToMarkdown, FetchHTMLDocuments, WARCIndex
from skord.core.dumps import source_of
from skord.core.failures import ConfigError, PipelineError, ShardError
from skord.core.registry import task_class
from skord.core.storage.column_store import BESIDE, SHARD, ShardFooter, ShardWriter
from skord.core.storage.shared_columns import FAILURE
from skord.core.tasks.document_task import DocumentTask, Process
from skord.core.tasks.phases import Phase
from skord.core.tasks.sharded_task import ShardedTask
from skord.extras import declared
from skord.html.pandoc import pandoc_version
from skord.publishing.card.dataset_card import CardFacts, CardPart
from skord.publishing.card.facts import card_facts
from skord.publishing.files import CorpusFiles
from skord.publishing.manifest import (
    CARD,
    FACTS,
    FILES,
    FORM,
    REMOVALS,
    RemovedPages,
    file_rows,
    listed_pages,
    listed_state,
    overlaid_by_removals,
)
from skord.publishing.removals.apply import figures_of, form_of, publish_card, write_row
from skord.publishing.removals.lists import list_names, load_removals
from skord.publishing.replaced_kinds import DEFAULT, RULES_VERSION, Replaced
from skord.publishing.rows import (
    FILTERED,
    FORMATS,
    MARKDOWN,
    MIME,
    NEAR_DUPLICATE,
    PASSAGES,
    REPEATED,
    RESERVED,
    Form,
    check_scores,
    cuts_of,
    left_out,
    looser_limits,
)
from skord.publishing.source import CHOSEN, PLAN, CorpusSource
from skord.quality import limits as quality
from skord.quality.features import FEATURES, publishable, published_on_request, tasks_on_request
from skord.rights.reservations import are_reserved, parse_reservation_pattern
from skord.text.cuts import KEPT, TREATMENTS, cut_out

REPEATING = "FindRepeatedPassages"
"""The task, of an extra, that finds the duplicate spans which can be cut out of texts."""

OFF, MARKED, REPLACED = "off", "marked", "replaced"
"""What can be done about a kind of personal data."""


BESIDES_REMOVALS = "besides_removals"
"""Key of a manifest: a digest of all that decides the bytes but what is listed for removal."""

REPORTED = (
    CCNet,
    WARCIndex,
    FetchHTMLDocuments,
    ConvertToMarkdown,
    ProcessMarkdown,
    FilterDocuments,
    Deduplicate,
)
"""Tasks that a card reports on, in graph order."""

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


class PublishingTask(DocumentTask):
    """Subclass, then define what the files hold (`rows`), how they are written, and the card's facts.

    The phases `files` and `card` bear the state of the lists besides the task's own fingerprint;
    all others, and the columns, do not depend on them.
    """

    is_abstract: ClassVar[bool] = True

    publishes_files: ClassVar[bool] = True

    @abstractmethod
    def num_files(self) -> int:
        """How many files there will be."""

    @abstractmethod
    def rows(self, number: int, replaced: Counter[str]) -> Iterator[pa.Table]:
        """The rows of one file, removals not looked at; notes what was replaced in them."""

    @abstractmethod
    def form(self) -> dict[str, Any]:
        """How the files are written, in words for the manifest; see `CorpusForm`."""

    @abstractmethod
    def facts(self) -> CardFacts:
        """Facts of the card, besides figures."""

    @property
    def is_made(self) -> bool:
        """Whether it is complete, its files included, under the removals that are listed now."""
        if not super().is_made:
            return False
        try:
            manifest = self.store.manifest(self.task_family) or {}
            return bool(manifest[REMOVALS] == list(list_names(self.store.storage)))
        except (ConfigError, OSError, ValueError, KeyError):
            return False

    # -- published files -----------------------------------------------------------------

    def beside(self) -> Iterator[str]:
        """What is published, in place of what its phases noted of it."""
        yield FILES
        yield from (name for name in super().beside() if name not in (f"_{FILES}", f"_{CARD}"))

    def noted_beside(self, manifest: Mapping[str, Any]) -> Mapping[str, int]:
        """Published files as the card's table lists them, and the tables that describe them."""
        published = {f"{FILES}/{one['name']}": one["bytes"] for one in self._listed()}
        return {**super().noted_beside(manifest), **published}

    def lost_beside(self, manifest: Mapping[str, Any], *, reads_all: bool = False) -> list[str]:
        """Published files that are missing or not those that were written."""
        tables = [self.store.path(self.task_family, 0, CARD)]
        number = range(int(manifest["num_files"]))
        tables += [self.store.path(self.task_family, one, FILES) for one in number]
        folder = f"{self.store.folder(self.task_family)}/"
        broken = [path for path in tables if self._is_unreadable(path, reads_all=reads_all)]
        lost = super().lost_beside(manifest, reads_all=reads_all)
        return sorted({*lost, *(path.removeprefix(folder) for path in broken)})

    def _is_unreadable(self, path: str, *, reads_all: bool) -> bool:
        try:
            if reads_all:
                return self.store.fault_of(path) is not None
            return self.store.footer(path) is None
        except PipelineError:
            return True

    def _listed(self) -> list[dict[str, Any]]:
        """Every published file that a table still lists: `name`, `bytes`, `sha256`."""
        store, family = self.store, self.task_family
        rows: list[dict[str, Any]] = []
        with contextlib.suppress(PipelineError):
            rows += store.read_table(store.path(family, 0, CARD)).to_pylist()
        known = {row["name"] for row in rows}
        number_of_files = (store.manifest(family) or {}).get("num_files", 0)
        for number in range(number_of_files):  # an earlier export may have left notes of more
            with contextlib.suppress(PipelineError):
                (row,) = store.read_table(store.path(family, number, FILES)).to_pylist()
                rows += (one for one in row["written"] if one["name"] not in known)
        return rows

    def fault_beside(self, name: str) -> str | None:
        """Whether a published file has the checksum that it was written with."""
        folder, _, inner = name.partition("/")
        if folder != FILES:
            return super().fault_beside(name)
        digests = {one["name"]: one["sha256"] for one in self._listed()}
        path = self.store.file_path(self.task_family, inner)
        is_whole = self.store.storage.sha256(path) == digests.get(inner)
        return None if is_whole else "it has another checksum"

    def remove_beside(self, name: str) -> None:
        """Take away a published file, and the notes that its number and the card were written."""
        store, family = self.store, self.task_family
        number = re.search(r"-(\d{5})\.(?:parquet|jsonl\.gz)$", name)
        if name.startswith(f"{FILES}/") and number:
            store.storage.delete(store.path(family, int(number[1]), FILES))
        store.storage.delete(store.path(family, 0, CARD))
        store.storage.delete(f"{store.folder(family)}/{name}")

    # -- phases --------------------------------------------------------------------------

    def overlaid_fingerprint(self) -> str:
        """The fingerprint, and with it the lists of removals as they are now."""
        return overlaid_by_removals(self.fingerprint, list_names(self.store.storage))

    def finder(self, phase: str) -> Callable[[int], ShardFooter | None]:
        """Published files are in place when they were written under the lists of now."""
        if phase not in (FILES, CARD):
            return super().finder(phase)
        store, fingerprint = self.store, self.overlaid_fingerprint()

        def find(number: int) -> ShardFooter | None:
            footer = store.footer(store.path(self.task_family, number, phase))
            return footer if footer and footer.fingerprint == fingerprint else None

        return find

    def write_file(self, number: int) -> None:
        """Write one file with all that belongs to it, and note what it holds."""
        replaced: Counter[str] = Counter()
        fingerprint, removals = self.overlaid_fingerprint(), load_removals(self.store.storage)
        files = CorpusFiles(self.store, self.task_family)
        rows = self.rows(number, replaced)
        with files.writing(number, rows, removals, form_of(self.form())) as row:
            pass
        counts = [{"kind": kind, "number": n} for kind, n in sorted(replaced.items())]
        write_row(self.store, self.task_family, {**row, "replaced": counts}, fingerprint)

    def write_card(self, number: int) -> None:
        """Card and checksums; files that an earlier export left go."""
        del number
        rows = file_rows(self.store, self.task_family, self.num_files())
        publish_card(self.store, self.task_family, self.facts(), rows, self.overlaid_fingerprint())

    def summary(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """The manifest, with what the files hold and under which removals."""
        rows = file_rows(self.store, self.task_family, self.num_files())
        # What is published, removals change later; the card's table lists it.
        beside = {n: size for n, size in manifest[BESIDE].items() if not n.startswith(f"{FILES}/")}
        return {
            **manifest,
            BESIDE: beside,
            **figures_of(rows),
            REMOVALS: list(list_names(self.store.storage)),
            FORM: self.form(),
            FACTS: json.loads(json.dumps(asdict(self.facts()))),
        }

    def check_counts(self, manifest: dict[str, Any]) -> None:
        """Every chosen document is in a file or was removed; nobody listed more meanwhile."""
        if not all(map(self.finder(FILES), range(manifest["num_files"]))):
            raise ShardError("removals were listed while the files were written: run again")
        figures = manifest["figures"]
        written = sum(documents for documents, _ in figures["languages"].values())
        chosen = manifest["counts"].get("in_corpus", 0)
        if written + sum(figures["removed"].values()) != chosen:
            raise ShardError(
                f"{self.task_family} {self.dump}: {chosen} documents chosen, {written} in files: "
                "remove its folder and run again"
            )


class ExportCorpus(PublishingTask):
    """Publish the kept texts: `files/`, with card and checksums, ready to be copied elsewhere.

    Only pages with `dedup_keep` are in it. `limits` are decided anew, from the stored measures,
    and may only be stricter than those under which texts were deduplicated: a page that did
    not compete then has no decision, so looser ones need [FilterDocuments] limits and
    Deduplicate again. A near-duplicate does not come back when the one that was kept is removed.
    What `python -m pipeline removals` lists is left out, and a list that is added makes the
    task incomplete; which file a page is in does not depend on the lists.

    Columns, for every document of the index: `in_corpus` (removals not counted), `left_out`
    (why not: limits that it fails, `near_duplicate`, `filtered`, `reserved`, `repeated`), `file`.
    """

    version = 4
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
        description="what becomes of duplicate spans that FindRepeatedPassages finds, which then runs "
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
            task: [name for name in published_on_request(task) if name in wanted]
            for task in tasks_on_request()
        }
        if self.passages != KEPT:
            named.setdefault(REPEATING, []).append(PASSAGES)
            named["ProcessMarkdown"] = ["text"]
        asked: dict[type[ShardedTask], Sequence[str]] = {
            self._task(name): columns for name, columns in named.items() if columns
        }
        if self.reservations:
            asked[DetectReservations] = ["reservations"]
        return {**self.reads, **asked}

    def _task(self, name: str) -> type[ShardedTask]:
        """A task of an extra.

        Raises:
            ConfigError: its extra is not there.
        """
        try:
            return cast("type[ShardedTask]", task_class(name))
        except ConfigError as error:
            raise ConfigError(
                f"[ExportCorpus] passages = {self.passages} needs {name}, and {error}"
            ) from error

    def _on_request(self) -> list[str]:
        """Names of the tasks on request that are read."""
        return [str(task.__name__) for task in self.columns_read() if task not in REPORTED]

    def fingerprint_parts(self) -> Sequence[str]:
        """What decides or is a column since later than the others: without it all is as before."""
        parts = [f"reservations {sorted(self.reservations)}"] if self.reservations else []
        names = [
            name
            for task, columns in self.columns_read().items()
            if str(task.__name__) in tasks_on_request()
            for name in columns
        ]
        later = [one.name for one in publishable() if one.name in names]
        parts += [f"columns {later}"] if later else []
        if self._on_request():
            parts.append("card of tasks on request")
        if self.passages != KEPT:
            parts.append(f"passages {self.passages}")
        if self.format != MARKDOWN:
            parts.append(f"format {self.format}")
        if self.personal_data:
            parts.append(f"personal data {sorted(self.personal_data.items())}")
        kinds = {*self.kinds(REPLACED), *self.kinds(MARKED)}
        return [
            *parts,
            *(f"{kind} {RULES_VERSION[kind]}" for kind in sorted(kinds & {*RULES_VERSION})),
        ]

    def kinds(self, treatment: str) -> list[str]:
        """The kinds of personal data that are treated so; those not named are off."""
        treatments = {**dict.fromkeys(self.replace_kinds, REPLACED), **self.personal_data}
        return [str(kind) for kind in Replaced if treatments.get(str(kind), OFF) == treatment]

    def check(self) -> None:
        """What is asked for must be something that can be written."""
        FilterDocuments(**self.shared_params()).check_measured(
            self.limits_in_force(), "ExportCorpus"
        )
        wider = looser_limits(self.limits_in_force(), self._earlier_limits())
        if wider:
            raise ConfigError(
                f"[ExportCorpus] limits: {wider[0]} may only be stricter here, for texts outside "
                "of the earlier limits were not deduplicated: set [FilterDocuments] limits"
            )
        self.columns_read()
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
        given = limit_pairs("ExportCorpus", self.limits)
        try:
            return {
                **self._earlier_limits(),
                **quality.quality_limits(given, sets=(), has_later=True),
            }
        except ValueError as error:
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
        measured_by = {
            name: task for task in tasks_on_request() for name in published_on_request(task)
        }
        filtering = str(FilterDocuments.__name__)
        names = {name: (str(task.__name__), of) for name, (task, of) in COLUMNS.items()}
        names.update({n: (measured_by.get(n, filtering), n) for n in self._scores()})
        if self.passages != KEPT:
            names[PASSAGES] = (REPEATING, PASSAGES)
        if source_of(str(self.dump), self.store.storage).is_text:
            names[MIME] = (str(WARCIndex.__name__), MIME)
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
            passages = batch[f"{REPEATING}.{PASSAGES}"].to_pylist()
            is_empty = [
                not cut_out(text or "", cuts_of(ranges, self.passages))
                for text, ranges in zip(texts, passages, strict=True)
            ]
            reasons = pc.if_else(pc.and_(reasons.is_null(), pa.array(is_empty)), REPEATED, reasons)
        return reasons

    def _scores(self) -> list[str]:
        """Measures that are columns, in the order of `publishable`."""
        wanted = {*self.scores, *self.limits_in_force()}
        return [feature.name for feature in publishable() if feature.name in wanted]

    def form(self) -> dict[str, Any]:
        """How the files are written, in words for the manifest; see `CorpusForm`."""
        conversion = ConvertToMarkdown(**self.shared_params())
        pandoc = conversion.pandoc()
        about = {
            "dump": str(self.dump),
            "converter": conversion.converter,
            "pandoc": pandoc_version(pandoc) if pandoc else "",
            "replace_kinds": self.kinds(REPLACED),
        }
        if self.format != MARKDOWN:
            about["format"] = str(self.format)
        about_json = json.dumps(about, sort_keys=True)
        marks = {"marks": self.kinds(MARKED)} if self.kinds(MARKED) else {}
        cuts = {"has_cuts": True} if self.passages != KEPT else {}
        written = {"scores": self._scores(), "has_json": self.json_lines, "about": about_json}
        return {**written, **marks, **cuts}

    def facts(self) -> CardFacts:
        """Facts of the card, besides figures."""
        words = {
            "title": self.title,
            "licence": self.licence,
            "licence_link": self.licence_link,
            "contact": self.contact,
        }
        limits = self.limits_in_force()
        models = {task.task_family: list(task.fingerprint_parts()) for task in self.upstream()}
        kinds = self.kinds(REPLACED)
        named = [str(task.__name__) for task in REPORTED]
        beside = self._on_request()
        facts = card_facts(self.store, named, words, self._scores(), limits, kinds, models, beside)
        return replace(
            facts,
            reservations=self._reservation_facts(),
            marks=tuple(self.kinds(MARKED)),
            left_out=self._left_out_here(),
            **self._facts_of_extras(),
        )

    def _left_out_here(self) -> Mapping[str, int]:
        """Why documents that came as far as this are not in the corpus, and how many."""
        counts = self._source().left_out(self.num_shards())
        earlier = (FILTERED, NEAR_DUPLICATE)
        return {why: number for why, number in sorted(counts.items()) if why not in earlier}

    def _facts_of_extras(self) -> dict[str, Any]:
        """Facts of the card on the tasks of extras that are read."""
        read = {str(task.__name__): task for task in self.columns_read()}
        return {
            part.fact: part.values(read[part.task](**self.shared_params()), self)
            for part in declared(CardPart)
            if part.task in read
        }

    def _reservation_facts(self) -> dict[str, Any]:
        """Facts of the card on reservations; nothing where none decide."""
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


class WithoutRemovedPages(ShardedTask):
    """Extend it for other forms in which pages leave: what is listed for removal is in none.

    What is listed is a part of the fingerprint. Once more is listed the task is not complete, and
    is made again without being asked to replace anything.
    """

    is_abstract: ClassVar[bool] = True

    publishes_files: ClassVar[bool] = True

    folders: ClassVar[Sequence[str]] = (FILES,)

    def pages_in_files(self) -> Iterator[tuple[str, str, str]]:
        """What the files hold now: name of the file, id of a page ("" if unknown), its address."""
        raise NotImplementedError

    def removed(self) -> RemovedPages:
        """The pages that are listed now, by their ids and addresses."""
        return listed_pages(self.store, str(ExportCorpus.__name__))

    def fingerprint_parts(self) -> Sequence[str]:
        """What is listed is not in the files."""
        return [*super().fingerprint_parts(), *self._listed()]

    def may_be_replaced(self, manifest: Mapping[str, Any]) -> bool:
        """Whether nothing changed since but that more is listed."""
        before = set(manifest.get(REMOVALS, []))
        is_same = manifest.get(BESIDES_REMOVALS) == self._besides_removals()
        return is_same and before <= {*self._listed()}

    def summary(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """The manifest, with what was listed."""
        listed = {REMOVALS: list(self._listed()), BESIDES_REMOVALS: self._besides_removals()}
        return {**super().summary(manifest), **listed}

    def _listed(self) -> Sequence[str]:
        return listed_state(self.store, str(ExportCorpus.__name__))

    def _besides_removals(self) -> str:
        """A digest of all else that decides the bytes."""
        decisive = [
            self.version,
            self.to_str_params(only_significant=True),
            list(super().fingerprint_parts()),
            [task.fingerprint for task in self.upstream()],
        ]
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:16]
