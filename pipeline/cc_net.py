"""From a dump's WET files, or a source's, to the document index: DownloadWET → CCNet."""

from __future__ import annotations

import contextlib
import logging
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import luigi
import numpy as np
import pyarrow as pa

from skord.ccnet.choices import Mode, Normalisation, ParagraphRule
from skord.ccnet.judging import JudgedPages, LanguageRule, judge_pages
from skord.ccnet.line_hashing import LINES_SCHEMA, KeptNumbers, count_lines
from skord.ccnet.repeats import LinePass, RepeatedKeys, repeats_by_shard
from skord.ccnet.selection import (
    PAGE_COLUMNS,
    PERPLEXITY_COLUMNS,
    REFUSED_SCHEMA,
    perplexity_columns,
    refused_rows,
    selected_rows,
    table_of,
)
from skord.ccnet.wet_pages import keys_of_shard, pages_of_shard
from skord.core.config import sites
from skord.core.dumps import CANARIES, Source, SourceKind, source_of
from skord.core.failures import ConfigError, PipelineError, ShardError
from skord.core.storage.column_store import SHARD
from skord.core.storage.shared_columns import FAILURE, ID
from skord.core.tasks.languages_parameter import LanguagesParameter
from skord.core.tasks.phases import KEYS, Phase, contiguous_groups, evenly_spaced_paths, share_of
from skord.core.tasks.sharded_task import ShardedTask
from skord.crawl.cdx import twin_warc
from skord.crawl.config import check_endpoint, crawl_settings, open_crawl
from skord.crawl.files import DIGEST, keep_file, local_name
from skord.crawl.http.client import PathKind
from skord.crawl.sites import SiteRule
from skord.models.language_id.batches import load_language_batches
from skord.models.language_id.lid176 import load_language_model
from skord.models.language_model.interface import LanguageModels, load_language_models
from skord.models.language_model.perplexity import HEAD_PERCENTILE, TAIL_PERCENTILE
from skord.models.scandinavian.interface import EMBEDDED, name_of_scandinavian
from skord.models.scandinavian.unlisted_languages import columns_with_unlisted
from skord.sources.shards import (
    READ_VERSION,
    SHARD_BYTES,
    checked_files,
    files_by_shard,
    log_lost_pages,
    log_refusals,
    log_shared_ids,
    write_own,
)
from skord.text.languages import UNLISTED, check_languages, with_columns
from skord.text.list_files import read_entries
from skord.text.own_languages import with_own_folder

logger = logging.getLogger("luigi-interface")

LINES = "lines"
OWN_PAGES = "pages"
"""The folder of the pages of a source's files, beside the shard that lists these."""
ROW_GROUP_PAGES = 4096


def paths_schema() -> pa.Schema:
    """Of the table between two phases."""
    return pa.schema([("shard", pa.int32()), ("file", pa.string())])


