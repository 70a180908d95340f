"""Which of the texts that resemble one another are kept: ComputeSignatures → Deduplicate."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import luigi
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.markdown_processing import ProcessMarkdown
from pipeline.quality_filtering import FilterDocuments
from pipeline.warc_processing import ConvertToMarkdown
from skord.core.config import open_storage
from skord.core.dumps import parse_dumps
from skord.core.failures import ConfigError
from skord.core.storage.column_store import GROUPING, SHARD
from skord.core.storage.shared_columns import FAILURE, ID
from skord.core.tasks.declaration import TaskDeclaration
from skord.core.tasks.document_task import DocumentTask, Process
from skord.core.tasks.languages_parameter import LanguagesParameter, languages_option
from skord.core.tasks.phases import Phase, fixed_size_groups
from skord.core.tasks.sharded_task import ShardedTask
from skord.crawl.dumps import named_dumps
from skord.near_duplicates.alarms import (
    AlarmLimits,
    duplicate_alarms,
    log_duplicate_alarms,
    loss_rows,
)
from skord.near_duplicates.buckets import BucketFiles
from skord.near_duplicates.decision import DumpDecision
from skord.near_duplicates.files import (
    RankedTexts,
    SignedTexts,
    earlier_keys,
    own_keys,
    read_part,
    scattered_keys,
    write_parts,
)
from skord.near_duplicates.minhash import SIGNED_SCHEMA, signed_texts
from skord.near_duplicates.partitions import items_within
from skord.near_duplicates.published_minhash import PUBLISHED_SCHEMA, published_signatures
from skord.near_duplicates.ranking import Ranking
from skord.near_duplicates.resolution import Rule
from skord.near_duplicates.tables import bucket_parts, duplicate_columns

PASSES = "passes_all_quality_filters"


class ComputeSignatures(ShardedTask):
    """The signatures of the texts that pass every quality filter.

    Deduplicate reads those of a whole dump several times, and dumps that come later do
    so again: to find one column among the many of FilterDocuments, in row groups that fit
    texts, takes ten times as long as to read it. So they lie together, one file for
    `shards_at_once` shards, in it a row group for each shard and a row for each document.

    Columns: `id`, and null where the text does not compete: `id_digest` (64 bits), `minhash`
    (112 bytes; null for texts under 16 characters, too), `text_digest` (64 bits; texts that are
    equal once composed, with one kind of blanks, have equal ones).
    """

    version = 2

    shards_at_once = luigi.IntParameter(
        default=100, significant=False, description="shards whose signatures make one file"
    )

    def upstream(self) -> Sequence[ShardedTask]:
        """The texts, and which of them pass."""
        return [task(**self.shared_params()) for task in (FilterDocuments, ProcessMarkdown)]

    def phases(self) -> Sequence[Phase]:
        """One item for each file."""
        return [Phase(SHARD, self.num_groups, self.run_shard)]

    def num_groups(self) -> int:
        """How many files there are."""
        return len(self.groups())

    def groups(self) -> list[range]:
        """The shards of each."""
        return fixed_size_groups(self.num_shards(), int(self.shards_at_once))

    def grouping(self, phase: str) -> int | None:
        """Files of other groups of shards must not meet."""
        del phase
        return int(self.shards_at_once)

    def run_shard(self, shard: int) -> None:
        """The signatures of one group of shards."""
        counts = Counter({GROUPING: int(self.shards_at_once), "signed": 0})
        path = self.store.path(self.task_family, shard)
        write_parts(
            self.store, path, self._tables(self.groups()[shard], counts), self.fingerprint, counts
        )

    def _tables(self, shards: range, counts: Counter[str]) -> Iterator[pa.Table]:
        for shard in shards:
            parts = [SIGNED_SCHEMA.empty_table(), *self._signed(shard)]
            table = pa.concat_tables(parts).combine_chunks()
            counts["signed"] += len(table) - table["text_digest"].null_count
            yield table

    def _signed(self, shard: int) -> Iterator[pa.Table]:
        wanted = {"FilterDocuments": [PASSES], "ProcessMarkdown": ["text"]}
        for _, batch in self.store.side_by_side(shard, wanted):
            names = (ID.name, "ProcessMarkdown.text", f"FilterDocuments.{PASSES}")
            yield signed_texts(*(batch[name].combine_chunks() for name in names))


class IndexKept(ShardedTask):
    """The band keys of what one dump keeps, for the dumps that come after it.

    One file for each partition, for Deduplicate alone; 180 bytes for each kept text.
    """

    on_request = True

    dumps = luigi.Parameter(default="", significant=False, description="as in [Deduplicate]")
    num_partitions = luigi.IntParameter(
        default=16, significant=False, description="files that the keys are divided into"
    )
    shards_at_once = luigi.IntParameter(
        default=100, significant=False, description="shards whose band keys make one file"
    )

    def decided(self) -> Deduplicate:
        """The task that keeps them, by [Deduplicate] dumps where this task is asked for by itself."""
        dumps = {"dumps": self.dumps} if self.dumps else {}
        return Deduplicate(**{**self.shared_params(), **dumps})

    def upstream(self) -> Sequence[ShardedTask]:
        """The dump's own decisions."""
        return [self.decided()]

    def phases(self) -> Sequence[Phase]:
        """Scatter the keys by partition, then bring each partition together."""
        return [
            Phase(self._keys(), self.num_groups, self.scatter, transient=True),
            Phase(SHARD, lambda: int(self.num_partitions), self.run_shard),
        ]

    def grouping(self, phase: str) -> int | None:
        """Its files are the partitions."""
        return int(self.num_partitions) if phase == SHARD else None

    def _keys(self) -> str:
        return f"keys-{self.num_partitions}-{self.shards_at_once}"

    def num_groups(self) -> int:
        """How many groups of shards there are."""
        return len(self.groups())

    def groups(self) -> list[range]:
        """Their shards."""
        return fixed_size_groups(self.num_shards(), int(self.shards_at_once))

    def scatter(self, number: int) -> None:
        """Band keys of what some shards keep."""
        shards = self.groups()[number]
        keep = self.decided().task_family
        parts = scattered_keys(self.decided().texts, shards, int(self.num_partitions), keep)
        write_parts(self.store, self._path(number), parts, self.fingerprint)

    def _path(self, number: int) -> str:
        return self.store.path(self.task_family, number, self._keys())

    def run_shard(self, shard: int) -> None:
        """The keys of one partition."""
        bands = own_keys(self.store, [self._path(n) for n in range(self.num_groups())], shard)
        path = self.store.path(self.task_family, shard)
        write_parts(self.store, path, bands, self.fingerprint, {GROUPING: int(self.num_partitions)})