class CrawlFiles(ShardedTask):
    """Subclass, then define which list, and which of its files belong to which shard.

    One row per file: `file` (path on the crawl), what `about` adds, `bytes`, `digest`,
    `failure`. The files lie under `files/`, as they came.
    """

    is_abstract: ClassVar[bool] = True

    kind: ClassVar[PathKind]
    """The dump's list of paths."""

    schema: ClassVar[pa.Schema]

    @property
    def needs_network(self) -> bool:
        """The files lie on the crawl's servers."""
        return True

    @abstractmethod
    def assign_shards(self, paths: Sequence[str]) -> Mapping[str, int]:
        """The files wanted, in order, and the shard of each."""

    def about(self, path: str) -> Mapping[str, object]:
        """Further columns of a file."""
        del path
        return {}

    def phases(self) -> Sequence[Phase]:
        """First the dump's list of paths, then its files."""
        return [
            Phase("paths", lambda: 1, self.list_paths),
            Phase(SHARD, self.num_shards, self.run_shard),
        ]

    def check(self) -> None:
        """The endpoint's settings must be able to work."""
        crawl_settings()

    def check_online(self) -> None:
        """The endpoint must answer, before anything starts."""
        check_endpoint(str(self.dump), self.kind)

    def list_paths(self, number: int) -> None:
        """Fetch the list and divide its files into shards."""
        shards = self.assign_shards(open_crawl().paths_list(str(self.dump), self.kind))
        if not shards:
            raise ConfigError(
                f"the {self.kind} list of dump {self.dump} names no file of use: "
                "[crawl] base_url is not a crawl"
            )
        columns = {"shard": list(shards.values()), "file": list(shards)}
        table = pa.table(columns, schema=paths_schema())
        self.store.write_sorted(self._paths(number), table, self.fingerprint)

    def _paths(self, number: int = 0) -> str:
        return self.store.path(self.task_family, number, "paths")

    def num_shards(self) -> int:
        """As many as the files were divided into."""
        return int(self.store.read_table(self._paths(), ["shard"])["shard"][-1].as_py()) + 1

    def run_shard(self, shard: int) -> None:
        """Have the shard's files, one after another."""
        files = self.store.read_slice(self._paths(), shard, shard + 1)["file"].to_pylist()
        crawl = open_crawl()
        path = self.store.path(self.task_family, shard)
        with self.store.writer(path, self.schema, self.fingerprint) as writer:
            for file in files:
                row = keep_file(crawl, self.store, self.task_family, file)
                writer.append({**self.about(file), **row})
                writer.counts.update(judged=1, bytes=row["bytes"] or 0)
                writer.counts.update([f"failure.{row['failure']}"] if row["failure"] else [])

    # -- what is kept --------------------------------------------------------------------

    def lost_beside(self, manifest: Mapping[str, Any], *, reads_all: bool = False) -> list[str]:
        """Where all is read, kept files of other bytes, too; those taken away are not missed."""
        lost = super().lost_beside(manifest, reads_all=reads_all)
        return [*lost, *(name for _, name in self._changed())] if reads_all else lost

    def _changed(self) -> Iterator[tuple[int, str]]:
        """Kept files that do not hold what came, by the shard that lists each."""
        storage = self.store.storage
        for shard in sorted(self.store.numbers(self.task_family)):
            with contextlib.suppress(PipelineError):
                for row in self.store.read_table(self._shard(shard)).to_pylist():
                    if not (row["file"] and row.get(DIGEST.name)):
                        continue
                    kept = self.store.file_path(self.task_family, local_name(row["file"]))
                    if storage.exists(kept) and storage.sha256(kept) != row[DIGEST.name]:
                        yield shard, f"files/{local_name(row['file'])}"

    def remove_beside(self, name: str) -> None:
        """Take away a kept file and the shard that lists it."""
        if not name.startswith("files/"):
            super().remove_beside(name)
            return
        for shard, changed in list(self._changed()):
            if changed == name:
                self.store.storage.delete(self._shard(shard))
                self.store.storage.delete(f"{self.store.folder(self.task_family)}/{name}")

    def _shard(self, number: int) -> str:
        return self.store.path(self.task_family, number)


def site_rule() -> SiteRule:
    """The pages of which sites are selected, as section [sites] says.

    Raises:
        ConfigError: a file of sites is not there, or is no text.
    """
    section = sites()
    return SiteRule(
        only=(*section.only, *read_entries(*section.only_files)),
        never=(*section.never, *read_entries(*section.never_files)),
        only_networks=tuple(section.only_networks),
        never_networks=tuple(section.never_networks),
        either=bool(section.either),
    )


def check_sites(source: Source) -> None:
    """Raise ConfigError for an entry that cannot be read, or that the source has no answer to."""
    rule = site_rule()
    try:
        rule.check()
    except ValueError as error:
        raise ConfigError(f"[sites] {error}") from error
    if rule.needs_addresses and source.kind != SourceKind.WARC:
        raise ConfigError(
            "[sites] only_networks and never_networks: neither WET files nor the index say from "
            "which address a page came, only WARC records do: [source] kind = warc"
        )


class DownloadWET(CrawlFiles):
    """Keep the dump's WET files; shard k is a fixed group of them, here and ever after.

    One row per file: `file` (path on the crawl), `warc_file` (its twin), `bytes`,
    `failure`. The files lie under `files/`, undecoded. Once CCNet is complete they may be
    removed by hand.

    Of a source of one's own ([source]), the files listed are that source's, read where they lie;
    `warc_file` is the file itself, and its pages with their places are under `_pages/`.
    """

    kind = "wet"

    schema = pa.schema(
        {
            "file": "string",
            "warc_file": "string",
            "bytes": "int64",
            "failure": "string",
            DIGEST.name: DIGEST.type,
        }
    )

    num_shards_wanted = luigi.IntParameter(
        default=1000, description="groups that the dump's files are divided into; at most one each"
    )

    share = luigi.FloatParameter(
        default=1.0, description="part of the dump's files that is taken, evenly spaced: a pilot"
    )

    def fingerprint_parts(self) -> Sequence[str]:
        """What a source of one's own is; Common Crawl needs no word."""
        own = self.source
        return [own.written(), f"read by version {READ_VERSION}"] if own.is_own else []

    @property
    def source(self) -> Source:
        """What the dump is made of."""
        return source_of(str(self.dump), self.store.storage)

    @property
    def needs_network(self) -> bool:
        """A source of one's own lies on this machine's disks."""
        return not self.source.is_own

    def check(self) -> None:
        """The share must be one, too, there must be shards, and a source of one's own files."""
        if self.source.is_own:
            checked_files(self.source)
        else:
            super().check()
        try:
            evenly_spaced_paths([], self.share)
        except ValueError as error:
            raise ConfigError(f"[DownloadWET] share: {error}") from error

    def check_online(self) -> None:
        """A source of one's own needs no endpoint."""
        if not self.source.is_own:
            super().check_online()

    def assign_shards(self, paths: Sequence[str]) -> Mapping[str, int]:
        """The files wanted, in as many groups as asked for, or one each when there are fewer."""
        paths = evenly_spaced_paths(paths, self.share)
        return dict(zip(paths, contiguous_groups(len(paths), self.num_shards_wanted), strict=True))

    def about(self, path: str) -> Mapping[str, object]:
        """The WARC file that holds the same pages."""
        return {"warc_file": twin_warc(path)}

    def list_paths(self, number: int) -> None:
        """The dump's list, or the files of a source of one's own."""
        if not self.source.is_own:
            super().list_paths(number)
            return

        shard_bytes = 1 if self.dump == CANARIES else SHARD_BYTES
        columns = files_by_shard(self.source, self.share, self.num_shards_wanted, shard_bytes)
        table = pa.table(columns, schema=paths_schema())
        self.store.write_sorted(self._paths(number), table, self.fingerprint)

    def run_shard(self, shard: int) -> None:
        """Fetch the shard's files, or read those of a source of one's own."""
        if not self.source.is_own:
            super().run_shard(shard)
            return

        names = self.store.read_slice(self._paths(), shard, shard + 1)["file"].to_pylist()
        about = (self.task_family, shard, names, self.fingerprint, OWN_PAGES)
        write_own(self.source, self.store, *about)

    def check_counts(self, manifest: dict[str, Any]) -> None:
        """A source of one's own must hold pages, and how much is none is logged."""
        if self.source.is_own:
            log_lost_pages(self.source, manifest["counts"])
            place = (self.task_family, manifest["num_shards"], OWN_PAGES)
            if shared := log_shared_ids(self.store, *place):
                manifest["counts"]["shared_ids"] = shared


class HashParagraphs(ShardedTask):
    """The dump's paragraphs as keys: for each shard, which and in how many pages.

    One row per distinct paragraph of the shard, sorted: `key` (first 64 bits of the SHA-1
    of the normalised paragraph), `documents`. Beside it, under `_lines/`, which paragraph each
    line of each page is, so that CCNet need not hash again (some 5 % of the WET files' size).
    """

    version = 3

    folders = ("_lines",)

    min_chars = luigi.IntParameter(
        default=300, description="pages with fewer characters take no part, as in CCNet"
    )

    mode = luigi.ChoiceParameter(
        choices=[str(mode) for mode in Mode],
        default=str(Mode.DEFAULT),
        description="how texts are cut into lines and judged; exact: as cc_net 1.0, faults too",
    )
    normalisation = luigi.ChoiceParameter(
        choices=[str(form) for form in Normalisation],
        default=str(Normalisation.PUBLISHED),
        description="which spellings of a paragraph are the same; paper: without accents and signs",
    )

    schema = pa.schema({"key": "uint64", "documents": "int32"})

    def fingerprint_parts(self) -> Sequence[str]:
        """The paper's normalisation once left punctuation in."""
        return ["no punctuation"] if self.normalisation == Normalisation.PAPER else []

    def upstream(self) -> Sequence[ShardedTask]:
        """The WET files."""
        return [DownloadWET(**self.shared_params())]

    def run_shard(self, shard: int) -> None:
        """Hash every paragraph of the shard.

        Raises:
            ShardError: the files hold no page at all, so they are no WET files.
        """
        counts: Counter[str] = Counter()
        place = (self.store, DownloadWET.get_task_family(), shard, OWN_PAGES)
        hashed = count_lines(
            keys_of_shard(*place, counts, self.mode, self.min_chars, self.normalisation)
        )
        if not counts["pages"] and not source_of(str(self.dump), self.store.storage).is_own:
            raise ShardError(
                f"the WET files of shard {shard} hold no page ({dict(counts)}): look at them, "
                "remove the broken ones and DownloadWET's shard, and run again"
            )
        lines_path = self.store.path(self.task_family, shard, LINES)
        with self.store.writer(lines_path, LINES_SCHEMA, self.fingerprint) as writer:
            lines = hashed.lines()
            for start in range(0, len(lines), ROW_GROUP_PAGES):
                writer.write(lines.slice(start, ROW_GROUP_PAGES))
        columns = [hashed.keys, hashed.documents.astype(np.int32)]
        table = pa.table(columns, schema=self.schema)
        path = self.store.path(self.task_family, shard)
        self.store.write_sorted(path, table, self.fingerprint, **counts)