LOSSES = "losses"
RANK = "rank"


class Deduplicate(DocumentTask):
    """Decide which of the texts that resemble one another is kept.

    Only texts that pass every quality filter compete, in the order of a rank; see
    `near_duplicates.resolution`. Dumps that are deduplicated together come one after another: what
    an earlier one kept is never touched again, so that a dump can be added at any time.

    Columns: `dedup_keep` (null for texts that do not compete), `duplicate_of` (id of the kept
    text that is most similar), `similarity` to it (estimated Jaccard, 1 for equal texts),
    `cluster_size` (texts of this dump that stand for the same kept one, itself included).
    """

    version = 2
    reads = {FilterDocuments: [PASSES]}

    schema = pa.schema(
        {
            "dedup_keep": "bool",
            "duplicate_of": "string",
            "similarity": "float32",
            "cluster_size": "int32",
        }
    )

    dump = luigi.Parameter(default="", description="a dump's id; the last of --dumps if left out")
    dumps = luigi.Parameter(
        default="",
        significant=False,
        description="dumps to deduplicate together, the first in the list first: all, or a list "
        "such as 2024-10,2024-18; empty: each by itself",
    )
    similarity_limit = luigi.FloatParameter(
        default=0.65, description="estimated Jaccard similarity of duplicates; 0: one shared band"
    )
    rule = luigi.Parameter(default="greedy", description="greedy or components")
    rank_by = luigi.Parameter(
        default="", description="FilterDocuments' column of which the highest ranks first"
    )
    match_mb = luigi.IntParameter(
        default=300, significant=False, description="memory for the keys that are compared at once"
    )
    num_partitions = luigi.IntParameter(
        default=16, significant=False, description="parts that they are compared in"
    )
    shards_at_once = luigi.IntParameter(
        default=100,
        significant=False,
        description="shards that one item counts the losses of",
    )
    alarm_host_share = luigi.FloatParameter(
        default=0.9, significant=False, description="report hosts that lose a larger share"
    )
    alarm_cluster_share = luigi.FloatParameter(
        default=0.01, significant=False, description="report clusters that are a larger share"
    )
    alarm_texts = luigi.IntParameter(
        default=20,
        significant=False,
        description="texts of the smallest host and cluster that are reported",
    )

    @classmethod
    def get_param_values(
        cls, params: Sequence[Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> list[tuple[str, Any]]:
        """Luigi's own, with the last of `dumps` for a dump that is not given."""
        values = dict(super().get_param_values(params, args, kwargs))
        if not values["dump"] and values["dumps"]:
            values["dump"] = parse_dumps(values["dumps"], open_storage())[-1]
        return list(values.items())

    def check(self) -> None:
        """The rule, the ranking column and the list of dumps must be known."""
        if self.rule not in tuple(Rule):
            raise ConfigError(f"[Deduplicate] rule = {self.rule}: say {' or '.join(Rule)}")
        numbers = [
            field.name
            for field in FilterDocuments.schema
            if pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
        ]
        if self.rank_by and self.rank_by not in numbers:
            raise ConfigError(
                f"[Deduplicate] rank_by = {self.rank_by}: FilterDocuments has no column of numbers of "
                "that name: give one such as content_length or reference_score"
            )
        self.earlier_dumps()

    def earlier_dumps(self) -> tuple[str, ...]:
        """The dumps whose kept texts this one is held against, the first first.

        Raises:
            ConfigError: dumps are listed, and this one is not among them.
        """
        if not self.dumps:
            return ()
        dumps = parse_dumps(str(self.dumps), open_storage())
        if self.dump not in dumps:
            raise ConfigError(
                f"[Deduplicate] dumps = {self.dumps} does not name {self.dump}: add it at the end"
            )
        return dumps[: dumps.index(self.dump)]

    def fingerprint_parts(self) -> Sequence[str]:
        """The dumps before this one, and the fingerprint of what they keep, as it lies there.

        To work that fingerprint out would take a walk through all tasks of all dumps before.
        """
        earlier = self.earlier_dumps()
        indexes = map(self._index, earlier[-1:])
        manifests = [index.store.manifest(index.task_family) for index in indexes]
        return [*earlier, *(str(manifest and manifest["stamp"]) for manifest in manifests)]

    def upstream(self) -> Sequence[ShardedTask]:
        """What is read of this dump."""
        beside = (ComputeSignatures, ConvertToMarkdown)
        return [*super().upstream(), *(task(**self.shared_params()) for task in beside)]

    def requires(self) -> Sequence[TaskDeclaration]:
        """The tasks upstream and the index of the dump before, which knows the rest."""
        return [*super().requires(), *(self._index(dump) for dump in self.earlier_dumps()[-1:])]

    def _earlier(self, dump: str) -> Deduplicate:
        return Deduplicate(**{**self.shared_params(), "dump": dump, "dumps": self.dumps})

    def _index(self, dump: str) -> IndexKept:
        return IndexKept(**{**self.shared_params(), "dump": dump, "dumps": self.dumps})

    def phases(self) -> Sequence[Phase]:
        """Rank the texts, find shared keys, decide, look at it, mark."""
        return [
            Phase("ranks", lambda: 1, self.rank),
            Phase(self._buckets(), lambda: len(self.bands()), self.match, transient=True),
            Phase("decisions", lambda: 1, self.decide, transient=True),
            Phase(LOSSES, self.num_groups, self.count_losses),
            Phase(SHARD, self.num_shards, self.run_shard),
        ]

    def bands(self) -> Sequence[Sequence[range]]:
        """What each item of `match` compares, by the memory that it may take."""
        return items_within(int(self.match_mb), self.texts.size)

    def num_groups(self) -> int:
        """How many groups of shards there are."""
        return len(self.groups())

    def groups(self) -> list[range]:
        """Their shards."""
        return fixed_size_groups(self.num_shards(), int(self.shards_at_once))

    @property
    def texts(self) -> RankedTexts:
        """This dump's, by rank."""
        return RankedTexts(
            SignedTexts(self.store, ComputeSignatures.get_task_family()), self.path("ranks", 0)
        )

    def grouping(self, phase: str) -> int | None:
        """What is lost is counted by groups of shards."""
        return int(self.shards_at_once) if phase == LOSSES else None

    def path(self, phase: str, number: int) -> str:
        """A file of one of the phases."""
        return self.store.path(self.task_family, number, phase)

    def _paths(self, phase: str, size: int) -> list[str]:
        store = self.store
        return [store.path(self.task_family, number, phase) for number in range(size)]

    def _buckets(self) -> str:
        """Those of other groups of bands must not meet."""
        return f"buckets-{self.match_mb}"

    def _write(
        self, phase: str, number: int, parts: Iterable[pa.Table], counts: Mapping[str, int]
    ) -> None:
        write_parts(self.store, self.path(phase, number), parts, self.fingerprint, counts)

    def rank(self, number: int) -> None:
        """Number the competing texts in the order in which they are decided."""
        quality = (FilterDocuments.get_task_family(), str(self.rank_by)) if self.rank_by else None
        parts, size = Ranking(self.texts.source, quality).parts()
        self._write("ranks", number, parts, {"competing": size})

    def match(self, number: int) -> None:
        """Keys that two or more texts share, or one of them and a kept one of an earlier dump."""
        stores = [self._index(dump).store for dump in self.earlier_dumps()]
        texts, index = self.texts, IndexKept.get_task_family()
        partitions, counts = int(self.num_partitions), Counter(near=0, exact=0)
        parts = bucket_parts(
            texts.with_ranks,
            self.bands()[number],
            partitions,
            lambda band, part: [earlier_keys(s, index, part, partitions, band) for s in stores],
            texts.size,
            counts,
        )
        self._write(self._buckets(), number, parts, counts)

    def decide(self, number: int) -> None:
        """Which texts go, because of which; the one step that sees the whole dump."""
        decision = DumpDecision(
            self.texts,
            [self._earlier(dump).texts for dump in self.earlier_dumps()],
            BucketFiles(
                self.store, self._paths(self._buckets(), len(self.bands())), self.texts.size
            ),
            float(self.similarity_limit),
            Rule(self.rule),
        )
        self._write("decisions", number, decision.parts(), {})

    def count_losses(self, number: int) -> None:
        """How many texts each host of these shards had, how many go, and the largest clusters."""
        pages = ConvertToMarkdown.get_task_family()
        rows = loss_rows(self.texts, pages, self.path("decisions", 0), self.groups()[number])
        self._write(LOSSES, number, [rows], {GROUPING: int(self.shards_at_once)})

    def summary(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """The manifest, with what should make a person look."""
        limits = AlarmLimits(
            float(self.alarm_host_share), float(self.alarm_cluster_share), int(self.alarm_texts)
        )
        files = self._paths(LOSSES, self.num_groups())
        losses = duplicate_alarms(self.store, files, self.texts.size, limits)
        log_duplicate_alarms(f"{self.task_family} {self.dump}", losses)
        manifest["counts"].update({f"alarm.{kind}": len(lines) for kind, lines in losses.items()})
        return {**manifest, "alarms": losses}

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """What was decided on this shard's texts."""
        yield partial(self._mark, read_part(self.store, self.path("decisions", 0), shard))

    def _batches(self, shard: int, first: int) -> Iterator[tuple[int, pa.Table]]:
        """Row groups as read, with the rank of each document; two may have one id."""
        ranks, start = self.texts.ranks(shard), 0
        for group, batch in super()._batches(shard, 0):
            column = pa.array(ranks[start : start + len(batch)])
            start += len(batch)
            if group >= first:
                yield group, batch.append_column(pa.field(RANK, pa.uint32()), column)

    def _mark(self, decisions: pa.Table, batch: pa.Table) -> pa.Table:
        return duplicate_columns(batch[RANK], decisions).append_column(
            FAILURE, pa.nulls(batch.num_rows, pa.string())
        )

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """How many are kept, and how many removed."""
        keep = table["dedup_keep"]
        kept, competing = pc.sum(keep).as_py() or 0, len(keep) - keep.null_count
        return {"kept": kept, "removed": competing - kept}


class DeduplicateIndividually(luigi.WrapperTask):
    """The whole graph for several dumps, each deduplicated by itself."""

    dumps = luigi.Parameter(
        default="all", description="all that the endpoint has, or a list such as 2024-10,2024-18"
    )
    languages = LanguagesParameter(
        default=(),
        description="codes of the languages to select; what [CCNet] says when left out",
    )
    replace = luigi.BoolParameter(
        default=False, significant=False, description="remake columns made with other settings"
    )

    def complete(self) -> bool:
        """Whether every dump is done; a list that cannot be read is not, and `requires` says so."""
        try:
            return bool(super().complete())
        except ConfigError:
            return False

    def requires(self) -> list[Deduplicate]:
        """The last task of each dump."""
        dumps = named_dumps(str(self.dumps))
        shared = {"dumps": "", "replace": self.replace, **languages_option(self.languages)}
        return [Deduplicate(dump=dump, **shared) for dump in dumps]


class PublishedSignatures(DocumentTask):
    """MinHash band keys, bit for bit those of SWEb's published code.

    Deduplicate does not read them: it takes those of ComputeSignatures, which cost a tenth
    and show how similar two texts are.

    Columns: `minhash_bucket_0` … `minhash_bucket_13` (null for texts under 16 characters).
    """

    on_request = True
    reads = {ProcessMarkdown: ["text"]}

    schema = PUBLISHED_SCHEMA

    def process(self, batch: pa.Table) -> pa.Table:
        """The keys of each text."""
        keys = published_signatures(batch["ProcessMarkdown.text"])
        return keys.append_column(FAILURE, pa.nulls(len(keys), pa.string()))