NO_MODELS = "none"


class CCNet(ShardedTask):
    """Select pages by language; the document index is born here.

    One row per selected page, in crawl order: `id` (WARC-Record-ID of the response), `url`,
    `warc_file`, `warc_date`, `title`, `raw_content` (kept paragraphs), `line_ids` (which
    they are, counted from 0 after the title), `original_nlines`, `original_length`
    (characters), `length`, `language` (highest score), `language_score`,
    `language_scores` (all of 0.01 or more), `score_{code}` for each wanted language
    (of up to 20),
    `digest` (of the WET record), `source_domain`, `nlines` (kept), `content_length` (bytes of
    the WET record), `perplexity`, `bucket` (head, middle, tail, or all without a model) and
    `paragraph_perplexities` (one for each kept line). The pages refused lie beside, under
    `_refused/`, with their reason.
    """

    version = 2

    folders = ("_refused",)

    languages = LanguagesParameter(
        default=("sv", "da", "no", "nn", "is"),
        description="codes of the languages to select, as fastText's lid.176 names them; or all",
    )
    rule = luigi.ChoiceParameter(
        choices=["any", "top"],
        default="any",
        description="any wanted language reaches min_score (SWEb), or the top one must (CCNet)",
    )
    min_score = luigi.FloatParameter(default=0.2, description="least score of a wanted language")
    refuse_no_language = luigi.BoolParameter(
        default=False,
        significant=False,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="refuse code, lists of numbers and of tags, which are in no language",
    )
    paragraphs = luigi.ChoiceParameter(
        choices=[str(rule) for rule in ParagraphRule],
        default=str(ParagraphRule.KEEP_FIRST),
        description="which copies of a paragraph that several pages share go; keep_all: none",
    )
    group_shards = luigi.IntParameter(
        default=0, description="shards whose pages are compared, as cc_net's 50; 0: the whole dump"
    )
    language_first = luigi.BoolParameter(
        default=False,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="judge the language on the whole text, not on what is left of it",
    )
    num_partitions = luigi.IntParameter(
        default=256,
        significant=False,
        description="ranges that paragraph keys are compared in; sets the memory",
    )
    lid_model_path = luigi.Parameter(
        default="", description="a fastText model; the embedded lid.176.ftz when empty"
    )
    language_models = luigi.Parameter(
        default="embedded",
        description="folder of LANG.sp.model, LANG.arpa.bin and cutoff.csv; embedded, or none",
    )
    head_percentile = luigi.IntParameter(
        default=HEAD_PERCENTILE, description="row of cutoff.csv that ends the head"
    )
    tail_percentile = luigi.IntParameter(
        default=TAIL_PERCENTILE, description="row of cutoff.csv that begins the tail"
    )
    score_paragraphs = luigi.BoolParameter(
        default=True,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="a perplexity for each kept line, too",
    )
    record_refused = luigi.BoolParameter(
        default=True,
        significant=False,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="keep id, URL and reason of refused pages (some 40 bytes each)",
    )

    @property
    def schema(self) -> pa.Schema:
        """The columns, one score for each wanted language among them."""
        return pa.schema(
            [
                ID,
                ("url", pa.string()),
                ("warc_file", pa.string()),
                ("warc_date", pa.string()),
                ("title", pa.string()),
                ("raw_content", pa.string()),
                ("line_ids", pa.list_(pa.int32())),
                ("original_nlines", pa.int32()),
                ("original_length", pa.int32()),
                ("length", pa.int32()),
                ("language", pa.string()),
                ("language_score", pa.float32()),
                *((f"score_{code}", pa.float32()) for code in with_columns(self.languages)),
                *PAGE_COLUMNS,
                *PERPLEXITY_COLUMNS,
                FAILURE,
            ]
        )

    def upstream(self) -> Sequence[ShardedTask]:
        """The keys, and the files once more."""
        return [HashParagraphs(**self.shared_params()), DownloadWET(**self.shared_params())]

    def check(self) -> None:
        """The languages must be ones that the model knows, the language models must be there."""
        if not self.languages:
            raise ConfigError("[CCNet] languages names none: give codes such as et,pl, or all")
        if self.head_percentile > self.tail_percentile:
            raise ConfigError(
                f"[CCNet] head_percentile = {self.head_percentile} lies above tail_percentile = "
                f"{self.tail_percentile}: give the head the smaller one"
            )
        self.perplexity_models()
        check_sites(source_of(str(self.dump), self.store.storage))
        labels = load_language_model(self.lid_model_path).labels
        # What Faroese is divided from must have a label.
        try:
            check_languages(self.languages, [*labels, *(UNLISTED if "is" in labels else ())])
        except ValueError as error:
            raise ConfigError(f"[CCNet] languages: {error}") from error
        if self._unlisted and self._hashing().mode == Mode.EXACT:
            raise ConfigError(
                f"[CCNet] languages: cc_net finds no {' or '.join(sorted(self._unlisted))}: "
                "set [HashParagraphs] mode = default"
            )
        if "se" in self._unlisted and "sv" not in self.languages:
            logger.warning("[CCNet] languages: se is North Sámi; Swedish is sv")

    @property
    def _unlisted(self) -> set[str]:
        """Wanted languages that only a second look finds."""
        labels = load_language_model(self.lid_model_path).labels
        return set(self.languages).intersection(UNLISTED).difference(labels)

    def fingerprint_parts(self) -> Sequence[str]:
        """The language identifier decides what is selected, the language models the rest."""
        models = self.perplexity_models()
        sites = site_rule()
        return [
            load_language_model(self.lid_model_path).name,
            *([models.name] if models else []),
            *([] if sites.takes_all else [f"sites {sites.written()}"]),
            *(["no language refused"] if self.refuse_no_language else []),
            *([f"unlisted {name_of_scandinavian(EMBEDDED)}"] if self._unlisted else []),
        ]

    def perplexity_models(self) -> LanguageModels | None:
        """The language models that the settings name; None for none."""
        if self.language_models == NO_MODELS:
            return None
        return load_language_models(
            with_own_folder(str(self.language_models)), self.head_percentile, self.tail_percentile
        )

    def phases(self) -> Sequence[Phase]:
        """Compare the paragraphs range by range, then select shard by shard."""
        comparing = Phase(self._repeats, self._num_partitions, self.find_repeats, transient=True)
        return [
            *([] if self._keeps_all else [comparing]),
            Phase(SHARD, self.num_shards, self.run_shard),
        ]

    @property
    def _keeps_all(self) -> bool:
        return self.paragraphs == ParagraphRule.KEEP_ALL

    @property
    def _repeats(self) -> str:
        """Phases cut into other ranges must not meet."""
        return f"repeats-{self.num_partitions}"

    def _num_partitions(self) -> int:
        """No more for a few files of one's own than there can be work for."""
        is_own = source_of(str(self.dump), self.store.storage).is_own
        return min(self.num_partitions, 4 * self.num_shards()) if is_own else self.num_partitions

    def find_repeats(self, partition: int) -> None:
        """Which paragraphs in one range of keys stand in two or more pages of the dump.

        Written as one row per paragraph and shard that holds it, sorted by shard, so that
        each shard reads only what concerns it.
        """
        low, high = share_of(partition, self._num_partitions(), KEYS)
        parts = [
            self.store.read_slice(self._keys(shard), low, high)
            for shard in range(self.num_shards())
        ]
        counts = [(part["key"].to_numpy(), part["documents"].to_numpy()) for part in parts]
        table = repeats_by_shard(counts, self.group_shards)
        path = self.store.path(self.task_family, partition, self._repeats)
        self.store.write_sorted(path, table, self.fingerprint)

    def _keys(self, shard: int) -> str:
        return self.store.path(HashParagraphs.get_task_family(), shard)

    def run_shard(self, shard: int) -> None:
        """Judge every page of the shard; write the selected, and the refused beside."""
        counts: Counter[str] = Counter()
        mode, scored_languages = self._hashing().mode, with_columns(self.languages)
        models, schema = self.perplexity_models(), self.schema
        exact = Mode(mode) is Mode.EXACT
        refused_path = self.store.path(self.task_family, shard, "refused")
        with (
            self.store.writer(refused_path, REFUSED_SCHEMA, self.fingerprint) as refused,
            self.store.writer(
                self.store.path(self.task_family, shard), schema, self.fingerprint
            ) as chosen,
        ):
            for judged in self._judged(shard, counts):
                if len(numbers := judged.numbers(refused=False)):
                    columns = selected_rows(judged, numbers, scored_languages, mode)
                    columns |= perplexity_columns(
                        judged, numbers, models, exact=exact, paragraphs=self.score_paragraphs
                    )
                    chosen.extend(table_of(columns, schema))
                    chosen.counts.update(f"bucket.{bucket}" for bucket in columns["bucket"])
                counts.update(f"refused.{reason}" for reason in judged.refusals if reason)
                if self.record_refused and len(numbers := judged.numbers(refused=True)):
                    refused.extend(table_of(refused_rows(judged, numbers, mode), REFUSED_SCHEMA))
            chosen.counts.update(counts)

    def _hashing(self) -> HashParagraphs:
        """That task's settings decide how texts are read and paragraphs compared."""
        return HashParagraphs(**self.shared_params())

    def _judged(self, shard: int, counts: Counter[str]) -> Iterator[JudgedPages]:
        hashing, sites, store = self._hashing(), site_rule(), self.store
        identifier = load_language_batches(self.lid_model_path)
        family = DownloadWET.get_task_family()
        line_pass = LinePass.of_parts(self._repeated(shard), self.paragraphs, shard).of_numbers(
            store.read_table(self._keys(shard), ["key"])["key"].to_numpy()
        )
        with store.open_parquet(store.path(hashing.task_family, shard, LINES)) as lines:
            yield from judge_pages(
                pages_of_shard(store, family, shard, OWN_PAGES, counts, hashing.mode),
                line_pass,
                columns_with_unlisted(identifier) if self._unlisted else identifier.columns_of,
                LanguageRule(self.languages, self.min_score, self.rule),
                hashing.min_chars,
                mode=hashing.mode,
                normalisation=hashing.normalisation,
                language_first=self.language_first,
                line_numbers=KeptNumbers(lines.iter_batches(ROW_GROUP_PAGES)),
                refuse_no_language=self.refuse_no_language,
                scores_refused=self.record_refused,
                takes_site=None if sites.takes_all else lambda page: sites.takes(page.url, page.ip),
            )

    def check_counts(self, manifest: dict[str, Any]) -> None:
        """Every page that was hashed must have been selected or refused."""
        counts = manifest["counts"]
        refused = sum(n for name, n in counts.items() if name.startswith("refused."))
        if manifest["rows"] + refused != counts["pages"]:
            raise ShardError(
                f"CCNet {self.dump}: {counts['pages']} pages in, {manifest['rows']} selected and "
                f"{refused} refused: remove its shards and run again"
            )
        if source_of(str(self.dump), self.store.storage).is_own:
            log_refusals(counts, self._hashing().min_chars, self.languages)

    def _repeated(self, shard: int) -> Iterator[RepeatedKeys]:
        """The shard's paragraphs that are repeated, one range of keys after another."""
        for partition in range(0 if self._keeps_all else self._num_partitions()):
            path = self.store.path(self.task_family, partition, self._repeats)
            table = self.store.read_slice(path, shard, shard + 1)
            yield RepeatedKeys(table["key"].to_numpy(), table["first_shard"].to_numpy())
